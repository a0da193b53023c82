#include "chain/phase_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace evenkeel::phase_search {

namespace {

// A gain of less than this share of the step is not worth a probe.
constexpr double fine = 1e-4;
// Limits the time of a search: a probe looks at each phase of each part, and each look takes about
// 20 ns. With few parts a search ends before it reaches this limit.
constexpr std::int64_t most_looks = std::int64_t{1} << 22;

double sum_of(const Limits& limits) { return std::accumulate(limits.begin(), limits.end(), 0.0); }

Limits scaled(Limits limits, double factor) {
  for (double& limit : limits) limit *= factor;
  return limits;
}

}  // namespace

PhaseSearch::PhaseSearch(const Row& row)
    : row_(row),
      phases_(row.before.size()),
      goal_(sum_of(row.least) * (1 + fine)),
      most_probes_(std::clamp<std::int64_t>(
          most_looks / (row.parts * static_cast<std::int64_t>(row.before.size())), 96, 8192)) {}

FoundOffsets PhaseSearch::run(const Limits& shape) {
  constexpr std::int64_t few = 128;
  if (row_.parts * static_cast<std::int64_t>(phases_) <= few) {
    descend_from_many(shape);
    cut_by_sums();
  } else {
    cut_by_sums();
    descend(shape);
  }
  sweep();
  spread();
  return std::move(best_);
}

// With few parts there are several local optima of nearly the same step. So this starts from
// several shapes.
void PhaseSearch::descend_from_many(const Limits& shape) {
  descend(shape);
  for (std::size_t phase = 0; phase < phases_ && phases_ > 1; ++phase)
    for (const double by : {1.25, 1.5, 2.0, 4.0}) {
      if (!may_go_on()) return;
      FoundOffsets best = std::exchange(best_, FoundOffsets());
      Limits start = row_.least;
      start[phase] *= by;
      descend(start);
      if (!(best_.step < best.step)) best_ = std::move(best);
    }
}

void PhaseSearch::descend(const Limits& shape) {
  scale(shape);
  balance();
  constexpr double coarsest = 1, finest = 0x1p-9;
  for (double step = coarsest; step >= finest && may_go_on();) {
    const bool found = trade(1 + step);
    if (!found && !(phases_ > 2 && trade_pairs(1 + step))) step /= 2;
  }
}

// --- Cuts within limits --------------------------------------------------------------------------

// Returns the last place at which a part can end if it begins at `begin`.
std::int64_t PhaseSearch::end_of_part(std::int64_t begin, const Limits& limits) const noexcept {
  std::int64_t end = last();
  for (std::size_t phase = 0; phase < phases_; ++phase) {
    const auto fits = [&](std::int64_t place) {
      return load(phase, begin, place) <= limits[phase];
    };
    if (fits(end)) continue;
    std::int64_t within = begin, step = 1;
    for (; within + step < end && fits(within + step); step *= 2) within += step;
    end = std::min(end, within + step);
    while (within + 1 < end) {
      const std::int64_t middle = within + (end - within) / 2;
      (fits(middle) ? within : end) = middle;
    }
    end = within;
  }
  return end;
}

// Returns the first place at which a part can begin if it ends at `end`.
std::int64_t PhaseSearch::begin_of_part(std::int64_t end, const Limits& limits) const noexcept {
  std::int64_t begin = 0;
  for (std::size_t phase = 0; phase < phases_; ++phase) {
    const auto fits = [&](std::int64_t place) { return load(phase, place, end) <= limits[phase]; };
    if (fits(begin)) continue;
    std::int64_t within = end, step = 1;
    for (; within - step > begin && fits(within - step); step *= 2) within -= step;
    begin = std::max(begin, within - step);
    while (begin + 1 < within) {
      const std::int64_t middle = begin + (within - begin) / 2;
      (fits(middle) ? within : begin) = middle;
    }
    begin = within;
  }
  return begin;
}

// Computes the greatest loads and the step of a cut from its offsets.
void PhaseSearch::weigh(FoundOffsets& cut) const {
  cut.greatest.assign(phases_, 0);
  for (std::size_t phase = 0; phase < phases_; ++phase)
    for (std::size_t part = 0; part + 1 < cut.offsets.size(); ++part)
      cut.greatest[phase] =
          std::max(cut.greatest[phase], load(phase, cut.offsets[part], cut.offsets[part + 1]));
  cut.step = sum_of(cut.greatest);
}

