#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/histogram.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/weights/cost_fit.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

constexpr const char* cost_fit_label = "evenkeel::weights::cost_fit";
constexpr int rank_shift = 32;

// Each sweep reduces one value per rank. With many ranks there are fewer sweeps, so that all of
// them together reduce at most half a megabyte.
constexpr std::size_t most_sweeps = 10, least_sweeps = 2, most_values = 65536;
// Measured loads are noisy. So a sweep multiplies by only this power of the factor with which costs
// would match the measured load.
constexpr double share_followed = 0.5;
constexpr double most_change = 4;

struct RankBefore {
  const std::int64_t* records;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return records[i] >> rank_shift; }
};

struct Scale {
  const std::int64_t* records;
  const double* factors;  // by the rank that had the object before
  double own, least, most;
  double* costs;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double factor = own * factors[records[i] >> rank_shift];
    costs[i] *= factor < least ? least : factor > most ? most : factor;
  }
};

template <class Instance>
void add_up(const Instance& instance, const exec::Array<double>& costs, const std::int64_t* records,
            const exec::Array<double>& sums) {
  using Bins = Kokkos::View<double*, typename Instance::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  exec::weighted_histogram(instance, costs.size(), RankBefore{records}, exec::ValueAt{costs.data()},
                           Bins(sums.data(), static_cast<std::size_t>(sums.size())));
}

}  // namespace

CostFit::CostFit(int ranks)
    : costs_(static_cast<std::size_t>(ranks)),
      factors_(static_cast<std::size_t>(ranks), 1.0),
      sums_(2 * static_cast<std::size_t>(ranks)) {}

void CostFit::add(const exec::Array<double>& costs, const exec::Array<std::int64_t>& records) {
  const Space space = costs.space();
  const exec::Reached<std::int64_t> there(space, cost_fit_label, records);
  const exec::Array<double> sums = exec::filled(space, cost_fit_label, std::ssize(costs_), 0.0);
  with_space(space, [&](const auto& instance) { add_up(instance, costs, there.data(), sums); });
  const std::vector<double> added = sums.on_host();
  for (std::size_t g = 0; g < costs_.size(); ++g) costs_[g] += added[g];
}

double CostFit::cost_of_column() const noexcept {
  double sum = 0;
  for (std::size_t g = 0; g < costs_.size(); ++g) sum += costs_[g] * factors_[g];
  return sum;
}

void CostFit::fit(const Communicator& ranks, double before, double now) {
  const std::size_t count = costs_.size();
  const auto own_factor = [&] {
    const double sum = cost_of_column();
    return sum > 0 && now > 0 ? now / sum : 0;
  };
  own_factor_ = plain_factor_ = own_factor();
  for (std::size_t g = 0; g < count; ++g) {
    sums_[g] = costs_[g] * own_factor_;
    sums_[count + g] = 0;
  }
  sums_[count + static_cast<std::size_t>(ranks.rank())] = std::max(before, 0.0);
  ranks.all_reduce(std::span<double>(sums_), Reduction::sum);
  // Leaves out earlier loads of which no object is left. The other loads will be scaled to the
  // present sum of costs.
  double all_before = 0, all_now = 0;
  for (std::size_t g = 0; g < count; ++g) {
    if (!(sums_[g] > 0)) sums_[count + g] = 0;
    all_now += sums_[g];
    all_before += sums_[count + g];
  }
  if (!(all_before > 0)) return;
  const std::size_t sweeps = std::clamp(most_values / count, least_sweeps, most_sweeps);
  for (std::size_t sweep = 0;; ++sweep) {
    for (std::size_t g = 0; g < count; ++g) {
      const double wanted = sums_[count + g] * (all_now / all_before);
      if (sums_[g] > 0 && wanted > 0) factors_[g] *= std::pow(wanted / sums_[g], share_followed);
    }
    own_factor_ = own_factor();
    if (sweep + 1 == sweeps) return;
    for (std::size_t g = 0; g < count; ++g) sums_[g] = costs_[g] * factors_[g] * own_factor_;
    ranks.all_reduce(std::span<double>(sums_).first(count), Reduction::sum);
  }
}

void CostFit::apply(const exec::Array<double>& costs,
                    const exec::Array<std::int64_t>& records) const {
  if (!(own_factor_ > 0)) return;
  const Space space = costs.space();
  const exec::Reached<std::int64_t> there(space, cost_fit_label, records);
  const exec::Reached<double> factors(space, cost_fit_label, factors_);
  exec::for_each(space, cost_fit_label, costs.size(),
                 Scale{there.data(), factors.data(), own_factor_, plain_factor_ / most_change,
                       plain_factor_ * most_change, costs.data()});
  space.fence(cost_fit_label);
}

}  // namespace evenkeel
