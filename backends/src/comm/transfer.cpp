#include "comm/messenger.hpp"
#include "comm/mpi_reach.hpp"
#include "comm/stage.hpp"

#include <evenkeel/backends/comm/transfer.hpp>

#include <optional>
#include <tuple>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::comm::transfer";

int partner_of(const Send& send) { return send.to; }
int partner_of(const Receive& receive) { return receive.from; }

void check_message(const Communicator& communicator, int rank, std::int64_t bytes) {
  if (rank < 0 || rank >= communicator.size())
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "A message names rank " + std::to_string(rank) + ", but there are " +
                    std::to_string(communicator.size()) + " ranks.",
                "Name ranks from 0 to " + std::to_string(communicator.size() - 1) + '.');
  if (bytes < 0)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "A message has " + std::to_string(bytes) + " bytes.", "Sizes cannot be negative.");
}

// Checks messages from this rank to itself. Both ends are known here, so they can be compared.
void check_own(std::span<const Send> sends, std::span<const Receive> receives) {
  const std::size_t count = std::max(sends.size(), receives.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t sent = i < sends.size() ? sends[i].bytes : 0;
    const std::int64_t expected = i < receives.size() ? receives[i].bytes : 0;
    if (sent != expected || i >= sends.size() || i >= receives.size())
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "A rank sends itself " + std::to_string(sent) + " bytes, but expects " +
                      std::to_string(expected) + " from itself.",
                  "Both sides of a transfer must state the same size.");
    if (sent > 0 && (sends[i].data == nullptr || receives[i].data == nullptr))
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "A rank sends itself " + std::to_string(sent) + " bytes without a data pointer.",
                  "Set `data` of both messages, or copy the bytes without a transfer.");
  }
}

bool needs_host_staging(const Communicator& communicator, MemoryKind kind) {
  if (kind == MemoryKind::host) return communicator.options().stage_host_memory;
  return communicator.transport() == Transport::host_staged;
}

// Divides a buffer into slots of equal size. Hands out the slot that was used last, because it is
// in the cache.
class BufferSlots {
 public:
  void want(std::int64_t bytes) {
    ++wanted_;
    bytes_wanted_ += bytes;
    bytes_each_ = std::max(bytes_each_, bytes);
  }
  // Decides how many slots there are.
  void settle(std::int64_t budget, int most) {
    if (wanted_ == 0) return;
    bytes_each_ = (bytes_each_ + 63) / 64 * 64;
    const std::int64_t affordable = std::max<std::int64_t>(1, budget / bytes_each_);
    const std::int64_t sensible = 1 + bytes_wanted_ / bytes_each_;
    slots_ = std::min({wanted_, affordable, sensible, std::int64_t{most}});
  }
  void allocate(MemoryKind kind, bool staging) {
    const char* name = "evenkeel::comm::staging";
    buffer_ = staging ? Buffer::for_staging(name, bytes()) : Buffer(name, kind, bytes());
    free_.reserve(static_cast<std::size_t>(slots_));
    for (std::int64_t slot = slots_; slot-- > 0;)
      free_.push_back(buffer_.data() + slot * bytes_each_);
  }
  std::int64_t bytes() const noexcept { return slots_ * bytes_each_; }
  bool has_room() const noexcept { return !free_.empty(); }
  std::byte* acquire() {
    std::byte* const slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void release(std::byte* slot) { free_.push_back(slot); }
  bool is_wanted() const noexcept { return wanted_ > 0; }

 private:
  Buffer buffer_;
  std::vector<std::byte*> free_;
  std::int64_t wanted_ = 0, bytes_wanted_ = 0, bytes_each_ = 0, slots_ = 0;
};

constexpr std::size_t kinds = 3;
constexpr auto of_host = static_cast<std::size_t>(MemoryKind::host);

// The order in which a rank waits for its messages; transfer.hpp explains it.
struct Precedence {
  int distance;         // of the partner from this rank, around the ring of ranks
  std::int64_t number;  // counts the messages of the same partner in the same direction
  friend bool operator<(const Precedence& a, const Precedence& b) {
    return std::tie(a.distance, a.number) < std::tie(b.distance, b.number);
  }
};

// A message that has been started.
struct UnderWay {
  std::size_t turn;
  std::byte* packed;  // buffer, if the message has no data pointer
  std::byte* staged;  // host buffer, if MPI cannot access the message's memory
  [[no_unique_address]] detail::MpiReach reach = {};
  detail::Flight* flight = nullptr;
};

// All messages that this rank sends, or all that it receives.
template <class Message>
struct Direction {
  struct Turn {
    Message message;
    std::size_t index;  // index in the caller's list
    Precedence precedence;
    bool is_staged;
    bool is_packed() const { return message.data == nullptr && message.bytes > 0; }
  };
  std::vector<Turn> turns;
  std::array<BufferSlots, kinds> packing;
  BufferSlots staging;

