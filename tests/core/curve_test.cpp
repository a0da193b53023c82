#include "support/harness.hpp"

#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/core/curve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

// --- The Hilbert curve ---------------------------------------------------------------------------

template <int n>
using Cell = std::array<std::uint32_t, static_cast<std::size_t>(n)>;

template <int n>
std::uint64_t key_of(const Cell<n>& cell) {
  std::uint32_t coordinates[n];
  std::copy(cell.begin(), cell.end(), coordinates);
  return hilbert_key(coordinates).value;
}

// Side by side cells are one apart.
template <int n>
std::int64_t distance(const Cell<n>& a, const Cell<n>& b) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d)
    sum += std::abs(static_cast<std::int64_t>(a[d]) - static_cast<std::int64_t>(b[d]));
  return sum;
}

// Corner `number` of a cube of two cells a side, times `by`.
template <int n>
Cell<n> corner(unsigned number, std::uint32_t by) {
  Cell<n> cell;
  for (std::size_t d = 0; d < cell.size(); ++d) cell[d] = ((number >> d) & 1U) * by;
  return cell;
}

template <int n>
Cell<n> sum_of(Cell<n> a, const Cell<n>& b) {
  for (std::size_t d = 0; d < a.size(); ++d) a[d] += b[d];
  return a;
}

template <int n>
Cell<n> random_cell(std::mt19937_64& random) {
  Cell<n> cell;
  for (auto& coordinate : cell)
    coordinate = static_cast<std::uint32_t>(random() >> (64 - lattice_levels(n)));
  return cell;
}

// The curve has passed through all cells [origin, origin + 2^levels * spacing), one every
// `spacing`, without a leap and without another between them.
template <int n>
void expect_walk(const Cell<n>& origin, int levels, int spacing_levels) {
  struct Visit {
    std::uint64_t place;
    Cell<n> cell;
  };
  std::vector<Visit> visits;
  const std::uint32_t side = 1U << levels;
  for (std::uint32_t i = 0; i < 1U << (n * levels); ++i) {
    Cell<n> cell = origin;
    for (std::size_t d = 0; d < cell.size(); ++d)
      cell[d] += ((i >> (levels * static_cast<int>(d))) % side) << spacing_levels;
    visits.push_back({key_of<n>(cell) >> (n * spacing_levels), cell});
  }
  std::sort(visits.begin(), visits.end(),
            [](const Visit& a, const Visit& b) { return a.place < b.place; });
  EXPECT_EQ(visits.front().place % visits.size(), 0U) << "aligned";
  for (std::size_t i = 1; i < visits.size(); ++i) {
    ASSERT_EQ(visits[i].place, visits[i - 1].place + 1);
    ASSERT_EQ(distance<n>(visits[i].cell, visits[i - 1].cell), std::int64_t{1} << spacing_levels);
  }
}

template <int n>
void walk_through_cubes() {
  constexpr int all = lattice_levels(n);
  std::mt19937_64 random(5);
  for (int levels = 1; levels <= 12 / n; ++levels) {
    expect_walk<n>({}, levels, 0);
    Cell<n> last;
    last.fill(static_cast<std::uint32_t>((std::uint64_t{1} << all) - (1U << levels)));
    expect_walk<n>(last, levels, 0);
    for (int repeat = 0; repeat < 20; ++repeat) {
      Cell<n> origin = random_cell<n>(random);
      for (auto& coordinate : origin) coordinate &= ~((1U << levels) - 1);
      expect_walk<n>(origin, levels, 0);
    }
  }
}

TEST(HilbertKey, WalksThroughCubesOfCells) {
  walk_through_cubes<2>();
  walk_through_cubes<3>();
}

// The same curve at every coarser level: cells that share a parent share its place.
template <int n>
void walk_through_coarse_cells() {
  constexpr int all = lattice_levels(n), levels = 9 / n;
  std::mt19937_64 random(6);
  for (int spacing_levels = 0; spacing_levels <= all - levels; ++spacing_levels) {
    SCOPED_TRACE(spacing_levels);
    Cell<n> origin = random_cell<n>(random);
    for (auto& coordinate : origin)
      coordinate = coordinate >> (spacing_levels + levels) << (spacing_levels + levels);
    expect_walk<n>(origin, levels, spacing_levels);
    for (int repeat = 0; repeat < 50; ++repeat) {
      Cell<n> inside = random_cell<n>(random);
      for (std::size_t d = 0; d < inside.size(); ++d)
        inside[d] = origin[d] + (inside[d] & ((1U << spacing_levels) - 1));
      ASSERT_EQ(key_of<n>(inside) >> (n * spacing_levels),
                key_of<n>(origin) >> (n * spacing_levels));
    }
  }
}

