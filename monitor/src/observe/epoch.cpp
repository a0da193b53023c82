#include "observe/epoch.hpp"

#include <evenkeel/monitor/metrics.hpp>

namespace evenkeel {

namespace {

constexpr std::int64_t most_nanoseconds = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t units_per_mean = 1024;
// About a microsecond. In units of its square, the variance of a load of seconds fits 63 bits.
constexpr std::int64_t unit_without_mean = 1024;

// The sum of the squares over 2^20 ranks stays below 2^63.
constexpr std::int64_t most_units = std::int64_t{1} << 20;

// The sum of two numbers that are not negative. A sum that would overflow stays at the greatest
// number, so that addition is associative.
std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
  return b > 0 && a > most_nanoseconds - b ? most_nanoseconds : a + b;
}

// So much that the sum over a million ranks does not overflow: 18 minutes.
constexpr std::int64_t most_extra = std::int64_t{1} << 40;

// A negative number counts as 0, and makes the sample unfit.
struct Gauge {
  bool fit;
  std::int64_t operator()(std::int64_t value) noexcept {
    fit = fit && value >= 0;
    return std::max<std::int64_t>(value, 0);
  }
};

void add_kernels(const Sample& sample, Gauge& gauge, Totals& totals) noexcept {
  totals.kernels.fill(RankTally::of(0));
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < sample.kernels.size(); ++i) {
    const std::int64_t nanoseconds = gauge(sample.kernels[i]);
    if (i < Totals::named_kernels)
      totals.kernels[i] = RankTally::of(nanoseconds);
    else
      rest = saturated_sum(rest, nanoseconds);
  }
  totals.kernels[Totals::other] = RankTally::of(rest);
}

void add_phases(const Sample& sample, Gauge& gauge, Totals& totals) noexcept {
  totals.phases.fill(RankTally::of(0));
  const std::size_t count = std::min(sample.phases.size(), totals.phases.size());
  for (std::size_t i = 0; i < count; ++i) totals.phases[i] = RankTally::of(gauge(sample.phases[i]));
}

void add_all_steps(const Sample& sample, Gauge& gauge, Totals& totals) noexcept {
  totals.all_steps = gauge(sample.all_steps);
  totals.all_load = gauge(sample.all_load);
  for (std::size_t i = 0; i < step_slots; ++i) {
    totals.slots[i] = gauge(sample.slots[i]);
    totals.other_slots[i] = gauge(sample.other_slots[i]);
  }
}

template <std::size_t count>
void take_greatest(std::array<std::int64_t, count>& into,
                   const std::array<std::int64_t, count>& from) noexcept {
  for (std::size_t i = 0; i < count; ++i) into[i] = std::max(into[i], from[i]);
}

// All ranks should know the same values; then nothing changes.
void take_greatest(Counterfactual& into, const Counterfactual& from) noexcept {
  using C = Counterfactual;
  for (const auto number : {&C::first, &C::previous, &C::first_again, &C::previous_again, &C::fresh,
                            &C::as_weighed, &C::advised, &C::of_mean, &C::guessed, &C::moved})
    into.*number = std::max(into.*number, from.*number);
  take_greatest(into.earlier, from.earlier);
  take_greatest(into.age, from.age);
}

std::int64_t scaled(std::int64_t number, double factor) noexcept {
  return number > 0 ? whole(static_cast<double>(number) * factor) : number;
}

double sum_of_slots(const StepSlots& slots) noexcept {
  double sum = 0;
  for (const std::int64_t slot : slots) sum += static_cast<double>(slot);
  return sum;
}

std::int64_t spread_of(std::int64_t load, std::int64_t mean, std::int64_t unit) noexcept {
  if (mean == 0) return 0;
  const std::int64_t units = std::clamp((load - mean) / unit, -most_units, most_units);
  return units * units;
}

void add(PaceTally& into, const PaceTally& from) noexcept {
  const bool is_slower = into.known == 0 || from.greatest > into.greatest ||
                         (from.greatest == into.greatest && from.slowest < into.slowest);
  if (from.known > 0 && is_slower) {
    into.greatest = from.greatest;
    into.slowest = from.slowest;
    into.waits = from.waits;
  }
  into.known += from.known;
  into.sum += from.sum;
  into.of_slow += from.of_slow;
  into.variance += from.variance;
  into.took = std::max(into.took, from.took);
}

