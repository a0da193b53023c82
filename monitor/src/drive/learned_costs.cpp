#include "drive/learned_costs.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/weights.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::balancer::costs";

// How much the learned costs of objects still count: fully where they foretold this rank's load,
// half where they were far off.
double share_followed(const Agreed& agreed) {
  constexpr double least = 0.5, far_off = 0.2;
  if (agreed.expected <= 0 || agreed.mine <= 0) return least;
  const double off = std::abs(agreed.mine / agreed.expected - 1);
  return std::max(least, 1 - (1 - least) * off / far_off);
}

}  // namespace

void LearnedCosts::travel_with(const Space& space, std::span<Set> sets) {
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const std::int64_t count = std::max<std::int64_t>(0, sets[s].count());
    if (of_sets_[s].size() != count || of_sets_[s].empty())
      of_sets_[s] = exec::filled(space, label, count, 0.0);
    sets[s].accompany(field_of(of_sets_[s]));
  }
}

std::int64_t LearnedCosts::expected() const {
  std::int64_t sum = 0;
  for (const auto& costs : of_sets_) sum += std::llround(sum_of(costs));
  return sum;
}

void LearnedCosts::note(const Agreed& agreed) noexcept {
  if (agreed.mean_per_object > 0) mean_per_object_ = agreed.mean_per_object;
}

void LearnedCosts::learn(const Space& space, std::span<const Set> sets, const Agreed& agreed) {
  for (std::size_t s = 0; s < sets.size(); ++s) {
    exec::Array<double>& costs = of_sets_[s];
    const std::int64_t count = sets[s].count();
    if (agreed.mean_per_object > 0) {
      const double mean = agreed.mine > 0 ? agreed.mine / static_cast<double>(agreed.my_objects)
                                          : agreed.mean_per_object;
      const Measured load = {mean * static_cast<double>(count), agreed.mean_per_object,
                             share_followed(agreed)};
      costs = measured_weights(space, count, load, costs);
    } else if (!(sum_of(costs) > 0)) {
      costs = exec::filled(space, label, count, mean_per_object_);
    }
  }
}

}  // namespace evenkeel
