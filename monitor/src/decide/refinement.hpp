#pragma once

// Between new cuts the offsets of a curve's domains can be shifted by the measured load
// (extras/shift.hpp). Pure functions of the looks so far decide when to shift, when to stop, and
// which domains to end with. A level is u as a share of the mean load: max / mean - 1.

#include <evenkeel/backends/config.hpp>

#include <cstdint>

namespace evenkeel {

enum class RebalanceKind : int;

struct ShiftCourse {
  double cut_level = -1;  // the first level of the last new cut; negative if unknown

  // Since the last new cut, or since the last large change of the load.
  std::int64_t rounds = 0;  // shifts that have been made
  double penalty = 0;       // of the next shift; 0 means the chosen one
  double best = -1;         // the lowest level of any domains; negative before the first look
  std::int64_t best_generation = -1;
  std::int64_t is_over = 0;  // 1 if no shift follows

  // Since the last rebalance of any kind.
  std::int64_t looks = 0;
  double usual = 0;          // the mean level of the last looks, without strange ones
  std::int64_t strange = 0;  // looks in a row with a far higher level
  double before = -1;        // the usual level before a shift; negative if it was no shift

  std::int64_t wanted = 0;  // not 0 if the last look asks for a shift by the load
  static constexpr std::int64_t of_all = 1, of_last = 2;  // of all epochs since, or of the last
};

// The observed level of the present domains.
struct LevelSeen {
  double level = 0;
  std::int64_t generation = 0;
};

// Takes a look into account. Returns true if the load has changed a lot since the last rebalance;
// then the refinement begins again. `floor` is a level that is even enough. A shift that has made
// the load less even went too far: the penalty grows.
EVENKEEL_API bool observe(ShiftCourse& refinement, const LevelSeen& seen, double chosen_penalty,
                          double floor) noexcept;

// The next step, if one is needed. `rounds` is the number of shifts that may be made. A new cut is
// for a load that has changed a lot, unless the last new cut was no better.
enum class NextStep { cut_anew, shift, go_back, rest };
EVENKEEL_API NextStep next_step(const ShiftCourse& refinement, const LevelSeen& seen,
                                std::int64_t rounds, bool has_changed) noexcept;

// To be called after a rebalance that began with domains of the generation `before`.
EVENKEEL_API void rebalanced(ShiftCourse& refinement, std::int64_t before, std::int64_t generation,
                             RebalanceKind kind) noexcept;

}  // namespace evenkeel
