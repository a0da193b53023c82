#pragma once

// Improves the cut of one level until further rounds gain too little. Each round improves an aim by
// Jet; after it, parts that are too heavy are relieved, with the least loss of edge weights.

#include "graph/improve/moves.hpp"

#include <cstdint>
#include <span>

namespace evenkeel::graphs {

// The aim of a refinement: the step that improves the cut, and its objective in finer units.
class RefinementAim {
 public:
  RefinementAim() = default;
  RefinementAim(const RefinementAim&) = delete;
  RefinementAim& operator=(const RefinementAim&) = delete;
  virtual ~RefinementAim() = default;

  // Collective. Runs one round, and returns how many vertices moved. A vertex may move at a loss,
  // because its neighbours may follow: less than the share `tolerated_loss` of its connection to
  // its own part.
  virtual std::int64_t improve(double tolerated_loss) = 0;
  // Collective. Called before the first round, and after other steps may have moved vertices.
  virtual void follow() = 0;
  virtual std::int64_t objective() const = 0;
  virtual std::int64_t cut() const = 0;  // gains of the objective are compared to this
};

// Collective. Tolerates each of the `losses` in turn, until rounds with it gain too little. If
// `is_finest` is set, calls settle() and pack() at the end for parts that are still too heavy.
void refine_towards(RefinementAim& aim, Moves& moves, std::span<const double> losses,
                    const Patience& patience, bool is_finest);

// Collective. Refines towards a small cut of edges.
void refine(Moves& moves, const Patience& patience, bool is_finest);

}  // namespace evenkeel::graphs