  std::vector<UnderWay> under_way;  // in the order of their turns
  std::vector<std::unique_ptr<detail::Flight>> flights;
  std::vector<detail::Flight*> free_flights;
  std::size_t next = 0;

  void take_turns(const Communicator& communicator, std::span<const Message> all, bool up) {
    const int rank = communicator.rank(), size = communicator.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int partner = partner_of(all[i]);
      if (partner == rank) continue;
      const int distance = ((up ? partner - rank : rank - partner) + size) % size;
      const bool is_staged = all[i].bytes > 0 && needs_host_staging(communicator, all[i].kind);
      turns.push_back({all[i], i, {distance, 0}, is_staged});
    }
    std::stable_sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
      return a.precedence.distance < b.precedence.distance;
    });
    for (std::size_t t = 0; t < turns.size(); ++t) {
      Turn& turn = turns[t];
      if (t > 0 && turns[t - 1].precedence.distance == turn.precedence.distance)
        turn.precedence.number = turns[t - 1].precedence.number + 1;
      if (turn.is_packed()) packing_of(turn.message).want(turn.message.bytes);
      if (turn.is_staged) staging.want(turn.message.bytes);
    }
  }

  // Uses half of the staging memory; the other direction uses the other half.
  void settle(const TransferLimits& limits) {
    const bool two = staging.is_wanted() && packing[of_host].is_wanted();
    const std::int64_t budget = limits.staging_bytes / 2, on_host = two ? budget / 2 : budget;
    for (std::size_t kind = 0; kind < kinds; ++kind)
      packing[kind].settle(kind == of_host ? on_host : budget, limits.in_flight);
    staging.settle(on_host, limits.in_flight);
  }
  void allocate(detail::Messenger& messenger, int in_flight) {
    for (std::size_t kind = 0; kind < kinds; ++kind)
      packing[kind].allocate(static_cast<MemoryKind>(kind), false);
    staging.allocate(MemoryKind::host, true);
    const std::size_t most = std::min(turns.size(), static_cast<std::size_t>(in_flight));
    std::int64_t most_bytes = 0;
    for (const Turn& turn : turns) most_bytes = std::max(most_bytes, turn.message.bytes);
    under_way.reserve(most);
    flights.reserve(most);
    free_flights.reserve(most);
    for (std::size_t i = 0; i < most; ++i) {
      flights.push_back(messenger.make_flight(most_bytes));
      free_flights.push_back(flights.back().get());
    }
  }

  BufferSlots& packing_of(const Message& message) {
    return packing[static_cast<std::size_t>(message.kind)];
  }
  bool can_start(int in_flight) {
    return next < turns.size() && std::ssize(under_way) < in_flight &&
           (!turns[next].is_packed() || packing_of(turns[next].message).has_room()) &&
           (!turns[next].is_staged || staging.has_room());
  }
  UnderWay begin() {
    UnderWay now{next, nullptr, nullptr};
    if (turns[next].is_packed()) now.packed = packing_of(turns[next].message).acquire();
    if (turns[next].is_staged) now.staged = staging.acquire();
    now.flight = free_flights.back();
    free_flights.pop_back();
    ++next;
    return now;
  }
  void end(const UnderWay& now) {
    if (now.packed != nullptr) packing_of(turns[now.turn].message).release(now.packed);
    if (now.staged != nullptr) staging.release(now.staged);
    free_flights.push_back(now.flight);
  }
  bool is_over() const { return next == turns.size() && under_way.empty(); }
  Precedence first_under_way() const { return turns[under_way.front().turn].precedence; }
  std::int64_t bytes_of_staging(MemoryKind kind) const noexcept {
    return packing[static_cast<std::size_t>(kind)].bytes() +
           (kind == MemoryKind::host ? staging.bytes() : 0);
  }
};

}  // namespace

