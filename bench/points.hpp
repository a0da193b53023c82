#pragma once

// Points of clouds in the form that cuts take, and the lambda of their parts.

#include "clouds.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/evenkeel.hpp>

namespace evenkeel::bench {

using evenkeel::lambda_of;

constexpr Box unit_box = {{0, 0, 0}, {1, 1, 1}};

inline bool is_inside(const clouds::Point& point) {
  return std::ranges::all_of(point, [](double place) { return place >= 0 && place <= 1; });
}

inline std::vector<CurveKey> keys_of(const Lattice& lattice, std::vector<clouds::Point>& points) {
  const Space space = Space::where(MemoryKind::host);
  std::vector<CurveKey> keys(points.size());
  write_keys(space, lattice, set(points), keys.data());
  space.fence("evenkeel::bench::keys");
  return keys;
}
// The keys of points in a box around nearly all points of a cloud.
inline std::vector<CurveKey> keys_of(std::vector<clouds::Point>& points) {
  return keys_of(Lattice(3, {{-1, -1, -1}, {2, 2, 2}}, {}), points);
}

// The number of points in each domain.
inline std::vector<double> work_of(const GridDomains& grid,
                                   const std::vector<clouds::Point>& points) {
  std::vector<double> work(static_cast<std::size_t>(grid.parts()));
  const PartOfPoint part_of = grid.part_of_point();
  for (const clouds::Point& point : points) ++work[static_cast<std::size_t>(part_of(point.data()))];
  return work;
}

// Collective. The lambda of the numbers of objects in each part.
inline double lambda_of(const Communicator& ranks, std::span<const int> part_of_object, int parts) {
  std::vector<double> objects(static_cast<std::size_t>(parts));
  for (const int part : part_of_object) ++objects[static_cast<std::size_t>(part)];
  ranks.all_reduce(std::span(objects), Reduction::sum);
  return lambda_of(objects);
}

}  // namespace evenkeel::bench
