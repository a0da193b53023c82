#pragma once

// Between new cuts, the offsets of a curve's domains can be shifted by the measured load
// (extras/shift.hpp). Pure functions of the looks so far decide when to shift, when to stop, and
// which domains to end with. A level is max / mean - 1 of the load.

#include <evenkeel/backends/config.hpp>

#include <cstdint>

namespace evenkeel {

enum class RebalanceKind : int;

struct ShiftCourse {
  double cut_level = -1;  // the first level of the last new cut; negative if unknown

  // Since the last new cut, or since the last large change of the load.
  std::int64_t rounds = 0;  // shifts that have been made
  double penalty = 0;       // of the next shift; 0 means the option's value
  double best = -1;         // the lowest level of any domains; negative before the first look
  std::int64_t best_generation = -1;
  std::int64_t is_over = 0;  // 1 if no shift follows

  // Since the last rebalance of any kind.
  std::int64_t looks = 0;
  double usual = 0;          // the mean level of the last looks, without strange looks
  std::int64_t strange = 0;  // looks in a row with a far higher level
  double before = -1;        // the usual level before this rebalance; negative if it was no shift

  // If the last look asks for a shift: by the load of all epochs since then, or of the last epoch.
  // Otherwise 0.
  std::int64_t wanted = 0;
  static constexpr std::int64_t of_all = 1, of_last = 2;
};

// The observed level of the present domains.
struct LevelSeen {
  double level = 0;
  std::int64_t generation = 0;
};

// Takes a look into account. Returns true if the load has changed a lot since the last rebalance;
// then the refinement begins again. Levels below `floor` are even enough. If a shift has made the
// load less even, it went too far, and the penalty grows.
EVENKEEL_API bool observe(ShiftCourse& refinement, const LevelSeen& seen, double chosen_penalty,
                          double floor) noexcept;

// The next step, or `rest`. `rounds` is the number of shifts that may follow a new cut. A load that
// has changed a lot asks for a new cut, unless the last new cut was no better.
enum class NextStep { cut_anew, shift, go_back, rest };
EVENKEEL_API NextStep next_step(const ShiftCourse& refinement, const LevelSeen& seen,
                                std::int64_t rounds, bool has_changed) noexcept;

// To be called after a rebalance from the generation `before` to `generation`, which are equal if
// nothing had to move.
EVENKEEL_API void rebalanced(ShiftCourse& refinement, std::int64_t before, std::int64_t generation,
                             RebalanceKind kind) noexcept;

}  // namespace evenkeel
