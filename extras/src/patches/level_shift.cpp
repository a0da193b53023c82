#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/extras/patches/level_shift.hpp>

#include "cut/units.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/region.hpp>

#include <cmath>
#include <numeric>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "extras/patches";
constexpr const char* label = "evenkeel::weights::level_shift";

[[noreturn]] void refuse_levels(const std::string& problem, const std::string& remedy,
                                ErrorKind kind = ErrorKind::bad_input) {
  throw Error(kind, Where{stage_name}, problem, remedy);
}

void check(const LevelShiftOptions& options) {
  if (options.parts < 1 || options.siblings < 2)
    refuse_levels("Objects are to be split into " + std::to_string(options.siblings) +
                      " children, for a cut into " + std::to_string(options.parts) + " parts.",
                  "Give 2 children or more, and 1 part or more.");
  if (!(options.join_below >= 0) || !(options.join_below < options.split_above) ||
      !std::isfinite(options.split_above))
    refuse_levels("split_above is " + std::to_string(options.split_above) +
                      " parts, and join_below is " + std::to_string(options.join_below) + '.',
                  "Give a join_below of at least 0, and a greater split_above that is finite.");
}

// --- The choice of objects -----------------------------------------------------------------------

struct UnitsOf {
  const double* weights;
  Units units;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return units.of(weights[i]); }
};

struct WeighsMore {
  const double* weights;
  double limit;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return weights[i] > limit; }
};

// True if the object is the first of siblings that are all on this rank and together weigh less
// than `limit`.
struct BeginsLightFamily {
  const double* weights;
  const std::int64_t* parents;
  std::int64_t count, siblings;
  double limit;

  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    const std::int64_t parent = parents[i];
    if (parent < 0 || i + siblings > count) return false;
    if (i > 0 && parents[i - 1] == parent) return false;
    if (i + siblings < count && parents[i + siblings] == parent) return false;
    double sum = 0;
    for (std::int64_t k = i; k < i + siblings; ++k) {
      if (parents[k] != parent) return false;
      sum += weights[k];
    }
    return sum < limit;
  }
};

// Collective. The weight of an average part. It is the same on any number of ranks.
double part_of(const Communicator& communicator, const Status& ready,
               const LevelShiftObjects& objects, int parts) {
  Census mine;
  const Status counted = attempt(stage_name, [&] {
    if (!ready.ok()) throw Error(*ready.error());
    mine = census_of_weights(objects.weights.span(), objects.weights.memory());
  });
  const Census all = vote<&combine>(communicator, counted, mine);
  if (all.weightless()) return 0;
  const Units units(all);
  std::int64_t sum = 0;
  const Status summed = attempt(stage_name, [&] {
    sum = exec::sum<std::int64_t>(objects.weights.space(), objects.weights.size(),
                                  UnitsOf{objects.weights.data(), units});
  });
  vote(communicator, summed);
  return units.weight_of(communicator.all_reduce(sum, Reduction::sum)) / parts;
}

// --- Children and parents ------------------------------------------------------------------------

void require_conserved(double before, double after, const char* what, std::int64_t object) {
  constexpr double rounding = 1e-9;
  if (std::isfinite(after) && after >= 0 && std::abs(after - before) <= rounding * before) return;
  refuse_levels(std::string(what) + std::to_string(object) + ", which weighs " +
                    std::to_string(before) + ", would weigh " + std::to_string(after) +
                    " afterwards.",
                "Return weights that add up to the weight before.", ErrorKind::application);
}

// Calls code of the application, and rethrows its exceptions as application errors.
template <class Function>
auto asked(Function&& function) {
  decltype(function()) answer{};
  const Status status = attempt(
      stage_name, [&] { answer = function(); }, ErrorKind::application);
  if (!status.ok()) throw Error(*status.error());
  return answer;
}