void add(RankTally& into, const RankTally& from) noexcept {
  into.sum = saturated_sum(into.sum, from.sum);
  into.least = std::min(into.least, from.least);
  into.greatest = std::max(into.greatest, from.greatest);
}

LoadSummary summary_of(const Totals& totals) noexcept {
  constexpr std::int64_t most_ranks = std::numeric_limits<int>::max();
  LoadSummary summary;
  summary.ranks = static_cast<int>(std::clamp<std::int64_t>(totals.ranks, 1, most_ranks));
  summary.sum = static_cast<double>(totals.load.sum);
  summary.greatest = static_cast<double>(totals.critical_load());
  return summary;
}

// The bin of a histogram of load / mean. Without a mean, any load above 0 is in the last bin.
std::size_t bin_of(std::int64_t load, std::int64_t mean) noexcept {
  constexpr std::int64_t last = LoadPicture::slots - 1;
  constexpr std::int64_t limit =
      most_nanoseconds / LoadPicture::bins_per_mean;  // more than four years
  if (load <= 0) return 0;
  if (mean <= 0) return last;
  const std::int64_t share =
      std::min(load, limit) * LoadPicture::bins_per_mean / std::min(mean, limit);
  return static_cast<std::size_t>(std::min(share, last));
}

}  // namespace

// Not less than the greatest load, even if the phases of a sample do not add up to its load.
std::int64_t Totals::critical_load() const noexcept {
  std::int64_t sum = 0;
  int used = 0;
  for (const RankTally& phase : phases) {
    if (phase.sum <= 0) continue;
    sum = saturated_sum(sum, phase.greatest);
    ++used;
  }
  return used > 1 ? std::max(sum, load.greatest) : load.greatest;
}

double Totals::slowest_of_all() const noexcept { return sum_of_slots(slots); }

double Totals::level_of_others() const noexcept {
  const double mean = mean_load() * static_cast<double>(all_steps);
  return mean > 0 ? std::max(0.0, sum_of_slots(other_slots) * static_cast<double>(steps) / mean - 1)
                  : 0;
}

void Totals::scale_predictions() noexcept {
  const std::int64_t predicted = would_be.of_mean;
  if (predicted > 0 && mean_load() > 0) {
    const double factor = mean_load() / static_cast<double>(predicted);
    scale_loads(would_be, factor);
    for (std::int64_t& slot : other_slots) slot = scaled(slot, factor);
  }
  would_be.of_mean = 0;
}

double Totals::lambda() const noexcept { return evenkeel::lambda(summary_of(*this)); }

double Totals::imbalance_percent() const noexcept {
  return evenkeel::imbalance_percent(summary_of(*this));
}

double Totals::coverage() const noexcept {
  if (duration.sum <= 0) return 0;
  const double share = static_cast<double>(load.sum) / static_cast<double>(duration.sum);
  return std::clamp(share, 0.0, 1.0);
}

double Totals::wasted_seconds() const noexcept {
  if (ranks <= 1 || steps <= 0) return 0;
  const double nanoseconds = static_cast<double>(critical_load()) - mean_load();
  return std::max(0.0, nanoseconds / (1e9 * static_cast<double>(steps)));
}

void scale_loads(Counterfactual& would_be, double factor) noexcept {
  using C = Counterfactual;
  for (const auto number : {&C::first, &C::previous, &C::first_again, &C::previous_again, &C::fresh,
                            &C::as_weighed, &C::advised, &C::guessed, &C::of_mean})
    would_be.*number = scaled(would_be.*number, factor);
  for (std::int64_t& of_cut : would_be.earlier) of_cut = scaled(of_cut, factor);
}

