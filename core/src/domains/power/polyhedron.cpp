#include "domains/power/polyhedron.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenkeel {

namespace {

using Corner = PowerPolyhedron::Corner;

// Distances that rounding may cause, and at which cells touch, in lattice cells.
constexpr double rounding = 1e-7, touching = 1e-6;

Corner minus(const Corner& a, const Corner& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Corner& a, const Corner& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Corner cross(const Corner& a, const Corner& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// The plane between two sites; its distance is above 0 on the side of `other`.
struct Plane {
  Corner normal;
  double offset;

  Plane(const PowerRival& own, const PowerRival& other) {
    for (std::size_t d = 0; d < 3; ++d) normal[d] = other.twice[d] - own.twice[d];
    const double length = std::sqrt(dot(normal, normal));
    offset = (other.constant - own.constant) / length;
    for (double& along : normal) along /= length;
  }
  double distance(const Corner& corner) const { return dot(normal, corner) - offset; }
};

bool are_at_one_place(const PowerRival& a, const PowerRival& b) {
  return std::equal(std::begin(a.twice), std::end(a.twice), std::begin(b.twice));
}

// Puts corners of a convex face in order around it.
void order_around(std::vector<Corner>& corners, const Corner& normal) {
  Corner middle = {};
  for (const Corner& corner : corners)
    for (std::size_t d = 0; d < 3; ++d)
      middle[d] += corner[d] / static_cast<double>(corners.size());
  const std::size_t least = static_cast<std::size_t>(
      std::min_element(normal.begin(), normal.end(),
                       [](double a, double b) { return std::abs(a) < std::abs(b); }) -
      normal.begin());
  Corner axis = {};
  axis[least] = 1;
  const Corner x = cross(normal, axis), y = cross(normal, x);
  const auto angle = [&](const Corner& corner) {
    const Corner from = minus(corner, middle);
    return std::atan2(dot(from, y), dot(from, x));
  };
  std::sort(corners.begin(), corners.end(),
            [&](const Corner& a, const Corner& b) { return angle(a) < angle(b); });
}

}  // namespace

PowerPolyhedron::PowerPolyhedron(const LatticeBox& box) {
  for (std::size_t d = 0; d < 3; ++d)
    for (const double at : {box.first[d], box.last[d]}) {
      const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
      Face face;
      for (const auto& [along_u, along_v] :
           {std::pair(box.first[u], box.first[v]), std::pair(box.last[u], box.first[v]),
            std::pair(box.last[u], box.last[v]), std::pair(box.first[u], box.last[v])}) {
        Corner corner;
        corner[d] = at;
        corner[u] = along_u;
        corner[v] = along_v;
        face.corners.push_back(corner);
      }
      faces_.push_back(std::move(face));
    }
}

void PowerPolyhedron::clip(const PowerRival& own, const PowerRival& rival, int behind) {
  if (are_at_one_place(own, rival)) {
    if (own.loses_to(rival, own.twice, own.twice)) faces_.clear();
    return;
  }
  const Plane plane(own, rival);
  std::vector<Face> kept;
  std::vector<Corner> cap;
  bool is_cut = false;
  for (const Face& face : faces_) {
    Face rest{{}, face.behind};
    for (std::size_t i = 0; i < face.corners.size(); ++i) {
      const Corner &here = face.corners[i], &next = face.corners[(i + 1) % face.corners.size()];
      const double before = plane.distance(here), after = plane.distance(next);
      is_cut = is_cut || before > rounding;
      if (before <= rounding) rest.corners.push_back(here);
      if ((before <= rounding) == (after <= rounding)) continue;
      const double share = std::clamp(before / (before - after), 0.0, 1.0);
      Corner between;
      for (std::size_t d = 0; d < 3; ++d) between[d] = here[d] + share * (next[d] - here[d]);
      rest.corners.push_back(between);
      cap.push_back(between);
    }
    if (rest.corners.size() >= 3) kept.push_back(std::move(rest));
  }
  if (!is_cut) return;
  if (cap.size() >= 3 && !kept.empty()) {
    order_around(cap, plane.normal);
    kept.push_back({std::move(cap), behind});
  }
  faces_ = std::move(kept);
}

LatticeBox PowerPolyhedron::bounds() const noexcept {
  constexpr double far = std::numeric_limits<double>::infinity();
  LatticeBox box{{far, far, far}, {-far, -far, -far}};
  for (const Face& face : faces_)
    for (const Corner& corner : face.corners)
      for (std::size_t d = 0; d < 3; ++d) {
        box.first[d] = std::min(box.first[d], corner[d]);
        box.last[d] = std::max(box.last[d], corner[d]);
      }
  return box;
}

bool PowerPolyhedron::touches(const PowerRival& own, const PowerRival& rival) const noexcept {
  if (are_at_one_place(own, rival)) return false;
  const Plane plane(own, rival);
  return std::any_of(faces_.begin(), faces_.end(), [&](const Face& face) {
    return std::any_of(face.corners.begin(), face.corners.end(),
                       [&](const Corner& corner) { return plane.distance(corner) > -touching; });
  });
}

double area_of(std::span<const Corner> corners) noexcept {
  Corner sum = {};
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    const Corner part = cross(minus(corners[i], corners[0]), minus(corners[i + 1], corners[0]));
    for (std::size_t d = 0; d < 3; ++d) sum[d] += part[d] / 2;
  }
  return std::sqrt(dot(sum, sum));
}

}  // namespace evenkeel