TEST(HilbertKey, IsNested) {
  walk_through_coarse_cells<2>();
  walk_through_coarse_cells<3>();
}

// The cell of a key, found level by level.
template <int n>
Cell<n> cell_of(std::uint64_t key) {
  Cell<n> cell = {};
  for (int level = lattice_levels(n) - 1; level >= 0; --level) {
    const auto shares_the_prefix = [&](unsigned orthant) {
      const auto child = sum_of<n>(cell, corner<n>(orthant, 1U << level));
      return key_of<n>(child) >> (n * level) == key >> (n * level);
    };
    unsigned orthant = 0;
    while (orthant < 1U << n && !shares_the_prefix(orthant)) ++orthant;
    cell = sum_of<n>(cell, corner<n>(orthant, 1U << level));
  }
  return cell;
}

// From each key to the next it is one step, however many orthants end there.
template <int n>
void step_anywhere() {
  std::mt19937_64 random(7);
  const std::uint64_t end = end_of_curve(n).value;
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const int zeros = repeat % (n * lattice_levels(n));
    std::uint64_t key = (random() % end) >> zeros << zeros;
    key = std::clamp<std::uint64_t>(key, 1, end - 1);
    const Cell<n> here = cell_of<n>(key), before = cell_of<n>(key - 1);
    ASSERT_EQ(key_of<n>(here), key);
    ASSERT_EQ(key_of<n>(before), key - 1);
    ASSERT_EQ(distance<n>(here, before), 1);
  }
}

TEST(HilbertKey, StepsToANeighbourAnywhere) {
  step_anywhere<2>();
  step_anywhere<3>();
}

TEST(HilbertKey, ByHand) {
  constexpr Cell<2> square[] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(key_of<2>(square[i]), i);
  constexpr Cell<3> cube[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                              {0, 1, 1}, {1, 1, 1}, {1, 0, 1}, {0, 0, 1}};
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(key_of<3>(cube[i]), i);
  EXPECT_EQ(key_of<2>({(1U << 31) - 1, 0}), end_of_curve(2).value - 1);
  EXPECT_EQ(key_of<3>({(1U << 21) - 1, 0, 0}), end_of_curve(3).value - 1);
}

TEST(HilbertKey, EndOfCurve) {
  static_assert(lattice_levels(2) == 31 && lattice_levels(3) == 21);
  static_assert(end_of_curve(2).value == std::uint64_t{1} << 62);
  static_assert(end_of_curve(3).value == std::uint64_t{1} << 63);
  EXPECT_LT(HilbertKey{1}, HilbertKey{2});
  EXPECT_FALSE(HilbertKey{2} < HilbertKey{2});
  EXPECT_TRUE(HilbertKey{2} == HilbertKey{2} && HilbertKey{2} != HilbertKey{1});
}

// --- The lattice ---------------------------------------------------------------------------------

constexpr double most = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr std::array<bool, 3> none = {false, false, false};
constexpr std::array<bool, 3> all = {true, true, true};

std::uint32_t last_of(int dimensions) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << lattice_levels(dimensions)) - 1);
}

// A box whose cells have length 1 and a corner at (-8, 100, 0).
Box box_of_unit_cells(int dimensions) {
  const double side = last_of(dimensions) + 1.0;
  return {{-8, 100, 0}, {side - 8, side / 4 + 100, side / 2}};
}

TEST(Lattice, CellsByHand) {
  for (const int n : {2, 3}) {
    const Lattice lattice(n, box_of_unit_cells(n), none);
    EXPECT_EQ(lattice.dimensions(), n);
    const double side = last_of(n) + 1.0;
    EXPECT_EQ(lattice.cell(0, -8), 0U);
    EXPECT_EQ(lattice.cell(0, -7.25), 0U);
    EXPECT_EQ(lattice.cell(0, -7), 1U);
    EXPECT_EQ(lattice.cell(0, 992.5), 1000U);
    EXPECT_EQ(lattice.cell(0, side - 9), last_of(n)) << "where the last cell starts";
    EXPECT_EQ(lattice.cell(0, side - 9.25), last_of(n) - 1);
    EXPECT_EQ(lattice.cell(1, 100.99), 0U) << "cells are cubes";
    EXPECT_EQ(lattice.cell(1, 1100), 1000U);
  }
}

