#pragma once

// The mesh of example 07: triangles that fill the unit square. They are bisected near a front,
// which turns about the middle of the square like the hand of a clock. The mesh is bent towards the
// front, so triangles there get thin.
//
// The front alone determines which vertices exist (after Lindstrom and Pascucci, IEEE Trans. Vis.
// Comput. Graph. 8, 2002). Each vertex bisects two triangles, at the midpoint of their common
// longest side. Its parents are the two corners opposite to this side, without which it cannot
// exist. A vertex of level l exists if it is nearer to the front than radius[l], and radii obey
//
//   radius[l - 1] >= radius[l] + distance of a vertex of level l from its parents + margin.
//
// So the parents of each vertex exist, and the mesh has no hanging nodes. The front moves by less
// than the margin from one mesh to the next, hence each new vertex is the midpoint of an edge of
// the previous mesh: the mesh gains only one level at a time.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

// A vertex, in units of the finest grid. Its id combines both numbers.
struct Point {
  int i = 0, j = 0;

  static KOKKOS_INLINE_FUNCTION Point of(std::int64_t id) {
    return {static_cast<int>(id >> 32), static_cast<int>(id & 0xffffffff)};
  }
  KOKKOS_INLINE_FUNCTION std::int64_t id() const { return (std::int64_t{i} << 32) | j; }
  // The point at a distance of `width` along one or both axes, in one of eight directions that are
  // 45 degrees apart.
  KOKKOS_INLINE_FUNCTION Point towards(int direction, int width) const {
    const int at = direction % 8;
    const int across = at == 2 || at == 6 ? 0 : at == 3 || at == 4 || at == 5 ? -1 : 1;
    const int up = at == 0 || at == 4 ? 0 : at < 4 ? 1 : -1;
    return {i + across * width, j + up * width};
  }
};
KOKKOS_INLINE_FUNCTION bool has_middle(Point a, Point b) {
  return ((a.i ^ b.i) & 1) == 0 && ((a.j ^ b.j) & 1) == 0;
}
KOKKOS_INLINE_FUNCTION Point middle_of(Point a, Point b) {
  return {(a.i + b.i) / 2, (a.j + b.j) / 2};
}

// A line of fixed length.
struct Front {
  static constexpr double inner = 0.04, outer = 0.42;  // its ends, from the middle of the square
  static constexpr double length = outer - inner;
  static constexpr double reach = 0.06;     // it bends the mesh as far as this on either side
  static constexpr double thinnest = 0.06;  // the least width of bent elements over unbent ones
  static constexpr int spots = 5;           // at which it is sharp
  static constexpr double first_angle = -0.2;

  double along[2] = {1, 0};  // its direction

  static Front at(double angle) {
    return {{std::cos(first_angle + angle), std::sin(first_angle + angle)}};
  }

  // The coordinates of a place: along the front from its inner end, and across it to the left.
  KOKKOS_INLINE_FUNCTION void split(const double place[2], double& ahead, double& left) const {
    const double x = place[0] - 0.5, y = place[1] - 0.5;
    ahead = x * along[0] + y * along[1] - inner;
    left = y * along[0] - x * along[1];
  }
  KOKKOS_INLINE_FUNCTION double distance(const double place[2]) const {
    double ahead = 0, left = 0;
    split(place, ahead, left);
    const double beyond = ahead < 0 ? ahead : ahead > length ? ahead - length : 0;
    return std::sqrt(beyond * beyond + left * left);
  }
  // Pulls a place towards the front. Neighbours along the front keep their distance, and neighbours
  // across it approach each other. The map is one to one, since no place is pulled as far as the
  // front.
  KOKKOS_INLINE_FUNCTION void bend(double place[2]) const {
    double ahead = 0, left = 0;
    split(place, ahead, left);
    const double share = left / reach, turn = ahead / length;
    if (share <= -1 || share >= 1 || turn <= 0 || turn >= 1) return;
    const double wave = std::sin(std::numbers::pi * spots * turn);
    const double sharp = 0.6 + 0.4 * wave * wave, ends = 4 * turn * (1 - turn);
    const double near = (1 - share * share * share * share) * (1 - share * share * share * share);
    const double strength = (1 - thinnest) * sharp * (1 - (1 - ends) * (1 - ends) * (1 - ends));
    const double pull = strength * near * left;
    place[0] += pull * along[1];
    place[1] -= pull * along[0];
  }
};

// The quality of a triangle whose corners turn left: 1 if all sides are equal, near 0 if it is
// slender.
KOKKOS_INLINE_FUNCTION double quality_of(const double a[2], const double b[2], const double c[2]) {
  const double ab[2] = {b[0] - a[0], b[1] - a[1]}, ac[2] = {c[0] - a[0], c[1] - a[1]};
  const double bc[2] = {c[0] - b[0], c[1] - b[1]};
  const double twice_area = ab[0] * ac[1] - ab[1] * ac[0];
  const double squares = (ab[0] * ab[0] + ab[1] * ab[1]) + (ac[0] * ac[0] + ac[1] * ac[1]) +
                         (bc[0] * bc[0] + bc[1] * bc[1]);
  return 2 * 1.7320508075688772 * twice_area / squares;
}

struct Mesh {
  static constexpr int depth = 10;          // the finest grid has 2^depth squares along an axis
  static constexpr int width = 1 << depth;  // the width of the square in units of that grid
  static constexpr int most_levels = 2 * depth;
  static constexpr int coarsest = 8;  // vertices of this level and below always exist

  Front front;
  double radius[most_levels + 1] = {};

