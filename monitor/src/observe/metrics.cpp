#include <evenkeel/monitor/metrics.hpp>

#include "observe/figures.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel {

LoadSummary summarise(std::span<const double> seconds) {
  if (seconds.empty())
    throw Error(ErrorKind::bad_input, Where{"monitor/metrics"}, "The list of loads is empty.",
                "Give one number of seconds per rank.");
  LoadSummary load;
  load.ranks = static_cast<int>(seconds.size());
  for (std::size_t rank = 0; rank < seconds.size(); ++rank) {
    if (!std::isfinite(seconds[rank]) || seconds[rank] < 0)
      throw Error(ErrorKind::bad_input, Where{"monitor/metrics"},
                  "The load of rank " + std::to_string(rank) + " is " +
                      std::to_string(seconds[rank]) + " seconds.",
                  "Give loads that are finite and not negative.");
    load.sum += seconds[rank];
    load.greatest = std::max(load.greatest, seconds[rank]);
  }
  return load;
}

double lambda(const LoadSummary& load) noexcept {
  return load.ranks > 1 ? lambda_of(load.greatest, load.sum, load.ranks) : 1;
}

double imbalance_percent(const LoadSummary& load) noexcept {
  return imbalance_percent_of(load.greatest, load.sum, load.ranks);
}

Figures figures_of(const RankTally& tally, std::int64_t ranks, std::int64_t steps) noexcept {
  constexpr double seconds = 1e-9;
  Figures figures;
  if (ranks <= 0 || steps <= 0 || tally.sum <= 0) return figures;
  const double per_step = seconds / static_cast<double>(steps);
  const double count = static_cast<double>(ranks);
  figures.least = static_cast<double>(tally.least) * per_step;
  figures.average = static_cast<double>(tally.sum) / count * per_step;
  figures.greatest = static_cast<double>(tally.greatest) * per_step;
  figures.imbalance_seconds = std::max(0.0, figures.greatest - figures.average);
  figures.allocation_seconds = figures.imbalance_seconds * count;
  const auto sum = static_cast<double>(tally.sum), greatest = static_cast<double>(tally.greatest);
  figures.lambda = ranks > 1 ? lambda_of(greatest, sum, count) : 1;
  figures.efficiency = 1 / figures.lambda;
  figures.imbalance_percent = imbalance_percent_of(greatest, sum, count);
  return figures;
}

namespace {

Metrics::Memory memory_of(const RankMemory& rank) {
  Metrics::Memory memory{static_cast<int>(rank.rank), static_cast<double>(rank.bytes),
                         static_cast<double>(rank.limit)};
  if (rank.steps_left != RankMemory::never)
    memory.steps_left = static_cast<double>(rank.steps_left);
  return memory;
}

}  // namespace

Metrics metrics_of(const Totals& totals, const Trend& trend, std::span<const std::string> names) {
  const auto figures = [&](const RankTally& tally) {
    return figures_of(tally, totals.ranks, totals.steps);
  };
  Metrics metrics;
  metrics.step = totals.step_greatest;
  metrics.steps = totals.steps;
  metrics.ranks = totals.ranks;
  RankTally critical = totals.load;
  critical.greatest = totals.critical_load();
  metrics.total = figures(critical);
  if (totals.names_agree()) {
    const std::size_t named = std::min<std::size_t>(names.size(), Totals::named_kernels);
    metrics.kernels.reserve(named + 1);
    for (std::size_t i = 0; i < named; ++i)
      metrics.kernels.push_back({names[i], figures(totals.kernels[i])});
    const RankTally& other = totals.kernels[Totals::other];
    if (other.sum > 0) metrics.kernels.push_back({"other", figures(other)});
  }
  metrics.fullest = memory_of(totals.memory.fullest);
  metrics.soonest = memory_of(totals.memory.soonest);
  std::size_t used = 0, last = 0;
  for (std::size_t phase = 0; phase < totals.phases.size(); ++phase) {
    if (totals.phases[phase].sum <= 0) continue;
    ++used;
    last = phase + 1;
  }
  if (used > 1) {
    metrics.phases.reserve(last);
    for (std::size_t phase = 0; phase < last; ++phase)
      metrics.phases.push_back(figures(totals.phases[phase]));
  }
  metrics.coverage = totals.coverage();
  constexpr double seconds = 1e-9;
  metrics.trend = trend.slope * seconds;
  metrics.scatter = trend.scatter * seconds;
  if (totals.ranks > 0 && totals.steps > 0) {
    const double of_sums = static_cast<double>(totals.variance) / static_cast<double>(totals.ranks);
    metrics.jitter = std::sqrt(of_sums / static_cast<double>(totals.steps)) *
                     static_cast<double>(totals.unit) * seconds;
  }
  return metrics;
}

}  // namespace evenkeel
