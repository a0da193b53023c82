#include "drive/learned_costs.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
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

struct Differ {
  const std::int64_t *a, *b;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return a[i] != b[i]; }
};

}  // namespace

bool LearnedCosts::has_keys() const noexcept {
  return std::any_of(keys_.begin(), keys_.end(), [](const auto& keys) { return !keys.empty(); });
}

std::int64_t LearnedCosts::follow(const Space& space, std::span<const Set> sets) {
  std::int64_t forgotten = 0;
  for (std::size_t s = 0; s < sets.size(); ++s) forgotten += follow(space, sets[s], s);
  return forgotten;
}

std::int64_t LearnedCosts::follow(const Space& space, const Set& set, std::size_t index) {
  exec::Array<double>& costs = of_sets_[index];
  exec::Array<std::int64_t>& keys = keys_[index];
  const std::int64_t count = set.count();
  const auto has_any = [&] { return !costs.empty() && sum_of(costs) > 0; };
  bool had_any = false;
  if (set.options().key.given()) {
    exec::Array<std::int64_t> now = keys_of(space, set);
    had_any = has_any();
    if (had_any && keys.size() == costs.size()) {
      const bool is_same = keys.size() == count &&
                           exec::first_that(space, count, Differ{keys.data(), now.data()}) == count;
      Followed known;
      if (!is_same) {
        known = followed(space, keys, costs, now);
        costs = std::move(known.values);
      }
      keys = std::move(now);
      return known.unknown;
    }
    keys = std::move(now);
  } else {
    keys = {};
    if (costs.size() == count && count > 0) return 0;
    had_any = has_any();
  }
  costs = exec::filled(space, label, count, 0.0);
  if (index < is_new_.size()) is_new_[index] = 1;
  return had_any ? count : 0;
}

void LearnedCosts::travel_with(std::span<Set> sets) {
  for (std::size_t s = 0; s < sets.size(); ++s) sets[s].accompany(field_of(of_sets_[s]));
}

void LearnedCosts::note_keys(const Space& space, std::span<const Set> sets) {
  for (exec::Array<std::int64_t>& keys : keys_) keys = {};
  for (std::size_t s = 0; s < sets.size(); ++s)
    if (sets[s].options().key.given()) keys_[s] = keys_of(space, sets[s]);
}

void LearnedCosts::give_back() noexcept {
  for (std::size_t s = 0; s < std::min(of_sets_.size(), is_new_.size()); ++s)
    if (is_new_[s] != 0) of_sets_[s] = {};
  is_new_.clear();
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
