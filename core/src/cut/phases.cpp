#include "chain/phase_search.hpp"
#include "cut/marks.hpp"
#include "cut/phased_objects.hpp"
#include "cut/reductions.hpp"
#include "cut/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/cut.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

// The first search divides the curve into this many stretches. The second one divides each stretch
// next to a splitter into `finer` stretches.
constexpr std::int64_t least_stretches = 4096, stretches_per_part = 16, finer = 16;

void check(const PhaseOptions& options) {
  if (options.parts < 1)
    refuse("A cut into " + std::to_string(options.parts) + " parts was asked for.",
           "Ask for 1 or more.");
  if (options.phases < 1 || options.phases > most_phases)
    refuse("A cut of " + std::to_string(options.phases) + " phases was asked for.",
           "Ask for 1 to " + std::to_string(most_phases) + '.');
  if (options.dimensions != 2 && options.dimensions != 3)
    refuse("A curve in " + std::to_string(options.dimensions) + " dimensions was asked for.",
           "Use 2 or 3 dimensions.");
}

void check(const Splitters& splitters, const PhaseOptions& options) {
  if (std::ssize(splitters) != options.parts + 1 ||
      !std::is_sorted(splitters.begin(), splitters.end()))
    refuse("The " + std::to_string(splitters.size()) + " splitters to measure do not make " +
               std::to_string(options.parts) + " parts.",
           "Give one splitter more than parts; no splitter may be below the one before it.");
}

std::span<const CurveKey> inner(const Splitters& splitters) {
  return std::span(splitters).subspan(1, splitters.size() - 2);
}

// The work of one call.
class Phases {
 public:
  Phases(const Communicator& communicator, std::span<const PhasedKeys> sets,
         const PhaseOptions& options, const PhaseCensus& all)
      : communicator_(communicator),
        sets_(sets),
        options_(options),
        all_(all),
        units_(all, options.phases),
        reductions_(communicator) {
    // Without boundaries there is one interval with all objects.
    const std::vector<std::int64_t> all_sums = sums({});
    agreed([&] { totals_ = loads_of(all_sums, 1); });
    double total = 0;
    for (const auto& of_phase : totals_) total += of_phase.front();
    if (!std::isfinite(total))  // true on all ranks, or on no rank
      refuse("The costs of all phases add up to more than a number can hold.",
             "Give smaller ones; only their ratios count.");
    has_cost_ = total > 0;
  }

  PhaseCut cut() {
    if (!has_cost_) return measure(cut_by_count());
    const std::int64_t stretches =
        std::max(least_stretches, stretches_per_part * std::int64_t{options_.parts});
    std::vector<std::int64_t> marks, beside;
    agreed([&] {
      weigh();
      marks.resize(static_cast<std::size_t>(stretches) - 1);
      std::iota(marks.begin(), marks.end(), 1);
    });
    const StretchSearch coarse = search(stretches, marks, {});
    agreed([&] { beside = marks_beside(coarse, stretches); });
    const StretchSearch fine = search(stretches * finer, beside, coarse.found.greatest);
    return result(fine.splitters, fine.sums);
  }

  PhaseCut measure(const Splitters& splitters) { return result(splitters, sums(inner(splitters))); }

 private:
  // The result of a search in which parts may begin only at the begin of a stretch.
  struct StretchSearch {
    phase_search::FoundOffsets found;
    Splitters splitters;             // splitters of the parts that were found
    std::vector<std::int64_t> sums;  // cost of each part in each phase, in units
  };

  // Collective.
  template <class Make>
  void agreed(const Make& make) const {
    vote(communicator_, attempt(stage_name, make));
  }

  // Collective.
  PhaseCut result(const Splitters& splitters,
                  const std::vector<std::int64_t>& sums_of_parts) const {
    PhaseCut cut;
    agreed([&] {
      cut.loads_of_parts = loads_of(sums_of_parts, options_.parts);
      std::vector<PhaseLoad> loads;
      for (std::size_t phase = 0; phase < cut.loads_of_parts.size(); ++phase) {
        const std::vector<double>& of_parts = cut.loads_of_parts[phase];
        loads.push_back({.greatest = *std::max_element(of_parts.begin(), of_parts.end()),
                         .sum = totals_[phase].front(),
                         .heaviest = all_.heaviest[phase]});
      }
      cut.loads = phase_loads_of(options_.parts, loads);
      cut.splitters = splitters;
    });
    cut.reductions = reductions_.count();
    cut.bytes_reduced = reductions_.bytes();
    return cut;
  }