struct Transfer::Impl {
  Impl(const Space& space, const Communicator& communicator, std::span<const Send> all_sends,
       std::span<const Receive> all_receives, const TransferLimits& limits)
      : space_(space), messenger_(communicator.messenger()), in_flight_(limits.in_flight) {
    if (in_flight_ < 1)
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "A transfer would have " + std::to_string(in_flight_) + " messages in flight.",
                  "Set the limit to 1 or more.");
    const int rank = communicator.rank();
    for (const Send& send : all_sends) {
      check_message(communicator, send.to, send.bytes);
      if (send.to == rank) own_sends_.push_back(send);
    }
    for (const Receive& receive : all_receives) {
      check_message(communicator, receive.from, receive.bytes);
      if (receive.from == rank) own_receives_.push_back(receive);
    }
    check_own(own_sends_, own_receives_);
    sends_.take_turns(communicator, all_sends, true);
    receives_.take_turns(communicator, all_receives, false);
    sends_.settle(limits);
    receives_.settle(limits);
  }
  ~Impl() {
    if (exchange_) static_cast<void>(attempt(stage_name, [&] { run({}); }));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  void allocate() {
    sends_.allocate(*messenger_, in_flight_);
    receives_.allocate(*messenger_, in_flight_);
  }
  std::int64_t staging_bytes(MemoryKind kind) const noexcept {
    return sends_.bytes_of_staging(kind) + receives_.bytes_of_staging(kind);
  }
  std::int64_t staging_bytes() const noexcept {
    return staging_bytes(MemoryKind::host) + staging_bytes(MemoryKind::device) +
           staging_bytes(MemoryKind::shared);
  }

  void start();
  void run(const TransferWork& work);

  // Runs a function, unless earlier work of this rank has failed.
  template <class Function>
  void attempt_once(const Function& function) {
    if (status_.ok()) status_ = attempt(stage_name, function);
  }
  void start_receive();
  void start_send(const TransferWork& work);
  void end_receive(UnderWay& now, const TransferWork& work);
  void do_more(const TransferWork& work);
  template <class Message, class End>
  bool end_what_is_over(Direction<Message>& direction, const End& end);
  void wait_for_the_first();
  void copy_own();

  Space space_;
  std::shared_ptr<detail::Messenger> messenger_;
  int in_flight_;
  Direction<Send> sends_;
  Direction<Receive> receives_;
  std::vector<Send> own_sends_;
  std::vector<Receive> own_receives_;
  std::optional<int> exchange_;  // from the start to the end
  bool has_more_ = false;        // other work to do meanwhile
  Status status_;
};

void Transfer::Impl::start_receive() {
  UnderWay now = receives_.begin();
  Receive posted = receives_.turns[now.turn].message;
  if (now.packed != nullptr) posted.data = now.packed;
  if (now.staged != nullptr)
    posted.data = now.staged;
  else
    now.reach = detail::let_mpi_reach(posted.kind);
  now.flight->start(*exchange_, posted);
  receives_.under_way.push_back(std::move(now));
}

void Transfer::Impl::start_send(const TransferWork& work) {
  UnderWay now = sends_.begin();
  Send posted = sends_.turns[now.turn].message;
  attempt_once([&] {
    if (now.packed != nullptr && work.fill) work.fill(sends_.turns[now.turn].index, now.packed);
    const void* const data = now.packed != nullptr ? now.packed : posted.data;
    if (now.staged != nullptr)
      copy_bytes(space_, now.staged, MemoryKind::host, data, posted.kind, posted.bytes);
    if (now.packed != nullptr || now.staged != nullptr) space_.fence(label);
  });
  if (now.packed != nullptr) posted.data = now.packed;
  if (now.staged != nullptr)
    posted.data = now.staged;
  else
    now.reach = detail::let_mpi_reach(posted.kind);
  now.flight->start(*exchange_, posted);
  sends_.under_way.push_back(std::move(now));
}