// Returns true if there is a cut within the limits. If that cut is the best so far, keeps it.
bool PhaseSearch::probe(Limits limits) {
  ++probes_;
  for (std::size_t phase = 0; phase < phases_; ++phase)
    limits[phase] = std::max(limits[phase], row_.least[phase]);
  trial_.offsets.assign(1, 0);
  for (int part = 0; part < row_.parts; ++part)
    trial_.offsets.push_back(end_of_part(trial_.offsets.back(), limits));
  if (trial_.offsets.back() < last()) return false;
  weigh(trial_);
  if (trial_.step < best_.step) std::swap(best_, trial_);
  return true;
}

// --- Better limits -------------------------------------------------------------------------------

// Finds the least multiple of `shape` within which there is a cut. Ends early if such a cut cannot
// be better than the best one.
void PhaseSearch::scale(const Limits& shape) {
  const double sum = sum_of(shape);
  if (!(sum > 0)) return;
  double low = 0;
  for (std::size_t phase = 0; phase < phases_; ++phase)
    if (shape[phase] > 0) low = std::max(low, row_.least[phase] / shape[phase]);
  if (probe(scaled(shape, low))) return;
  double high = best_.step * (1 - fine) / sum;
  if (!std::isfinite(high)) {
    // There is no cut yet. This ends, because one part can hold all items within finite limits.
    for (high = 2 * low; !probe(scaled(shape, high));) high *= 2;
  } else if (!(high > low) || !probe(scaled(shape, high))) {
    return;
  }
  while (high - low > fine * high && probes_ < most_probes_) {
    const double middle = low + (high - low) / 2;
    (probe(scaled(shape, middle)) ? high : low) = middle;
  }
}

// Probes the limits, unless no cut within them can be better than the best one.
bool PhaseSearch::improve(Limits limits) {
  if (!may_go_on()) return false;
  for (std::size_t phase = 0; phase < phases_; ++phase)
    limits[phase] = std::max(limits[phase], row_.least[phase]);
  if (sum_of(limits) > best_.step * (1 - fine / 2)) return false;
  return probe(std::move(limits));
}

// Counts the parts that are at the limit of each phase, and moves limits towards the ratios of
// these numbers. If the phases work in separate places, one such move suffices.
void PhaseSearch::balance() {
  constexpr int most = 4;
  const double least_share = 1e-3 * row_.parts;
  for (int i = 0; i < most && may_go_on(); ++i) {
    std::vector<double> parts_at_limit(phases_);
    for (std::size_t part = 0; part + 1 < best_.offsets.size(); ++part) {
      std::size_t critical = 0;
      double most_filled = -1;
      for (std::size_t phase = 0; phase < phases_; ++phase) {
        const double filled =
            load(phase, best_.offsets[part], best_.offsets[part + 1]) / best_.greatest[phase];
        if (!(filled > most_filled)) continue;
        most_filled = filled;
        critical = phase;
      }
      parts_at_limit[critical] += 1;
    }
    Limits shape = best_.greatest;
    for (std::size_t phase = 0; phase < phases_; ++phase)
      shape[phase] =
          std::sqrt(shape[phase]) * std::sqrt(std::max(parts_at_limit[phase], least_share));
    const double before = best_.step;
    scale(shape);
    if (best_.step > before * (1 - 1e-3)) return;
  }
}

// Tries two cuts by a single weight per item: the sum of its costs, and the sum of its costs in
// units of the least limits. So the result is never worse than these two cuts.
void PhaseSearch::cut_by_sums() {
  for (const Limits& units : {Limits(phases_, 1.0), row_.least}) {
    trial_.offsets.assign(1, 0);
    for (int part = 1; part < row_.parts; ++part)
      trial_.offsets.push_back(nearest_to_share(part, units));
    trial_.offsets.push_back(last());
    weigh(trial_);
    if (trial_.step < best_.step) std::swap(best_, trial_);
  }
}

