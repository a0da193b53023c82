#include "comm/messenger.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "backends/comm";

bool is_rank(const Communicator& communicator, int rank) {
  return rank >= 0 && rank < communicator.size();
}

Error no_such_rank(const Communicator& communicator, int rank) {
  return Error(ErrorKind::bad_input, Where{stage_name},
               "A message names rank " + std::to_string(rank) + " of " +
                   std::to_string(communicator.size()) + '.',
               "Name ranks from 0 to " + std::to_string(communicator.size() - 1) + '.');
}

void check_partners(const Communicator& communicator, std::span<const Send> sends,
                    std::span<const Receive> receives) {
  const auto check = [&](int rank, std::int64_t bytes) {
    if (!is_rank(communicator, rank)) throw no_such_rank(communicator, rank);
    if (bytes < 0)
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "A message has " + std::to_string(bytes) + " bytes.",
                  "Sizes cannot be negative.");
  };
  for (const Send& send : sends) check(send.to, send.bytes);
  for (const Receive& receive : receives) check(receive.from, receive.bytes);
}

// What a rank sends to itself never leaves it, and both lists are here to compare.
void check_own(std::span<const Send> sends, std::span<const Receive> receives) {
  const std::size_t count = std::max(sends.size(), receives.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t sent = i < sends.size() ? sends[i].bytes : 0;
    const std::int64_t expected = i < receives.size() ? receives[i].bytes : 0;
    if (sent != expected || i >= sends.size() || i >= receives.size())
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "A rank sends itself " + std::to_string(sent) + " bytes where " +
                      std::to_string(expected) + " are expected.",
                  "Both sides of a transfer must state the same size.");
  }
}

bool needs_staging(const Communicator& communicator, MemoryKind kind) {
  if (kind == MemoryKind::host) return communicator.options().stage_host_memory;
  return communicator.transport() == Transport::host_staged;
}

// Points the messages that cannot go as they are into one host buffer.
template <class Message>
Buffer redirect_to_host(const Communicator& communicator, std::vector<Message>& messages) {
  std::int64_t bytes = 0;
  for (const Message& message : messages)
    if (needs_staging(communicator, message.kind)) bytes += message.bytes;
  Buffer buffer = Buffer::for_staging("evenkeel::comm::staging", bytes);
  std::byte* place = buffer.data();
  for (Message& message : messages) {
    if (!needs_staging(communicator, message.kind)) continue;
    message.data = place;
    message.kind = MemoryKind::host;
    place += message.bytes;
  }
  return buffer;
}

template <class Message>
void split(std::span<const Message> messages, int rank, int Message::*partner,
           std::vector<Message>& own, std::vector<Message>& others) {
  for (const Message& message : messages)
    (message.*partner == rank ? own : others).push_back(message);
}

}  // namespace

namespace detail {

std::vector<RawNote> announce(const Communicator& communicator, std::vector<RawNote> notes,
                              std::int64_t bytes) {
  const int rank = communicator.rank();
  std::optional<Error> error;
  std::vector<RawNote> to_self, to_ranks;
  for (RawNote& note : notes) {
    if (!is_rank(communicator, note.rank))
      error = no_such_rank(communicator, note.rank);
    else
      (note.rank == rank ? to_self : to_ranks).push_back(std::move(note));
  }
  if (error) to_ranks.clear();  // go through the motions, so that no other rank waits for this one
  std::vector<RawNote> arrived = communicator.messenger()->announce(to_ranks, bytes);
  if (error) throw Error(*error);
  std::move(to_self.begin(), to_self.end(), std::back_inserter(arrived));
  std::stable_sort(arrived.begin(), arrived.end(),
                   [](const RawNote& a, const RawNote& b) { return a.rank < b.rank; });
  return arrived;
}

}  // namespace detail

Transfer::Transfer(const Space& space, const Communicator& communicator,
                   std::span<const Send> sends, std::span<const Receive> receives)
    : space_(space), messenger_(communicator.messenger()) {
  check_partners(communicator, sends, receives);
  split(sends, communicator.rank(), &Send::to, own_sends_, sends_);
  split(receives, communicator.rank(), &Receive::from, own_receives_, receives_);
  check_own(own_sends_, own_receives_);
  posted_sends_ = sends_;
  posted_receives_ = receives_;
  outgoing_ = redirect_to_host(communicator, posted_sends_);
  incoming_ = redirect_to_host(communicator, posted_receives_);
}

void Transfer::run() {
  constexpr const char* label = "evenkeel::comm::transfer";
  for (std::size_t i = 0; i < sends_.size(); ++i)
    if (posted_sends_[i].data != sends_[i].data)
      copy_bytes(space_, const_cast<void*>(posted_sends_[i].data), MemoryKind::host, sends_[i].data,
                 sends_[i].kind, sends_[i].bytes);
  if (outgoing_.bytes() != 0) space_.fence(label);
  messenger_->transfer(posted_sends_, posted_receives_);
  for (std::size_t i = 0; i < own_sends_.size(); ++i)
    copy_bytes(space_, own_receives_[i].data, own_receives_[i].kind, own_sends_[i].data,
               own_sends_[i].kind, own_sends_[i].bytes);
  for (std::size_t i = 0; i < receives_.size(); ++i)
    if (posted_receives_[i].data != receives_[i].data)
      copy_bytes(space_, receives_[i].data, receives_[i].kind, posted_receives_[i].data,
                 MemoryKind::host, receives_[i].bytes);
  if (incoming_.bytes() != 0 || !own_sends_.empty()) space_.fence(label);
}

}  // namespace evenkeel
