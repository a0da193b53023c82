#pragma once

// Moves data of known sizes between few partners, in bounded memory.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace evenkeel::stages {

// A message to a rank. If `data` is null, TransferWork::fill writes the message when it is sent. A
// message from a rank to itself must have data.
struct Send {
  int to;
  const void* data;
  std::int64_t bytes;
  MemoryKind kind = MemoryKind::host;
};
// A message from a rank. If `data` is null, TransferWork::take reads the message when it has
// arrived.
struct Receive {
  int from;
  void* data;
  std::int64_t bytes;
  MemoryKind kind = MemoryKind::host;
};

// The most memory and messages that a transfer may use at a time.
struct TransferLimits {
  // The most bytes of staging, in each kind of memory. A single message that needs more gets more.
  std::int64_t staging_bytes = std::int64_t{256} << 20;
  int in_flight = 8;  // messages in each direction; at least 1
};

// The functions that write and read messages without data. Work that they launch on the space of
// the transfer may still run when they return; everything else must be complete.
struct TransferWork {
  std::function<void(std::size_t send, std::byte* to)> fill = {};
  std::function<void(std::size_t receive, const std::byte* from)> take = {};
  // Called when a message with data has arrived.
  std::function<void(std::size_t receive)> arrived = {};
  // A part of other work. It is called while messages are on their way, and after that, until it
  // returns false; then again after each call of `arrived`. Messages make progress between calls.
  std::function<bool()> meanwhile = {};
};

// A transfer has two steps, so that a rank whose memory is refused can report it at a vote before
// any other rank waits for it:
//
//   std::optional<Transfer> transfer;
//   const Status status =
//       attempt(stage, [&] { transfer.emplace(space, communicator, sends, receives); });
//   vote(communicator, status);
//   transfer->run();
//
// The constructor is local: it checks the messages and allocates staging, for messages without data
// and for device memory that MPI does not take. run() is collective over the communicator (ranks
// without partners run an empty transfer) and allocates no large memory. It moves every Send into
// the matching Receive: between two ranks, the k-th Send matches the k-th Receive. Both sides must
// state the same number of bytes, which may be any. A message that is shorter or longer than its
// Receive is an Error on the receiver, as long as no message is longer than a piece (see
// CommunicatorOptions). Fence the kernels that write the data to be sent; copies to and from
// staging run on `space`.
//
// A transfer always ends, even if few messages may be in flight. Each rank orders its messages by
// the distance d to the partner (up the ranks for sends, down for receives), and then by their
// number k among the messages of that partner; both ends give a message the same (d, k). A rank
// that cannot proceed waits for the least (d, k) that it has under way. Consider the least (d, k)
// that some rank has not yet seen complete. All lesser messages are complete, and both ends know
// it. So this message is the next one at both ends, has a slot and has been started. A rank that
// cannot proceed waits for this message, or for another with the same (d, k), and MPI makes
// progress on both.
class EVENKEEL_API Transfer {
 public:
  // Local. Checks the messages and allocates staging.
  Transfer(const Space& space, const Communicator& communicator, std::span<const Send> sends,
           std::span<const Receive> receives, const TransferLimits& limits = {});
  Transfer(Transfer&&) noexcept;
  Transfer& operator=(Transfer&&) noexcept;
  ~Transfer();

  // Starts as many messages with data as may be in flight, so that they are on their way before
  // run(). Collective, and then the destructor is, too: it completes all messages.
  void start();
  // Returns when all data has arrived. Call it once. If the work throws or a message is faulty,
  // run() throws only after everything else has arrived. Messages sent after such a failure have
  // arbitrary content; they are sent so that no other rank waits.
  void run(const TransferWork& work = {});

  // The bytes of staging that this transfer holds, in all memory or in one kind.
  std::int64_t staging_bytes() const noexcept;
  std::int64_t staging_bytes(MemoryKind kind) const noexcept;
  // The bytes of staging that a transfer of these messages would hold. Local.
  static std::int64_t staging_needed(const Communicator& communicator, std::span<const Send> sends,
                                     std::span<const Receive> receives,
                                     const TransferLimits& limits = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::stages
