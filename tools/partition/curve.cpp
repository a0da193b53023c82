#include "partition/methods.hpp"
#include "partition/refusal.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

namespace evenkeel::tool {

namespace {

// The levels of the lattices to try, in order; 0 stands for all levels.
std::vector<int> levels_to_try(CurveKind curve, const Objects& objects) {
  if (curve != CurveKind::snake) return {0};
  const int n = objects.dimensions, all = curve_bits(n) / n;
  const auto count = static_cast<std::uint64_t>(objects.everywhere);
  const auto bits = count > 1 ? static_cast<int>(std::bit_width(count - 1)) : 0;
  std::vector<int> levels;
  for (int level = std::clamp((bits + n - 1) / n, 1, all); level < all; level += 2)
    levels.push_back(level);
  levels.push_back(all);
  return levels;
}

bool is_even_enough(const Cut& cut, double target_lambda) {
  if (target_lambda > 0) return cut.lambda() <= target_lambda;
  // If all weights are 0, a cut counts objects.
  const double heaviest = cut.heaviest_object > 0 ? cut.heaviest_object : 1;
  const double sum = std::accumulate(cut.weights.begin(), cut.weights.end(), 0.0);
  return !(sum > 0) ||
         cut.lambda() <= 1 + 2 * heaviest / sum * static_cast<double>(cut.weights.size());
}

CutOptions cut_options(const Task& task) {
  CutOptions cutting;
  cutting.parts = task.options.parts;
  cutting.dimensions = task.objects.dimensions;
  cutting.target_lambda = task.options.target_lambda;
  cutting.aim = task.options.target_lambda > 0 ? Aim::target : Aim::nearest;
  return cutting;
}

Status write_keys_of(const Task& task, const CurveOptions& curve, std::vector<CurveKey>& keys) {
  return attempt(partition_stage, [&] {
    keys.resize(static_cast<std::size_t>(task.objects.count()));
    const Lattice lattice(task.objects.dimensions, task.box, {}, curve.kind, curve.levels);
    write_keys(task.space, lattice, task.set, keys.data());
    task.space.fence("evenkeel::tool::keys");
  });
}

}  // namespace

Partition cut_by(const CurveMethod& method, const Task& task) {
  Partition result;
  Stopwatch stage;
  Cut best;
  CurveOptions best_curve, last;
  for (const int levels : levels_to_try(method.curve, task.objects)) {
    last = {method.curve, levels};
    const Status written = write_keys_of(task, last, result.keys);
    result.seconds.keys += stage.restart();
    const WeightedKeys keyed{result.keys, task.objects.weights};
    Cut next = cut(task.communicator, written, std::span(&keyed, 1), cut_options(task));
    result.seconds.cut += stage.restart();
    if (best.splitters.empty() || next.lambda() < best.lambda()) {
      best = std::move(next);
      best_curve = last;
    }
    if (is_even_enough(best, task.options.target_lambda)) break;
  }
  if (!(last == best_curve)) vote(task.communicator, write_keys_of(task, best_curve, result.keys));
  result.seconds.keys += stage.restart();
  result.domains = Decomposition(1, task.objects.dimensions, task.box, {},
                                 std::move(best.splitters), best_curve);
  return result;
}

}  // namespace evenkeel::tool
