#pragma once

// Chains of costs for benchmarks of triggers. A chain has a row of bins for each step. It depends
// only on its shape and its seed.
//
// The costs of bins are a density over a ring of length 1. The density moves, grows or jumps. It
// has disturbances: noise of each bin in each step, runs of bins that cost several times as much in
// single steps, and regions of bins whose costs walk at random. spread(a, b) below is log-uniform
// from a to b; all other random numbers are uniform.

#include "clouds.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace evenkeel::bench {

// The size of a chain: 300 to 500 steps, 512 to 2048 bins, and 4 to 64 ranks.
struct ChainSize {
  std::int64_t steps, bins;
  int ranks;
};

class Draw {
 public:
  Draw(std::uint64_t seed, std::int64_t shape) : random_(seed, shape) {}

  double between(double least, double most) { return least + (most - least) * random_.uniform(); }
  double spread(double least, double most) {
    return least * std::pow(most / least, random_.uniform());
  }
  int count(int least, int most) {
    return least + static_cast<int>((most - least + 1) * random_.uniform());
  }
  double gaussian() { return random_.gaussian(); }
  bool by_chance(double probability) { return random_.uniform() < probability; }

 private:
  clouds::Random random_;
};

// The density at a step, counted from 0, and at a place from 0 to 1.
using Density = std::function<double(double step, double place)>;

struct Recipe {
  Density density;
  double noise = 0;          // standard deviation of each bin in each step, of its cost
  double outliers = 0;       // share of the steps that have an outlier
  double walk = 0;           // standard deviation by which the logarithm of a cost moves in a step
  std::int64_t regions = 0;  // of bins that walk together; if it is 0, each bin walks by itself
};

struct ChainShape {
  const char* name;
  Recipe (*recipe)(Draw& draw, double steps);
};

namespace chains {

// A Gaussian of height 1 on the ring.
inline double hill(double place, double centre, double width) {
  const double away = (place - centre - std::round(place - centre)) / width;
  return std::exp(-away * away / 2);
}

// A smooth function of the place, from -1 to 1.
class Landscape {
 public:
  explicit Landscape(Draw& draw) {
    for (int k = 1; k <= waves; ++k) waves_.push_back({draw.gaussian() / k, draw.between(0, 1)});
  }
  double operator()(double place) const {
    double height = 0, k = 0;
    for (const auto& [amplitude, phase] : waves_)
      height += amplitude * std::sin(2 * std::numbers::pi * (++k * place + phase));
    return std::tanh(height);
  }

