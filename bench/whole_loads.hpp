#pragma once

// Loads of whole programs, for benchmarks of triggers. A load gives the costs of cells at rest, by
// place and step. Its parameters, such as heights and speeds, are random.
//
// The box is 1 long and half as wide and high. So both a curve and grids first cut across x.

#include "cost_chains.hpp"

#include <string>

namespace evenkeel::bench {

using Point = std::array<double, 3>;

// Writes the costs of cells at these places in this step.
using CostField =
    std::function<void(double step, std::span<const Point> places, std::span<double> costs)>;

// `at(step)` gives a function from a place to a cost.
template <class At>
CostField field_of_costs(At at) {
  return [at](double step, std::span<const Point> places, std::span<double> costs) {
    const auto cost = at(step);
    for (std::size_t i = 0; i < places.size(); ++i) costs[i] = cost(places[i]);
  };
}

struct WholeLoad {
  std::string name;
  int steps;
  std::function<CostField(Draw& draw, double steps, double spacing)> field;
  bool on_first_rank = false;  // all cells are there at the start
  bool refines = false;        // cells near a moving place are split, and merged again
};

namespace loads {

// The box is periodic along x.
inline double around(double place) { return place - std::floor(place); }

// A smooth bump: 1 in the middle, and 0 where the squared distance is 1 or more.
inline double bump(double square) { return square < 1 ? (1 - square) * (1 - square) : 0; }

inline double square_distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

inline Point place_in_box(Draw& draw, double margin) {
  return {draw.between(margin, 1 - margin), draw.between(0.15, 0.35), draw.between(0.15, 0.35)};
}

// A slab across x that costs `height` more. It moves by `way` during the run.
inline CostField slab(double from, double width, double height, double way, double steps) {
  return field_of_costs([=](double step) {
    const double begin = around(from + way * step / steps);
    return [=](const Point& p) {
      const double behind = p[0] - begin;
      return (behind < 0 ? behind + 1 : behind) < width ? 1 + height : 1.0;
    };
  });
}

// If each of two ranks has half of the box, lambda is 1.98 at the start.
inline CostField slab_at_rest(Draw& draw, double steps, double) {
  return slab(draw.by_chance(0.5) ? 0 : 0.5, 0.5, 98, 0, steps);
}
inline CostField slab_slow(Draw& draw, double steps, double) {
  return slab(draw.by_chance(0.5) ? 0 : 0.5, 0.5, 98, 1 / 3.0, steps);
}
// A narrower slab: lambda is 1.7 on average.
inline CostField slab_fast(Draw& draw, double steps, double) {
  return slab(draw.between(0, 1), 0.25, 40, 2, steps);
}

inline CostField front(Draw& draw, double steps, double) {
  const double height = draw.spread(5, 30), width = draw.between(0.06, 0.2);
  return field_of_costs([=](double step) {
    const double at = step / steps;
    return [=](const Point& p) {
      const double away = (p[0] - at) / width;
      return 1 + height * bump(away * away);
    };
  });
}

// A droplet that evaporates. The square of its radius falls linearly, and the droplet is gone in
// the last fifth of the run.
inline CostField droplet(Draw& draw, double steps, double) {
  const Point centre = place_in_box(draw, 0.2);
  const double radius = draw.between(0.15, 0.22), height = draw.spread(20, 60);
  return field_of_costs([=](double step) {
    const double square = radius * radius * std::max(0.0, 1 - step / (0.8 * steps));
    return [=](const Point& p) { return square_distance(p, centre) < square ? 1 + height : 1.0; };
  });
}

inline CostField oscillation(Draw& draw, double, double) {
  const double period = draw.spread(50, 160), height = draw.spread(10, 40),
               width = draw.between(0.1, 0.25), phase = draw.between(0, 1);
  return field_of_costs([=](double step) {
    const double at = 0.5 + 0.4 * std::sin(2 * std::numbers::pi * (step / period + phase));
    return [=](const Point& p) {
      const double away = (p[0] - at) / width;
      return 1 + height * bump(away * away);
    };
  });
}

// A smooth landscape along x, from a table.
class Relief {
 public:
  Relief(Draw& draw, double depth) {
    const chains::Landscape land(draw);
    for (std::size_t i = 0; i < heights_.size(); ++i)
      heights_[i] = 1 + depth * land((static_cast<double>(i) + 0.5) / double(heights_.size()));
  }
  double operator()(const Point& p) const {
    const double at = std::clamp(p[0], 0.0, 1.0) * double(heights_.size());
    return heights_[std::min(static_cast<std::size_t>(at), heights_.size() - 1)];
  }

