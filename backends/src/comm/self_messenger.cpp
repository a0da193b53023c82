// The messenger of a single process: each collective is a copy, and there are no partners.

#include "comm/messenger.hpp"

namespace evenkeel::detail {

namespace {

class CompleteReduction final : public Pending {
 public:
  explicit CompleteReduction(std::int64_t bytes) : value_(static_cast<std::size_t>(bytes)) {}
  void start(const void* mine) override { std::memcpy(value_.data(), mine, value_.size()); }
  bool test() override { return true; }
  void wait() override {}
  bool is_under_way() const noexcept override { return false; }
  const void* value() const noexcept override { return value_.data(); }

 private:
  std::vector<std::byte> value_;
};

class SelfMessenger final : public Messenger {
 public:
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  std::shared_ptr<Messenger> duplicate() const override { return make_self_messenger(); }
  std::shared_ptr<Messenger> on_node() const override { return make_self_messenger(); }

  void barrier() override {}
  bool ranks_share_cores() override { return false; }
  void reduce(void*, std::int64_t, ScalarType, Reduction) override {}
  void exclusive_scan(void*, std::int64_t, ScalarType, Reduction) override {}
  void broadcast(void*, std::int64_t, int) override {}
  void gather_equal(const void* mine, std::int64_t bytes, void* all) override {
    if (bytes != 0) std::memcpy(all, mine, static_cast<std::size_t>(bytes));
  }
  std::span<std::int64_t> gather_numbers(std::int64_t mine) override {
    number_ = mine;
    return {&number_, 1};
  }
  void gather(const void* mine, void* all, std::span<const std::int64_t> bytes_of_rank,
              int) override {
    gather_equal(mine, bytes_of_rank[0], all);
  }

  void combine(void*, const Combination&) override {}
  std::unique_ptr<Pending> prepare_combine(const Combination& combination) override {
    return std::make_unique<CompleteReduction>(combination.bytes);
  }

  Status announce(std::span<const RawNote>, std::int64_t, std::vector<RawNote>&) override {
    return Status();
  }
  int next_exchange() noexcept override { return 0; }
  std::unique_ptr<Flight> make_flight(std::int64_t) override { return nullptr; }
  void at_finalize(std::function<void()>) override {}
  void cut_messages(std::int64_t) noexcept override {}
  void set_on_mpi_error(OnMpiError) noexcept override {}

 private:
  std::int64_t number_ = 0;
};

}  // namespace

Messenger::~Messenger() = default;
Pending::~Pending() = default;
// NOLINTNEXTLINE(performance-unnecessary-value-param): other overrides keep the words
void Pending::let_go(std::string, bool (*)(const void*)) {}
Flight::~Flight() = default;

std::shared_ptr<Messenger> make_self_messenger() { return std::make_shared<SelfMessenger>(); }

}  // namespace evenkeel::detail