  // Collective. Returns the cost in each phase between boundaries, in units.
  std::vector<std::int64_t> sums(std::span<const CurveKey> boundaries) {
    std::vector<std::int64_t> all;
    agreed([&] { all = sums_between(sets_, units_, boundaries); });
    reductions_.sum(all);
    return all;
  }

  std::vector<std::vector<double>> loads_of(const std::vector<std::int64_t>& sums,
                                            std::int64_t parts) const {
    const auto phases = static_cast<std::size_t>(options_.phases);
    std::vector<std::vector<double>> loads(phases);
    for (std::size_t phase = 0; phase < phases; ++phase)
      for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part)
        loads[phase].push_back(units_.of[phase].weight_of(sums[part * phases + phase]));
    return loads;
  }

  Splitters cut_by_count() {
    std::vector<WeightedKeys> keys;
    const Status listed = attempt(stage_name, [&] {
      for (const PhasedKeys& set : sets_) keys.push_back({set.keys, {}, set.memory});
    });
    return noted(evenkeel::cut({communicator_, listed}, keys,
                               {.parts = options_.parts, .dimensions = options_.dimensions}));
  }

  Splitters noted(Cut cut) {
    reductions_.note(cut.reductions, cut.bytes_reduced);
    return std::move(cut.splitters);
  }

  void weigh() {
    std::vector<double> totals;
    for (const auto& of_phase : totals_) totals.push_back(of_phase.front());
    for (const PhasedKeys& set : sets_) {
      const exec::Array<double>& weights = weights_.emplace_back(shares_of_totals(set, totals));
      weighted_.push_back({set.keys, weights.span(), set.memory});
    }
  }

  // Collective. Divides the curve at `marks`, and searches for parts of these stretches. `shape` is
  // as in phase_search, for the phases with a cost; it is empty if it is unknown.
  StretchSearch search(std::int64_t pieces, const std::vector<std::int64_t>& marks,
                       const phase_search::Limits& shape) {
    CutOptions cutting;
    cutting.parts = static_cast<int>(marks.size()) + 1;
    cutting.dimensions = options_.dimensions;
    cutting.most_objects = all_.objects;
    const Splitters places =
        noted(cut_at({communicator_, Status()}, weighted_, cutting, {pieces, marks}));
    const std::vector<std::int64_t> between = sums(inner(places));
    StretchSearch level;
    agreed([&] {
      const auto before = running_costs(between);
      phase_search::Row row{before, options_.parts, least_loads()};
      level.found = phase_search::PhaseSearch(row).run(shape.empty() ? row.least : shape);
      for (const std::int64_t offset : level.found.offsets)
        level.splitters.push_back(places[static_cast<std::size_t>(offset)]);
      level.sums = joined(between, level.found.offsets);
    });
    return level;
  }

  // Computes the sums over parts from the sums over stretches.
  std::vector<std::int64_t> joined(const std::vector<std::int64_t>& between,
                                   const std::vector<std::int64_t>& offsets) const {
    const auto phases = static_cast<std::size_t>(options_.phases);
    std::vector<std::int64_t> sums((offsets.size() - 1) * phases);
    for (std::size_t part = 0; part + 1 < offsets.size(); ++part)
      for (std::int64_t stretch = offsets[part]; stretch < offsets[part + 1]; ++stretch)
        for (std::size_t phase = 0; phase < phases; ++phase)
          sums[part * phases + phase] +=
              between[static_cast<std::size_t>(stretch) * phases + phase];
    return sums;
  }

  // Returns, for each phase with a cost, a lower bound of the greatest load in any cut.
  phase_search::Limits least_loads() const {
    phase_search::Limits least;
    for (std::size_t phase = 0; phase < totals_.size(); ++phase)
      if (all_.heaviest[phase] > 0)
        least.push_back(std::max(totals_[phase].front() / options_.parts, all_.heaviest[phase]));
    return least;
  }

  // Returns the cost before each place, for each phase that has a cost.
  std::vector<std::vector<double>> running_costs(const std::vector<std::int64_t>& between) const {
    const auto phases = static_cast<std::size_t>(options_.phases);
    std::vector<std::vector<double>> before;
    for (std::size_t phase = 0; phase < phases; ++phase) {
      if (!(all_.heaviest[phase] > 0)) continue;
      std::vector<double>& of_phase = before.emplace_back(1, 0.0);
      std::int64_t sum = 0;
      for (std::size_t i = phase; i < between.size(); i += phases) {
        sum += between[i];
        of_phase.push_back(units_.of[phase].weight_of(sum));
      }
    }
    return before;
  }

  // Returns finer marks in the two stretches beside each splitter.
  std::vector<std::int64_t> marks_beside(const StretchSearch& coarse,
                                         std::int64_t stretches) const {
    std::vector<std::int64_t> marks;
    for (const std::int64_t at : coarse.found.offsets) {
      const std::int64_t begin = std::max<std::int64_t>(1, (at - 1) * finer);
      const std::int64_t end = std::min(stretches * finer - 1, (at + 1) * finer);
      for (std::int64_t mark = marks.empty() ? begin : std::max(begin, marks.back() + 1);
           mark <= end; ++mark)
        marks.push_back(mark);
    }
    return marks;
  }

  const Communicator& communicator_;
  std::span<const PhasedKeys> sets_;
  const PhaseOptions& options_;
  PhaseCensus all_;
  PhaseUnits units_;
  std::vector<std::vector<double>> totals_;  // one number for each phase
  bool has_cost_ = false;
  // The weight of each object, summed over all phases, in the order of the keys.
  std::vector<exec::Array<double>> weights_;
  std::vector<WeightedKeys> weighted_;
  CountedReductions reductions_;
};