 private:
  std::array<double, 1024> heights_{};
};

inline CostField jump(Draw& draw, double steps, double) {
  const double at = steps * draw.between(0.2, 0.7);
  const std::array<Relief, 2> reliefs = {Relief(draw, 0.6), Relief(draw, 0.95)};
  return field_of_costs([=](double step) {
    const Relief* relief = &reliefs[step < at ? 0 : 1];
    return [=](const Point& p) { return (*relief)(p); };
  });
}

struct Burst {
  double begin, end, height, square;
  Point centre;
};

inline Burst drawn_burst(Draw& draw, double begin, double length) {
  const double radius = draw.between(0.08, 0.25), height = draw.spread(10, 60);
  return {begin, begin + length, height, radius * radius, place_in_box(draw, 0.05)};
}

inline CostField bursts_on(const Relief& ground, std::vector<Burst> all) {
  return [=](double step, std::span<const Point> places, std::span<double> costs) {
    for (std::size_t i = 0; i < places.size(); ++i) costs[i] = ground(places[i]);
    for (const Burst& burst : all)
      if (step >= burst.begin && step < burst.end)
        for (std::size_t i = 0; i < places.size(); ++i)
          costs[i] += burst.height * bump(square_distance(places[i], burst.centre) / burst.square);
  };
}

inline CostField bursts(Draw& draw, double steps, double) {
  std::vector<Burst> all;
  for (int i = draw.count(6, 12); i > 0; --i) {
    const double begin = draw.between(0, steps), radius = draw.between(0.08, 0.25);
    all.push_back({begin, begin + draw.spread(8, 120), draw.spread(10, 60), radius * radius,
                   place_in_box(draw, 0.05)});
  }
  return bursts_on(Relief(draw, 0.2), std::move(all));
}

// A burst of `length` steps in every `period` steps: always in one place, or each in its own place.
inline WholeLoad pulses(int length, int period) {
  const auto field = [=](Draw& draw, double steps, double) {
    const bool is_one_place = draw.by_chance(0.5);
    const Burst first = drawn_burst(draw, 0, length);
    std::vector<Burst> all;
    for (double at = period * draw.between(0.2, 1); at < steps; at += period) {
      all.push_back(is_one_place ? first : drawn_burst(draw, 0, length));
      all.back().begin += at;
      all.back().end += at;
    }
    return bursts_on(Relief(draw, 0.2), std::move(all));
  };
  return {"pulses_" + std::to_string(length) + "_" + std::to_string(period),
          std::clamp(5 * period, 400, 1000), field};
}

// If each of two ranks has half of the box, lambda is 1.2.
inline CostField unchanging(Draw& draw, double steps, double) {
  return slab(draw.by_chance(0.5) ? 0 : 0.5, 0.5, 0.5, 0, steps);
}

// One cell is nine tenths of the work.
inline CostField incurable(Draw& draw, double, double spacing) {
  Point lower = place_in_box(draw, 0.1);
  for (double& x : lower) x = std::floor(x / spacing) * spacing;
  const double height = 9 * 0.25 / (spacing * spacing * spacing);
  return field_of_costs([=](double) {
    return [=](const Point& p) {
      for (std::size_t d = 0; d < 3; ++d)
        if (p[d] < lower[d] || p[d] >= lower[d] + spacing) return 1.0;
      return height;
    };
  });
}

inline CostField even(Draw&, double, double) {
  return field_of_costs([](double) { return [](const Point&) { return 1.0; }; });
}

}  // namespace loads

inline std::vector<WholeLoad> whole_loads() {
  return {{"slab_rest", 400, loads::slab_at_rest},  {"slab_slow", 500, loads::slab_slow},
          {"slab_fast", 500, loads::slab_fast},     {"front", 400, loads::front},
          {"droplet", 500, loads::droplet},         {"patches", 400, loads::even, false, true},
          {"oscillation", 500, loads::oscillation}, {"jump", 400, loads::jump},
          {"bursts", 400, loads::bursts},           {"static", 400, loads::unchanging},
          {"incurable", 300, loads::incurable},     {"on_rank_0", 300, loads::even, true}};
}

}  // namespace evenkeel::bench
