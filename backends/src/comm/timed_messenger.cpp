#include "comm/timed_messenger.hpp"

#include <evenkeel/backends/exec/stopwatch.hpp>

namespace evenkeel::detail {

namespace {

using Nanoseconds = std::shared_ptr<std::int64_t>;

class Adding {
 public:
  explicit Adding(std::int64_t& sum) noexcept : sum_(sum) {}
  Adding(const Adding&) = delete;
  Adding& operator=(const Adding&) = delete;
  ~Adding() { sum_ += thread_cpu_nanoseconds() - began_; }

 private:
  std::int64_t& sum_;
  std::int64_t began_ = thread_cpu_nanoseconds();
};

class TimedFlight final : public Flight {
 public:
  TimedFlight(std::unique_ptr<Flight> other, Nanoseconds sum)
      : other_(std::move(other)), sum_(std::move(sum)) {}

  void start(int exchange, const Send& send) noexcept override { other_->start(exchange, send); }
  void start(int exchange, const Receive& receive) noexcept override {
    other_->start(exchange, receive);
  }
  bool test() override {
    const Adding adding(*sum_);
    return other_->test();
  }
  void wait() override {
    const Adding adding(*sum_);
    other_->wait();
  }
  void throw_if_failed() const override { other_->throw_if_failed(); }

 private:
  std::unique_ptr<Flight> other_;
  Nanoseconds sum_;
};

class TimedMessenger final : public Messenger {
 public:
  TimedMessenger(std::shared_ptr<Messenger> other, Nanoseconds sum)
      : other_(std::move(other)), sum_(std::move(sum)) {}

  int rank() const noexcept override { return other_->rank(); }
  int size() const noexcept override { return other_->size(); }
  std::shared_ptr<Messenger> duplicate() const override { return other_->duplicate(); }
  std::shared_ptr<Messenger> on_node() const override { return other_->on_node(); }

  void barrier() override {
    const Adding adding(*sum_);
    other_->barrier();
  }
  bool ranks_share_cores() override { return other_->ranks_share_cores(); }
  void reduce(void* values, std::int64_t count, ScalarType type, Reduction reduction) override {
    const Adding adding(*sum_);
    other_->reduce(values, count, type, reduction);
  }
  void exclusive_scan(void* values, std::int64_t count, ScalarType type,
                      Reduction reduction) override {
    const Adding adding(*sum_);
    other_->exclusive_scan(values, count, type, reduction);
  }
  void broadcast(void* data, std::int64_t bytes, int root) override {
    const Adding adding(*sum_);
    other_->broadcast(data, bytes, root);
  }
  void gather_equal(const void* mine, std::int64_t bytes, void* all) override {
    const Adding adding(*sum_);
    other_->gather_equal(mine, bytes, all);
  }
  std::span<std::int64_t> gather_numbers(std::int64_t mine) override {
    const Adding adding(*sum_);
    return other_->gather_numbers(mine);
  }
  void gather(const void* mine, void* all, std::span<const std::int64_t> bytes_of_rank,
              int root) override {
    const Adding adding(*sum_);
    other_->gather(mine, all, bytes_of_rank, root);
  }
  void combine(void* value, const Combination& combination) override {
    const Adding adding(*sum_);
    other_->combine(value, combination);
  }
  std::unique_ptr<Pending> prepare_combine(const Combination& combination) override {
    return other_->prepare_combine(combination);
  }
  Status announce(std::span<const RawNote> notes, std::int64_t bytes,
                  std::vector<RawNote>& arrived) override {
    const Adding adding(*sum_);
    return other_->announce(notes, bytes, arrived);
  }
  int next_exchange() noexcept override { return other_->next_exchange(); }
  std::unique_ptr<Flight> make_flight(std::int64_t most_bytes) override {
    return std::make_unique<TimedFlight>(other_->make_flight(most_bytes), sum_);
  }
  void at_finalize(std::function<void()> function) override {
    other_->at_finalize(std::move(function));
  }
  void cut_messages(std::int64_t piece_bytes) noexcept override {
    other_->cut_messages(piece_bytes);
  }
  void set_on_mpi_error(OnMpiError what) noexcept override { other_->set_on_mpi_error(what); }

 private:
  std::shared_ptr<Messenger> other_;
  Nanoseconds sum_;
};

}  // namespace

std::shared_ptr<Messenger> make_timed_messenger(std::shared_ptr<Messenger> other,
                                                std::shared_ptr<std::int64_t> nanoseconds) {
  return std::make_shared<TimedMessenger>(std::move(other), std::move(nanoseconds));
}

}  // namespace evenkeel::detail
