#pragma once

// Between new cuts the offsets of a curve's domains can be shifted by the measured load
// (core/cut/shift.hpp). When to shift, when to stop, and where to end: pure functions of what looks
// have shown. A level is u as a share of the mean load: max / mean - 1.

#include <evenkeel/backends/export.hpp>

#include <cstdint>

namespace evenkeel {

enum class RebalanceKind : int;

struct ShiftCourse {
  double cut_level = -1;  // that the last new cut has had at first; below 0: not known

  // Since the last new cut, or since the load has last changed a lot.
  std::int64_t rounds = 0;  // shifts that have been made
  double penalty = 0;       // of the next one; 0: as chosen
  double best = -1;         // the lowest level of any domains; below 0: none was seen
  std::int64_t best_generation = -1;
  std::int64_t is_over = 0;  // 1: no further shift

  // Since the last rebalance of any kind.
  std::int64_t looks = 0;
  double usual = 0;          // level: the mean over the last looks, without strange ones
  std::int64_t strange = 0;  // looks in a row with a far higher level
  double before = -1;        // the usual level before a shift; below 0: it was no shift

  std::int64_t wanted = 0;  // the last look asks for a shift, by the load...
  static constexpr std::int64_t of_all = 1, of_last = 2;  // of all epochs since, of the last epoch
};

// What the present domains are seen to have.
struct Seen {
  double level = 0;
  std::int64_t generation = 0;
};

// Takes a look into account; true: the load has changed a lot since the last rebalance, and
// refining begins anew. `floor`: a level that is even enough. If a shift has made the load less
// even, it went too far: the penalty grows.
EVENKEEL_API bool observe(ShiftCourse& refinement, const Seen& seen, double chosen_penalty,
                          double floor) noexcept;

// What to do where something should be done. `rounds`: shifts that may be made. A new cut is for a
// load that has changed a lot, unless the last new cut was no better.
enum class NextStep { cut_anew, shift, go_back, rest };
EVENKEEL_API NextStep next_step(const ShiftCourse& refinement, const Seen& seen,
                                std::int64_t rounds, bool has_changed) noexcept;

// After a rebalance that began with domains of the generation `before`.
EVENKEEL_API void rebalanced(ShiftCourse& refinement, std::int64_t before, std::int64_t generation,
                             RebalanceKind kind) noexcept;

}  // namespace evenkeel
