#pragma once

// Tests all queries of decompositions into boxes. GridDomains and TreeDomains must give the same
// answers. Numbers are eighths, so that all sums with periods are exact.

#include "core/values.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>

namespace evenkeel::test {

using Random = std::mt19937_64;
using Point = std::array<double, 3>;

inline int below(int end, Random& random) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(end));
}

inline double eighths(double from, double to, Random& random) {
  return from + below(static_cast<int>((to - from) * 8) + 1, random) / 8.0;
}

struct Room {
  Box box;
  std::array<bool, 3> periodic = {};
};

// Draws any side lengths. Some axes are flat, others periodic. Axes beyond the dimensions have no
// valid bounds.
inline Room random_room(int dimensions, Random& random) {
  Room room;
  room.box = {{7, std::nan(""), 0}, {-7, 0, std::nan("")}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    const bool is_flat = below(8, random) == 0;
    room.box.lower[d] = eighths(-4, 4, random);
    room.box.upper[d] = room.box.lower[d] + (is_flat ? 0 : eighths(0.125, 8, random));
    room.periodic[d] = !is_flat && below(3, random) == 0;
  }
  return room;
}

// Draws `count` numbers between two faces. Many are equal, and many are on a face.
inline std::vector<double> random_borders(int count, double lower, double upper, Random& random) {
  std::vector<double> borders;
  while (std::ssize(borders) < count) {
    const int choice = below(8, random);
    if (choice == 0) borders.push_back(lower);
    if (choice == 1) borders.push_back(upper);
    if (choice == 2 && !borders.empty()) borders.push_back(borders.back());
    if (choice > 2) borders.push_back(eighths(lower, upper, random));
  }
  std::sort(borders.begin(), borders.end());
  return borders;
}

inline std::vector<int> shuffled_ranks(int parts, Random& random) {
  std::vector<int> ranks = counting<int>(parts);
  std::shuffle(ranks.begin(), ranks.end(), random);
  return ranks;
}
inline std::vector<int> random_ranks(int parts, Random& random) {
  if (below(3, random) == 0) return {};
  return shuffled_ranks(parts, random);
}

// Draws splitters anywhere, also between two keys of a lattice. Some parts are empty.
inline Splitters random_splitters(int dimensions, int parts, Random& random) {
  const std::uint64_t end = end_of_curve(dimensions).value;
  Splitters splitters = {CurveKey{0}, CurveKey{end}};
  while (std::ssize(splitters) <= parts) {
    const bool again = below(8, random) == 0;
    const CurveKey key{random() % end};
    splitters.push_back(again ? splitters[random() % splitters.size()] : key);
  }
  std::sort(splitters.begin(), splitters.end());
  return splitters;
}

// Draws rows from face to face, level by level.
inline GridBorders random_grid_borders(const GridShape& shape, const Box& box, GridScheme scheme,
                                       const std::array<int, 3>& axes, Random& random) {
  GridBorders borders{scheme, axes, {}};
  int rows = 1;
  for (std::size_t level = 0; level < static_cast<std::size_t>(shape.dimensions); ++level) {
    const auto d = static_cast<std::size_t>(axes[level]);
    for (int row = 0; row < rows; ++row) {
      std::vector<double>& all = borders.levels[level];
      const auto inner = random_borders(shape.extents[d] - 1, box.lower[d], box.upper[d], random);
      all.push_back(box.lower[d]);
      all.insert(all.end(), inner.begin(), inner.end());
      all.push_back(box.upper[d]);
    }
    if (scheme == GridScheme::staggered) rows *= shape.extents[d];
  }
  return borders;
}

// Appends nodes in pre-order.
inline void divide(int begin, int end, int dimensions, const Box& box,
                   std::vector<Bisection>& nodes, Random& random) {
  if (end - begin < 2) return;
  const int axis = below(dimensions, random);
  const auto d = static_cast<std::size_t>(axis);
  const double border = random_borders(1, box.lower[d], box.upper[d], random).front();
  const int middle = begin + 1 + below(end - begin - 1, random);
  nodes.push_back({border, axis, middle});
  Box lower = box, upper = box;
  lower.upper[d] = upper.lower[d] = border;
  divide(begin, middle, dimensions, lower, nodes, random);
  divide(middle, end, dimensions, upper, nodes, random);
}

