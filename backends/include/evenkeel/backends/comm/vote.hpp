#pragma once

// The vote: one reduction after which either all ranks go on, or all throw the same Error, which
// names the lowest failing rank and its message. A rank that fails between two votes still takes
// part in all collective calls, and reports its failure at the next vote: no rank is left waiting,
// and none goes on alone.
//
//   Status status = attempt("core/migrate", [&] { reserve(...); });   // no exception leaves this
//   vote(communicator, status);                                       // all go on, or all throw
//
// A vote can carry a tally, a structure that is reduced in the same step, which saves a second
// reduction.

#include <evenkeel/backends/assert.hpp>
#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/backends/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <utility>

namespace evenkeel {

// What one rank brings to a vote: nothing to complain about, or an Error.
class EVENKEEL_API Status {
 public:
  Status() = default;
  // This rank has failed.
  explicit Status(Error error) : error_(std::move(error)) {}

  // The exception being handled, as a Status: Errors as they are, std::bad_alloc as out_of_memory,
  // all else as `otherwise`. Call inside a catch block. Never throws, not even without memory.
  static Status from_current_exception(const char* stage,
                                       ErrorKind otherwise = ErrorKind::internal) noexcept;

  bool ok() const noexcept { return !error_.has_value(); }
  const std::optional<Error>& error() const noexcept { return error_; }

 private:
  std::optional<Error> error_;
};

// Runs function() and turns whatever it throws into a Status. For code of the application (a
// call-back), use attempt(stage, function, ErrorKind::application). Allocates nothing itself.
// Local.
template <class Function>
[[nodiscard]] Status attempt(const char* stage, Function&& function,
                             ErrorKind otherwise = ErrorKind::internal) {
  try {
    std::forward<Function>(function)();
    return Status();
  } catch (...) {
    return Status::from_current_exception(stage, otherwise);
  }
}

namespace detail {

// A status of fixed size that a reduction can carry. Of two failures, the lower rank's wins.
struct EVENKEEL_API Ballot {
  static constexpr int none = -1;
  static constexpr std::size_t room = 1000;  // for where, problem and remedy, cut when longer

  int rank = none;  // lowest failing rank
  int failures = 0;
  int kind = 0;
  int reserved = 0;
  char text[room] = {};  // where, problem, remedy; each ends with a zero

  static Ballot of(const Status& status, int rank) noexcept;
  // Replaces what to do about the failure, if there is one.
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

// Collective. Returns on all ranks when every status is ok, and throws the same Error on all
// otherwise.
EVENKEEL_API void vote(const Communicator& communicator, const Status& status);

// Collective. The same, and returns the combined tallies of all ranks.
template <auto combine, Sendable Tally>
Tally vote(const Communicator& communicator, const Status& status, const Tally& mine) {
  using Both = detail::BallotWith<Tally, combine>;
  const Both both = all_reduce<&Both::combine_both>(
      communicator, Both{detail::Ballot::of(status, communicator.rank()), mine});
  both.ballot.throw_if_failed(communicator.size());
  return both.tally;
}

namespace detail {
// Collective. A number of each rank; valid until the next call. Allocates nothing.
EVENKEEL_API std::span<std::int64_t> gather_numbers(const Communicator& communicator,
                                                    std::int64_t mine);
EVENKEEL_API void gather_bytes(const Communicator& communicator, const void* mine, void* all,
                               std::span<const std::int64_t> bytes_of_rank, int root);
}  // namespace detail

// Collective. Gathers any number of values from each rank, on all ranks or on root alone, once all
// ranks have memory for what comes. Throws the same Error on all ranks where a status is not ok, or
// memory is refused. It takes no more steps than a vote and a gather.
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

// Collective. What an assertion at level `collective` does: all ranks stop when one finds it
// broken.
#if EVENKEEL_ASSERTION_LEVEL >= 2
#define EVENKEEL_ASSERT_ALL(communicator, condition, meaning)                              \
  ::evenkeel::vote(communicator, ::evenkeel::attempt("assertion", [&] {                    \
                     if (!(condition))                                                     \
                       ::evenkeel::detail::assertion_failed(#condition, meaning, __FILE__, \
                                                            __LINE__);                     \
                   }))
#else
#define EVENKEEL_ASSERT_ALL(communicator, condition, meaning) \
  static_cast<void>(sizeof((condition) ? 1 : 0))
#endif

}  // namespace evenkeel
