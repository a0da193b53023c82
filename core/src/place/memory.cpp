#include "place/memory.hpp"

#include "place/loads.hpp"
#include "place/stage.hpp"
#include "weights/blend.hpp"

#include <evenkeel/backends/exec/region.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

// Collective.
double sum_of_all(const Communicator& communicator, const Prepared& prepared, Weights weights) {
  double sum = 0;
  const Status added = attempt(stage_name, [&] {
    for (std::size_t s = 0; s < prepared.orders.size(); ++s)
      sum += sum_over(prepared.space, weights[s], prepared.set(s).count());
  });
  vote(communicator, added);
  return communicator.all_reduce(sum, Reduction::sum);
}

// The cuts by both work and bytes.
class CutsByBytes {
 public:
  CutsByBytes(const PlaceTask& task, const PlaceLimits& limits, double bytes)
      : task_(task),
        limits_(limits),
        how_({sum_of_all(task.communicator, task.prepared, task.weights), bytes}, task.speeds(),
             limits.memory) {}

  bool can_fit() const noexcept { return how_.can_fit(limits_.most_share); }

  // Collective. Reports lambda by work alone.
  Allowed cut(double by_bytes) const {
    const exec::Region shown("evenkeel::place");
    OwnWeights weights;
    std::vector<double> shares;
    const Status ready = attempt(stage_name, [&] {
      weigh(by_bytes, weights);
      shares = how_.shares_of_parts(by_bytes);
    });
    const Goal goal = goal_of(by_bytes);
    Found found = find_domains({task_.communicator, ready, task_.prepared, weights.of_sets(), goal,
                                task_.last, nullptr, shares});
    found.lambda = -1;
    return measured(assignment_of(task_, std::move(found), task_.weights, true));
  }

  // Collective. The assignment by the last domains.
  Allowed keep() const {
    constexpr double however_even = std::numeric_limits<double>::max();
    return measured(place(task_.communicator, Status(), task_.prepared, task_.weights,
                          EvenGoal{however_even}, task_.last, true));
  }

  TriedCut judge(const Allowed& found) const noexcept {
    return {found.assignment.lambda, found.fullest.share() / limits_.most_share,
            found.assignment.fewest_objects >= limits_.least_objects};
  }

 private:
  // Parts of a graph are only as even as the target of the method demands.
  Goal goal_of(double by_bytes) const {
    if (!places_by_graph(task_.prepared.options.method)) return EvenGoal{0};
    return GraphGoal{0, {}, by_bytes < 1 ? 0.5 : 0};
  }

  void weigh(double by_bytes, OwnWeights& into) const {
    const Prepared& prepared = task_.prepared;
    for (std::size_t s = 0; s < prepared.orders.size(); ++s)
      into.add(how_.weights(prepared.space, task_.weights[s], limits_.bytes[s],
                            prepared.set(s).count(), by_bytes));
    prepared.space.fence("evenkeel::place::memory");
  }

  // Collective.
  Allowed measured(Assignment assignment) const {
    Allowed found{std::move(assignment)};
    measure_bytes(task_.communicator, task_.prepared, limits_, found);
    return found;
  }

  const PlaceTask& task_;
  const PlaceLimits& limits_;
  ByWorkAndBytes how_;
};

}  // namespace

void measure_bytes(const Communicator& communicator, const Prepared& prepared,
                   const PlaceLimits& limits, Allowed& found) {
  const Status checked = attempt(stage_name, [&] {
    if (!found.assignment.status.ok()) throw Error(*found.assignment.status.error());
    check_memory(refuse, limits.memory, communicator.size());
  });
  Loads loads =
      loads_by_assignment(communicator, checked, prepared, limits.bytes, found.assignment);
  found.assignment.status = Status();
  found.bytes = std::move(loads.weights);
  // If no object has bytes, the loads are numbers of objects.
  if (std::equal(found.bytes.begin(), found.bytes.end(), loads.objects.begin(),
                 [](double bytes, std::int64_t objects) {
                   return bytes == static_cast<double>(objects);
                 }) &&
      sum_of_all(communicator, prepared, limits.bytes) == 0)
    std::fill(found.bytes.begin(), found.bytes.end(), 0.0);
  found.fullest = fullest_of(found.bytes, limits.memory);
}

void fit_into_memory(const PlaceTask& task, const PlaceLimits& limits, Allowed& found) {
  measure_bytes(task.communicator, task.prepared, limits, found);
  if (found.fullest.share() <= limits.most_share) return;
  const CutsByBytes cuts(task, limits,
                         std::accumulate(found.bytes.begin(), found.bytes.end(), 0.0));
  const auto judge = [&](const Allowed& one) { return cuts.judge(one); };
  int refused = found.refused + 1;
  refused += find_cut_that_fits(
      found, cuts.can_fit(), [&](double by_bytes) { return cuts.cut(by_bytes); }, judge);
  if (!judge(found).fits() && parts_of(task.last) == task.communicator.size()) {
    Allowed kept = cuts.keep();
    if (judge(kept).is_allowed && !judge(found).is_better_than(judge(kept)))
      found = std::move(kept);
  }
  found.refused = refused;
  found.is_held_back = true;
}

}  // namespace evenkeel