template <class SomeDomains>
std::string description(const SomeDomains& decomposition) {
  std::string text = std::to_string(decomposition.dimensions()) + "-D, " +
                     std::to_string(decomposition.parts()) + " parts";
  for (std::size_t d = 0; d < static_cast<std::size_t>(decomposition.dimensions()); ++d)
    text += (decomposition.periodic()[d] ? ", periodic " : ", ") +
            std::to_string(decomposition.box().lower[d]) + " to " +
            std::to_string(decomposition.box().upper[d]);
  return text;
}
inline std::string description(const Domains& domains) {
  return std::visit([](const auto& all) { return description(all); }, domains);
}

inline const std::array<bool, 3>& periodic_of(const Domains& domains) {
  return decomposition_of(domains).periodic();
}

// --- Owners --------------------------------------------------------------------------------------

constexpr double little = 1.0 / (1 << 20);  // exact beside eighths

// Draws a place that is on a face of a domain or of the box, beside a face, or anywhere. Some are
// outside.
template <class SomeDomains>
double random_place(const SomeDomains& decomposition, std::size_t axis, Random& random) {
  const Box& box = decomposition.box();
  Box domain = box;
  if constexpr (requires { decomposition.box_of(0); })
    domain = decomposition.box_of(below(decomposition.parts(), random));
  const double faces[] = {domain.lower[axis], domain.upper[axis], box.lower[axis], box.upper[axis]};
  const double face = faces[below(4, random)];
  const double period = box.upper[axis] - box.lower[axis];
  switch (below(8, random)) {
    case 0: return face;
    case 1: return face - little;
    case 2: return face + little;
    case 3: return std::clamp(std::nextafter(face, -100), box.lower[axis], box.upper[axis]);
    case 4: return std::clamp(std::nextafter(face, 100), box.lower[axis], box.upper[axis]);
    case 5: return face + (below(9, random) - 4) * period;
    case 6: return face + (below(2001, random) - 1000) * period + little;
    default: return eighths(box.lower[axis] - 1, box.upper[axis] + 1, random);
  }
}

template <class SomeDomains>
Point random_point(const SomeDomains& decomposition, Random& random) {
  Point point = {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(decomposition.dimensions()); ++d)
    point[d] = random_place(decomposition, d, random);
  return point;
}

// Returns the nearest point of the box. Along a periodic axis, adds whole periods instead, and
// replaces the upper face by the lower one.
template <class SomeDomains>
Point inside(const SomeDomains& decomposition, Point point) {
  const Box& box = decomposition.box();
  for (std::size_t d = 0; d < static_cast<std::size_t>(decomposition.dimensions()); ++d) {
    const double period = box.upper[d] - box.lower[d];
    if (decomposition.periodic()[d]) {
      while (point[d] >= box.upper[d]) point[d] -= period;
      while (point[d] < box.lower[d]) point[d] += period;
    } else {
      point[d] = std::clamp(point[d], box.lower[d], box.upper[d]);
    }
  }
  return point;
}

inline bool is_flat(const Box& box, std::size_t axis) { return box.lower[axis] == box.upper[axis]; }

// Returns, by definition, the parts whose domains contain a point of the box. Axes without extent
// do not count.
template <class SomeDomains>
std::vector<int> holders(const SomeDomains& decomposition, const Point& point) {
  const Box& box = decomposition.box();
  std::vector<int> parts;
  for (int part = 0; part < decomposition.parts(); ++part) {
    const Box domain = decomposition.box_of(part);
    bool holds = true;
    for (std::size_t d = 0; d < static_cast<std::size_t>(decomposition.dimensions()); ++d) {
      if (is_flat(box, d)) continue;
      const bool at_end = point[d] == box.upper[d] && point[d] == domain.upper[d];
      holds = holds && !is_flat(domain, d) && domain.lower[d] <= point[d] &&
              (point[d] < domain.upper[d] || at_end);
    }
    if (holds) parts.push_back(part);
  }
  return parts;
}

// `among` chooses among the parts that contain a point: it returns the one that owns the point.
template <class SomeDomains, class Among>
void expect_owners(const SomeDomains& decomposition, const Among& among, int points,
                   Random& random) {
  SCOPED_TRACE(description(decomposition));
  const auto n = static_cast<std::size_t>(decomposition.dimensions());
  for (int i = 0; i < points; ++i) {
    const Point point = random_point(decomposition, random);
    const std::vector<int> owners = among(holders(decomposition, inside(decomposition, point)));
    ASSERT_EQ(owners.size(), 1U) << point[0] << ' ' << point[1] << ' ' << point[2];
    ASSERT_EQ(decomposition.owner_of(std::span(point).first(n)),
              decomposition.rank_of(owners.front()))
        << point[0] << ' ' << point[1] << ' ' << point[2];
  }
}

