// Reduces the weight of parts that are too heavy. Either they give vertices to neighbour parts, or
// weight flows across several parts to parts with room.

#include "graph/improve/quotient.hpp"
#include "graph/improve/release.hpp"
#include "graph/improve/ways.hpp"

#include <algorithm>

namespace evenkeel::graphs {

namespace {

constexpr const char* level_out_label = "evenkeel::graph::level_out";

// --- To neighbours -------------------------------------------------------------------------------

constexpr int no_group = -1;

// Each part that is too heavy releases a group of vertices.
template <class Instance>
struct ChooseRelief {
  Candidates<Instance> candidates;
  const int* groups;  // by part; no_group if the part is not too heavy

  KOKKOS_FUNCTION bool has_room(int part, Vertex v) const {
    const MovesState& state = candidates.state;
    if (state.is_closed(part, v)) return false;
    for (int c = 0; c < state.constraints; ++c)
      if (state.weight_of(part, c) + state.weight(v, c) > state.limit_of(part, c)) return false;
    return true;
  }
  KOKKOS_FUNCTION bool wants(Vertex v) const {
    const MovesState& state = candidates.state;
    const int group = groups[state.parts[v]];
    if (group == no_group || candidates.weight_in(group, v) <= 0) return false;
    if (!state.knows_favourite(v) || !has_room(state.favourites[v], v)) return true;
    candidates.enter(v, state.favourites[v], group, state.losses[v]);
    return false;
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const BestPart best =
        best_part_of(candidates.state, v, all, [&](int part) { return has_room(part, v); });
    if (best.part != nowhere)
      candidates.enter(v, best.part, groups[candidates.state.parts[v]],
                       best.own_weight - best.weight);
  }
};

// --- Across several parts ------------------------------------------------------------------------

// Each flow between two parts releases a group of vertices.
template <class Instance>
struct ChooseFlow {
  Candidates<Instance> candidates;
  const std::int64_t* firsts;  // by part, the index of the first flow from it
  const int* to;
  const std::int64_t* amounts;

  KOKKOS_FUNCTION bool wants(Vertex v) const {
    const MovesState& state = candidates.state;
    const int part = state.parts[v];
    if (firsts[part] == firsts[part + 1]) return false;
    if (!state.knows_favourite(v)) return true;
    const std::int64_t flow = flow_to(part, state.favourites[v]);
    if (flow < 0 || !fits(v, flow)) return true;
    candidates.enter(v, state.favourites[v], static_cast<int>(flow), state.losses[v]);
    return false;
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const int own_part = candidates.state.parts[v];
    const BestPart best = best_part_of(candidates.state, v, all, [&](int part) {
      const std::int64_t flow = flow_to(own_part, part);
      return flow >= 0 && fits(v, flow);
    });
    if (best.part == nowhere) return;
    candidates.enter(v, best.part, static_cast<int>(flow_to(own_part, best.part)),
                     best.own_weight - best.weight);
  }
  KOKKOS_FUNCTION std::int64_t flow_to(int from, int part) const {
    for (std::int64_t f = firsts[from]; f < firsts[from + 1]; ++f)
      if (to[f] == part) return f;
    return -1;
  }
  // Returns true if the amount of the flow is at least half of the vertex's weight.
  KOKKOS_FUNCTION bool fits(Vertex v, std::int64_t flow) const {
    const std::int64_t weight = candidates.weight_in(flow, v);
    return weight > 0 && weight - amounts[flow] <= amounts[flow];
  }
};

// The excess of each part in a constraint; it is below 0 for parts with room. A part counts as full
// at a weight between the average and its limit: `filling` is 0 at the average and 1 at the limit.
std::vector<std::int64_t> excess_of(const Moves& moves, int constraint, double filling) {
  const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
  const auto c = static_cast<std::size_t>(constraint);
  std::vector<std::int64_t> excess;
  for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p) {
    const std::int64_t limit = moves.goal.limit_of(p, c), mean = moves.goal.mean_of(p, c);
    const std::int64_t weight = moves.loads.weights[p * constraints + c];
    const std::int64_t most = moves.has_lump(p) && c == 0 ? moves.goal.beside_lump : limit;
    const std::int64_t full =
        mean + static_cast<std::int64_t>(static_cast<double>(most - mean) * filling);
    if (weight > limit)
      excess.push_back(weight - full);
    else
      excess.push_back(std::min<std::int64_t>(weight - full, 0));
  }
  return excess;
}

int most_exceeded_constraint(const Moves& moves) {
  int found = no_constraint;
  double greatest = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p) {
    const int c = moves.critical_constraint(p);
    if (c == no_constraint) continue;
    const double excess = moves.excess_of(p, static_cast<std::size_t>(c));
    if (excess <= greatest) continue;
    greatest = excess;
    found = c;
  }
  return found;
}

