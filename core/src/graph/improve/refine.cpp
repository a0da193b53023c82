#include "graph/improve/refine.hpp"

#include "graph/improve/ways.hpp"

#include <algorithm>
#include <array>

namespace evenkeel::graphs {

namespace {

// The losses that Jet tolerates in turn. Large ones move whole pieces of borders, but borders stay
// rough, above all in regular graphs, where very many moves lose equally little. Small ones then
// straighten the borders.
constexpr std::array losses_on_finest = {0.51, 0.25, 0.0}, losses_on_coarser = {0.75, 0.375, 0.0};
constexpr int most_settlements = 8;
constexpr int most_failures = 4;  // failures of level_out() on one level
constexpr int most_reliefs = 3;   // calls of relieve() after each step, before level_out()

class Edges final : public RefinementAim {
 public:
  explicit Edges(Moves& moves) : moves_(moves) {}

  std::int64_t improve(double tolerated_loss) override {
    return graphs::improve(moves_, tolerated_loss);
  }
  void follow() override {}
  std::int64_t objective() const override { return moves_.worth.objective(); }
  std::int64_t cut() const override { return moves_.worth.cut; }

 private:
  Moves& moves_;
};

// Collective. Improves the cut until further rounds gain too little. The excess of parts never
// grows.
void iterate(RefinementAim& aim, Moves& moves, double tolerated_loss, const Patience& patience) {
  aim.follow();
  std::int64_t upset_in_best = moves.upset_parts();
  double best_excess = std::max(moves.excess(), 0.0);
  std::int64_t best = aim.objective();
  moves.remember();
  const double cheap = patience.cheap * static_cast<double>(moves.level->all_vertices);
  std::int64_t idly_moved = 0;
  int failures = 0;  // failures of level_out()
  std::vector<Border> borders;
  // Returns true if the present state would be the best one if no part were too heavy.
  const auto is_promising = [&] {
    return !patience.cools || best_excess > 0 || aim.objective() < best;
  };
  for (int idle = 0; idle < patience.iterations || (idle < patience.most_iterations &&
                                                    static_cast<double>(idly_moved) < cheap);) {
    const std::int64_t moved = aim.improve(tolerated_loss);
    // An empty part has no neighbours that could fill it. To take the weight back from a part that
    // far exceeds its limit costs more than the round.
    if (moves.upset_parts() > upset_in_best) {
      moves.restore();
      aim.follow();
      ++idle;
      idly_moved += moved;
      continue;
    }
    for (int attempt = 0; attempt < most_reliefs && moves.excess() > 0; ++attempt)
      if ((attempt > 0 && !is_promising()) || relieve(moves) == 0) break;
    if (moves.excess() > 0 && failures < most_failures && is_promising()) {
      level_out(moves, 1, borders);
      if (moves.excess() > 0) {
        ++failures;
        borders.clear();
      }
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
      upset_in_best = moves.upset_parts();
      moves.remember();
    }
    if (moved == 0) break;
  }
  moves.restore();
}

}  // namespace

void refine_towards(RefinementAim& aim, Moves& moves, std::span<const double> losses,
                    const Patience& patience, bool is_finest) {
  seat_lumps(moves);
  std::vector<Border> borders;
  if (moves.excess() > 0.05) level_out(moves, 6, borders);
  for (const double loss : losses) iterate(aim, moves, loss, patience);
  if (!is_finest) return;
  for (int attempt = 0; attempt < most_settlements && moves.excess() > 0; ++attempt)
    if (settle(moves) == 0) break;
  if (moves.excess() > 0 && pack(moves) > 0) iterate(aim, moves, losses.back(), patience);
}

void refine(Moves& moves, const Patience& patience, bool is_finest) {
  Edges edges(moves);
  const std::span<const double> losses = is_finest ? losses_on_finest : losses_on_coarser;
  refine_towards(edges, moves, patience.cools ? losses : losses.first(1), patience, is_finest);
}

}  // namespace evenkeel::graphs
