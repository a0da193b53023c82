#include "graph/improve/refine.hpp"

#include "graph/improve/ways.hpp"

#include <algorithm>

namespace evenkeel::graphs {

namespace {

// Jet lets a vertex move at a loss, because its neighbours may follow. The loss is less than this
// share of the vertex's connection to its own part.
constexpr double loss_on_finest = 0.51, loss_on_coarser = 0.75;
constexpr int most_settlements = 8;
constexpr int most_failures = 4;  // failures of level_out() on one level
constexpr int most_reliefs = 3;   // calls of relieve() after each step, before level_out()

class Edges final : public RefinementAim {
 public:
  Edges(Moves& moves, double tolerated_loss) : moves_(moves), tolerated_loss_(tolerated_loss) {}

  std::int64_t improve() override { return graphs::improve(moves_, tolerated_loss_); }
  void follow() override {}
  std::int64_t objective() const override { return moves_.worth.objective(); }
  std::int64_t cut() const override { return moves_.worth.cut; }

 private:
  Moves& moves_;
  double tolerated_loss_;
};

// Collective. Improves the cut until further rounds gain too little. The excess of parts never
// grows.
void iterate(RefinementAim& aim, Moves& moves, const Patience& patience) {
  aim.follow();
  double best_excess = std::max(moves.excess(), 0.0);
  std::int64_t best = aim.objective();
  moves.remember();
  const double cheap = patience.cheap * static_cast<double>(moves.level->all_vertices);
  std::int64_t idly_moved = 0;
  int failures = 0;  // failures of level_out()
  for (int idle = 0; idle < patience.iterations || (idle < patience.most_iterations &&
                                                    static_cast<double>(idly_moved) < cheap);) {
    const std::int64_t moved = aim.improve();
    for (int attempt = 0; attempt < most_reliefs && moves.excess() > 0; ++attempt)
      if (relieve(moves) == 0) break;
    if (moves.excess() > 0 && failures < most_failures) {
      level_out(moves, 1);
      failures += moves.excess() > 0 ? 1 : 0;
    }
    aim.follow();
    const double excess = std::max(moves.excess(), 0.0);
    const std::int64_t objective = aim.objective();
    const bool is_better = excess < best_excess || (excess == best_excess && objective < best);
    const double gain = static_cast<double>(best - objective);
    const bool is_worth_it =
        excess < best_excess || gain > patience.gain * static_cast<double>(aim.cut());
    idle = is_better && is_worth_it ? 0 : idle + 1;
    idly_moved = idle == 0 ? 0 : idly_moved + moved;
    if (is_better) {
      best_excess = excess;
      best = objective;
      moves.remember();
    }
    if (moved == 0) break;
  }
  moves.restore();
}

}  // namespace

void refine_towards(RefinementAim& aim, Moves& moves, const Patience& patience, bool is_finest) {
  seat_lumps(moves);
  if (moves.excess() > 0.05) level_out(moves, 6);
  iterate(aim, moves, patience);
  if (!is_finest) return;
  for (int attempt = 0; attempt < most_settlements && moves.excess() > 0; ++attempt)
    if (settle(moves) == 0) break;
  if (moves.excess() > 0 && pack(moves) > 0) iterate(aim, moves, patience);
}

void refine(Moves& moves, const Patience& patience, bool is_finest) {
  Edges edges(moves, is_finest ? loss_on_finest : loss_on_coarser);
  refine_towards(edges, moves, patience, is_finest);
}

}  // namespace evenkeel::graphs