// Objects get weights such that each part weighs the same. A part without cost has no object that
// could get its weight. So the weight goes to the part before it: the next cut then divides that
// part, and its load falls. If the first parts have no cost, the first part after them gets their
// weight.
void count_empty_parts(std::vector<double>& sum_of_part) {
  double waiting = 0;
  for (std::size_t part = 0; part < sum_of_part.size();) {
    if (!(sum_of_part[part] > 0)) {
      ++part;
      ++waiting;
      continue;
    }
    std::size_t next = part + 1;
    while (next < sum_of_part.size() && !(sum_of_part[next] > 0)) ++next;
    sum_of_part[part] /= static_cast<double>(next - part) + waiting;
    waiting = 0;
    part = next;
  }
}

// Collective. The vote with which each call begins. Returns the census of all ranks.
PhaseCensus census_of_all(const Voters& voters, std::span<const PhasedKeys> sets,
                          const PhaseOptions& options, const Splitters* splitters) {
  PhaseCensus mine;
  const Status checked = attempt(stage_name, [&] {
    voters.require_success();
    check(options);
    if (splitters != nullptr) check(*splitters, options);
    mine = census_of_phases(sets, options.phases);
  });
  return vote<&combine_phases>(voters.communicator(), checked, mine);
}

}  // namespace

PhaseCut stages::cut_phases(const Voters& voters, std::span<const PhasedKeys> sets,
                            const PhaseOptions& options) {
  const exec::Region shown("evenkeel::cut");
  const PhaseCensus all = census_of_all(voters, sets, options, nullptr);
  return Phases(voters.communicator(), sets, options, all).cut();
}

PhaseCut stages::measure_phases(const Voters& voters, std::span<const PhasedKeys> sets,
                                const PhaseOptions& options, const Splitters& splitters) {
  const exec::Region shown("evenkeel::cut");
  const PhaseCensus all = census_of_all(voters, sets, options, &splitters);
  return Phases(voters.communicator(), sets, options, all).measure(splitters);
}

std::vector<exec::Array<double>> stages::phase_weights(std::span<const PhasedKeys> sets,
                                                       const PhaseCut& cut) {
  std::vector<double> totals;
  for (const PhaseLoad& load : cut.loads.phases) totals.push_back(load.sum);
  const bool has_cost = std::any_of(totals.begin(), totals.end(), [](double t) { return t > 0; });
  std::vector<double> sum_of_part(cut.splitters.size() - 1);
  for (std::size_t phase = 0; phase < totals.size(); ++phase)
    for (std::size_t part = 0; part < sum_of_part.size() && totals[phase] > 0; ++part)
      sum_of_part[part] += cut.loads_of_parts[phase][part] / totals[phase];
  count_empty_parts(sum_of_part);
  std::vector<exec::Array<double>> weights;
  for (const PhasedKeys& set : sets)
    weights.push_back(has_cost ? shares_of_parts(set, totals, inner(cut.splitters), sum_of_part)
                               : exec::filled(Space::where(set.memory), "evenkeel::cut::phases",
                                              std::ssize(set.keys), 1.0));
  return weights;
}

}  // namespace evenkeel