Totals totals_of(const Sample& sample, std::int64_t last_mean) noexcept {
  const std::int64_t mean = std::max<std::int64_t>(last_mean, 0);
  Gauge gauge{sample.fit};
  Totals totals;
  totals.step_least = totals.step_greatest = sample.step;
  totals.generation_least = totals.generation_greatest = sample.generation;
  totals.names_least = totals.names_greatest = sample.names;
  totals.ranks = 1;
  totals.steps = gauge(sample.steps);
  totals.load = RankTally::of(gauge(sample.load));
  totals.duration = RankTally::of(gauge(sample.duration));
  totals.objects = RankTally::of(gauge(sample.objects));
  totals.cost = gauge(sample.cost);
  totals.rebuild = gauge(sample.rebuild);
  totals.noted = gauge(sample.noted);
  totals.extra = std::clamp(sample.extra, -most_extra, most_extra);
  totals.bytes = gauge(sample.bytes);
  totals.rebalances = gauge(sample.rebalances);
  totals.first_cost = gauge(sample.first_cost);
  totals.first_bytes = gauge(sample.first_bytes);
  totals.command = gauge(sample.command);
  totals.survey = gauge(sample.survey);
  totals.pace = sample.pace;
  totals.unit = mean > 0 ? std::max<std::int64_t>(mean / units_per_mean, 1) : unit_without_mean;
  totals.spread = spread_of(totals.load.sum, mean, totals.unit);
  totals.variance = gauge(sample.variance);
  add_kernels(sample, gauge, totals);
  add_phases(sample, gauge, totals);
  add_all_steps(sample, gauge, totals);
  totals.would_be = sample.would_be;
  totals.memory = sample.memory;
  totals.unfit = gauge.fit ? 0 : 1;
  return totals;
}

void combine(Totals& into, const Totals& from) noexcept {
  using T = Totals;
  for (const auto least :
       {&T::step_least, &T::generation_least, &T::steps, &T::rebuild, &T::all_steps})
    into.*least = std::min(into.*least, from.*least);
  for (const auto greatest :
       {&T::step_greatest, &T::generation_greatest, &T::cost, &T::noted, &T::bytes, &T::rebalances,
        &T::first_cost, &T::first_bytes, &T::command, &T::survey, &T::unit})
    into.*greatest = std::max(into.*greatest, from.*greatest);
  for (const auto sum : {&T::ranks, &T::unfit, &T::extra, &T::spread, &T::variance, &T::all_load})
    into.*sum = saturated_sum(into.*sum, from.*sum);
  for (const auto tally : {&T::load, &T::duration, &T::objects}) add(into.*tally, from.*tally);
  add(into.pace, from.pace);
  into.names_least = std::min(into.names_least, from.names_least);
  into.names_greatest = std::max(into.names_greatest, from.names_greatest);
  for (std::size_t i = 0; i < into.kernels.size(); ++i) add(into.kernels[i], from.kernels[i]);
  for (std::size_t i = 0; i < into.phases.size(); ++i) add(into.phases[i], from.phases[i]);
  take_greatest(into.slots, from.slots);
  take_greatest(into.other_slots, from.other_slots);
  take_greatest(into.would_be, from.would_be);
  combine(into.memory, from.memory);
}

void combine(MemoryTotals& into, const MemoryTotals& from) noexcept {
  // The lower of two equal ranks counts, so that the result does not depend on the order.
  const auto replaces = [](const RankMemory& next, const RankMemory& now, auto key_of) {
    if (!next.is_known() || !now.is_known()) return next.is_known();
    const auto its = key_of(next), present = key_of(now);
    return its > present || (its == present && next.rank < now.rank);
  };
  const auto share = [](const RankMemory& of) { return of.share(); };
  const auto haste = [](const RankMemory& of) { return -of.steps_left; };
  if (replaces(from.fullest, into.fullest, share)) into.fullest = from.fullest;
  if (replaces(from.soonest, into.soonest, haste)) into.soonest = from.soonest;
  into.asked = std::min(into.asked, from.asked);
}

LoadPicture picture_of(std::int64_t load, int rank, int ranks, std::int64_t last_mean) noexcept {
  LoadPicture picture;
  if (ranks <= LoadPicture::slots)
    picture.values[static_cast<std::size_t>(rank)] = std::max<std::int64_t>(load, 0);
  else
    picture.values[bin_of(load, last_mean)] = 1;
  return picture;
}

void combine(LoadPicture& into, const LoadPicture& from) noexcept {
  for (std::size_t i = 0; i < into.values.size(); ++i)
    into.values[i] = saturated_sum(into.values[i], from.values[i]);
}

}  // namespace evenkeel
