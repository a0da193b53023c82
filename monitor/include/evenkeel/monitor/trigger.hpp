#pragma once

// When to act: a pure function of a state and the totals of an epoch. It runs on every rank, and
// since all that it sees is the same on every rank, so is its result, to the bit; a hash of all of
// it, compared before anything moves, catches what this reasoning missed.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/epoch.hpp>

#include <cstdint>
#include <string>
#include <variant>

namespace evenkeel {

struct State;

// Nothing moves but by rebalance().
struct Never {
  friend bool operator==(const Never&, const Never&) = default;
};

// At steps start, start + period, ..., the last not after stop (0: for ever), whatever the load.
struct Every {
  std::int64_t start = 0, stop = 0, period = 1;
  friend bool operator==(const Every&, const Every&) = default;
};

// When the imbalance reaches a limit, as lambda = max/avg or in percent. 0: no such limit; one of
// them must be given.
struct Threshold {
  double lambda = 0;
  double imbalance_percent = 0;
  friend bool operator==(const Threshold&, const Threshold&) = default;
};

// A rule of your own: a pure function of its arguments, the same on all ranks, which may run on the
// watcher's thread. Given in code alone. The state is the one before this look.
struct Custom {
  bool (*decide)(const State&, const Totals&) = nullptr;
  friend bool operator==(const Custom&, const Custom&) = default;
};

using Trigger = std::variant<Never, Every, Threshold, Custom>;

// "never", "always", "every 10", "every 0:500:10", "threshold lambda 1.1", "threshold
// imbalance_percent 10" (or both limits), "custom": as options say it, and Errors about it. Without
// loss, but for the function of a Custom: it is not there in what the text gives.
EVENKEEL_API std::string to_text(const Trigger& trigger);
EVENKEEL_API Trigger trigger_from_text(const std::string& text);

// Throws an Error for a trigger that makes no sense. Local.
EVENKEEL_API void check(const Trigger& trigger);

// Whether this trigger acts at the end of this step without asking for the load.
EVENKEEL_API bool is_due(const Trigger& trigger, std::int64_t step) noexcept;

// All that a decision depends on beside the totals.
struct State {
  // From the options.
  Trigger trigger = Never{};
  double floor_percent = 0;         // below this imbalance nothing happens
  double least_coverage = 0;        // below this coverage nothing happens
  std::int64_t cooldown_steps = 0;  // after a rebalance

  // From the past.
  std::int64_t looks = 0;
  std::int64_t step = 0;        // of the last look
  std::int64_t generation = 0;  // of the decomposition
  std::int64_t rebalances = 0;
  std::int64_t rebalanced_at = -1;  // step; -1: never
  std::int64_t mean_load = 0;       // nanoseconds, of the last look
};

enum class Action : int { hold, rebalance };

enum class Reason : int {
  outdated,         // the decomposition changed since: these totals count no more
  unfit,            // a rank has no sample to trust
  no_load,          // no kernel ran
  low_coverage,     // the kernels cover too little of the steps
  cooling_down,     // too soon after the last rebalance
  below_floor,      // even enough
  below_threshold,  // not uneven enough
  above_threshold,  // act
  not_asked,        // the trigger does not look at the load
  custom            // the application's own rule has decided
};

struct Decision {
  Action action = Action::hold;
  Reason reason = Reason::not_asked;
  friend bool operator==(const Decision&, const Decision&) = default;
};

struct Verdict {
  State state;
  Decision decision;
};

// Pure: the same arguments give the same bits.
EVENKEEL_API Verdict fold(const State& state, const Totals& totals);

// The state after a rebalance at the end of `step`, whoever asked for it. Pure.
EVENKEEL_API State rebalanced(State state, std::int64_t step, std::int64_t generation) noexcept;

// The reason in words, with its numbers.
EVENKEEL_API std::string explain(const State& state, const Totals& totals,
                                 const Decision& decision);
EVENKEEL_API const char* name_of(Action action) noexcept;
EVENKEEL_API const char* name_of(Reason reason) noexcept;

// 64-bit hashes (FNV-1a) that do not depend on the build.
EVENKEEL_API std::uint64_t hash_of(const State& state);
EVENKEEL_API std::uint64_t hash_of(const Decision& decision) noexcept;
EVENKEEL_API std::uint64_t hash_of(const std::string& text) noexcept;

}  // namespace evenkeel
