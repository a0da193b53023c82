// If a rank would get too few objects, tries one stricter goal after the other.

#include "place/memory.hpp"
#include "place/method.hpp"
#include "place/stage.hpp"
#include "weights/blend.hpp"

#include <evenkeel/backends/exec/region.hpp>

namespace evenkeel {

namespace {

struct Attempt {
  Goal goal;
  double by_count = 0;  // from 0 (the given weights) to 1 (equal weights)
};

// Parts of a graph are only as even as the target of the method demands, so this target is
// tightened in steps.
std::vector<Attempt> tighter(const GraphGoal& goal) {
  std::vector<Attempt> all = {{goal}};
  for (const double tightened : {0.5, 0.25, 0.0})
    all.push_back({GraphGoal{0, goal.phases, tightened}});
  return all;
}

std::vector<Attempt> tighter(const EvenGoal& goal) {
  std::vector<Attempt> all = {{goal}};
  const double target = goal.target_lambda;
  if (target > 1)
    for (const double share : {2, 4}) all.push_back({EvenGoal{1 + (target - 1) / share}});
  if (target > 0) all.push_back({EvenGoal{0}});
  return all;
}

std::vector<Attempt> tighter(const CurveGoal& goal) {
  std::vector<Attempt> all = tighter(EvenGoal{goal.target_lambda});
  if (goal.shift) all.insert(all.begin(), Attempt{goal});
  return all;
}

std::vector<Attempt> ever_stricter(const Method& method, const Goal& goal) {
  const bool is_by_graph = places_by_graph(method) && !std::holds_alternative<GraphGoal>(goal);
  std::vector<Attempt> all = is_by_graph
                                 ? tighter(GraphGoal{target_lambda_of(goal)})
                                 : std::visit([](const auto& its) { return tighter(its); }, goal);
  for (const double by_count : {0.25, 0.5, 0.75, 1.0}) all.push_back({EvenGoal{0}, by_count});
  return all;
}

// Collective. Does not throw; returns the failure of this rank, which the next vote has to report.
Status blend(const Communicator& communicator, const Prepared& prepared, Weights weights,
             double by_count, OwnWeights& into) {
  const auto objects = [&](std::size_t set) { return prepared.orders[set].objects.size(); };
  double sums[2] = {};  // sum of weights, number of objects
  Status status = attempt(stage_name, [&] {
    for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
      sums[0] += sum_over(prepared.space, weights[s], objects(s));
      sums[1] += static_cast<double>(objects(s));
    }
  });
  communicator.all_reduce(std::span<double>(sums), Reduction::sum);
  const double mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
  if (!status.ok()) return status;
  return attempt(stage_name, [&] {
    for (std::size_t s = 0; s < weights.size(); ++s)
      into.add(blended(prepared.space, weights[s], objects(s), mean, by_count));
    prepared.space.fence("evenkeel::place::blend");
  });
}

// Collective. Finds domains by weights that differ less than the given ones, but reports loads by
// the given weights.
Assignment place_blended(const PlaceTask& task, double by_count) {
  const exec::Region shown("evenkeel::place");
  OwnWeights mixed;
  const Status blending = blend(task.communicator, task.prepared, task.weights, by_count, mixed);
  const Status& ready = task.status.ok() ? blending : task.status;
  Found found = find_domains(
      {task.communicator, ready, task.prepared, mixed.of_sets(), task.goal, task.last});
  found.lambda = -1;
  return assignment_of(task, std::move(found), task.weights, true);
}

Error too_few(std::int64_t needed, std::int64_t objects, int ranks, const Assignment* last) {
  const std::string each = std::to_string(needed);
  if (last == nullptr)
    return Error(ErrorKind::bad_input, Where{stage_name},
                 "There are " + std::to_string(objects) + " objects for " + std::to_string(ranks) +
                     " ranks, and least_objects is " + each + '.',
                 "Use fewer ranks, or ask for fewer objects on each.");
  return Error(ErrorKind::bad_input, Where{stage_name},
               "Even a cut by the number of objects leaves rank " +
                   std::to_string(last->emptiest_rank) + " with " +
                   std::to_string(last->fewest_objects) + " objects, and least_objects is " + each +
                   '.',
               "Objects at one place cannot be separated: use fewer ranks, or another method.");
}

// Collective. Finds an assignment that leaves no rank with too few objects.
Allowed with_enough_objects(const Communicator& communicator, const Status& status,
                            const Prepared& prepared, Weights weights, const Goal& goal,
                            std::int64_t least_objects, const Domains& last) {
  if (least_objects <= 0)
    return {place(communicator, status, prepared, weights, goal, last, false), 0};
  std::int64_t objects = 0;
  for (const Order& order : prepared.orders) objects += order.objects.size();
  objects = communicator.all_reduce(objects, Reduction::sum);
  std::vector<Attempt> attempts;
  vote(communicator,
       attempt(stage_name, [&] { attempts = ever_stricter(prepared.options.method, goal); }));
  if (objects < least_objects * communicator.size()) {
    vote(communicator, status.ok() ? prepared.status : status);
    throw too_few(least_objects, objects, communicator.size(), nullptr);
  }
  Allowed found;
  for (const Attempt& next : attempts) {
    const Status& ready = status.ok() ? prepared.status : status;
    found.assignment =
        next.by_count > 0 ? place_blended({communicator, ready, prepared, weights, next.goal, last},
                                          next.by_count)
                          : place(communicator, status, prepared, weights, next.goal, last, true);
    if (found.assignment.fewest_objects >= least_objects) return found;
    ++found.refused;
  }
  throw too_few(least_objects, objects, communicator.size(), &found.assignment);
}

}  // namespace

Allowed place_allowed(const Communicator& communicator, const Status& status,
                      const Prepared& prepared, Weights weights, const Goal& goal,
                      const PlaceLimits& limits, const Domains& last) {
  Allowed found = with_enough_objects(communicator, status, prepared, weights, goal,
                                      limits.least_objects, last);
  if (!limits.memory.empty())
    fit_into_memory({communicator, Status(), prepared, weights, goal, last}, limits, found);
  return found;
}

}  // namespace evenkeel
