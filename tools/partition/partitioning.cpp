#include "partition/partitioning.hpp"

#include "partition/refusal.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/field/raw.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/owner.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace evenkeel::tool {

namespace {

// The stages below only read; a set would let others write.
RawField<double> places_of(const Objects& objects) {
  return raw_field(const_cast<double*>(objects.places.data()),
                   {.count = objects.count(), .components = objects.dimensions, .label = "points"});
}

Box box_around(const Space& space, const Communicator& communicator, const Set& set,
               const std::optional<Box>& given) {
  const Bounds found = bounds(space, communicator, set);
  if (given) require_inside(*given, {}, found);
  return given ? *given : enclose(std::nullopt, found);
}

// Of the lattices to try, one after the other; 0 stands for all there are.
std::vector<int> levels_to_try(CurveKind curve, int dimensions, std::int64_t objects) {
  if (curve != CurveKind::snake) return {0};
  const int all = curve_bits(dimensions) / dimensions;
  const auto bits =
      objects > 1 ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(objects) - 1)) : 0;
  std::vector<int> levels;
  for (int level = std::clamp((bits + dimensions - 1) / dimensions, 1, all); level < all;
       level += 2)
    levels.push_back(level);
  levels.push_back(all);
  return levels;
}

bool is_even_enough(const Cut& cut, double target_lambda) {
  if (target_lambda > 0) return cut.lambda() <= target_lambda;
  // Where all weigh nothing, a cut counts objects.
  const double heaviest = cut.heaviest_object > 0 ? cut.heaviest_object : 1;
  const double sum = std::accumulate(cut.weights.begin(), cut.weights.end(), 0.0);
  return !(sum > 0) ||
         cut.lambda() <= 1 + 2 * heaviest / sum * static_cast<double>(cut.weights.size());
}

CutOptions cut_options(const Objects& objects, const PartitionOptions& options) {
  CutOptions cutting;
  cutting.parts = options.parts;
  cutting.dimensions = objects.dimensions;
  cutting.target_lambda = options.target_lambda;
  cutting.aim = options.target_lambda > 0 ? Aim::target : Aim::nearest;
  return cutting;
}

PartitionSeconds on_slowest(const Communicator& communicator, const PartitionSeconds& mine) {
  std::array<double, 4> slowest = {mine.keys, mine.order, mine.cut, mine.total};
  communicator.all_reduce(std::span<double>(slowest), Reduction::greatest);
  return {slowest[0], slowest[1], slowest[2], slowest[3]};
}

// Of a cut; nothing where all objects weigh nothing.
std::vector<double> work_of(const Cut& cut) {
  const double sum = std::accumulate(cut.weights.begin(), cut.weights.end(), 0.0);
  if (!std::isfinite(sum))
    refuse_partition("The weights add up to more than a number can hold.",
                     "Give smaller ones; only their ratios count.");
  return cut.heaviest_object > 0 ? cut.weights : std::vector<double>(cut.weights.size());
}

}  // namespace

Partition partition(const Communicator& communicator, const Objects& objects,
                    const PartitionOptions& options) {
  const std::optional<Box> given = given_box(options, objects.dimensions);
  const Space space = Space::where(MemoryKind::host);
  Partition result;
  vote(communicator, attempt(partition_stage, [&] {
         result.keys.resize(static_cast<std::size_t>(objects.count()));
         result.parts.resize(result.keys.size());
       }));
  RawField<double> places = places_of(objects);
  const Set set = evenkeel::set(places);
  const WeightedKeys keyed{result.keys, objects.weights};
  const CutOptions cutting = cut_options(objects, options);

  communicator.barrier();
  const Stopwatch whole;
  Stopwatch stage;
  PartitionSeconds& seconds = result.seconds;
  result.box = box_around(space, communicator, set, given);
  const auto write_keys_of = [&](const CurveOptions& curve) {
    const Lattice lattice(objects.dimensions, result.box, {}, curve.kind, curve.levels);
    write_keys(space, lattice, set, result.keys.data());
    space.fence("evenkeel::tool::keys");
  };
  Cut best;
  CurveOptions last;
  for (const int levels : levels_to_try(options.curve, objects.dimensions, objects.everywhere)) {
    last = {options.curve, levels};
    const Status written = attempt(partition_stage, [&] { write_keys_of(last); });
    seconds.keys += stage.lap();
    Cut next = cut(communicator, written, std::span(&keyed, 1), cutting);
    seconds.cut += stage.lap();
    if (best.splitters.empty() || next.lambda() < best.lambda()) {
      best = std::move(next);
      result.curve = last;
    }
    if (is_even_enough(best, options.target_lambda)) break;
  }
  const Status owned = attempt(partition_stage, [&] {
    if (!(last == result.curve)) write_keys_of(result.curve);
    write_owners(space, best.splitters, result.keys.data(), objects.count(), result.parts.data());
  });
  vote(communicator, owned);  // a barrier, too
  seconds.total = whole.seconds();

  seconds = on_slowest(communicator, seconds);
  result.work = work_of(best);
  result.heaviest_object = best.heaviest_object;
  result.splitters = std::move(best.splitters);
  return result;
}

}  // namespace evenkeel::tool
