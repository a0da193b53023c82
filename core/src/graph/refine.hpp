#pragma once

// Improves the cut of one level until nothing more comes of it: rounds of Jet towards some aim, and
// between them relief of parts that are too heavy, by what edges count.

#include "graph/moves.hpp"

#include <cstdint>

namespace evenkeel::graphs {

// What a cut is improved by, and what counts. In finer units.
class Aim {
 public:
  Aim() = default;
  Aim(const Aim&) = delete;
  Aim& operator=(const Aim&) = delete;
  virtual ~Aim() = default;

  // Collective. One round; returns how many moved.
  virtual std::int64_t improve() = 0;
  // Collective. Others may have moved vertices since the last call; called before the first round,
  // too.
  virtual void follow() = 0;
  virtual std::int64_t objective() const = 0;
  virtual std::int64_t cut() const = 0;  // the part of it that gains are measured by
};

// Collective. `is_finest`: parts that are still too heavy are settled at the end.
void refine_towards(Aim& aim, Moves& moves, const Patience& patience, bool is_finest);

// Collective. Towards a small cut of edges. `is_finest`: losses are also tolerated less.
void refine(Moves& moves, const Patience& patience, bool is_finest);

}  // namespace evenkeel::graphs