// --- Halos ---------------------------------------------------------------------------------------

// Returns the places of [from, to] along an axis at which the owner can change: the faces of a
// domain, and the places just below them.
template <class SomeDomains>
std::vector<double> telling_places(const SomeDomains& decomposition, const Box& domain,
                                   std::size_t axis, double from, double to) {
  const Box& box = decomposition.box();
  const double period = box.upper[axis] - box.lower[axis];
  const bool wraps = decomposition.periodic()[axis];
  const double first = wraps ? std::floor((from - box.lower[axis]) / period) : 0;
  std::vector<double> places = {from, to};
  for (double turn = first; turn <= first + (wraps ? 2 : 0); ++turn)
    for (const double face :
         {domain.lower[axis] + turn * period, domain.upper[axis] + turn * period})
      for (const double place : {face, std::nextafter(face, -100)})
        if (from <= place && place <= to) places.push_back(place);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

// Returns the owners of all points at which the owner can change, and of some random points.
template <class SomeDomains>
std::set<int> owners_in(const SomeDomains& decomposition, const Point& from, const Point& to,
                        Random& random) {
  const auto n = static_cast<std::size_t>(decomposition.dimensions());
  std::set<int> ranks;
  Point point = {};
  const auto ask = [&] { ranks.insert(decomposition.owner_of(std::span(point).first(n))); };
  for (int part = 0; part < decomposition.parts(); ++part) {
    std::array<std::vector<double>, 3> places;
    const Box domain = decomposition.box_of(part);
    for (std::size_t d = 0; d < n; ++d)
      places[d] = telling_places(decomposition, domain, d, from[d], to[d]);
    const auto visit = [&](const auto& self, std::size_t axis) -> void {
      if (axis == 3 || axis == n) return ask();
      for (const double place : places[axis]) {
        point[axis] = place;
        self(self, axis + 1);
      }
    };
    visit(visit, 0);
  }
  for (int i = 0; i < 20; ++i) {
    for (std::size_t d = 0; d < n; ++d)
      point[d] = std::uniform_real_distribution<double>(from[d], to[d])(random);
    ask();
  }
  return ranks;
}

template <class SomeDomains>
void expect_ranks_within(const SomeDomains& decomposition, Random& random) {
  SCOPED_TRACE(description(decomposition));
  const Point one = random_point(decomposition, random),
              other = random_point(decomposition, random);
  const bool is_point = below(4, random) == 0;
  constexpr double widths[] = {0, little, 0.125, 0.3, 1, 2.5, 30};
  const double width = widths[below(std::size(widths), random)];
  Box box = {{1, 1, std::nan("")}, {-1, -1, std::nan("")}};
  Point from = {}, to = {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(decomposition.dimensions()); ++d) {
    const double second = is_point ? one[d] : other[d];
    box.lower[d] = std::min(one[d], second);
    box.upper[d] = std::max(one[d], second);
    from[d] = box.lower[d] - width;
    to[d] = box.upper[d] + width;
  }
  const std::set<int> expected = owners_in(decomposition, from, to, random);
  ASSERT_EQ(decomposition.ranks_within(box, width),
            std::vector<int>(expected.begin(), expected.end()))
      << "from " << from[0] << ' ' << from[1] << ' ' << from[2] << " to " << to[0] << ' ' << to[1]
      << ' ' << to[2];
}

// --- Objects -------------------------------------------------------------------------------------

constexpr int untouched = -7;

// Expects the parts that the host finds. `part_of` is the function object of the decomposition.
template <class Real, class Layout, class Instance, class SomeDomains, class PartOf>
void expect_parts_of(const Instance&, const SomeDomains& decomposition, const PartOf& part_of,
                     std::size_t count, Random& random) {
  SCOPED_TRACE(description(decomposition) + ", " + std::to_string(count) + " objects");
  using Memory = typename Instance::memory_space;
  const auto n = static_cast<std::size_t>(decomposition.dimensions());
  std::vector<Real> places;
  for (std::size_t i = 0; i < count; ++i) {
    const Point point = random_point(decomposition, random);
    for (std::size_t d = 0; d < n; ++d) places.push_back(static_cast<Real>(point[d]));
  }
  std::vector<int> expected;
  for (std::size_t i = 0; i < count; ++i) {
    Point point = {};
    for (std::size_t d = 0; d < n; ++d) point[d] = static_cast<double>(places[n * i + d]);
    expected.push_back(part_of(point.data()));
  }
  expected.push_back(untouched);
  Kokkos::View<Real**, Layout, Memory> x("x", count, n);
  write_values(field_of(x).position(), places);
  const Kokkos::View<int*, Memory> parts("parts", count + 1);
  Kokkos::deep_copy(parts, untouched);
  decomposition.write_parts(space(), set(x), parts.data());
  const auto found = Kokkos::create_mirror_view(parts);
  Kokkos::deep_copy(found, parts);
  ASSERT_EQ(std::vector<int>(found.data(), found.data() + count + 1), expected);
}

template <class Instance, class SomeDomains, class PartOf>
void expect_all_parts(const Instance& instance, const SomeDomains& decomposition,
                      const PartOf& part_of, Random& random) {
  for (const std::size_t count : {0U, 1U, 1000U}) {
    expect_parts_of<double, Kokkos::LayoutRight>(instance, decomposition, part_of, count, random);
    expect_parts_of<double, Kokkos::LayoutLeft>(instance, decomposition, part_of, count, random);
    expect_parts_of<float, Kokkos::LayoutRight>(instance, decomposition, part_of, count, random);
  }
}

// --- Misuse --------------------------------------------------------------------------------------

// Takes a decomposition in three dimensions.
template <class SomeDomains>
void expect_refused_halos(const SomeDomains& decomposition) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const Box box = {{0, 0, 0}, {1, 1, 1}};
  EXPECT_ERROR(SomeDomains().ranks_within(box, 1), "core/domains: No rank owns anything yet.");
  for (const double width : {-1.0, nan, infinity})
    EXPECT_ERROR(decomposition.ranks_within(box, width),
                 "core/domains: A halo of this width was asked for: ");
  for (const Box& none :
       {Box{{0, 0, 0}, {1, -1, 1}}, Box{{0, nan, 0}, {1, 1, 1}}, Box{{-infinity, 0, 0}, {1, 1, 1}}})
    EXPECT_ERROR(decomposition.ranks_within(none, 1),
                 "The box whose halo was asked for is not valid");
}