// Changes the limit of one phase by a factor, up or down, and all other limits in the opposite
// direction.
bool PhaseSearch::trade(double factor) {
  bool found = false;
  for (std::size_t phase = 0; phase < phases_; ++phase)
    for (const double by : {1 / factor, factor}) {
      Limits limits = best_.greatest;
      const double others = best_.step - limits[phase];
      limits[phase] = std::max(limits[phase] * by, row_.least[phase]);
      const double left = best_.step * (1 - fine) - limits[phase];
      if (!(others > 0) || !(left > 0)) continue;
      for (std::size_t other = 0; other < phases_; ++other)
        if (other != phase) limits[other] *= left / others;
      found = improve(std::move(limits)) || found;
    }
  return found;
}

// Lowers the limit of one phase, and raises the limit of one other phase by nearly the same amount.
bool PhaseSearch::trade_pairs(double factor) {
  bool found = false;
  for (std::size_t down = 0; down < phases_; ++down)
    for (std::size_t up = 0; up < phases_; ++up) {
      if (up == down) continue;
      Limits limits = best_.greatest;
      const double lower = std::max(limits[down] / factor, row_.least[down]);
      limits[up] += limits[down] - lower - fine * best_.step;
      limits[down] = lower;
      found = improve(std::move(limits)) || found;
    }
  return found;
}

// Only for two phases. Finds a cut whose step is shorter by more than a small share, or shows that
// there is no such cut. Let `rest` be the wanted step. If there is no cut within the limits (a + s,
// rest - a), no cut with a step below `rest` has a greatest load between a and a + s in the first
// phase. If there is a cut within these limits, its step is shorter by at least half the share.
void PhaseSearch::sweep() {
  if (phases_ != 2) return;
  constexpr double share = 0.01;
  double low = row_.least[0];
  while (may_go_on()) {
    const double rest = best_.step * (1 - share), width = best_.step * share / 2;
    if (low + row_.least[1] > rest) return;
    if (!improve({low + width, rest - low})) low += width;
  }
}

// --- The most even cut within the limits ---------------------------------------------------------

// A probe fills the parts from the left, so little is left for the last parts. This puts each
// offset as near to its share as the limits allow.
void PhaseSearch::spread() {
  const Limits limits = best_.greatest;
  const auto parts = static_cast<std::size_t>(row_.parts);
  // by part: the first place from which this part and those after it can hold all items
  std::vector<std::int64_t> first(parts + 1, last());
  for (std::size_t part = parts; part-- > 0;) first[part] = begin_of_part(first[part + 1], limits);
  FoundOffsets even;
  even.offsets.assign(1, 0);
  for (std::size_t part = 1; part < parts; ++part) {
    const std::int64_t begin = even.offsets.back();
    even.offsets.push_back(std::clamp(nearest_to_share(static_cast<int>(part), limits),
                                      std::max(begin, first[part]), end_of_part(begin, limits)));
  }
  even.offsets.push_back(last());
  weigh(even);
  if (even.step <= best_.step) best_ = std::move(even);
}

// Returns the place that is nearest to a part's share of the sum of all costs, where each cost is
// in the unit of its phase. If two places are equally near, returns the left one.
std::int64_t PhaseSearch::nearest_to_share(int part, const Limits& units) const noexcept {
  const auto filled = [&](std::int64_t place) {
    double sum = 0;
    for (std::size_t phase = 0; phase < phases_; ++phase)
      sum += before(phase, place) / units[phase];
    return sum;
  };
  const double share = filled(last()) * part / row_.parts;
  std::int64_t below = 0, above = last();  // filled(below) < share <= filled(above)
  while (below + 1 < above) {
    const std::int64_t middle = below + (above - below) / 2;
    (filled(middle) < share ? below : above) = middle;
  }
  if (below == above || filled(above) - share < share - filled(below)) return above;
  // If items cost nothing, several places have the same sum. Take the first of them.
  const double nearest = filled(below);
  std::int64_t low = -1;
  while (low + 1 < below) {
    const std::int64_t middle = low + (below - low) / 2;
    (filled(middle) < nearest ? low : below) = middle;
  }
  return below;
}

}  // namespace evenkeel::phase_search
