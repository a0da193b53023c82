// Weight flows across several parts, from those that are too heavy to those with room.

#include "graph/borders.hpp"
#include "graph/quotient.hpp"
#include "graph/release.hpp"
#include "graph/relief.hpp"

#include <algorithm>

namespace evenkeel::graphs {

namespace {

constexpr const char* label = "evenkeel::graph::level_out";

// A group for each flow between two parts.
template <class Instance>
struct ChooseFlow {
  Candidates<Instance> candidates;
  const std::int64_t* firsts;  // flows from each part
  const int* to;
  const std::int64_t* amounts;

  KOKKOS_FUNCTION bool wants(Vertex v) const {
    const int part = candidates.state.parts[v];
    return firsts[part] < firsts[part + 1];
  }
  template <class Connections>
  KOKKOS_FUNCTION void operator()(Vertex v, const Connections& all) const {
    const State& state = candidates.state;
    const int own_part = state.parts[v];
    std::int64_t own = state.stay_of(v, own_part), best = -1;
    std::int64_t best_flow = -1;
    for (int i = 0; i < all.size(); ++i) {
      const int part = all.part(i);
      if (part == own_part) {
        own += all.weight(i) << finer_bits;
        continue;
      }
      const std::int64_t flow = flow_to(own_part, part);
      if (flow < 0 || !fits(v, flow)) continue;
      const std::int64_t weight = (all.weight(i) << finer_bits) + state.stay_of(v, part);
      if (weight < best || (weight == best && flow > best_flow)) continue;
      best = weight;
      best_flow = flow;
    }
    if (best_flow >= 0) candidates.enter(v, to[best_flow], static_cast<int>(best_flow), own - best);
  }
  KOKKOS_FUNCTION std::int64_t flow_to(int from, int part) const {
    for (std::int64_t f = firsts[from]; f < firsts[from + 1]; ++f)
      if (to[f] == part) return f;
    return -1;
  }
  // At least half of the vertex is wanted.
  KOKKOS_FUNCTION bool fits(Vertex v, std::int64_t flow) const {
    const std::int64_t weight = candidates.weight(v, candidates.constraint_of_group[flow]);
    return weight > 0 && weight - amounts[flow] <= amounts[flow];
  }
};

// What parts have too much, or room for, in a constraint. Parts are filled to less than the limit,
// as long as that leaves room for all.
std::vector<std::int64_t> excess_of(const Moves& moves, int constraint, double filling) {
  const auto constraints = static_cast<std::size_t>(moves.goal.constraints);
  const auto c = static_cast<std::size_t>(constraint);
  const std::int64_t limit = moves.goal.limits[c], mean = moves.goal.totals[c] / moves.goal.parts;
  std::vector<std::int64_t> excess;
  for (std::size_t p = 0; p < static_cast<std::size_t>(moves.goal.parts); ++p) {
    const std::int64_t weight = moves.weights[p * constraints + c];
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

// Flows by the part that they come from, and a group for each.
struct Outflows {
  std::vector<std::int64_t> firsts;  // of each part
  std::vector<int> to;
  Groups groups;
};
Outflows listed(const std::vector<Flow>& flows, int parts, int constraint) {
  Outflows out;
  out.firsts.assign(static_cast<std::size_t>(parts) + 1, 0);
  for (const Flow& flow : flows) {  // by `from`
    ++out.firsts[static_cast<std::size_t>(flow.from) + 1];
    out.to.push_back(flow.to);
    out.groups.amounts.push_back(flow.amount);
    out.groups.constraints.push_back(constraint);
  }
  for (std::size_t p = 1; p < out.firsts.size(); ++p) out.firsts[p] += out.firsts[p - 1];
  return out;
}

// Collective. Carries flows out, as far as vertices are there for them.
std::int64_t carry(Moves& moves, std::vector<Flow> flows, int constraint) {
  constexpr int most_rounds = 24;
  std::int64_t all_moved = 0;
  exec::Array<std::int64_t> firsts_there, amounts_there;
  exec::Array<int> to_there;
  for (int round = 0; round < most_rounds && !flows.empty(); ++round) {
    const Outflows out = listed(flows, moves.goal.parts, constraint);
    vote_between(*moves.communicator, attempt(moves_stage, [&] {
      const Space& space = moves.level->space;
      firsts_there = {space, label, std::span<const std::int64_t>(out.firsts)};
      to_there = {space, label, std::span<const int>(out.to)};
      amounts_there = {space, label, std::span<const std::int64_t>(out.groups.amounts)};
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

std::int64_t level_out(Moves& moves, int most_attempts) {
  std::int64_t all_moved = 0;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const int constraint = most_exceeded_constraint(moves);
    if (constraint == no_constraint) break;
    const std::vector<Border> borders = borders_of(moves);
    // Fuller each time: what one attempt leaves may not have found vertices of its size.
    const double filling = attempt < 2 ? 0.7 : attempt < 4 ? 0.9 : 1.0;
    const std::vector<Flow> flows = cheapest_flows(borders, excess_of(moves, constraint, filling));
    const std::int64_t moved = carry(moves, flows, constraint);
    all_moved += moved;
    if (moved == 0 && attempt >= 4) break;
  }
  return all_moved;
}

}  // namespace evenkeel::graphs