// Takes a decomposition in three dimensions around the origin.
template <class SomeDomains>
void expect_refusals(const SomeDomains& decomposition) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const SomeDomains nothing;
  std::vector<std::array<double, 3>> x(4);
  std::vector<std::array<double, 2>> flat(4);
  std::vector<int> parts(4);
  const Space host = Space::where(MemoryKind::host);

  EXPECT_EQ(nothing.parts(), 0);
  EXPECT_EQ(nothing.generation(), 0);
  EXPECT_EQ(nothing.dimensions(), 0);
  EXPECT_ERROR(nothing.owner_of(Point{}), "core/domains: No rank owns anything yet.");
  EXPECT_ERROR(nothing.box_of(0), "core/domains: Part 0 of 0 was asked for.");
  EXPECT_ERROR(nothing.write_parts(host, set(x), parts.data()), "No rank owns anything yet.");

  for (const int part : {-1, decomposition.parts()})
    EXPECT_ERROR(decomposition.box_of(part), "core/domains: Part " + std::to_string(part) + " of ");
  for (const double bad : {nan, infinity, -infinity})
    EXPECT_ERROR(decomposition.owner_of(Point{0, bad, 0}),
                 "core/domains: A coordinate is not finite");
  EXPECT_ERROR(decomposition.owner_of(std::array{0.5, 0.5}),
               "A point of 2 coordinates was asked for in 3 dimensions.");
  expect_refused_halos(decomposition);
  EXPECT_ERROR(decomposition.write_parts(host, set(flat), parts.data()),
               "core/domains: Positions have 2 components in host memory, but parts were "
               "asked for on ");
  std::vector<double> line(4);
  EXPECT_ERROR(decomposition.write_parts(host, set(line), parts.data()), "2 or 3 components");
}

}  // namespace evenkeel::test
