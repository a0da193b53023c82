#pragma once

// Data of known sizes between few partners, in bounded memory.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace evenkeel {

// Memory that goes to a rank, or comes from one. Where `data` is null, TransferWork writes the
// message when its turn to be sent comes, or reads it when it has arrived; a message between a rank
// and itself must have data.
struct Send {
  int to;
  const void* data;
  std::int64_t bytes;
  MemoryKind kind = MemoryKind::host;
};
struct Receive {
  int from;
  void* data;
  std::int64_t bytes;
  MemoryKind kind = MemoryKind::host;
};

// What a transfer may take of memory and of MPI.
struct TransferLimits {
  // Extra memory for staging, for each kind of memory. A single message that needs more gets it.
  std::int64_t staging_bytes = std::int64_t{256} << 20;
  int in_flight = 8;  // messages each way, at any time; at least 1
};

// What a rank does for messages without data. Work that a function launches on the space of the
// transfer may still be running when the function returns; all else must be done.
struct TransferWork {
  std::function<void(std::size_t send, std::byte* to)> fill = {};
  std::function<void(std::size_t receive, const std::byte* from)> take = {};
  std::function<void()> meanwhile = {};  // once, while the first messages are on their way
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
// the matching Receive: of two ranks, the k-th Send into the k-th Receive. Both sides must state
// the same number of bytes, which may be any. A message that is shorter or longer than its Receive
// is an Error on the receiver, as long as no message is longer than a piece (CommunicatorOptions).
// Fence the kernels that write what is sent; copies to and from staging run on `space`.
//
// A transfer always ends, however few messages may be in flight. Each rank orders its messages by
// the distance d to the partner (up the ranks for sends, down for receives), and then by their
// number k among the messages of that partner; both ends give a message the same (d, k). A rank
// that cannot proceed waits for the least (d, k) that it has under way. Consider the least (d, k)
// that some rank has not yet seen complete. All lesser ones are complete and seen, so at both ends
// this message is the next one, has a slot and has been started. A rank that waits there waits for
// this message, or for another with the same (d, k), and MPI makes progress on both.
class EVENKEEL_API Transfer {
 public:
  // Local. Checks the messages and allocates staging.
  Transfer(const Space& space, const Communicator& communicator, std::span<const Send> sends,
           std::span<const Receive> receives, const TransferLimits& limits = {});
  Transfer(Transfer&&) noexcept;
  Transfer& operator=(Transfer&&) noexcept;
  ~Transfer();

  // Returns when all data has arrived. Call it once. An exception from the work, or a fault of a
  // message, is thrown only when everything else has arrived; messages sent after such a failure
  // have arbitrary content, so that no other rank waits.
  void run(const TransferWork& work = {});

  // Bytes of staging that this transfer holds, and that a transfer of the given messages would
  // hold.
  std::int64_t staging_bytes() const noexcept;
  std::int64_t staging_bytes(MemoryKind kind) const noexcept;
  static std::int64_t staging_needed(const Communicator& communicator, std::span<const Send> sends,
                                     std::span<const Receive> receives,
                                     const TransferLimits& limits = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
