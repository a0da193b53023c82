#pragma once

// Small notes between few partners: a rank contacts only those that it trades with, and learns who
// will contact it without an all-to-all of any size (non-blocking consensus: Hoefler, Siebert and
// Lumsdaine, PPoPP 2010). Most notes announce a size; transfer.hpp then moves data of known sizes.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/export.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace evenkeel {

// A small note to, or from, another rank.
template <class T>
struct Note {
  int rank;
  T content;
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
// (notes of one sender keep their order). A note from a rank to itself arrives like any other.
// Time: O(log ranks) beyond the notes themselves. A note to a rank outside the communicator is an
// Error on the sender, thrown after it has taken part: the others go on, so vote before you rely on
// the notes.
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

}  // namespace evenkeel