void ask_for_children(const LevelShiftObjects& objects, double limit, const LevelShifter& shifter,
                      LevelShifts& into) {
  const exec::Array<double>& weights = objects.weights;
  const std::vector<std::int64_t> heavy =
      exec::numbers_that(weights.space(), label, weights.size(), WeighsMore{weights.data(), limit})
          .on_host();
  const std::vector<double> weight = exec::picked(weights, label, heavy);
  for (std::size_t i = 0; i < heavy.size(); ++i) {
    std::vector<double> children = asked([&] { return shifter.children(heavy[i]); });
    if (children.size() < 2)
      refuse_levels("Object " + std::to_string(heavy[i]) + " is too heavy, and its split has " +
                        std::to_string(children.size()) + " children.",
                    "Return 2 or more, or set split_above higher.", ErrorKind::application);
    for (const double child : children)
      if (!(child >= 0)) require_conserved(weight[i], child, "A child of object ", heavy[i]);
    require_conserved(weight[i], std::accumulate(children.begin(), children.end(), 0.0), "Object ",
                      heavy[i]);
    into.splits.push_back({heavy[i], std::move(children)});
  }
}

void ask_for_parents(const LevelShiftObjects& objects, double limit, std::int64_t siblings,
                     const LevelShifter& shifter, LevelShifts& into) {
  const exec::Array<double>& weights = objects.weights;
  const std::vector<std::int64_t> light =
      exec::numbers_that(weights.space(), label, weights.size(),
                         BeginsLightFamily{weights.data(), objects.parents.data(), weights.size(),
                                           siblings, limit})
          .on_host();
  std::vector<std::int64_t> members;
  for (const std::int64_t first : light)
    for (std::int64_t k = 0; k < siblings; ++k) members.push_back(first + k);
  const std::vector<double> weight = exec::picked(weights, label, members);
  auto next = weight.begin();
  for (const std::int64_t first : light) {
    const double before = std::accumulate(next, next + siblings, 0.0);
    next += siblings;
    const double after = asked([&] { return shifter.parent(first, siblings); });
    require_conserved(before, after, "The siblings from object ", first);
    into.joins.push_back({first, siblings, after});
  }
}

struct Done {
  std::int64_t splits = 0, joins = 0;
};
void add(Done& into, const Done& from) noexcept {
  into.splits += from.splits;
  into.joins += from.joins;
}

}  // namespace

LevelShifts shift_levels(const Voters& voters, const LevelShiftObjects& objects,
                         const LevelShiftOptions& options, const LevelShifter& shifter) {
  const Communicator& communicator = voters.communicator();
  const exec::Region shown("evenkeel::level_shift");
  const Status ready = attempt(stage_name, [&] {
    voters.require_success();
    check(options);
    if (objects.parents.size() != objects.weights.size())
      refuse_levels("There are " + std::to_string(objects.weights.size()) + " weights and " +
                        std::to_string(objects.parents.size()) + " parents.",
                    "Give one of each for every object.");
  });
  LevelShifts shifts;
  shifts.part = part_of(communicator, ready, objects, options.parts);
  const Status asked_all = attempt(stage_name, [&] {
    if (!(shifts.part > 0)) return;
    if (shifter.children)
      ask_for_children(objects, options.split_above * shifts.part, shifter, shifts);
    if (shifter.parent)
      ask_for_parents(objects, options.join_below * shifts.part, options.siblings, shifter, shifts);
  });
  const Done mine = {std::ssize(shifts.splits), std::ssize(shifts.joins)};
  const Done all = vote<&add>(communicator, asked_all, mine);
  shifts.splits_of_all = all.splits;
  shifts.joins_of_all = all.joins;
  if (all.splits + all.joins == 0) return shifts;
  const Status carried_out = attempt(
      stage_name,
      [&] {
        if (shifter.carry_out && mine.splits + mine.joins > 0) shifter.carry_out(shifts);
      },
      ErrorKind::application);
  vote(communicator, carried_out);
  return shifts;
}

}  // namespace evenkeel
