// The stages place and plan.

#include "order/sort_by_number.hpp"
#include "place/loads.hpp"
#include "place/method.hpp"
#include "place/stage.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/place.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

constexpr const char* place_label = "evenkeel::place::assignment";

// Writes the part of the object at each place in an order.
struct PartsInOrder {
  const int* parts;
  const std::int64_t* objects;
  std::uint32_t* in_order;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    in_order[k] = static_cast<std::uint32_t>(parts[objects[k]]);
  }
};

// Sorts objects by box, and within each box along the curve, so that neighbours in memory are
// neighbours in space.
void arrange_in_boxes(const Prepared& prepared, std::vector<exec::Array<int>> parts,
                      Assignment& into) {
  const Space& space = prepared.space;
  for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
    const Order& order = prepared.orders[s];
    const exec::Array<std::uint32_t> numbers(space, place_label, order.objects.size());
    exec::for_each(space, place_label, numbers.size(),
                   PartsInOrder{parts[s].data(), order.objects.data(), numbers.data()});
    SortedByNumber sorted = sort_by_number(space, numbers, parts_of(into.domains));
    parts[s] = {};
    into.orders.push_back(chosen(space, order, sorted.places));
    into.offsets.push_back(std::move(sorted.offsets));
  }
}

void arrange(const Prepared& prepared, Found found, Assignment& into) {
  into.offsets = std::move(found.offsets);
  if (!into.offsets.empty()) return;
  if (found.parts.empty()) found.parts = parts_in(prepared, into.domains);
  arrange_in_boxes(prepared, std::move(found.parts), into);
}

}  // namespace

std::vector<exec::Array<int>> parts_in(const Prepared& prepared, const Domains& domains) {
  std::vector<exec::Array<int>> all;
  for (std::size_t s = 0; s < prepared.sets.size(); ++s) {
    const Set& set = prepared.set(s);
    const exec::Array<int>& parts = all.emplace_back(prepared.space, place_label, set.count());
    write_parts(prepared.space, domains, set, parts.data());
  }
  return all;
}

Found find_domains(const PlaceTask& task) {
  const PlaceOptions& options = task.prepared.options;
  const Status checked = attempt(stage_name, [&] {
    if (!task.status.ok()) throw Error(*task.status.error());
    check_speeds(refuse, options.speeds, task.parts());
  });
  return row_of(options.method)
      .find({task.communicator, checked, task.prepared, task.weights, task.goal, task.last,
             task.fresh, task.shares});
}

Assignment assignment_of(const PlaceTask& task, Found found, Weights weights, bool counts_objects) {
  const Prepared& prepared = task.prepared;
  Assignment assignment;
  assignment.domains = std::move(found.domains);
  assignment.is_changed = !is_same_division(assignment.domains, task.last);
  assignment.is_shifted = found.is_shifted;
  assignment.lambda = found.lambda;
  assignment.status = found.status;
  const bool is_known = found.lambda >= 0 && !prepared.region.is_bound;
  const OwnWeights sought = std::move(found.weights);
  if (found.status.ok())
    assignment.status =
        attempt(stage_name, [&] { arrange(prepared, std::move(found), assignment); });
  if (is_known && !counts_objects) return assignment;
  const Loads loads = loads_by_assignment(task.communicator, assignment.status, prepared,
                                          sought.empty() ? weights : sought.of_sets(), assignment);
  assignment.status = Status();
  if (!is_known) assignment.lambda = loads.lambda(task.speeds());
  const auto fewest = std::min_element(loads.objects.begin(), loads.objects.end());
  assignment.fewest_objects = *fewest;
  assignment.emptiest_rank = static_cast<int>(fewest - loads.objects.begin());
  return assignment;
}

Assignment place(const Communicator& communicator, const Status& status, const Prepared& prepared,
                 Weights weights, const Goal& goal, const Domains& last, bool counts_objects) {
  const exec::Region shown("evenkeel::place");
  const PlaceTask task{
      communicator, status.ok() ? prepared.status : status, prepared, weights, goal, last};
  return assignment_of(task, find_domains(task), weights, counts_objects);
}

FreshCut cut_anew(const Communicator& communicator, const Status& status,
                  const PreparedToCut& prepared, Weights weights, const FreshGoal& goal,
                  const Domains& last) {
  const exec::Region shown("evenkeel::place");
  const Prepared& sets = prepared.sets;
  const Status& ready = status.ok() ? sets.status : status;
  const Goal even = EvenGoal{goal.target_lambda};
  Found found = find_domains({communicator, ready, sets, weights, even, last, &goal});
  vote(communicator, found.status);
  return {std::move(found.domains), found.lambda, found.heaviest};
}

Plan plan(const Communicator& communicator, Prepared prepared, Assignment assignment) {
  std::vector<Arranged> arranged;
  const Status status = attempt(stage_name, [&] {
    if (!assignment.status.ok()) throw Error(*assignment.status.error());
    auto& orders = assignment.orders.empty() ? prepared.orders : assignment.orders;
    for (std::size_t s = 0; s < orders.size(); ++s)
      arranged.push_back({std::move(orders[s]), std::move(assignment.offsets[s])});
  });
  return plan_arranged({communicator, status}, std::move(arranged),
                       {.rank_of_part = rank_of_part(assignment.domains),
                        .held = prepared.bonds.held,
                        .sets = prepared.sets});
}

}  // namespace evenkeel
