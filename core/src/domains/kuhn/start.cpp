#include "domains/kuhn/start.hpp"

#include <algorithm>
#include <numeric>

namespace evenkeel {

namespace {

class TriangularMesh {
 public:
  TriangularMesh(const MeshFrame& frame, std::span<const MeshPoint> points, const KuhnPath& axes)
      : frame_(frame), axes_(axes), grid_(MeshVertices::grid_of(frame.shape)) {
    vertices.resize(static_cast<std::size_t>(grid_.parts()));
    for (std::size_t d = 0; d < static_cast<std::size_t>(frame.shape.dimensions); ++d)
      least_[d] = least_between(d, points);
    divide(0, {points.begin(), points.end()});
  }

  std::vector<MeshVertex> vertices;

 private:
  // Divides the points near a plane, a line or a vertex along the axis of a level.
  void divide(std::size_t level, std::vector<MeshPoint> points) {
    if (static_cast<int>(level) == frame_.shape.dimensions) {
      vertices[static_cast<std::size_t>(grid_.part_at(vertex_))] = place_;
      return;
    }
    const auto axis = static_cast<std::size_t>(axes_[level]);
    std::stable_sort(points.begin(), points.end(), [&](const MeshPoint& a, const MeshPoint& b) {
      return a.cell[axis] < b.cell[axis];
    });
    const std::vector<std::int32_t> borders = borders_along(axis, points);
    const auto extent = static_cast<std::size_t>(frame_.shape.extents[axis]);
    // points near border i are up to the middle of the domains on both sides
    std::vector<std::vector<MeshPoint>> near(extent + 1);
    std::size_t i = 0;
    for (const MeshPoint& point : points) {
      while (i < extent && 2 * point.cell[axis] >= borders[i] + borders[i + 1]) ++i;
      near[i].push_back(point);
    }
    if (frame_.periodic[axis]) {  // both ends are the same plane
      near.front().insert(near.front().end(), near.back().begin(), near.back().end());
      near.back() = near.front();
    }
    for (i = 0; i <= extent; ++i) {
      vertex_[axis] = static_cast<int>(i);
      place_[axis] = borders[i];
      divide(level + 1, std::move(near[i]));
    }
  }

  std::vector<std::int32_t> borders_along(std::size_t axis,
                                          std::span<const MeshPoint> points) const {
    const std::int32_t extent = frame_.shape.extents[axis], upper = frame_.upper[axis];
    double whole = 0;
    for (const MeshPoint& point : points) whole += static_cast<double>(point.units);
    std::vector<std::int32_t> borders = {0};
    double sum = 0;
    for (const MeshPoint& point : points) {
      sum += static_cast<double>(point.units);
      while (whole > 0 && std::ssize(borders) < extent &&
             sum * extent > whole * static_cast<double>(borders.size()))
        borders.push_back(point.cell[axis]);
    }
    for (auto i = static_cast<std::int32_t>(borders.size()); i <= extent; ++i)
      borders.push_back(static_cast<std::int32_t>(std::int64_t{upper} * i / extent));
    push_apart(borders, least_[axis]);
    return borders;
  }
  // The least distance of borders leaves room for steps, even if all points are in a small part of
  // the box.
  std::int32_t least_between(std::size_t axis, std::span<const MeshPoint> points) const {
    const std::int32_t extent = frame_.shape.extents[axis], upper = frame_.upper[axis];
    std::vector<std::int32_t> along;
    for (const MeshPoint& point : points) along.push_back(point.cell[axis]);
    std::sort(along.begin(), along.end());
    const auto eighth = std::ssize(along) / 8;
    const std::int32_t most_points =
        along.empty() ? upper : *(along.end() - 1 - eighth) - *(along.begin() + eighth);
    const std::int32_t least =
        std::clamp(most_points / (16 * extent), 16, std::max(16, upper / 4096));
    return std::max({frame_.least_width[axis], 1, std::min(least, upper / (2 * extent))});
  }
  static void push_apart(std::vector<std::int32_t>& borders, std::int32_t least) {
    for (std::size_t i = 1; i + 1 < borders.size(); ++i)
      borders[i] = std::max(borders[i], borders[i - 1] + least);
    for (std::size_t i = borders.size() - 1; i-- > 1;)
      borders[i] = std::min(borders[i], borders[i + 1] - least);
  }

  const MeshFrame& frame_;
  const KuhnPath& axes_;
  GridShape grid_;
  std::array<std::int32_t, 3> least_ = {};  // distance of borders along each axis
  GridPlace vertex_ = {};
  MeshVertex place_ = {};
};

}  // namespace

std::vector<KuhnPath> orders_of_axes(int dimensions) {
  std::vector<KuhnPath> orders;
  for (const KuhnPath& path : kuhn_paths)
    if (dimensions == 3 || path[2] == 2) orders.push_back(path);
  return orders;
}

std::vector<MeshVertex> triangular_mesh(const MeshFrame& frame, std::span<const MeshPoint> points,
                                        const KuhnPath& axes) {
  return TriangularMesh(frame, points, axes).vertices;
}

}  // namespace evenkeel
