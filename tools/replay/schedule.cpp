#include "replay/schedule.hpp"

#include <algorithm>
#include <limits>

namespace evenkeel::tool {

namespace {

// Lower bounds: for each step, the sum of the mean loads from that step to the end.
std::vector<double> ideals_from(const Setting& setting) {
  std::vector<double> ideals(static_cast<std::size_t>(setting.chain.steps()) + 1);
  for (std::int64_t step = setting.chain.steps() - 1; step >= 0; --step)
    ideals[static_cast<std::size_t>(step)] =
        ideals[static_cast<std::size_t>(step) + 1] + setting.chain.sum(step) / setting.ranks;
  return ideals;
}

// The same bounds, slightly lower. Sums in another order differ in their last bits, which must not
// exclude an optimal schedule.
std::vector<double> lower_bounds(const Setting& setting) {
  std::vector<double> bounds = ideals_from(setting);
  const double additions = 2 * static_cast<double>(bounds.size()) + 4;
  for (double& bound : bounds) bound *= 1 - 0x1p-51 * additions;
  return bounds;
}

}  // namespace

double cost_of(const Setting& setting, const Schedule& schedule) {
  Ranges ranges = setting.start;
  auto next = schedule.begin();
  double total = 0;
  for (std::int64_t step = 0; step < setting.chain.steps(); ++step) {
    if (next != schedule.end() && *next == step) {
      ranges = setting.chain.cut(step - 1, setting.ranks);
      total += setting.rebalance;
      ++next;
    }
    total += setting.chain.slowest(ranges, step);
  }
  return total;
}

double ideal_of(const Setting& setting) { return ideals_from(setting).front(); }

// best[s] is the least cost of the steps before s, including the rebalance before s. The search
// follows a cut only as long as it can still be part of a better schedule than the best known one.
Optimum optimum_of(const Setting& setting, const std::function<void(double done)>& progress) {
  const auto steps = static_cast<std::size_t>(setting.chain.steps());
  const std::vector<double> ideal = lower_bounds(setting);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> best(steps + 1, infinity);
  std::vector<std::size_t> cut_before(steps + 1, 0);
  best[0] = 0;
  double least = infinity;  // of whole schedules
  std::size_t last = 0;     // the last rebalance of the cheapest schedule
  for (std::size_t cut = 0; cut < steps; ++cut) {
    const double left = static_cast<double>(steps - cut) / static_cast<double>(steps);
    if (progress) progress(1 - left * left);  // as if each cut were followed to the last step
    if (best[cut] + ideal[cut] >= least) continue;
    const Ranges ranges =
        cut == 0 ? setting.start
                 : setting.chain.cut(static_cast<std::int64_t>(cut) - 1, setting.ranks);
    double total = best[cut];
    std::size_t step = cut;
    for (; step < steps && total + ideal[step] < least; ++step) {
      total += setting.chain.slowest(ranges, static_cast<std::int64_t>(step));
      const double with_rebalance = total + setting.rebalance;
      if (step + 1 < steps && with_rebalance < best[step + 1]) {
        best[step + 1] = with_rebalance;
        cut_before[step + 1] = cut;
      }
    }
    if (step == steps && total < least) {
      least = total;
      last = cut;
    }
  }
  Optimum optimum;
  for (; last > 0; last = cut_before[last])
    optimum.schedule.push_back(static_cast<std::int64_t>(last));
  std::reverse(optimum.schedule.begin(), optimum.schedule.end());
  optimum.total = cost_of(setting, optimum.schedule);
  return optimum;
}

std::string text_of(const Schedule& schedule, const char* what, std::size_t most) {
  std::string text = std::to_string(schedule.size());
  if (!schedule.empty()) text.append(what).append(schedule.size() == 1 ? " " : "s ");
  for (std::size_t i = 0; i < schedule.size() && i < most; ++i)
    text.append(i > 0 ? ", " : "").append(std::to_string(schedule[i]));
  if (schedule.size() > most) text += ", ..";
  return text;
}

}  // namespace evenkeel::tool