 private:
  static constexpr int waves = 5;
  std::vector<std::pair<double, double>> waves_;
};

inline Density standing(Draw& draw, double depth) {
  const Landscape land(draw);
  return [=](double, double place) { return 1 + depth * land(place); };
}

inline Recipe front(Draw& draw, double steps) {
  const double height = draw.spread(1, 20), width = draw.between(0.02, 0.12),
               pace = draw.spread(0.2, 4) / steps, from = draw.between(0, 1);
  return {[=](double step, double x) { return 1 + height * hill(x, from + pace * step, width); }};
}

inline Recipe several_fronts(Draw& draw, double steps) {
  std::vector<Density> fronts;
  for (int i = draw.count(2, 4); i > 0; --i) {
    const double direction = draw.by_chance(0.5) ? 1 : -1;
    const Density one = front(draw, direction * steps).density;
    fronts.push_back(one);
  }
  return {[=](double step, double x) {
    double cost = 1;
    for (const Density& one : fronts) cost += one(step, x) - 1;
    return cost;
  }};
}

// A hill that moves back and forth.
inline Recipe reversing(Draw& draw, double) {
  const double height = draw.spread(2, 15), width = draw.between(0.03, 0.1),
               period = draw.between(40, 250), from = draw.between(0, 1),
               way = draw.between(0.1, 0.5);
  return {[=](double step, double x) {
    const double phase = step / period - std::round(step / period);
    return 1 + height * hill(x, from + 2 * way * std::abs(phase), width);
  }};
}

// Hills that appear and disappear at once.
inline Recipe bursts(Draw& draw, double steps) {
  struct Burst {
    double begin, end, centre, width, height;
  };
  std::vector<Burst> all;
  for (int i = draw.count(3, 12); i > 0; --i) {
    const double begin = draw.between(0, steps);
    all.push_back({begin, begin + draw.spread(8, 120), draw.between(0, 1), draw.between(0.01, 0.08),
                   draw.spread(1, 10)});
  }
  const Density ground = standing(draw, draw.between(0, 0.5));
  return {[=](double step, double x) {
    double cost = ground(step, x);
    for (const Burst& burst : all)
      if (step >= burst.begin && step < burst.end)
        cost += burst.height * hill(x, burst.centre, burst.width);
    return cost;
  }};
}

// From one landscape into another, by a power of the time.
inline Recipe drift(Draw& draw, double steps, double power) {
  const Landscape first(draw), then(draw);
  const double depth = draw.between(0, 0.6), change = draw.spread(0.2, 0.95);
  return {[=](double step, double x) {
    const double grown = change * std::pow(step / steps, power);
    return (1 + depth * first(x)) * std::max(0.02, 1 + grown * then(x));
  }};
}
inline Recipe linear_drift(Draw& draw, double steps) { return drift(draw, steps, 1); }
inline Recipe root_drift(Draw& draw, double steps) { return drift(draw, steps, 0.5); }
inline Recipe quadratic_drift(Draw& draw, double steps) { return drift(draw, steps, 2); }

// A hill of constant mass that gets wider and wider.
inline Recipe diffusing_blob(Draw& draw, double) {
  const double width = draw.between(0.01, 0.05), diffusion = draw.spread(2e-6, 1e-4),
               centre = draw.between(0, 1), mass = draw.between(0.3, 3);
  return {[=](double step, double x) {
    const double now = std::sqrt(width * width + 2 * diffusion * step);
    return 0.3 + mass * hill(x, centre, now) / now;
  }};
}

// An imbalance that appears at once and decays by itself.
inline Recipe self_healing(Draw& draw, double steps) {
  const Landscape land(draw);
  const Density ground = standing(draw, draw.between(0, 0.3));
  const double height = draw.between(0.3, 0.95), life = draw.spread(15, 300),
               begin = draw.by_chance(0.5) ? 0 : draw.between(0, steps / 2);
  return {[=](double step, double x) {
    const double left = step < begin ? 0 : height * std::exp((begin - step) / life);
    return ground(step, x) * (1 + left * land(x));
  }};
}

inline Recipe modulated(Draw& draw, double) {
  struct Wave {
    Landscape land;
    double period, height, phase;
  };
  std::vector<Wave> waves;
  for (int i = draw.count(1, 3); i > 0; --i)
    waves.push_back(
        {Landscape(draw), draw.spread(15, 300), draw.between(0.1, 0.4), draw.between(0, 1)});
  return {[=](double step, double x) {
    double cost = 1;
    for (const Wave& wave : waves)
      cost += wave.height * wave.land(x) *
              std::sin(2 * std::numbers::pi * (step / wave.period + wave.phase));
    return std::max(0.02, cost);
  }};
}

inline Recipe walking_bins(Draw& draw, double) {
  return {.density = standing(draw, draw.between(0, 0.5)), .walk = draw.spread(0.01, 0.12)};
}

inline Recipe walking_regions(Draw& draw, double) {
  return {.density = standing(draw, draw.between(0, 0.5)),
          .walk = draw.spread(0.01, 0.1),
          .regions = draw.count(8, 48)};
}

inline Recipe noise(Draw& draw, double) {
  return {.density = [](double, double) { return 1; }, .noise = draw.spread(0.02, 0.5)};
}

inline Recipe noise_with_outliers(Draw& draw, double) {
  return {.density = [](double, double) { return 1; },
          .noise = draw.spread(0.02, 0.2),
          .outliers = draw.spread(0.01, 0.2)};
}

inline Recipe unchanging(Draw& draw, double) { return {standing(draw, draw.between(0.05, 0.95))}; }

inline Recipe unchanging_with_noise(Draw& draw, double) {
  return {.density = standing(draw, draw.between(0.05, 0.95)), .noise = draw.spread(0.05, 0.5)};
}

// Jumps from one landscape to the next.
inline Recipe phases(Draw& draw, double steps) {
  std::vector<double> ends;
  for (int i = draw.count(2, 7); i > 0; --i) ends.push_back(draw.between(0, steps));
  std::sort(ends.begin(), ends.end());
  std::vector<Density> lands;
  for (std::size_t i = 0; i <= ends.size(); ++i)
    lands.push_back(standing(draw, draw.between(0.1, 0.9)));
  return {[=](double step, double x) {
    const auto phase = std::upper_bound(ends.begin(), ends.end(), step) - ends.begin();
    return lands[static_cast<std::size_t>(phase)](step, x);
  }};
}

// A hill that grows by a factor in each step, up to a limit.
inline Recipe growth(Draw& draw, double) {
  const double centre = draw.between(0, 1), width = draw.between(0.02, 0.2),
               pace = draw.spread(30, 200), first = draw.spread(0.001, 0.1),
               most = draw.spread(3, 60);
  return {[=](double step, double x) {
    const double free = first * std::exp(step / pace);
    return 1 + free / (1 + free / most) * hill(x, centre, width);
  }};
}

}  // namespace chains