// Points on an upper face and beyond belong to the last cell that the box has there.
TEST(Lattice, FacesAndOutside) {
  for (const int n : {2, 3}) {
    const Box box = box_of_unit_cells(n);
    const Lattice lattice(n, box, none);
    for (int d = 0; d < n; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      const double lower = box.lower[axis], upper = box.upper[axis];
      const auto last = static_cast<std::uint32_t>(upper - lower) - 1;
      EXPECT_EQ(lattice.cell(d, lower), 0U);
      EXPECT_EQ(lattice.cell(d, upper), last);
      for (const double beyond : {std::nextafter(lower, -most), lower - 1, -1e300, -most})
        EXPECT_EQ(lattice.cell(d, beyond), 0U) << beyond;
      for (const double beyond : {std::nextafter(upper, most), upper + 1e6, 1e300, most})
        EXPECT_EQ(lattice.cell(d, beyond), last) << beyond;
    }
  }
}

TEST(Lattice, FlatBoxes) {
  const Lattice flat(3, {{0, 7, 0}, {1, 7, 0.5}}, none);
  EXPECT_EQ(flat.cell(1, 7), 0U);
  EXPECT_EQ(flat.cell(1, 8), 0U);
  EXPECT_EQ(flat.cell(0, 0.5), 1U << 20);
  EXPECT_EQ(flat.cell(2, 0.25), 1U << 19);
  for (const int n : {2, 3}) {
    const Lattice point(n, {{3, 3, 3}, {3, 3, 3}}, none);
    for (const double place : {3.0, 2.0, 4.0, -most, most}) EXPECT_EQ(point.cell(1, place), 0U);
  }
}

TEST(Lattice, ThirdAxisHasNoMeaningInThePlane) {
  const Lattice lattice(2, {{0, 0, -1e9}, {1, 1, 1e9}}, {false, false, true});
  EXPECT_EQ(lattice.cell(0, 0.5), 1U << 30);
}

TEST(Lattice, ExtremeBoxes) {
  for (const int n : {2, 3}) {
    const Box everywhere = {{-most, -most, -most}, {most, most, most}};
    for (const auto& periodic : {none, all}) {
      const Lattice lattice(n, everywhere, periodic);
      const std::uint32_t half = 1U << (lattice_levels(n) - 1);
      EXPECT_EQ(lattice.cell(0, -most), 0U);
      EXPECT_EQ(lattice.cell(0, 0), half);
      EXPECT_EQ(lattice.cell(0, -most / 2), half / 2);
      EXPECT_EQ(lattice.cell(0, 0.99 * most), static_cast<std::uint32_t>(std::floor(1.99 * half)));
      EXPECT_EQ(lattice.cell(0, most), periodic[0] ? 0U : last_of(n));
    }
    const Box corner = {{0.5 * most, most, most}, {most, most, most}};
    const Lattice far(n, corner, none);
    EXPECT_EQ(far.cell(0, 0.5 * most), 0U);
    EXPECT_EQ(far.cell(0, most), last_of(n));
    EXPECT_EQ(far.cell(0, -most), 0U);
  }
}

