#pragma once

// Between new cuts, the offsets of a curve's domains can be shifted by the measured load;
// <evenkeel/extras/string.hpp> derives the formula. The functions here are pure. They decide by the
// looks so far when to shift, when to stop, and which domains to end with. In this file a level is
// the greatest load / the mean load - 1, as a look measures it.

#include <evenkeel/backends/config.hpp>

#include <cstdint>

namespace evenkeel {

enum class RebalanceKind : int;

struct ShiftCourse {
  double cut_level = -1;  // the first level of the last new cut; negative if unknown

  // These count from the last new cut, or from the last large change of the load if it is later.
  std::int64_t rounds = 0;  // shifts that have been made
  double penalty = 0;       // of the next shift; if it is 0, the option's value
  double best = -1;         // the lowest level of any domains; negative before the first look
  std::int64_t best_generation = -1;
  std::int64_t is_over = 0;  // 1 if no shift follows

  // These count from the last rebalance of any kind.
  std::int64_t looks = 0;
  double usual = 0;          // the mean level of the last looks, except strange ones
  std::int64_t strange = 0;  // strange looks in a row: their levels are far above the usual one
  double before = -1;        // the usual level before this rebalance; negative if it was no shift

  // The load by which the last look asks for a shift: `of_all`, the load of all epochs since the
  // last rebalance, or `of_last`, the load of the last epoch. If it asks for no shift, this is 0.
  std::int64_t wanted = 0;
  static constexpr std::int64_t of_all = 1, of_last = 2;
};

// The observed level of the present domains.
struct LevelSeen {
  double level = 0;
  std::int64_t generation = 0;
};

// Adds a look to the course. Returns true if the load has changed a lot since the last rebalance;
// then the shifts begin again. A load with a level below `floor` is even enough. If a shift has
// made the load less even, it went too far, and the penalty grows.
EVENKEEL_API bool observe(ShiftCourse& refinement, const LevelSeen& seen, double chosen_penalty,
                          double floor) noexcept;

// Returns the next step: a new cut, a shift, a return to the best domains, or nothing (`rest`).
// `rounds` is the most shifts that may follow a new cut. If the load has changed a lot, the next
// step is a new cut, unless the first level of the last new cut was as high as the present one.
enum class NextStep { cut_anew, shift, go_back, rest };
EVENKEEL_API NextStep next_step(const ShiftCourse& refinement, const LevelSeen& seen,
                                std::int64_t rounds, bool has_changed) noexcept;

// Call this after a rebalance. `before` and `generation` are the generations before and after it;
// they are equal if nothing had to move.
EVENKEEL_API void rebalanced(ShiftCourse& refinement, std::int64_t before, std::int64_t generation,
                             RebalanceKind kind) noexcept;

}  // namespace evenkeel