  // Vertices of the finest level exist as far as `reach` from the front.
  Mesh(int finest, double reach, double margin) {
    constexpr double slack = 1e-9;  // far more than the rounding of distances
    double within = reach;
    for (int level = finest; level > coarsest; --level) {
      radius[level] = within;
      const double step = std::pow(0.5, level / 2);
      within += (level % 2 == 1 ? std::numbers::sqrt2 / 2 : 1) * step + margin + slack;
    }
  }

  // --- Vertices ----------------------------------------------------------------------------------

  // The greatest power of two that divides both coordinates. At least one coordinate is an odd
  // multiple of it.
  static KOKKOS_INLINE_FUNCTION int width_of(Point at) {
    int unit = 1;
    while (unit < width && ((at.i | at.j) & unit) == 0) unit *= 2;
    return unit;
  }
  // True if both coordinates are odd multiples of `unit`: the vertex is the middle of a square. Any
  // other vertex is the middle of a side.
  static KOKKOS_INLINE_FUNCTION bool is_middle_of_square(Point at, int unit) {
    return unit < width && (at.i & unit) != 0 && (at.j & unit) != 0;
  }
  static KOKKOS_INLINE_FUNCTION int level_of(Point at) {
    const int unit = width_of(at);
    int level = 0;
    for (int wider = unit; wider < width; wider *= 2) level += 2;
    return is_middle_of_square(at, unit) ? level - 1 : level;
  }
  // The place in the unit square before bending.
  static KOKKOS_INLINE_FUNCTION void unbent(Point at, double place[2]) {
    place[0] = static_cast<double>(at.i) / width;
    place[1] = static_cast<double>(at.j) / width;
  }
  KOKKOS_INLINE_FUNCTION void place_of(Point at, double place[2]) const {
    unbent(at, place);
    front.bend(place);
  }
  KOKKOS_INLINE_FUNCTION bool has(Point at) const {
    const int level = level_of(at);
    if (level <= coarsest) return true;
    double place[2];
    unbent(at, place);
    return front.distance(place) < radius[level];
  }
  static KOKKOS_INLINE_FUNCTION bool is_at_boundary(Point at) {
    return at.i == 0 || at.i == width || at.j == 0 || at.j == width;
  }

  // --- Around a vertex ---------------------------------------------------------------------------

  // True if the sector between this direction and the next is in the square.
  static KOKKOS_INLINE_FUNCTION bool is_inside(Point at, int sector) {
    const Point from = at.towards(sector, 1), to = at.towards(sector + 1, 1);
    const int across = from.i + to.i - 2 * at.i, up = from.j + to.j - 2 * at.j;
    return (across > 0 ? at.i < width : at.i > 0) && (up > 0 ? at.j < width : at.j > 0);
  }

  // Finds the triangle in a sector at the vertex `at`. A vertex begins with four triangles around
  // it, each over two sectors. They are bisected until no midpoint exists. Returns the number of
  // sectors of the triangle; `first` and `second` are its other corners, in the order in which the
  // corners turn left.
  KOKKOS_INLINE_FUNCTION int find_triangle(Point at, int unit, int sector, Point& first,
                                           Point& second) const {
    const int skew = is_middle_of_square(at, unit) ? 1 : 0;
    const int begin = (sector - skew + 8) % 8 / 2 * 2 + skew;
    first = at.towards(begin, unit);
    second = at.towards(begin + 2, unit);
    if (!has_middle(first, second)) return 2;
    Point corner = middle_of(first, second);
    if (!has(corner)) return 2;
    bool goes_left = (sector - begin + 8) % 8 == 0;  // from `far` to `corner`, seen from `at`
    Point far = goes_left ? first : second;
    while (has_middle(at, far)) {
      const Point middle = middle_of(at, far);
      if (!has(middle)) break;
      far = corner;
      corner = middle;
      goes_left = !goes_left;
    }
    first = goes_left ? far : corner;
    second = goes_left ? corner : far;
    return 1;
  }

  // The neighbours of a vertex, in the order in which they turn left. Two successive neighbours
  // make a triangle with the vertex; so do the last and the first, except at the boundary.
  KOKKOS_INLINE_FUNCTION int find_ring(Point at, Point ring[8]) const {
    const int unit = width_of(at);
    int begin = is_middle_of_square(at, unit) ? 1 : 0;
    if (is_at_boundary(at))
      while (!is_inside(at, begin) || is_inside(at, (begin + 7) % 8)) ++begin;
    int found = 0;
    Point last;
    for (int turned = 0; turned < 8 && is_inside(at, (begin + turned) % 8);)
      turned += find_triangle(at, unit, (begin + turned) % 8, ring[found++], last);
    if (is_at_boundary(at)) ring[found++] = last;
    return found;
  }
};

// The numbers of triangles and vertices of a mesh. They are counted by bisection of the whole
// square, independently of rings.
struct MeshCount {
  std::int64_t triangles = 0, vertices = 0;

  static MeshCount of(const Mesh& mesh) {
    constexpr int w = Mesh::width;
    MeshCount count;
    count.add(mesh, {0, 0}, {w, 0}, {w, w});
    count.add(mesh, {w, w}, {0, w}, {0, 0});
    count.vertices = 4 + count.halves_ / 2;
    return count;
  }
  friend bool operator==(const MeshCount&, const MeshCount&) = default;

 private:
  std::int64_t halves_ = 0;  // of bisected sides; each side inside the square is met twice

  void add(const Mesh& mesh, Point left, Point corner, Point right) {
    if (has_middle(left, right)) {
      const Point middle = middle_of(left, right);
      if (mesh.has(middle)) {
        halves_ += Mesh::is_at_boundary(middle) ? 2 : 1;
        add(mesh, left, middle, corner);
        add(mesh, corner, middle, right);
        return;
      }
    }
    ++triangles;
  }
};
