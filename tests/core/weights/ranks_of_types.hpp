#pragma once

// Ranks with work of several types, for tests and benchmarks: their measurements, the models that
// are fitted to these, and the errors of the models.

#include <evenkeel/core/weights/work_model.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

namespace evenkeel::test {

using Numbers = std::vector<double>;

inline std::vector<WorkModel::Column> types(std::size_t count) {
  return std::vector<WorkModel::Column>(count, WorkModel::Column::type);
}

// Models of several ranks. Their sums are added up here as a reduction would do it.
class Ranks {
 public:
  Ranks(std::size_t ranks, std::vector<WorkModel::Column> columns, WorkModelOptions options = {})
      : models_(ranks, WorkModel(std::move(columns), options)) {}

  WorkModel& operator[](std::size_t rank) { return models_[rank]; }
  std::size_t size() const { return models_.size(); }

  const WorkEstimate& fit(int passes = WorkModel::settled_passes) {
    for (int pass = 0; pass < passes; ++pass) {
      Numbers sums;
      for (WorkModel& model : models_) {
        const std::span<const double> mine = model.sums();
        sums.resize(mine.size());
        std::transform(mine.begin(), mine.end(), sums.begin(), sums.begin(), std::plus<>());
      }
      for (WorkModel& model : models_) {
        std::copy(sums.begin(), sums.end(), model.sums().begin());
        model.solve();
      }
    }
    return models_.front().estimate();
  }

 private:
  std::vector<WorkModel> models_;
};

// The similarity of ranks. Ranks have objects of several types, a fixed cost, noise of 2 %, and 3 %
// of wild measurements.
enum class Alike : std::uint8_t { diverse, similar, balanced };

struct World {
  std::size_t ranks = 32, types = 3;
  int epochs = 10;
  Alike alike = Alike::diverse;
  std::uint64_t seed = 0;
};

struct Measured {
  Numbers costs, amounts, loads;  // amounts: a row for each load; loads: of one epoch after another
};

inline Measured measured(const World& world) {
  std::mt19937_64 random(world.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  constexpr double objects = 1e4;
  Measured all;
  double mean = 0;
  for (std::size_t t = 0; t < world.types; ++t) {
    all.costs.push_back(1e-6 * std::exp(normal(random)));
    mean += all.costs.back() * objects;
  }
  std::vector<Numbers> amounts(world.ranks, Numbers(world.types));
  for (Numbers& row : amounts) {
    double load = 0;
    for (std::size_t t = 0; t < world.types; ++t) {
      row[t] = objects * (world.alike == Alike::diverse ? std::exp(0.8 * normal(random))
                                                        : std::max(0.1, 1 + 0.05 * normal(random)));
      load += row[t] * all.costs[t];
    }
    for (double& amount : row)
      amount = std::round(world.alike == Alike::balanced ? amount * mean / load : amount);
  }
  for (int epoch = 0; epoch < world.epochs; ++epoch)
    for (const Numbers& row : amounts) {
      double load = 0.1 * mean;
      for (std::size_t t = 0; t < world.types; ++t) load += row[t] * all.costs[t];
      load *= 1 + 0.02 * normal(random);
      if (uniform(random) < 0.03) load *= 1 + 2 * uniform(random);
      all.amounts.insert(all.amounts.end(), row.begin(), row.end());
      all.loads.push_back(load);
    }
  return all;
}

inline double worst_error(const Numbers& found, const Numbers& costs) {
  double worst = 0;
  for (std::size_t t = 0; t < costs.size(); ++t)
    worst = std::max(worst, std::abs(found[t] / costs[t] - 1));
  return worst;
}

inline double median(Numbers values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

// Returns the median over seeds of the worst error of any cost: for the least norm and for the
// model. Returns {0, 1} if a cost of the model is not positive.
inline std::array<double, 2> errors_of(World world, int seeds) {
  Numbers least_norm, ours;
  for (int seed = 0; seed < seeds; ++seed) {
    world.seed = static_cast<std::uint64_t>(1000 * seed) + world.types;
    const Measured all = measured(world);
    Ranks ranks(world.ranks, types(world.types));
    for (std::size_t i = 0; i < all.loads.size(); ++i)
      ranks[i % world.ranks].observe(std::span(all.amounts).subspan(i * world.types, world.types),
                                     all.loads[i]);
    const WorkEstimate& estimate = ranks.fit();
    if (!std::ranges::all_of(estimate.costs, [](double cost) { return cost > 0; })) return {0, 1};
    least_norm.push_back(
        worst_error(minimum_norm_costs(all.amounts, world.types, all.loads), all.costs));
    ours.push_back(worst_error(estimate.costs, all.costs));
  }
  return {median(least_norm), median(ours)};
}

}  // namespace evenkeel::test