inline std::vector<ChainShape> chain_shapes() {
  return {{"front", chains::front},
          {"several fronts", chains::several_fronts},
          {"reversing", chains::reversing},
          {"bursts", chains::bursts},
          {"linear drift", chains::linear_drift},
          {"square-root drift", chains::root_drift},
          {"quadratic drift", chains::quadratic_drift},
          {"diffusing blob", chains::diffusing_blob},
          {"self-healing", chains::self_healing},
          {"modulated", chains::modulated},
          {"walking bins", chains::walking_bins},
          {"walking regions", chains::walking_regions},
          {"noise", chains::noise},
          {"noise, outliers", chains::noise_with_outliers},
          {"unchanging", chains::unchanging},
          {"unchanging, noise", chains::unchanging_with_noise},
          {"phases", chains::phases},
          {"growth", chains::growth}};
}

inline ChainSize size_of_chain(Draw& draw) {
  const std::int64_t steps = std::int64_t{50} * draw.count(6, 10),
                     bins = std::int64_t{512} << draw.count(0, 2);
  return {steps, bins, 4 << draw.count(0, 4)};
}

// The costs of all steps, row by row.
inline std::vector<double> costs_of(const Recipe& recipe, const ChainSize& size, Draw& draw) {
  constexpr double least_factor = 0.05;
  const std::int64_t regions = recipe.regions > 0 ? recipe.regions : size.bins;
  std::vector<double> walked(static_cast<std::size_t>(regions), 1.0), costs;
  costs.reserve(static_cast<std::size_t>(size.steps * size.bins));
  for (std::int64_t step = 0; step < size.steps; ++step) {
    const bool stands_out = draw.by_chance(recipe.outliers);
    const double from = draw.between(0, 0.9), to = from + draw.between(0.02, 0.1);
    const double factor = stands_out ? 1 + draw.spread(0.3, 5) : 1;
    if (recipe.walk > 0)
      for (double& at : walked) at *= std::exp(recipe.walk * draw.gaussian());
    for (std::int64_t bin = 0; bin < size.bins; ++bin) {
      const double place = (static_cast<double>(bin) + 0.5) / static_cast<double>(size.bins);
      double cost = recipe.density(static_cast<double>(step), place);
      cost *= walked[static_cast<std::size_t>(bin * regions / size.bins)];
      if (recipe.noise > 0) cost *= std::max(least_factor, 1 + recipe.noise * draw.gaussian());
      costs.push_back(place >= from && place < to ? cost * factor : cost);
    }
  }
  return costs;
}

}  // namespace evenkeel::bench
