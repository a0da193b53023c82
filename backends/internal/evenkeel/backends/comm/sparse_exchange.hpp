#pragma once

// Small notes between few partners. A rank sends notes only to its partners, and gets the notes for
// it without knowing their senders in advance. There is no all-to-all (non-blocking consensus:
// Hoefler, Siebert and Lumsdaine, PPoPP 2010). Most notes announce a size; transfer.hpp then moves
// data of known sizes.

#include <evenkeel/backends/comm/vote.hpp>

#include <array>
#include <cstring>

namespace evenkeel {

// A small note to a rank or from a rank.
template <class T>
struct Note {
  int rank;
  T content;
};

namespace detail {
constexpr std::size_t most_note_bytes = 64;
struct RawNote {
  int rank;
  std::array<std::byte, most_note_bytes> content;
};
// If `made` is a failure, this rank sends no notes. In any case it takes part in the exchange
// before it returns or throws.
EVENKEEL_API std::vector<RawNote> announce(const Communicator& communicator, const Status& made,
                                           std::vector<RawNote> notes, std::int64_t bytes);
}  // namespace detail

// Collective. Sends each note to its rank and returns the notes for this rank, sorted by sender;
// notes of one sender keep their order. A note from a rank to itself arrives like any other.
// Besides the notes themselves this takes a time of O(log ranks). This rank throws an Error if a
// note is for a rank outside the communicator, if no memory is left, or if an MPI call fails. It
// takes part in the exchange before it throws. The other ranks do not throw, so vote before you
// rely on the notes.
template <Sendable T>
[[nodiscard]] std::vector<Note<T>> announce(const Communicator& communicator,
                                            std::span<const Note<T>> notes) {
  static_assert(sizeof(T) <= detail::most_note_bytes, "notes are small; transfer.hpp moves data");
  std::vector<detail::RawNote> outgoing;
  const Status made = attempt("backends/comm", [&] {
    outgoing.reserve(notes.size());
    for (const Note<T>& note : notes) {
      outgoing.push_back({note.rank, {}});
      std::memcpy(outgoing.back().content.data(), &note.content, sizeof(T));
    }
  });
  if (!made.ok()) outgoing.clear();
  const std::vector<detail::RawNote> arrived =
      detail::announce(communicator, made, std::move(outgoing), sizeof(T));
  std::vector<Note<T>> incoming(arrived.size());
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    incoming[i].rank = arrived[i].rank;
    std::memcpy(&incoming[i].content, arrived[i].content.data(), sizeof(T));
  }
  return incoming;
}

// Returns a note for each rank that gets values, with the number of these values. The values for
// rank r begin at offsets[r] and end before offsets[r + 1].
inline std::vector<Note<std::int64_t>> counts_to_ranks(std::span<const std::int64_t> offsets) {
  std::vector<Note<std::int64_t>> counts;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    if (offsets[r] < offsets[r + 1])
      counts.push_back({static_cast<int>(r), offsets[r + 1] - offsets[r]});
  return counts;
}

// Calls announce() between two votes. If `ready` is not ok, this rank announces nothing. If this
// call fails, it writes the failure to `ready`, for the next vote. `stage` is as in attempt().
template <Sendable T>
[[nodiscard]] std::vector<Note<T>> announce(const Communicator& communicator, const char* stage,
                                            Status& ready, std::span<const Note<T>> notes) {
  std::vector<Note<T>> incoming;
  const Status heard = attempt(stage, [&] {
    incoming = announce(communicator, ready.ok() ? notes : std::span<const Note<T>>());
  });
  if (ready.ok()) ready = heard;
  return incoming;
}
template <Sendable T>
[[nodiscard]] std::vector<Note<T>> announce(const Communicator& communicator, const char* stage,
                                            Status& ready, const std::vector<Note<T>>& notes) {
  return announce(communicator, stage, ready, std::span<const Note<T>>(notes));
}

}  // namespace evenkeel
