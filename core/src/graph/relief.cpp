#include "graph/relief.hpp"

#include "graph/release.hpp"

#include <algorithm>

namespace evenkeel::graphs {

namespace {

// A group for each part that is too heavy: its number is the part's.
template <class Instance>
struct ChooseRelief {
  Candidates<Instance> candidates;
  std::int64_t limits[most_constraints];

  KOKKOS_FUNCTION bool has_room(int part, Vertex v) const {
    const State& state = candidates.state;
    if (state.is_closed(part, v)) return false;
    for (int c = 0; c < state.constraints; ++c)
      if (state.part_weights[static_cast<std::int64_t>(part) * state.constraints + c] +
              candidates.weight(v, c) >
          limits[c])
        return false;
    return true;
  }
  KOKKOS_FUNCTION bool wants(Vertex v) const {
    const int c = candidates.constraint_of_group[candidates.state.parts[v]];
    return c >= 0 && candidates.weight(v, c) > 0;
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const State& state = candidates.state;
    const int own_part = state.parts[v];
    std::int64_t own = state.stay_of(v, own_part), best = -1;
    int best_part = nowhere;
    for (int i = 0; i < all.size(); ++i) {
      const int part = all.part(i);
      if (part == own_part) {
        own += all.weight(i) << finer_bits;
        continue;
      }
      if (!has_room(part, v)) continue;
      const std::int64_t weight = (all.weight(i) << finer_bits) + state.stay_of(v, part);
      if (weight < best || (weight == best && part > best_part)) continue;
      best = weight;
      best_part = part;
    }
    if (best_part != nowhere) candidates.enter(v, best_part, own_part, own - best);
  }
};

}  // namespace

std::int64_t relieve(Moves& moves) {
  const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
  Groups groups;
  for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p) {
    const int c = moves.critical_constraint(p);
    const auto at = static_cast<std::size_t>(std::max(c, 0));
    groups.constraints.push_back(c);
    groups.amounts.push_back(c < 0 ? 0
                                   : moves.weights[p * constraints + at] - moves.goal.limits[at]);
  }
  return Release(moves, groups)
      .run(
          [&]<class Instance>(const Candidates<Instance>& candidates) {
            ChooseRelief<Instance> choice{candidates, {}};
            std::copy(moves.goal.limits.begin(), moves.goal.limits.end(), choice.limits);
            return choice;
          },
          true);
}

}  // namespace evenkeel::graphs
