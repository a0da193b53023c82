#pragma once

// Clouds of points in three dimensions, for benchmarks of cuts. Point i of a cloud depends only on
// i. So each rank makes its own points, and the cloud is the same on any number of ranks.
//
//   uniform    in the unit cube
//   clustered  each point with probability 0.9 in one of 20 Gaussian blobs, all equally likely,
//              with standard deviations from 1e-4 to 1e-1 in equal ratios and centres uniform in
//              the unit cube; otherwise uniform in the cube. Points outside of the cube stay there.
//
//   gauss      a Gaussian of deviation 0.12 in the middle
//   pair       two Gaussians of 0.1 and 0.06 off centre with 45 % of the points each, and 10 %
//              uniform points
//   twin       two Gaussians of 0.03 and 0.08 with half of the points each
//   shell      a sphere of radius 0.4, 0.005 thick
//   disc       a disc of radius 0.4, 0.01 thick
//   blobs      12 Gaussians of 0.01 to 0.12
//   helix      a thread of four turns, 0.008 thick
//   slope      a density that falls along x
//   corner     98 % of the points in a corner of side 0.02
//
// Points come in random order. drift() moves each with probability 0.01, by a Gaussian step with a
// standard deviation of 0.01 along each axis; the others stay where they are.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace evenkeel::clouds {

enum class Kind : std::uint8_t { uniform, clustered };
constexpr const char* name_of(Kind kind) { return kind == Kind::uniform ? "uniform" : "clustered"; }

using Point = std::array<double, 3>;

// splitmix64 (Steele, Lea, Flood 2014): the step from one state to the next, and the function that
// turns a state into a number.
constexpr std::uint64_t step_of_state = 0x9e3779b97f4a7c15;
constexpr std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}
constexpr double from_0_to_1(std::uint64_t mixed_bits) {
  return static_cast<double>(mixed_bits >> 11) * 0x1p-53;
}

// A stream of random numbers. Each pair of `of` and `seed` has its own stream.
class Random {
 public:
  Random(std::uint64_t seed, std::int64_t of)
      : state_(mixed(mixed(seed + step_of_state) + static_cast<std::uint64_t>(of))) {}

  double uniform() { return from_0_to_1(mixed(state_ += step_of_state)); }
  double gaussian() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  Point point() { return {uniform(), uniform(), uniform()}; }

 private:
  std::uint64_t state_;
};

inline void step(Point& point, Random& random, double deviation) {
  for (double& place : point) place += deviation * random.gaussian();
}

// A Gaussian point in the unit cube. Points outside are drawn again.
inline Point near(Random& random, const Point& centre, double deviation) {
  Point point;
  do {
    point = centre;
    step(point, random, deviation);
  } while (std::ranges::any_of(point, [](double place) { return place < 0 || place >= 1; }));
  return point;
}

struct Density {
  const char* name;
  Point (*point)(Random& random);

  std::vector<Point> points(std::uint64_t seed, std::int64_t count) const {
    std::vector<Point> all;
    for (std::int64_t i = 0; i < count; ++i) {
      Random random(seed, i);
      all.push_back(point(random));
    }
    return all;
  }
};

namespace densities {

inline constexpr Density uniform = {"uniform", [](Random& random) { return random.point(); }};
inline constexpr Density gauss = {"gauss", [](Random& random) {
                                    return near(random, {0.5, 0.5, 0.5}, 0.12);
                                  }};
inline constexpr Density pair = {
    "pair", [](Random& random) {
      const double which = random.uniform();
      if (which < 0.45) return near(random, {0.3, 0.35, 0.7}, 0.1);
      return which < 0.9 ? near(random, {0.72, 0.6, 0.25}, 0.06) : random.point();
    }};
inline constexpr Density twin = {
    "twin", [](Random& random) {
      const bool is_first = random.uniform() < 0.5;
      return is_first ? near(random, {0.3, 0.3, 0.3}, 0.03) : near(random, {0.7, 0.7, 0.7}, 0.08);
    }};
inline constexpr Density shell = {
    "shell", [](Random& random) {
      Point way = {random.gaussian(), random.gaussian(), random.gaussian()};
      const double length = std::hypot(way[0], way[1], way[2]);
      const double radius = 0.4 + 0.005 * random.gaussian();
      for (double& along : way) along = 0.5 + along / length * radius;
      return way;
    }};
inline constexpr Density disc = {
    "disc", [](Random& random) {
      const double angle = 2 * std::numbers::pi * random.uniform();
      const double radius = 0.4 * std::sqrt(random.uniform());
      return Point{0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle),
                   std::clamp(0.5 + 0.01 * random.gaussian(), 0.0, 0.999)};
    }};
inline constexpr Density blobs = {"blobs", [](Random& random) {
                                    const auto blob = static_cast<int>(12 * random.uniform());
                                    const Point centre = Random(7, blob).point();
                                    return near(random, centre, 0.01 + 0.01 * blob);
                                  }};
inline constexpr Density helix = {
    "helix", [](Random& random) {
      const double turn = random.uniform(), angle = 8 * std::numbers::pi * turn;
      return near(random,
                  {0.5 + 0.35 * std::cos(angle), 0.5 + 0.35 * std::sin(angle), 0.1 + 0.8 * turn},
                  0.008);
    }};
inline constexpr Density slope = {"slope", [](Random& random) {
                                    Point point = random.point();
                                    point[0] = point[0] * point[0] * point[0];
                                    return point;
                                  }};
inline constexpr Density corner = {"corner", [](Random& random) {
                                     const double scale = random.uniform() < 0.98 ? 0.02 : 1;
                                     Point point = random.point();
                                     for (double& place : point) place *= scale;
                                     return point;
                                   }};

}  // namespace densities

inline Point point_of(Kind kind, std::int64_t i) {
  constexpr int blobs = 20;
  constexpr double narrowest = 1e-4, widest = 1e-1;
  Random random(1, i);
  if (kind == Kind::uniform || random.uniform() >= 0.9) return random.point();
  const auto blob = static_cast<int>(blobs * random.uniform());
  Point point = Random(2, blob).point();
  step(point, random, narrowest * std::pow(widest / narrowest, blob / (blobs - 1.0)));
  return point;
}

// Points `begin` to `end` of a cloud.
inline std::vector<Point> points_of(Kind kind, std::int64_t begin, std::int64_t end) {
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(end - begin));
  for (std::int64_t i = begin; i < end; ++i) points.push_back(point_of(kind, i));
  return points;
}

// `first` is the position of the first point in the whole cloud, in its present order.
inline void drift(std::span<Point> points, std::int64_t first) {
  for (Point& point : points) {
    Random random(3, first++);
    if (random.uniform() < 0.01) step(point, random, 0.01);
  }
}

// The weight of object i: from 1 to 100, with a uniform logarithm.
inline double weight_of(std::int64_t i) { return std::pow(100.0, Random(4, i).uniform()); }

// The part of `objects` that a rank has. All parts are as even as possible.
struct Share {
  std::int64_t begin, end;
};
inline Share share_of(std::int64_t objects, int rank, int ranks) {
  return {objects * rank / ranks, objects * (rank + 1) / ranks};
}

}  // namespace evenkeel::clouds
