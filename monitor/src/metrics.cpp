#include <evenkeel/monitor/metrics.hpp>

#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace evenkeel {

LoadSummary summarise(std::span<const double> seconds) {
  if (seconds.empty())
    throw Error(ErrorKind::bad_input, Where{"monitor/metrics"}, "A load of no ranks was given.",
                "Give one number of seconds per rank.");
  LoadSummary load;
  load.ranks = static_cast<int>(seconds.size());
  for (std::size_t rank = 0; rank < seconds.size(); ++rank) {
    if (!std::isfinite(seconds[rank]) || seconds[rank] < 0)
      throw Error(ErrorKind::bad_input, Where{"monitor/metrics"},
                  "The load of rank " + std::to_string(rank) + " is " +
                      std::to_string(seconds[rank]) + " seconds.",
                  "A load is finite and not negative.");
    load.sum += seconds[rank];
    load.greatest = std::max(load.greatest, seconds[rank]);
  }
  return load;
}

double lambda(const LoadSummary& load) noexcept {
  if (load.ranks <= 1 || load.sum <= 0) return 1;
  return load.greatest / load.average();
}

double imbalance_percent(const LoadSummary& load) noexcept {
  if (load.ranks <= 1 || load.sum <= 0) return 0;
  const double ranks = load.ranks;
  return 100 * (load.greatest - load.average()) / load.greatest * ranks / (ranks - 1);
}

}  // namespace evenkeel
