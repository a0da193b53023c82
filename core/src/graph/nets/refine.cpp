#include "graph/nets/refine.hpp"

#include "graph/nets/contract.hpp"
#include "graph/nets/improve.hpp"
#include "graph/relief.hpp"
#include "graph/settle.hpp"

#include <algorithm>
#include <utility>

namespace evenkeel::graphs {

namespace {

// What a vertex may lose of its connection to its own part, in the hope for others. Less than for
// edges: a net has more pins that may disappoint the hope.
constexpr double tolerated_loss = 0.125;
constexpr int most_settlements = 8;
constexpr int most_failures = 4;  // of flows, on a level
constexpr int most_reliefs = 3;   // after a step, before flows

// As refine() does it for edges; parts that are too heavy are relieved by what edges count.
void refine_nets(NetMoves& nets, Moves& moves, const Patience& patience) {
  double best_excess = std::max(moves.excess(), 0.0);
  std::int64_t best = nets.objective();
  moves.remember();
  const double cheap = patience.cheap * static_cast<double>(moves.level->all_vertices);
  std::int64_t idly_moved = 0;
  int failures = 0;  // of flows
  for (int idle = 0; idle < patience.iterations || (idle < patience.most_iterations &&
                                                    static_cast<double>(idly_moved) < cheap);) {
    const std::int64_t moved = nets.improve(tolerated_loss);
    for (int attempt = 0; attempt < most_reliefs && moves.excess() > 0; ++attempt)
      if (relieve(moves) == 0) break;
    if (moves.excess() > 0 && failures < most_failures) {
      level_out(moves, 1);
      failures += moves.excess() > 0 ? 1 : 0;
    }
    nets.follow();
    const double excess = std::max(moves.excess(), 0.0);
    const std::int64_t objective = nets.objective();
    const bool is_better = excess < best_excess || (excess == best_excess && objective < best);
    const double gain = static_cast<double>(best - objective);
    idle = is_better && (excess < best_excess ||
                         gain > patience.gain * static_cast<double>(nets.connectivity()))
               ? 0
               : idle + 1;
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

NetCompanion::NetCompanion(const Communicator& communicator, NetLevel&& finest)
    : communicator_(communicator) {
  levels_.push_back(std::move(finest));
}

void NetCompanion::follow(const Level&, const Contracted& coarser) {
  NetLevel next = contract_nets(communicator_, levels_.back(), coarser);
  levels_.push_back(std::move(next));
}

void NetCompanion::refine(Moves& moves, const Patience& patience, bool is_finest) {
  // Edges lead further from a poor start: what they count falls a little with each pin that goes.
  if (!is_finest) graphs::refine(moves, patience, is_finest);
  seat_lumps(moves);
  if (moves.excess() > 0.05) level_out(moves, 6);
  NetMoves nets(levels_.back(), moves);
  refine_nets(nets, moves, patience);
  for (int attempt = 0; is_finest && attempt < most_settlements && moves.excess() > 0; ++attempt)
    if (settle(moves) == 0) break;
  levels_.pop_back();
}

}  // namespace evenkeel::graphs
