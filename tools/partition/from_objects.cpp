#include "partition/cutting.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/key.hpp>
#include <evenkeel/core/place.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace evenkeel::tool {

namespace {

// The levels of the lattices to try, in order; 0 stands for all levels.
std::vector<int> levels_to_try(const Method& method, const Objects& objects) {
  if (!std::holds_alternative<Snake>(method)) return {0};
  const int n = objects.dimensions, all = curve_bits(n) / n;
  const auto count = static_cast<std::uint64_t>(objects.everywhere);
  const auto bits = count > 1 ? static_cast<int>(std::bit_width(count - 1)) : 0;
  std::vector<int> levels;
  for (int level = std::clamp((bits + n - 1) / n, 1, all); level < all; level += 2)
    levels.push_back(level);
  levels.push_back(all);
  return levels;
}

bool is_even_enough(const FreshCut& cut, double target_lambda) {
  return cut.lambda <= (target_lambda > 0 ? target_lambda : 1 + 2 * cut.heaviest);
}

}  // namespace

Partition cut_from_objects(const Task& task) {
  const PartitionOptions& options = task.options;
  const FreshGoal goal = {.target_lambda = options.target_lambda,
                          .parts = options.parts,
                          .aim = options.target_lambda > 0 ? Aim::target : Aim::nearest,
                          .objects = task.objects.everywhere};
  const std::span<const double> weights = task.objects.weights;
  Partition result;
  std::optional<FreshCut> best;
  int best_levels = 0, levels_of_keys = 0;
  Stopwatch stage;
  const auto prepare = [&](int levels) {
    result.keys = {};  // one lattice's keys at a time: they are as many as the objects
    levels_of_keys = levels;
    return prepare_to_cut(Status(), {&task.set, 1}, {task.objects.dimensions, task.box},
                          {.method = options.method, .levels = levels});
  };
  for (const int levels : levels_to_try(options.method, task.objects)) {
    PreparedToCut prepared = prepare(levels);
    result.seconds.keys += stage.restart();
    FreshCut next = cut_anew(task.communicator, Status(), prepared, Weights(&weights, 1), goal, {});
    result.seconds.cut += stage.restart();
    result.keys = std::move(prepared.sets.orders.front().keys);
    if (!best || next.lambda < best->lambda) {
      best = std::move(next);
      best_levels = levels;
    }
    if (is_even_enough(*best, options.target_lambda)) break;
  }
  if (best_levels != levels_of_keys) {
    PreparedToCut prepared = prepare(best_levels);
    result.keys = std::move(prepared.sets.orders.front().keys);
    result.seconds.keys += stage.restart();
  }
  result.domains = std::move(best->domains);
  return result;
}

}  // namespace evenkeel::tool
