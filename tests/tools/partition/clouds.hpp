#pragma once

// Objects for the tests of `evenkeel partition`.

#include "partition/objects.hpp"
#include "tools/npy.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <random>
#include <utility>

namespace evenkeel::test {

// All objects of all ranks.
struct Cloud {
  std::string name;
  int dimensions = 3;
  std::vector<double> places;
  std::vector<double> weights;  // may be empty

  std::size_t count() const { return places.size() / static_cast<std::size_t>(dimensions); }
};

inline Cloud random_cloud(int dimensions, std::size_t count, bool weighted, unsigned seed) {
  Cloud cloud{"random", dimensions, {}, {}};
  std::mt19937_64 random(seed);
  std::normal_distribution<double> place(0.5, 2);
  std::exponential_distribution<double> weight(1);
  for (std::size_t i = 0; i < count * static_cast<std::size_t>(dimensions); ++i)
    cloud.places.push_back(place(random));
  for (std::size_t i = 0; weighted && i < count; ++i) cloud.weights.push_back(weight(random));
  return cloud;
}

// Clouds with degenerate geometry.
inline std::vector<Cloud> degenerate_clouds() {
  std::vector<Cloud> clouds;
  const auto add = [&](std::string name, int dimensions, std::vector<double> places,
                       std::vector<double> weights = {}) {
    clouds.push_back({std::move(name), dimensions, std::move(places), std::move(weights)});
  };
  add("none", 3, {});
  add("one", 3, {1, 2, 3});
  add("one of no weight", 2, {1, 2}, {0});
  add("two far apart", 2, {-1e308, 1e308, 1e308, -1e308});
  add("all at one place", 3, std::vector<double>(300, 7));
  add("all at one place, weighted", 2, std::vector<double>(6, 7), {1, 2, 3});
  Cloud line = random_cloud(3, 200, false, 5), plane = line;
  for (std::size_t i = 0; i < 200; ++i) {
    line.places[3 * i + 1] = line.places[3 * i + 2] = 4;
    plane.places[3 * i + 1] = -2;
  }
  add("on a line", 3, line.places);
  add("in a plane", 3, plane.places);
  Cloud heavy = random_cloud(3, 200, true, 6);
  heavy.weights[77] = 1e9;
  add("one heavy", 3, heavy.places, heavy.weights);
  add("weightless", 3, heavy.places, std::vector<double>(200, 0));
  Cloud half = heavy;
  for (std::size_t i = 0; i < 200; i += 2) half.weights[i] = 0;
  add("half of them weightless", 3, half.places, half.weights);
  return clouds;
}

// The rows of this rank, distributed as evenly as possible.
inline tool::FileObjects share_of(const Cloud& cloud, const Communicator& ranks) {
  const auto count = static_cast<std::int64_t>(cloud.count());
  const auto [first, last] = exec::share_of(count, ranks.size(), ranks.rank());
  const std::ptrdiff_t n = cloud.dimensions;
  tool::FileObjects objects;
  objects.dimensions = cloud.dimensions;
  objects.everywhere = static_cast<std::int64_t>(cloud.count());
  objects.places.assign(cloud.places.begin() + first * n, cloud.places.begin() + last * n);
  if (!cloud.weights.empty())
    objects.weights.assign(cloud.weights.begin() + first, cloud.weights.begin() + last);
  return objects;
}

}  // namespace evenkeel::test
