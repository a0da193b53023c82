#include "place/memory.hpp"

#include "place/loads.hpp"
#include "place/stage.hpp"
#include "weights/blend.hpp"

#include <evenkeel/backends/exec/region.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

// Sums over all objects, or over all ranks.
struct WorkAndBytes {
  double work = 0, bytes = 0;
};

// The shares of work and of bytes, which count from 0 (work alone) to 1 (bytes alone).
WorkAndBytes shares_of(const WorkAndBytes& part, const WorkAndBytes& all, double by_bytes) {
  const double work = all.work > 0 ? part.work / all.work : 0;
  return {(1 - by_bytes) * work, by_bytes * (part.bytes / all.bytes)};
}

double sum_of_numbers(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

void require_memory(std::span<const double> memory, int ranks) {
  if (std::ssize(memory) != ranks)
    refuse(std::to_string(memory.size()) + " limits of memory came for " + std::to_string(ranks) +
               " ranks.",
           "Give one limit per rank, or no limits.");
  for (const double bytes : memory)
    if (!std::isfinite(bytes) || !(bytes > 0))
      refuse("A limit of memory is zero, negative, NaN or infinite.",
             "Give positive numbers of bytes, or no limits.");
}

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

// The cuts by both work and bytes. An object weighs the greater of its two shares. So if all parts
// weigh the same, a part in which bytes prevail has an even share of bytes, and one in which work
// prevails has an even share of work. A sum of the two shares would make both kinds smaller.
class CutsByBytes {
 public:
  CutsByBytes(const PlaceTask& task, const PlaceLimits& limits, double bytes)
      : task_(task),
        limits_(limits),
        objects_{sum_of_all(task.communicator, task.prepared, task.weights), bytes},
        ranks_{0, sum_of_numbers(limits.memory)} {
    const std::span<const double> speeds = task.speeds();
    ranks_.work = speeds.empty() ? task.parts() : sum_of_numbers(speeds);
  }

  bool can_fit() const noexcept { return objects_.bytes <= limits_.most_share * ranks_.bytes; }

  // Collective. Reports lambda by work alone.
  Allowed cut(double by_bytes) const {
    const exec::Region shown("evenkeel::place");
    OwnWeights weights;
    std::vector<double> shares;
    const Status ready = attempt(stage_name, [&] {
      weigh(by_bytes, weights);
      shares = shares_of_ranks(by_bytes);
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

  bool fits(const Allowed& found) const noexcept {
    return found.fullest.share() <= limits_.most_share;
  }
  bool is_allowed(const Allowed& found) const noexcept {
    return found.assignment.fewest_objects >= limits_.least_objects;
  }
  bool is_better(const Allowed& next, const Allowed& best) const noexcept {
    if (!is_allowed(next)) return false;
    if (fits(next) != fits(best)) return fits(next);
    return fits(next) ? next.assignment.lambda < best.assignment.lambda
                      : next.fullest.share() < best.fullest.share();
  }

 private:
  // Parts of a graph are only as even as the target of the method demands.
  Goal goal_of(double by_bytes) const {
    if (!places_by_graph(task_.prepared.options.method)) return EvenGoal{0};
    return GraphGoal{0, {}, by_bytes < 1 ? 0.5 : 0};
  }

  void weigh(double by_bytes, OwnWeights& into) const {
    const WorkAndBytes of_unit = shares_of({1, 1}, objects_, by_bytes);
    const Prepared& prepared = task_.prepared;
    for (std::size_t s = 0; s < prepared.orders.size(); ++s)
      into.add(greater_of(prepared.space, task_.weights[s], of_unit.work, limits_.bytes[s],
                          of_unit.bytes, prepared.set(s).count()));
    prepared.space.fence("evenkeel::place::memory");
  }

  std::vector<double> shares_of_ranks(double by_bytes) const {
    const std::span<const double> speeds = task_.speeds();
    std::vector<double> shares;
    for (std::size_t r = 0; r < limits_.memory.size(); ++r) {
      const double speed = speeds.empty() ? 1 : speeds[r];
      const WorkAndBytes share = shares_of({speed, limits_.memory[r]}, ranks_, by_bytes);
      shares.push_back(share.work + share.bytes);
    }
    return shares;
  }

  // Collective.
  Allowed measured(Assignment assignment) const {
    Allowed found{std::move(assignment)};
    measure_bytes(task_.communicator, task_.prepared, limits_, found);
    return found;
  }

  const PlaceTask& task_;
  const PlaceLimits& limits_;
  WorkAndBytes objects_, ranks_;  // sums; those of ranks are of speeds and memory
};

}  // namespace

void measure_bytes(const Communicator& communicator, const Prepared& prepared,
                   const PlaceLimits& limits, Allowed& found) {
  const Status checked = attempt(stage_name, [&] {
    if (!found.assignment.status.ok()) throw Error(*found.assignment.status.error());
    require_memory(limits.memory, communicator.size());
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

// `by_bytes` is bisected: the smaller it is, the more even is the work.
void fit_into_memory(const PlaceTask& task, const PlaceLimits& limits, Allowed& found) {
  measure_bytes(task.communicator, task.prepared, limits, found);
  if (found.fullest.share() <= limits.most_share) return;
  const CutsByBytes cuts(task, limits, sum_of_numbers(found.bytes));
  constexpr int most_cuts = 6;
  const int tries = cuts.can_fit() ? most_cuts : 1;
  double too_little = 0, enough = 1, by_bytes = 1;
  int refused = found.refused + 1;
  for (int cut = 0; cut < tries; ++cut) {
    Allowed next = cuts.cut(by_bytes);
    const bool fits = cuts.fits(next);
    if (cuts.is_better(next, found)) found = std::move(next);
    if (!fits) ++refused;
    if (fits)
      enough = by_bytes;
    else if (by_bytes < 1)
      too_little = by_bytes;
    by_bytes = (too_little + enough) / 2;
  }
  if (!cuts.fits(found) && parts_of(task.last) == task.communicator.size()) {
    Allowed kept = cuts.keep();
    if (cuts.is_allowed(kept) && !cuts.is_better(found, kept)) found = std::move(kept);
  }
  found.refused = refused;
  found.is_held_back = true;
}

}  // namespace evenkeel
