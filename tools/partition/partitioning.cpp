#include "partition/partitioning.hpp"

#include "files/refusal.hpp"
#include "partition/cutting.hpp"
#include "partition/memory.hpp"
#include "partition/work.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/domains/owner.hpp>
#include <evenkeel/core/field/standard.hpp>

#include <array>
#include <utility>
#include <variant>

namespace evenkeel::tool {

namespace {

using Places = std::variant<RawField<double>, RawField<float>>;

// A field allows writing, but the stages below only read the places, so the const_cast is safe.
Places places_of(const FileObjects& objects) {
  const RawShape shape = {
      .count = objects.count(), .components = objects.dimensions, .label = "points"};
  if (!objects.float_places.empty())
    return raw_field(const_cast<float*>(objects.float_places.data()), shape);
  return raw_field(const_cast<double*>(objects.places.data()), shape);
}

Box box_around(const Space& space, const Communicator& communicator, const Set& set,
               const std::optional<Box>& given) {
  const Bounds found = bounds(space, communicator, set);
  if (given) require_inside(*given, {}, found);
  return given ? *given : measure_box(communicator, {&set, 1}, std::nullopt, found).box;
}

PartitionSeconds on_slowest(const Communicator& communicator, const PartitionSeconds& mine) {
  std::array<double, 5> slowest = {mine.keys, mine.order, mine.choice, mine.cut, mine.total};
  communicator.all_reduce(std::span<double>(slowest), Reduction::greatest);
  return {slowest[0], slowest[1], slowest[2], slowest[3], slowest[4]};
}

// Collective. The predicted steps of all methods, in which a part works for one rank.
std::vector<MethodForecast> forecasts_of(const Communicator& communicator,
                                         const FileObjects& objects, const Set& set,
                                         const Region& region, const PartitionOptions& options) {
  const std::span<const double> weights = objects.weights;
  const MethodTrial trial(communicator, Status(), {&set, 1}, region, {.speeds = objects.speeds},
                          Weights(&weights, 1), options.parts);
  const StepCosts costs = {.halo = std::get<Auto>(options.method).halo,
                           .ghost = options.ghost_cost};
  std::vector<MethodForecast> forecasts;
  vote(communicator,
       attempt(refuse_partition.stage, [&] { forecasts.reserve(method_candidates.size()); }));
  for (const Method& method : method_candidates)
    forecasts.push_back(trial.forecast(method, costs, {}));
  return forecasts;
}

}  // namespace

Partition partition(const Communicator& communicator, const FileObjects& objects,
                    const PartitionOptions& options,
                    const std::function<void(double done)>& progress) {
  const std::optional<Box> given = given_box(options, objects.dimensions);
  check_grid(options, objects.dimensions);
  const Space space = Space::where(MemoryKind::host);
  Places places = places_of(objects);
  const Set set = std::visit([](auto& field) { return evenkeel::set(field); }, places);

  communicator.barrier();
  const Stopwatch whole;
  const Box box = box_around(space, communicator, set, given);
  const double box_seconds = whole.seconds();
  Stopwatch choosing;
  std::vector<MethodForecast> forecasts;
  if (is_auto(options.method))
    forecasts = forecasts_of(communicator, objects, set, {objects.dimensions, box}, options);
  const double choice_seconds = choosing.seconds();
  const Method method =
      forecasts.empty() ? options.method : forecasts[best_of(forecasts, -1)].method;
  const Task task{communicator, space, objects, set, options, method, box, progress};
  Partition result = options.rounds       ? cut_in_rounds(task)
                     : options.memory > 0 ? cut_within_memory(task)
                                          : cut_from_objects(task);
  result.forecasts = std::move(forecasts);
  result.seconds.choice = choice_seconds;
  const Status written = attempt(refuse_partition.stage, [&] { write_parts_of(task, result); });
  vote(communicator, written);  // also serves as a barrier
  result.seconds.keys += box_seconds;
  result.seconds.total = whole.seconds();

  result.seconds = on_slowest(communicator, result.seconds);
  const WorkCounter counter(communicator, objects);
  result.work = counter.of_parts(Status(), result.parts, options.parts);
  result.heaviest_object = counter.heaviest_object();
  return result;
}

void write_parts_of(const Task& task, Partition& partition) {
  const std::int64_t count = task.set.count();
  std::vector<std::int32_t>& parts = partition.parts;
  parts.reserve(static_cast<std::size_t>(count));
  detail::touch_first(parts.data(), static_cast<std::size_t>(count) * sizeof(std::int32_t));
  parts.resize(static_cast<std::size_t>(count));
  if (const auto* const curve = std::get_if<CurveDomains>(&partition.domains))
    return write_owners(task.space, curve->splitters(), partition.keys.data(), count, parts.data());
  write_ranks(task.space, partition.domains, task.set, parts.data());  // part p is rank p
}

}  // namespace evenkeel::tool
