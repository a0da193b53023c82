#pragma once

// Data of known sizes between few partners, in bounded memory.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace evenkeel {

// Memory that goes to a rank, or comes from one. No data: it is written when its turn comes, or
// read when it has come, by TransferWork; never to or from this rank itself.
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

struct TransferLimits {
  // Of memory beside that of the messages, for each kind of memory. A single message that needs
  // more gets it.
  std::int64_t staging_bytes = std::int64_t{256} << 20;
  int in_flight = 8;  // messages each way, at any time; at least 1
};

// What a rank has to do for messages without data. What it launches on the space of the transfer
// need not be done when it returns; all else must be.
struct TransferWork {
  std::function<void(std::size_t send, std::byte* to)> fill = {};
  std::function<void(std::size_t receive, const std::byte* from)> take = {};
  std::function<void()> meanwhile = {};  // once, while the first messages are on their way
};

// In two steps, so that a rank whose memory is refused can say so at a vote before anybody waits
// for it:
//
//   std::optional<Transfer> transfer;
//   const Status status =
//       attempt(stage, [&] { transfer.emplace(space, communicator, sends, receives); });
//   vote(communicator, status);
//   transfer->run();
//
// Making one is local: checks the messages and allocates staging, for messages without data and for
// device memory that MPI does not take. Running it is collective over the communicator (ranks
// without partners run an empty one) and allocates nothing of size: moves every Send into the
// Receive that names this rank, the k-th of a pair of ranks into the k-th. Both sides state the
// same bytes, of any number; a message that is shorter or longer than its Receive is an Error on
// the receiver, as long as none is longer than a piece (CommunicatorOptions). Kernels that still
// write what is sent must have been fenced; copies to and from staging run on `space`.
//
// A transfer ends, however few messages may be in flight. Every rank takes its messages by the
// distance d of the partner, up the ranks for sends and down for receives, and by their number k
// among those of that partner; both ends of a message know it by the same (d, k). A rank that
// cannot go on waits for the least that it has under way. Take the least (d, k) that some rank has
// not seen to be over: all before it are over and seen, so at both its ends it is the next, has a
// slot, and has been started; and whoever waits there waits for it, or for another of the same (d,
// k), and MPI goes on with both.
class EVENKEEL_API Transfer {
 public:
  Transfer(const Space& space, const Communicator& communicator, std::span<const Send> sends,
           std::span<const Receive> receives, const TransferLimits& limits = {});
  Transfer(Transfer&&) noexcept;
  Transfer& operator=(Transfer&&) noexcept;
  ~Transfer();

  // Returns when all data is there. Once only. What the work throws, and what is wrong with a
  // message, is thrown when everything else has arrived; from then on messages go out with whatever
  // content there is, so that no other rank waits.
  void run(const TransferWork& work = {});

  // That this transfer holds, and that one would.
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