// Flows, sorted by the part that they come from, and a group of vertices to release for each flow.
struct Outflows {
  std::vector<std::int64_t> firsts;  // by part, the index of the first flow from it
  std::vector<int> to;
  ReleaseGroups groups;
};
Outflows listed(const std::vector<Flow>& flows, int parts, int constraint) {
  Outflows out;
  out.firsts.assign(static_cast<std::size_t>(parts) + 1, 0);
  for (const Flow& flow : flows) {  // sorted by `from`
    ++out.firsts[static_cast<std::size_t>(flow.from) + 1];
    out.to.push_back(flow.to);
    out.groups.amounts.push_back(flow.amount);
    out.groups.constraints.push_back(constraint);
  }
  for (std::size_t p = 1; p < out.firsts.size(); ++p) out.firsts[p] += out.firsts[p - 1];
  return out;
}

// Collective. Carries out flows as far as there are vertices that fit, and returns the number of
// vertices that moved.
std::int64_t carry(Moves& moves, std::vector<Flow> flows, int constraint) {
  constexpr int most_rounds = 24;
  std::int64_t all_moved = 0;
  exec::Array<std::int64_t> firsts_there, amounts_there;
  exec::Array<int> to_there;
  for (int round = 0; round < most_rounds && !flows.empty(); ++round) {
    Outflows out;
    vote_between(*moves.communicator, attempt(moves_stage, [&] {
      out = listed(flows, moves.goal.parts, constraint);
      const Space& space = moves.level->space;
      firsts_there = {space, level_out_label, std::span<const std::int64_t>(out.firsts)};
      to_there = {space, level_out_label, std::span<const int>(out.to)};
      amounts_there = {space, level_out_label, std::span<const std::int64_t>(out.groups.amounts)};
    }));
    Release release(moves, out.groups);
    const std::int64_t moved = release.run(
        [&]<class Instance>(const Candidates<Instance>& candidates) {
          return ChooseFlow<Instance>{candidates, firsts_there.data(), to_there.data(),
                                      amounts_there.data()};
        },
        false);
    all_moved += moved;
    if (moved == 0) break;
    for (std::size_t f = 0; f < flows.size(); ++f) flows[f].amount -= release.gone()[f];
    std::erase_if(flows, [](const Flow& flow) { return flow.amount <= 0; });
  }
  return all_moved;
}

}  // namespace

std::int64_t relieve(Moves& moves) {
  const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
  ReleaseGroups groups;
  exec::Array<int> groups_there;
  vote_between(*moves.communicator, attempt(moves_stage, [&] {
    std::vector<int> groups_of_parts(static_cast<std::size_t>(moves.goal.parts), no_group);
    for (std::size_t p = 0; p < groups_of_parts.size(); ++p) {
      const int c = moves.critical_constraint(p);
      if (c == no_constraint) continue;
      const auto at = static_cast<std::size_t>(c);
      groups_of_parts[p] = static_cast<int>(groups.count());
      groups.constraints.push_back(c);
      groups.amounts.push_back(moves.loads.weights[p * constraints + at] -
                               moves.goal.limit_of(p, at));
    }
    groups_there = {moves.level->space, release_label, std::span<const int>(groups_of_parts)};
  }));
  return Release(moves, groups)
      .run(
          [&]<class Instance>(const Candidates<Instance>& candidates) {
            return ChooseRelief<Instance>{candidates, groups_there.data()};
          },
          true);
}

std::int64_t level_out(Moves& moves, int most_attempts, std::vector<Border>& borders) {
  std::int64_t all_moved = 0;
  for (int turn = 0; turn < most_attempts; ++turn) {
    const int constraint = most_exceeded_constraint(moves);
    if (constraint == no_constraint) break;
    // Later turns fill parts more: the excess that is left may be smaller than any vertex that
    // was tried.
    const double filling = turn < 2 ? 0.7 : turn < 4 ? 0.9 : 1.0;
    if (turn > 0 || borders.empty()) borders = borders_of(moves);
    std::vector<Flow> flows;
    vote_between(*moves.communicator, attempt(moves_stage, [&] {
      flows = cheapest_flows(borders, excess_of(moves, constraint, filling));
    }));
    const std::int64_t moved = carry(moves, std::move(flows), constraint);
    all_moved += moved;
    if (moved == 0 && turn >= 4) break;
  }
  return all_moved;
}

}  // namespace evenkeel::graphs
