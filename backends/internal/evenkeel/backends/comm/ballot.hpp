#pragma once

// Votes that reduce more than a status. A tally is a structure of the caller that the reduction of
// the vote combines, too; this saves a second reduction.

#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/error.hpp>

#include <span>
#include <vector>

namespace evenkeel {

namespace detail {

// A status of fixed size, for a reduction. The combination of two ballots is the failure of the
// lower rank.
struct EVENKEEL_API Ballot {
  static constexpr int none = -1;
  static constexpr std::size_t room = 1000;  // for where, problem and remedy, which are shortened
                                             // to fit

  int rank = none;  // lowest failing rank
  int failures = 0;
  int kind = 0;
  int reserved = 0;
  char text[room] = {};  // where, problem, remedy; each ends with a zero

  static Ballot of(const Status& status, int rank) noexcept;
  // If there is a failure, replaces its remedy.
  void set_remedy(const char* remedy) noexcept;
  static void combine(Ballot& into, const Ballot& from) noexcept;
  void throw_if_failed(int ranks) const;
};

template <class Tally, void (*combine)(Tally&, const Tally&) noexcept>
struct BallotWith {
  Ballot ballot;
  Tally tally;
  static void combine_both(BallotWith& into, const BallotWith& from) noexcept {
    Ballot::combine(into.ballot, from.ballot);
    combine(into.tally, from.tally);
  }
};

}  // namespace detail

// Collective. Votes, and returns the combined tallies of all ranks.
template <auto combine, Sendable Tally>
Tally vote(const Communicator& communicator, const Status& status, const Tally& mine) {
  using Both = detail::BallotWith<Tally, combine>;
  const Both both = all_reduce<&Both::combine_both>(
      communicator, Both{detail::Ballot::of(status, communicator.rank()), mine});
  both.ballot.throw_if_failed(communicator.size());
  return both.tally;
}

namespace detail {
// Collective. Gathers one number of each rank; the result is valid until the next call. Allocates
// nothing.
EVENKEEL_API std::span<std::int64_t> gather_numbers(const Communicator& communicator,
                                                    std::int64_t mine);
EVENKEEL_API void gather_bytes(const Communicator& communicator, const void* mine, void* all,
                               std::span<const std::int64_t> bytes_of_rank, int root);
}  // namespace detail

// Collective. Gathers any number of values from each rank, on the root, or on all ranks if `root`
// is -1. If a status is not ok, or a rank has no memory for the values, all ranks throw the same
// Error. This takes one vote and one gather.
template <Sendable T>
Gathered<T> gather(const Communicator& communicator, const Status& status, std::span<const T> mine,
                   int root) {
  const std::span<std::int64_t> counts =
      detail::gather_numbers(communicator, status.ok() ? std::ssize(mine) : std::int64_t{0});
  Gathered<T> all;
  const bool receives = root < 0 || root == communicator.rank();
  const Status ready = attempt("backends/comm", [&] {
    if (!status.ok()) throw Error(*status.error());
    all.offsets.assign(counts.size() + 1, 0);
    for (std::size_t r = 0; receives && r < counts.size(); ++r)
      all.offsets[r + 1] = all.offsets[r] + counts[r];
    all.values.resize(static_cast<std::size_t>(all.offsets.back()));
  });
  vote(communicator, ready);
  for (std::int64_t& count : counts) count *= static_cast<std::int64_t>(sizeof(T));
  detail::gather_bytes(communicator, mine.data(), all.values.data(), counts, root);
  return all;
}
template <Sendable T>
Gathered<T> all_gather(const Communicator& communicator, const Status& status,
                       std::span<const T> mine) {
  return gather(communicator, status, mine, -1);
}

// Collective. An assertion of the level `collective`: all ranks throw the same Error if the
// condition is false on one of them. At lower levels the condition is not evaluated.
#if EVENKEEL_ASSERTION_LEVEL >= 2
#define EVENKEEL_ASSERT_ALL(communicator, condition, meaning)                                      \
  ::evenkeel::stages::vote(communicator, ::evenkeel::stages::attempt("assertion", [&] {            \
                             if (!(condition))                                                     \
                               ::evenkeel::detail::assertion_failed(#condition, meaning, __FILE__, \
                                                                    __LINE__);                     \
                           }))
#else
#define EVENKEEL_ASSERT_ALL(communicator, condition, meaning) \
  static_cast<void>(sizeof((condition) ? 1 : 0))
#endif

}  // namespace evenkeel
