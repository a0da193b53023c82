#pragma once

// Clouds of points in three dimensions, for benchmarks of cuts. Point i of a cloud depends only on
// i. So each rank makes its own points, and the cloud is the same on any number of ranks.
//
//   uniform    in the unit cube
//   clustered  each point with probability 0.9 in one of 20 Gaussian blobs, all equally likely,
//              with standard deviations from 1e-4 to 1e-1 in equal ratios and centres uniform in
//              the unit cube; otherwise uniform in the cube. Points outside of the cube stay there.
//
// Points come in random order. drift() moves each with probability 0.01, by a Gaussian step with a
// standard deviation of 0.01 along each axis; the others stay where they are.

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