void Transfer::Impl::end_receive(UnderWay& now, const TransferWork& work) {
  const Receive& message = receives_.turns[now.turn].message;
  attempt_once([&] {
    void* const data = now.packed != nullptr ? now.packed : message.data;
    if (now.staged != nullptr)
      copy_bytes(space_, data, message.kind, now.staged, MemoryKind::host, message.bytes);
    if (now.packed != nullptr && work.take) work.take(receives_.turns[now.turn].index, now.packed);
    if (now.packed != nullptr || now.staged != nullptr) space_.fence(label);
    if (now.packed != nullptr || !work.arrived) return;
    work.arrived(receives_.turns[now.turn].index);
    has_more_ = static_cast<bool>(work.meanwhile);
  });
}

void Transfer::Impl::do_more(const TransferWork& work) {
  bool has_more = false;
  attempt_once([&] { has_more = work.meanwhile(); });
  has_more_ = has_more;
}

template <class Message, class End>
bool Transfer::Impl::end_what_is_over(Direction<Message>& direction, const End& end) {
  const std::size_t before = direction.under_way.size();
  std::erase_if(direction.under_way, [&](UnderWay& now) {
    if (!now.flight->test()) return false;
    attempt_once([&] { now.flight->throw_if_failed(); });
    end(now);
    direction.end(now);
    return true;
  });
  return direction.under_way.size() < before;
}

void Transfer::Impl::wait_for_the_first() {
  const bool sends = !sends_.under_way.empty(), receives = !receives_.under_way.empty();
  if (receives && (!sends || !(sends_.first_under_way() < receives_.first_under_way())))
    receives_.under_way.front().flight->wait();
  else if (sends)
    sends_.under_way.front().flight->wait();
}

void Transfer::Impl::copy_own() {
  for (std::size_t i = 0; i < own_sends_.size(); ++i)
    copy_bytes(space_, own_receives_[i].data, own_receives_[i].kind, own_sends_[i].data,
               own_sends_[i].kind, own_sends_[i].bytes);
  if (!own_sends_.empty()) space_.fence(label);
}

void Transfer::Impl::start() {
  exchange_ = messenger_->next_exchange();
  while (receives_.can_start(in_flight_)) start_receive();
  while (sends_.can_start(in_flight_) && !sends_.turns[sends_.next].is_packed()) start_send({});
}

void Transfer::Impl::run(const TransferWork& work) {
  if (!exchange_) exchange_ = messenger_->next_exchange();
  has_more_ = static_cast<bool>(work.meanwhile);
  while (!sends_.is_over() || !receives_.is_over()) {
    while (receives_.can_start(in_flight_)) start_receive();
    bool moves = true;
    if (sends_.can_start(in_flight_))
      start_send(work);
    else if (has_more_)
      do_more(work);
    else
      moves = false;
    moves |= end_what_is_over(receives_, [&](UnderWay& now) { end_receive(now, work); });
    moves |= end_what_is_over(sends_, [](UnderWay&) {});
    if (!moves) wait_for_the_first();
  }
  while (has_more_) do_more(work);
  attempt_once([&] { copy_own(); });
  exchange_.reset();
  if (!status_.ok()) throw Error(*status_.error());
}

Transfer::Transfer(const Space& space, const Communicator& communicator,
                   std::span<const Send> sends, std::span<const Receive> receives,
                   const TransferLimits& limits)
    : impl_(std::make_unique<Impl>(space, communicator, sends, receives, limits)) {
  impl_->allocate();
}
Transfer::Transfer(Transfer&&) noexcept = default;
Transfer& Transfer::operator=(Transfer&&) noexcept = default;
Transfer::~Transfer() = default;

void Transfer::start() { impl_->start(); }
void Transfer::run(const TransferWork& work) { impl_->run(work); }

std::int64_t Transfer::staging_bytes(MemoryKind kind) const noexcept {
  return impl_->staging_bytes(kind);
}
std::int64_t Transfer::staging_bytes() const noexcept { return impl_->staging_bytes(); }

std::int64_t Transfer::staging_needed(const Communicator& communicator, std::span<const Send> sends,
                                      std::span<const Receive> receives,
                                      const TransferLimits& limits) {
  return Impl(Space::where(MemoryKind::host), communicator, sends, receives, limits)
      .staging_bytes();
}

}  // namespace evenkeel
