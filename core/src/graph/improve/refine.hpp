#pragma once

// Improves the cut of one level until that gains nothing more. Rounds of Jet follow an aim. Between
// them, parts that are too heavy are relieved, with the least loss of edge weights.

#include "graph/improve/moves.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// The aim of an improvement: the step that improves the cut, and the objective, in finer units.
class RefinementAim {
 public:
  RefinementAim() = default;
  RefinementAim(const RefinementAim&) = delete;
  RefinementAim& operator=(const RefinementAim&) = delete;
  virtual ~RefinementAim() = default;

  // Collective. Runs one round; returns how many vertices moved.
  virtual std::int64_t improve() = 0;
  // Collective. Called before the first round, and after other steps may have moved vertices.
  virtual void follow() = 0;
  virtual std::int64_t objective() const = 0;
  virtual std::int64_t cut() const = 0;  // the part of the objective that measures gains
};

// Collective. If `is_finest` is set, parts that are still too heavy are settled at the end.
void refine_towards(RefinementAim& aim, Moves& moves, const Patience& patience, bool is_finest);

// Collective. The aim is a small cut of edges. If `is_finest` is set, less loss is tolerated too.
void refine(Moves& moves, const Patience& patience, bool is_finest);

}  // namespace evenkeel::graphs
