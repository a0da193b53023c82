#include "chain/phase_search.hpp"
#include "chain/sums.hpp"

#include <evenkeel/core/chain.hpp>

#include <cmath>
#include <iterator>
#include <string>

namespace evenkeel {

namespace {

using chain_search::refuse;

void check(std::span<const std::span<const double>> costs, int parts) {
  if (parts < 1)
    refuse("A cut into " + std::to_string(parts) + " parts was asked for.", "Ask for 1 or more.");
  if (costs.empty()) refuse("A cut of no phases was asked for.", "Give the costs of 1 or more.");
  for (std::size_t phase = 0; phase < costs.size(); ++phase)
    if (costs[phase].size() != costs.front().size())
      refuse("Phase 0 has costs of " + std::to_string(costs.front().size()) + " items, but phase " +
                 std::to_string(phase) + " has costs of " + std::to_string(costs[phase].size()) +
                 '.',
             "Give each phase one cost per item; give 0 for an item without work in that phase.");
}

// The costs of the items in one phase, as running sums.
struct Costs {
  std::vector<double> before{0};
  PhaseLoad load;
};

Costs costs_of(std::span<const double> costs, std::size_t phase) {
  Costs found;
  found.before.reserve(costs.size() + 1);
  for (const double cost : costs) {
    if (!(cost >= 0) || !std::isfinite(cost))
      refuse("A cost of phase " + std::to_string(phase) + " is negative, NaN or infinite.",
             "Costs are finite and not negative.");
    found.load.heaviest = std::max(found.load.heaviest, cost);
    found.before.push_back(found.before.back() + cost);
  }
  found.load.sum = found.before.back();
  return found;
}

std::vector<std::int64_t> equally_many(std::int64_t items, int parts) {
  std::vector<std::int64_t> offsets;
  for (int part = 0; part <= parts; ++part)
    offsets.push_back(items / parts * part + items % parts * part / parts);
  return offsets;
}

}  // namespace

PhaseChain stages::cut_phases(std::span<const std::span<const double>> costs, int parts) {
  check(costs, parts);
  PhaseChain chain;
  std::vector<PhaseLoad> loads;
  std::vector<std::vector<double>> before;
  double total = 0;
  phase_search::Row row;
  row.parts = parts;
  for (std::size_t phase = 0; phase < costs.size(); ++phase) {
    Costs found = costs_of(costs[phase], phase);
    loads.push_back(found.load);
    total += found.load.sum;
    if (!(found.load.sum > 0)) continue;
    row.least.push_back(std::max(found.load.sum / parts, found.load.heaviest));
    before.push_back(std::move(found.before));
  }
  if (!std::isfinite(total))
    refuse("The costs of all phases add up to more than a number can hold.",
           "Give smaller ones; only their ratios count.");
  if (!before.empty()) {
    row.before = before;
    phase_search::FoundOffsets found = phase_search::PhaseSearch(row).run(row.least);
    chain.offsets = std::move(found.offsets);
    auto greatest = found.greatest.begin();
    for (PhaseLoad& load : loads)
      if (load.sum > 0) load.greatest = *greatest++;
  } else {
    chain.offsets = equally_many(std::ssize(costs.front()), parts);
  }
  chain.loads = phase_loads_of(parts, loads);
  return chain;
}

}  // namespace evenkeel
