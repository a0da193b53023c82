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

// What a rank sends to itself never leaves it.
void deliver_to_self(int rank, std::span<const Send> sends, std::span<const Receive> receives) {
  auto receive = receives.begin();
  const auto next = [&] {
    while (receive != receives.end() && receive->from != rank) ++receive;
    return receive != receives.end();
  };
  const auto unequal = [](std::int64_t sent, std::int64_t expected) {
    return Error(ErrorKind::communication, Where{stage_name},
                 "A rank sent itself " + std::to_string(sent) + " bytes where " +
                     std::to_string(expected) + " were expected.",
                 "Both sides of a transfer must state the same size.");
  };
  for (const Send& send : sends) {
    if (send.to != rank) continue;
    if (!next()) throw unequal(send.bytes, 0);
    if (send.bytes != receive->bytes) throw unequal(send.bytes, receive->bytes);
    copy_bytes(receive->data, receive->kind, send.data, send.kind, send.bytes);
    ++receive;
  }
  if (next()) throw unequal(0, receive->bytes);
}

bool needs_staging(const Communicator& communicator, MemoryKind kind) {
  if (communicator.options().transport == Transport::host_staged) return true;
  return kind == MemoryKind::device && communicator.transport() == Transport::host_staged;
}

// One host buffer for all messages of one direction that cannot go as they are.
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
std::vector<Message> to_others(std::span<const Message> messages, int rank, int Message::*partner) {
  std::vector<Message> others;
  std::copy_if(messages.begin(), messages.end(), std::back_inserter(others),
               [&](const Message& m) { return m.*partner != rank && m.bytes != 0; });
  return others;
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

void transfer(const Communicator& communicator, std::span<const Send> sends,
              std::span<const Receive> receives) {
  check_partners(communicator, sends, receives);
  const std::vector<Send> given_sends = to_others(sends, communicator.rank(), &Send::to);
  const std::vector<Receive> given_receives =
      to_others(receives, communicator.rank(), &Receive::from);
  std::vector<Send> posted_sends = given_sends;
  std::vector<Receive> posted_receives = given_receives;
  const Buffer send_buffer = redirect_to_host(communicator, posted_sends);
  const Buffer receive_buffer = redirect_to_host(communicator, posted_receives);

  for (std::size_t i = 0; i < given_sends.size(); ++i)
    if (posted_sends[i].data != given_sends[i].data)
      copy_bytes(const_cast<void*>(posted_sends[i].data), MemoryKind::host, given_sends[i].data,
                 given_sends[i].kind, given_sends[i].bytes);
  communicator.messenger()->transfer(posted_sends, posted_receives);
  deliver_to_self(communicator.rank(), sends, receives);
  for (std::size_t i = 0; i < given_receives.size(); ++i)
    if (posted_receives[i].data != given_receives[i].data)
      copy_bytes(given_receives[i].data, given_receives[i].kind, posted_receives[i].data,
                 MemoryKind::host, given_receives[i].bytes);
}

}  // namespace evenkeel
