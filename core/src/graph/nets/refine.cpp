#include "graph/nets/refine.hpp"

#include "graph/improve/refine.hpp"
#include "graph/nets/improve.hpp"
#include "graph/nets/steps.hpp"

#include <array>
#include <span>
#include <utility>

namespace evenkeel::graphs {

namespace {

// A vertex may lose these shares of its connection to its own part by a move, in turn, because
// other pins may follow. The shares are less than for edges, because a net has more pins, any of
// which may not follow. With homes only the second one is used, because fewer vertices then move.
constexpr std::array losses = {0.25, 0.125, 0.0};

class ConnectedNets final : public RefinementAim {
 public:
  ConnectedNets(const NetLevel& level, Moves& moves) : nets_(level, moves) {}

  std::int64_t improve(double tolerated_loss) override { return nets_.improve(tolerated_loss); }
  void follow() override { nets_.follow(); }
  std::int64_t objective() const override { return nets_.objective(); }
  std::int64_t cut() const override { return nets_.connectivity(); }

 private:
  NetMoves nets_;
};

}  // namespace

NetCompanion::NetCompanion(const Communicator& communicator, NetLevel&& finest)
    : communicator_(communicator) {
  levels_.reserve(many_levels);
  levels_.push_back(std::move(finest));
}

void NetCompanion::follow(const Level&, const Contracted& coarser) {
  NetLevel next = contract_nets(communicator_, levels_.back(), coarser);
  levels_.push_back(std::move(next));
}

void NetCompanion::refine(Moves& moves, const Patience& patience, bool is_finest) {
  // After a poor start, refine by edges first: their cut decreases a little with each pin that
  // leaves a part, but the connectivity decreases only with the last one.
  if (!is_finest) graphs::refine(moves, patience, is_finest);
  ConnectedNets nets(levels_.back(), moves);
  const std::span<const double> all = losses;
  refine_towards(nets, moves, moves.level->wishes.has_homes ? all.subspan(1, 1) : all, patience,
                 is_finest);
  levels_.pop_back();
}

}  // namespace evenkeel::graphs
