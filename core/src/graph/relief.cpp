#include "graph/relief.hpp"

#include "graph/release.hpp"

#include <algorithm>

namespace evenkeel::graphs {

namespace {

constexpr int no_group = -1;

// A group for each part that is too heavy.
template <class Instance>
struct ChooseRelief {
  Candidates<Instance> candidates;
  const int* groups;  // of each part; no_group: it is not too heavy
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
    const int group = groups[candidates.state.parts[v]];
    return group != no_group && candidates.weight(v, candidates.constraint_of_group[group]) > 0;
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
    if (best_part != nowhere) candidates.enter(v, best_part, groups[own_part], own - best);
  }
};

}  // namespace

std::int64_t relieve(Moves& moves) {
  const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
  Groups groups;
  std::vector<int> groups_of_parts(static_cast<std::size_t>(moves.goal.parts), no_group);
  for (std::size_t p = 0; p < groups_of_parts.size(); ++p) {
    const int c = moves.critical_constraint(p);
    if (c == no_constraint) continue;
    const auto at = static_cast<std::size_t>(c);
    groups_of_parts[p] = static_cast<int>(groups.count());
    groups.constraints.push_back(c);
    groups.amounts.push_back(moves.weights[p * constraints + at] - moves.goal.limits[at]);
  }
  exec::Array<int> groups_there;
  vote_between(*moves.communicator, attempt(moves_stage, [&] {
    groups_there = {moves.level->space, release_label, std::span<const int>(groups_of_parts)};
  }));
  return Release(moves, groups)
      .run(
          [&]<class Instance>(const Candidates<Instance>& candidates) {
            ChooseRelief<Instance> choice{candidates, groups_there.data(), {}};
            std::copy(moves.goal.limits.begin(), moves.goal.limits.end(), choice.limits);
            return choice;
          },
          true);
}

}  // namespace evenkeel::graphs