// Extents so small that cells would have no length: all is one cell, or at least in order.
TEST(Lattice, TinyBoxes) {
  for (const double side : {least, 8 * least, 1e-310, 1e-305, 1e-300, 1e-290})
    for (const auto& periodic : {none, all}) {
      const Lattice lattice(3, {{0, 0, 0}, {side, side / 2, side}}, periodic);
      std::uint32_t before = 0;
      for (const double share : {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
        const std::uint32_t cell = lattice.cell(0, share * side);
        EXPECT_GE(cell, before) << side << ' ' << share;
        EXPECT_LE(cell, last_of(3));
        before = cell;
      }
      if (side >= 1e-300) {
        EXPECT_EQ(before, static_cast<std::uint32_t>(0.99 * 0x1p21));
      }
      EXPECT_LE(lattice.cell(0, -1), periodic[0] ? last_of(3) : 0);
    }
}

TEST(Lattice, PeriodicAxesWrapAround) {
  const Box box = {{-1, 1, 10}, {3, 3, 11}};  // periods 4, 2, 1: eighths are exact
  for (const int n : {2, 3}) {
    const Lattice plain(n, box, none), wrapped(n, box, all);
    for (int d = 0; d < n; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      const double lower = box.lower[axis], period = box.upper[axis] - lower;
      for (int eighth = 0; eighth < 8; ++eighth) {
        const double place = lower + eighth * period / 8;
        const std::uint32_t cell = plain.cell(d, place);
        for (const int periods : {0, -1, 1, -2, 2, -1000, 1'000'000})
          EXPECT_EQ(wrapped.cell(d, place + periods * period), cell) << place << ' ' << periods;
      }
      EXPECT_EQ(wrapped.cell(d, box.upper[axis]), 0U) << "the upper face is the lower one";
      const std::uint32_t last = plain.cell(d, box.upper[axis]);
      EXPECT_EQ(wrapped.cell(d, std::nextafter(box.upper[axis], -most)), last);
      EXPECT_EQ(wrapped.cell(d, std::nextafter(lower, -most)), last);
      EXPECT_LE(wrapped.cell(d, most), last);
      EXPECT_LE(wrapped.cell(d, -most), last);
    }
  }
}

// A step below the lower face is so short that it vanishes when the period is added.
TEST(Lattice, JustBelowAPeriodicFaceIsTheLastCell) {
  const Lattice lattice(3, {{0, 0, 0}, {1, 0.5, 0.25}}, all);
  for (const double step : {1e-320, 1e-300, 1e-30, 1e-10}) {
    EXPECT_EQ(lattice.cell(0, -step), (1U << 21) - 1);
    EXPECT_EQ(lattice.cell(1, -step), (1U << 20) - 1);
    EXPECT_EQ(lattice.cell(2, -step), (1U << 19) - 1);
  }
}

TEST(Lattice, OnlyTheAxesNamedWrapAround) {
  for (std::size_t d = 0; d < 3; ++d) {
    std::array<bool, 3> periodic = none;
    periodic[d] = true;
    const Lattice lattice(3, {{0, 0, 0}, {1, 1, 1}}, periodic);
    for (std::size_t e = 0; e < 3; ++e)
      EXPECT_EQ(lattice.cell(static_cast<int>(e), 1.25), e == d ? 1U << 19 : last_of(3));
  }
}

TEST(Lattice, CellsGrowWithPlaces) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const int n = 2 + repeat % 2;
    Box box;
    const double scale = std::pow(10.0, 300 * uniform(random)), shift = 1e4 * uniform(random);
    for (std::size_t d = 0; d < 3; ++d) {
      const double one = scale * (shift + uniform(random)),
                   other = scale * (shift + uniform(random));
      box.lower[d] = std::min(one, other);
      box.upper[d] = std::max(one, other);
    }
    const Lattice lattice(n, box, none);
    for (int d = 0; d < n; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      std::vector<double> places;
      for (int i = 0; i < 200; ++i) places.push_back(scale * (shift + 1.2 * uniform(random)));
      places.push_back(box.lower[axis]);
      places.push_back(box.upper[axis]);
      std::sort(places.begin(), places.end());
      for (std::size_t i = 1; i < places.size(); ++i)
        ASSERT_LE(lattice.cell(d, places[i - 1]), lattice.cell(d, places[i]));
    }
  }
}

// Against long doubles: rounding may put a point at a border into the cell beside it, and no other.
TEST(Lattice, CellsOfRandomBoxes) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::int64_t off = 0, total = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const int n = 2 + repeat % 2;
    const Box box = {{uniform(random), -5 * uniform(random), 30 * uniform(random)},
                     {1 + uniform(random), uniform(random), 40 * uniform(random) + 30}};
    const Lattice lattice(n, box, none);
    long double longest = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(n); ++d)
      longest = std::max(longest, static_cast<long double>(box.upper[d]) - box.lower[d]);
    for (std::size_t d = 0; d < static_cast<std::size_t>(n); ++d)
      for (int i = 0; i < 50; ++i, ++total) {
        const double place = box.lower[d] + uniform(random) * (box.upper[d] - box.lower[d]);
        const long double share = (static_cast<long double>(place) - box.lower[d]) / longest;
        const auto expected = static_cast<std::int64_t>(share * (last_of(n) + 1.0L));
        const auto cell = static_cast<std::int64_t>(lattice.cell(static_cast<int>(d), place));
        ASSERT_LE(std::abs(cell - expected), 1);
        off += cell == expected ? 0 : 1;
      }
  }
  EXPECT_LT(off, total / 1000);
}

