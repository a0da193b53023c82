#include "partition/cutting.hpp"

#include "files/refusal.hpp"
#include "partition/work.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/boxes/rounds.hpp>
#include <evenkeel/core/place.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <variant>

namespace evenkeel::tool {

namespace {

// The lattices to try, in order, each as its number of levels; 0 means all levels.
std::vector<int> levels_to_try(const Method& method, const FileObjects& objects) {
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
    result.keys = {};  // frees the keys of one lattice before the next one gets its own
    levels_of_keys = levels;
    return prepare_to_cut(Status(), {&task.set, 1}, {task.objects.dimensions, task.box},
                          {.method = task.method,
                           .levels = levels,
                           .cell_size = options.cell_size,
                           .least_width = options.least_width,
                           .speeds = task.objects.speeds});
  };
  for (const int levels : levels_to_try(task.method, task.objects)) {
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

namespace {

// Calls next(parts, status), which evaluates the parts of this rank's objects, in each round, and
// once more: only evaluated domains can be the best. current() has the domains.
template <class Current, class Next>
void make_rounds(const Task& task, const Current& current, const Next& next) {
  std::vector<std::int32_t> parts;
  for (int round = 0; round <= *task.options.rounds; ++round) {
    const Status written = attempt(refuse_partition.stage, [&] {
      parts.resize(static_cast<std::size_t>(task.objects.count()));
      write_ranks(task.space, current(), task.set, parts.data());  // part p is rank p
    });
    next(parts, written);
    if (task.progress) task.progress((round + 1.0) / (*task.options.rounds + 1));
  }
}

// The centre of the work of each domain is known, too.
Domains best_of_work_rounds(const Task& task, std::vector<LoadSummary>& tried) {
  const Communicator& ranks = task.communicator;
  const GridRoundsOptions options = {.speeds = task.objects.speeds};
  WorkRounds::Start start = {.dimensions = task.objects.dimensions,
                             .box = task.box,
                             .parts = task.options.parts,
                             .mesh = extents_of(task.method)};
  if (start.parts == ranks.size()) {  // then rounds would exchange the domains of ranks
    start.rank_of_part.resize(static_cast<std::size_t>(start.parts));
    std::iota(start.rank_of_part.begin(), start.rank_of_part.end(), 0);
  }
  WorkRounds rounds(WorkRounds::even(ranks, start, options), options);
  const WorkCounter counter(ranks, task.objects);
  const auto [first, end] = rounds.owners_on(ranks);
  make_rounds(
      task, [&]() -> const Domains& { return rounds.current(); },
      [&, first = static_cast<std::size_t>(first), count = static_cast<std::size_t>(end - first)](
          std::span<const std::int32_t> parts, const Status& written) {
        const std::vector<WorkRounds::Measured> all =
            counter.of_parts_with_centres(written, parts, task.options.parts, task.box);
        std::vector<double> work;
        for (const WorkRounds::Measured& its : all) work.push_back(its.work);
        tried.push_back(summary_of(work, options.speeds));
        rounds.next(ranks, std::span(all).subspan(first, count));
      });
  return rounds.best();
}

Domains best_of_rounds(const Task& task, std::vector<LoadSummary>& tried) {
  if (!places_in_grid(task.method)) return best_of_work_rounds(task, tried);
  const bool is_tensor = std::holds_alternative<Tensor>(task.method);
  const GridScheme scheme = is_tensor ? GridScheme::tensor : GridScheme::staggered;
  const GridShape shape =
      shape_with(*extents_of(task.method), task.options.parts, task.objects.dimensions, task.box);
  const std::vector<double>& speeds = task.objects.speeds;
  GridRounds rounds(GridDomains::uniform(shape, task.box, scheme),
                    {.speeds = speeds,
                     .least_width = task.options.least_width,
                     .cell_size = task.options.cell_size});
  const WorkCounter counter(task.communicator, task.objects);
  make_rounds(
      task, [&]() -> Domains { return rounds.current(); },
      [&](std::span<const std::int32_t> parts, const Status& written) {
        const std::vector<double> work = counter.of_parts(written, parts, task.options.parts);
        tried.push_back(summary_of(work, speeds));
        rounds.next(work);
      });
  return rounds.best();
}

}  // namespace

Partition cut_in_rounds(const Task& task) {
  Partition result;
  Stopwatch stage;
  result.domains = best_of_rounds(task, result.rounds);
  result.seconds.cut = stage.seconds();
  return result;
}

}  // namespace evenkeel::tool
