#include "core/domains/asking.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/standard.hpp>

#include <utility>

namespace evenkeel {
namespace {

using test::Point;
using test::Random;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// --- Random domains ------------------------------------------------------------------------------

// Parts of nothing are among them.
CurveDomains random_curve(CurveKind kind, int dimensions, Random& random) {
  test::Room room = test::random_room(dimensions, random);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    if (test::is_flat(room.box, d)) room.box.upper[d] += 1;
  constexpr int all_levels[] = {0, 1, 5, 12};
  const CurveOptions curve{kind, all_levels[test::below(4, random)]};
  const std::uint64_t end = end_of_curve(dimensions).value;
  const int parts = 1 + test::below(20, random);
  Splitters splitters = {{0}};
  std::vector<std::uint64_t> inner;
  while (std::ssize(inner) + 1 < parts)
    inner.push_back(!inner.empty() && test::below(6, random) == 0 ? inner.back() : random() % end);
  std::sort(inner.begin(), inner.end());
  for (const std::uint64_t key : inner) splitters.push_back({key});
  splitters.push_back({end});
  return CurveDomains(1, dimensions, room.box, room.periodic, splitters, curve,
                      test::random_ranks(parts, random));
}

GridDomains random_grid(GridScheme scheme, int dimensions, Random& random) {
  GridShape shape{dimensions, {1, 1, 1}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    shape.extents[d] = 1 + test::below(4, random);
  const test::Room room = test::random_room(dimensions, random);
  GridBorders borders{scheme, usual_axes(dimensions), {}};
  int rows = 1;
  for (std::size_t level = 0; level < static_cast<std::size_t>(dimensions); ++level) {
    const auto d = static_cast<std::size_t>(borders.axes[level]);
    for (int row = 0; row < rows; ++row) {
      std::vector<double>& all = borders.levels[level];
      const auto inner =
          test::random_borders(shape.extents[d] - 1, room.box.lower[d], room.box.upper[d], random);
      all.push_back(room.box.lower[d]);
      all.insert(all.end(), inner.begin(), inner.end());
      all.push_back(room.box.upper[d]);
    }
    if (scheme == GridScheme::staggered) rows *= shape.extents[d];
  }
  return GridDomains(1, shape, room.box, room.periodic, std::move(borders),
                     test::random_ranks(shape.parts(), random));
}

// Nodes in pre-order.
void divide(int begin, int end, int dimensions, const Box& box, std::vector<Bisection>& nodes,
            Random& random) {
  if (end - begin < 2) return;
  const int axis = test::below(dimensions, random);
  const auto d = static_cast<std::size_t>(axis);
  const double border = test::random_borders(1, box.lower[d], box.upper[d], random).front();
  const int middle = begin + 1 + test::below(end - begin - 1, random);
  nodes.push_back({border, axis, middle});
  Box below = box, above = box;
  below.upper[d] = above.lower[d] = border;
  divide(begin, middle, dimensions, below, nodes, random);
  divide(middle, end, dimensions, above, nodes, random);
}

TreeDomains random_tree(int dimensions, Random& random) {
  const test::Room room = test::random_room(dimensions, random);
  const int parts = 1 + test::below(25, random);
  std::vector<Bisection> nodes;
  divide(0, parts, dimensions, room.box, nodes, random);
  return TreeDomains(1, dimensions, room.box, room.periodic, std::move(nodes),
                     test::random_ranks(parts, random));
}

Domains random_domains(int kind, int dimensions, Random& random) {
  switch (kind) {
    case 0: return random_curve(CurveKind::hilbert, dimensions, random);
    case 1: return random_curve(CurveKind::morton, dimensions, random);
    case 2: return random_curve(CurveKind::snake, dimensions, random);
    case 3: return random_grid(GridScheme::staggered, dimensions, random);
    case 4: return random_grid(GridScheme::tensor, dimensions, random);
    default: return random_tree(dimensions, random);
  }
}
constexpr int kinds = 6;

// --- Points --------------------------------------------------------------------------------------

// On faces of the box, beside them, in other periods, outside of it, or anywhere.
Point random_point(const CurveDomains& curve, Random& random) {
  Point point = {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(curve.dimensions()); ++d) {
    const double lower = curve.box().lower[d], upper = curve.box().upper[d];
    const double cell = lower + (upper - lower) * test::below(17, random) / 16.0;
    const double places[] = {cell,
                             std::nextafter(cell, -100),
                             cell + 3 * (upper - lower),
                             lower - 0.5,
                             upper + 0.5,
                             test::eighths(lower, upper, random),
                             upper,
                             std::nextafter(lower, lower - 1)};
    point[d] = places[test::below(std::size(places), random)];
  }
  return point;
}
template <class Boxes>
Point random_point(const Boxes& boxes, Random& random) {
  return test::random_point(boxes, random);
}

// As owner_of tells of each.
template <class Real, class Layout, class Instance>
void expect_ranks(const Instance&, const Domains& domains, std::size_t count, Random& random) {
  using Memory = typename Instance::memory_space;
  const auto n = static_cast<std::size_t>(dimensions_of(domains));
  std::vector<Real> places;
  std::vector<int> expected;
  for (std::size_t i = 0; i < count; ++i) {
    Point point = std::visit([&](const auto& all) { return random_point(all, random); }, domains);
    for (std::size_t d = 0; d < n; ++d) {
      places.push_back(static_cast<Real>(point[d]));
      point[d] = static_cast<double>(places.back());
    }
    expected.push_back(owner_of(domains, std::span(point).first(n)));
  }
  expected.push_back(test::untouched);
  Kokkos::View<Real**, Layout, Memory> x("x", count, n);
  test::write_values(field_of(x).position(), places);
  const Kokkos::View<int*, Memory> ranks("ranks", count + 1);
  Kokkos::deep_copy(ranks, test::untouched);
  write_ranks(test::space(), domains, set(x), ranks.data());
  const auto found = Kokkos::create_mirror_view(ranks);
  Kokkos::deep_copy(found, ranks);
  ASSERT_EQ(std::vector<int>(found.data(), found.data() + count + 1), expected);
}

template <class Instance>
void expect_all_ranks(const Instance& instance, int kind) {
  Random random(static_cast<std::uint64_t>(kind + 1));
  for (const int dimensions : {2, 3})
    for (int repeat = 0; repeat < 10; ++repeat) {
      const Domains domains = random_domains(kind, dimensions, random);
      SCOPED_TRACE(std::to_string(dimensions) + "-D, " + std::to_string(parts_of(domains)) +
                   " parts, " + (rank_of_part(domains).empty() ? "in order" : "permuted"));
      for (const std::size_t count : {0U, 1U, 1000U}) {
        expect_ranks<double, Kokkos::LayoutRight>(instance, domains, count, random);
        expect_ranks<double, Kokkos::LayoutLeft>(instance, domains, count, random);
        expect_ranks<float, Kokkos::LayoutRight>(instance, domains, count, random);
      }
    }
}

TEST(Domains, RanksOfManyObjects) {
  for (int kind = 0; kind < kinds; ++kind) {
    SCOPED_TRACE(kind);
    with_space(test::space(), [&](const auto& instance) { expect_all_ranks(instance, kind); });
  }
}

// --- By hand -------------------------------------------------------------------------------------

// The first quarter of the curve in the plane is the lower left, the next the upper left.
TEST(Domains, PartsAreRenumbered) {
  const std::uint64_t quarter = end_of_curve(2).value / 4;
  const Domains domains =
      CurveDomains(1, 2, unit, {}, {{0}, {quarter}, {2 * quarter}, {3 * quarter}, {4 * quarter}},
                   {}, {2, 0, 3, 1});
  std::vector<std::array<double, 2>> x = {{0.2, 0.2}, {0.2, 0.8}, {0.8, 0.8}, {0.8, 0.2}};
  std::vector<int> ranks(4);
  write_ranks(Space::where(MemoryKind::host), domains, set(x), ranks.data());
  EXPECT_EQ(ranks, (std::vector<int>{2, 0, 3, 1}));
}

TEST(Domains, OnlyOwnedObjectsCount) {
  const Domains domains =
      GridDomains::uniform({2, {2, 1, 1}}, unit, GridScheme::tensor, {}, {1, 0});
  std::vector<std::array<double, 2>> x = {{0.5, 0.2}, {0.2, 0.8}, {std::nan(""), 0}};
  std::vector<int> ranks(3, test::untouched);
  write_ranks(Space::where(MemoryKind::host), domains, set(x, {}, {.count = 2}), ranks.data());
  EXPECT_EQ(ranks, (std::vector<int>{0, 1, test::untouched}));
}

TEST(Domains, WithoutPartsNobodyOwnsAnything) {
  const Space host = Space::where(MemoryKind::host);
  std::vector<std::array<double, 3>> x(4), none;
  std::vector<int> ranks(4);
  for (const Domains& nothing : {Domains(), Domains(GridDomains()), Domains(TreeDomains())}) {
    EXPECT_EQ(parts_of(nothing), 0);
    EXPECT_ERROR(write_ranks(host, nothing, set(x), ranks.data()), "Nobody owns anything yet.");
    EXPECT_ERROR(write_ranks(host, nothing, set(none), nullptr), "Nobody owns anything yet.");
  }
}

TEST(Domains, OfOtherDimensionsAreAnError) {
  const Space host = Space::where(MemoryKind::host);
  std::vector<std::array<double, 2>> x(4);
  std::vector<int> ranks(4);
  const Domains boxes = GridDomains::uniform({3, {2, 1, 1}}, unit, GridScheme::tensor);
  EXPECT_ERROR(write_ranks(host, boxes, set(x), ranks.data()), "Positions of 2 components");
  const Domains curve = CurveDomains(1, 3, unit, {}, {{0}, end_of_curve(3)});
  EXPECT_ERROR(write_ranks(host, curve, set(x), ranks.data()), "Positions of 2 components");
}

}  // namespace
}  // namespace evenkeel
