#pragma once

// Exchange with few partners: a rank contacts only those that it trades with, and learns who will
// contact it without an all-to-all of any size (non-blocking consensus: Hoefler, Siebert and
// Lumsdaine, PPoPP 2010). Two steps: `announce` carries a small note to each partner (a size, most
// often), then `transfer` moves data of known sizes.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace evenkeel {

// A small note to, or from, another rank.
template <class T>
struct Note {
  int rank;
  T content;
};

// Memory that goes to a rank, or comes from one.
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

namespace detail {
struct RawNote {
  int rank;
  std::vector<std::byte> content;
};
EVENKEEL_API std::vector<RawNote> announce(const Communicator& communicator,
                                           std::vector<RawNote> notes, std::int64_t bytes);
}  // namespace detail

// Collective. Sends each note to its rank and returns the notes for this rank, ordered by sender
// (notes of one sender keep their order). A note to oneself arrives like any other. Time: O(log
// ranks) beyond the notes themselves. A rank outside the communicator is an Error on the rank that
// named it, after it has taken part: the others go on, so vote before you rely on the notes.
template <Sendable T>
[[nodiscard]] std::vector<Note<T>> announce(const Communicator& communicator,
                                            std::span<const Note<T>> notes) {
  std::vector<detail::RawNote> outgoing;
  outgoing.reserve(notes.size());
  for (const Note<T>& note : notes) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&note.content);
    outgoing.push_back({note.rank, std::vector<std::byte>(bytes, bytes + sizeof(T))});
  }
  std::vector<Note<T>> incoming;
  for (const detail::RawNote& note :
       detail::announce(communicator, std::move(outgoing), sizeof(T))) {
    incoming.push_back({note.rank, T{}});
    std::memcpy(&incoming.back().content, note.content.data(), sizeof(T));
  }
  return incoming;
}

// A transfer of known sizes, in two steps, so that a rank whose memory is refused can say so at a
// vote before anybody waits for it:
//
//   std::optional<Transfer> transfer;
//   const Status status = attempt(stage, [&] { transfer.emplace(space, communicator, sends,
//   receives); }); vote(communicator, status); transfer->run();
//
// Making one is local: checks the messages and allocates staging for device memory that MPI does
// not take. Running it is collective over the communicator (ranks without partners run an empty
// one) and allocates nothing of size: moves every Send into the Receive that names this rank, the
// k-th of a pair of ranks into the k-th. Both sides state the same bytes, of any number; a message
// that is shorter or longer than its Receive is an Error on the receiver, after everything else has
// arrived. Kernels that still write what is sent must have been fenced; copies to and from staging
// run on `space`.
class EVENKEEL_API Transfer {
 public:
  Transfer(const Space& space, const Communicator& communicator, std::span<const Send> sends,
           std::span<const Receive> receives);

  // Returns when all data is there. Once only.
  void run();

  std::int64_t staging_bytes() const noexcept { return outgoing_.bytes() + incoming_.bytes(); }

 private:
  Space space_;
  std::shared_ptr<detail::Messenger> messenger_;
  std::vector<Send> sends_, posted_sends_, own_sends_;
  std::vector<Receive> receives_, posted_receives_, own_receives_;
  Buffer outgoing_, incoming_;
};

}  // namespace evenkeel
