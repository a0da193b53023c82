#pragma once

// Between new cuts the offsets of a curve's domains can be shifted by the measured load
// (core/cut/shift.hpp). When to shift, when to stop, and where to end: pure functions of what looks
// have shown. A level is u as a share of the mean load: max / mean - 1.

#include <evenkeel/backends/export.hpp>

#include <cstdint>

namespace evenkeel {

enum class RebalanceKind : int;

struct Refinement {
  // Since the last new cut.
  std::int64_t rounds = 0;  // shifts that have been made
  double penalty = 0;       // of the next one; 0: as chosen
  double best = -1;         // the lowest level of any domains; below 0: none seen
  std::int64_t best_generation = -1;
  std::int64_t is_over = 0;  // 1: no shift follows until there is a new cut

  // Since the last rebalance of any kind.
  double first = -1;        // the level at the first look; below 0: there was none
  double before = -1;       // the level that a shift was to cure; below 0: it was no shift
  std::int64_t wanted = 0;  // 1: the last look asks for a shift
};

// What the present domains are seen to have.
struct Seen {
  double level = 0;
  std::int64_t generation = 0;
};

// Takes a look into account. A shift after which the load is less even than before has gone too
// far: the penalty grows.
EVENKEEL_API void observe(Refinement& refinement, const Seen& seen, double chosen_penalty) noexcept;

// What to do where something should be done. `rounds`: shifts that may be made; `floor`: a level
// that is even enough.
enum class NextStep { cut_anew, shift, go_back, rest };
EVENKEEL_API NextStep next_step(const Refinement& refinement, const Seen& seen, std::int64_t rounds,
                                double floor) noexcept;

// After a rebalance that began with domains of the generation `before`.
EVENKEEL_API void rebalanced(Refinement& refinement, std::int64_t before, std::int64_t generation,
                             RebalanceKind kind) noexcept;

}  // namespace evenkeel