// A float is the double that it stands for.
TEST(Lattice, FloatsAndDoublesAgree) {
  const Lattice lattice(3, {{-1, -1, -1}, {1, 1, 1}}, none);
  EXPECT_EQ(lattice.cell(0, 0.1F), lattice.cell(0, static_cast<double>(0.1F)));
  EXPECT_NE(lattice.cell(0, 0.1F + 1e-6F), lattice.cell(0, 0.1F));
}

TEST(Lattice, OtherDimensionsAreAnError) {
  for (const int dimensions : {-1, 0, 1, 4})
    EXPECT_ERROR(Lattice(dimensions, {{0, 0, 0}, {1, 1, 1}}, none),
                 "core/curve: A lattice in " + std::to_string(dimensions) +
                     " dimensions was asked for. There are curves in 2 and 3.");
  EXPECT_EQ(Lattice().dimensions(), 0);
}

// --- On the space under test ---------------------------------------------------------------------

// Cells and key of every point, in its row.
template <int n, class Places, class Numbers>
struct Locate {
  Lattice lattice;
  Places places;
  Numbers numbers;

  KOKKOS_FUNCTION void operator()(int i) const {
    std::uint32_t cell[n];
    for (int d = 0; d < n; ++d) numbers(i, d) = cell[d] = lattice.cell(d, places(i, d));
    numbers(i, n) = hilbert_key(cell).value;
  }
};

// In and around the box, on its faces, and as far away as numbers go.
double place_for(int i, std::mt19937_64& random) {
  constexpr double special[] = {0, 1, 2, 3, -1, 1e300, -1e300, most, -most, least, -1e-20};
  if (i % 10 == 0) return special[random() % std::size(special)];
  return std::uniform_real_distribution<double>(-1, 4)(random);
}

template <int n, class Instance>
void locate(const Instance& instance, const Lattice& lattice) {
  using Memory = typename Instance::memory_space;
  using Places = Kokkos::View<double* [n], Memory>;
  using Numbers = Kokkos::View<std::uint64_t * [n + 1], Memory>;
  constexpr int points = 20'000;
  const Places places("places", points);
  const Numbers numbers("numbers", points);
  const auto host_places = Kokkos::create_mirror_view(places);
  std::mt19937_64 random(10);
  for (int i = 0; i < points; ++i)
    for (int d = 0; d < n; ++d) host_places(i, d) = place_for(i, random);
  Kokkos::deep_copy(places, host_places);
  Kokkos::parallel_for("evenkeel::test::locate",
                       Kokkos::RangePolicy<Instance, Kokkos::IndexType<int>>(instance, 0, points),
                       Locate<n, Places, Numbers>{lattice, places, numbers});
  test::space().fence("evenkeel::test::locate");
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers);
  for (int i = 0; i < points; ++i) {
    std::uint32_t cell[n];
    for (int d = 0; d < n; ++d) {
      cell[d] = lattice.cell(d, host_places(i, d));
      ASSERT_EQ(found(i, d), cell[d]) << host_places(i, d);
    }
    ASSERT_EQ(found(i, n), hilbert_key(cell).value);
  }
}

template <class Instance>
void locate_in_all(const Instance& instance) {
  for (const auto& periodic : {none, all}) {
    const Box box = {{0, 0, 0}, {3, 2, 1}}, everywhere = {{-most, 0, 0}, {most, most, 1}};
    for (const Box& lattice_box : {box, everywhere}) {
      locate<2>(instance, Lattice(2, lattice_box, periodic));
      locate<3>(instance, Lattice(3, lattice_box, periodic));
    }
  }
}

TEST(Lattice, TheSameOnHostAndDevice) {
  with_space(test::space(), [](const auto& instance) { locate_in_all(instance); });
}

}  // namespace
}  // namespace evenkeel
