#include "core/curve/cells.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/curve.hpp>

#include <Kokkos_Core.hpp>

namespace evenkeel::lattice_test {
namespace {

constexpr int levels_in(int dimensions) {
  return dimensions == 3 ? curve_levels<3, std::uint64_t> : curve_levels<2, std::uint64_t>;
}

// --- Coordinates ---------------------------------------------------------------------------------

constexpr double most = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr std::array<bool, 3> none = {false, false, false};
constexpr std::array<bool, 3> all = {true, true, true};

std::uint32_t last_of(int dimensions) { return test::last_of(levels_in(dimensions)); }

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
    EXPECT_EQ(lattice.coordinate(0, -8), 0U);
    EXPECT_EQ(lattice.coordinate(0, -7.25), 0U);
    EXPECT_EQ(lattice.coordinate(0, -7), 1U);
    EXPECT_EQ(lattice.coordinate(0, 992.5), 1000U);
    EXPECT_EQ(lattice.coordinate(0, side - 9), last_of(n)) << "where the last cell starts";
    EXPECT_EQ(lattice.coordinate(0, side - 9.25), last_of(n) - 1);
    EXPECT_EQ(lattice.coordinate(1, 100.99), 0U) << "cells are cubes";
    EXPECT_EQ(lattice.coordinate(1, 1100), 1000U);
  }
}

// Points on an upper face or beyond it belong to the last cell of the box there.
TEST(Lattice, FacesAndOutside) {
  for (const int n : {2, 3}) {
    const Box box = box_of_unit_cells(n);
    const Lattice lattice(n, box, none);
    for (int d = 0; d < n; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      const double lower = box.lower[axis], upper = box.upper[axis];
      const auto last = static_cast<std::uint32_t>(upper - lower) - 1;
      EXPECT_EQ(lattice.coordinate(d, lower), 0U);
      EXPECT_EQ(lattice.coordinate(d, upper), last);
      for (const double beyond : {std::nextafter(lower, -most), lower - 1, -1e300, -most})
        EXPECT_EQ(lattice.coordinate(d, beyond), 0U) << beyond;
      for (const double beyond : {std::nextafter(upper, most), upper + 1e6, 1e300, most})
        EXPECT_EQ(lattice.coordinate(d, beyond), last) << beyond;
    }
  }
}

TEST(Lattice, FlatBoxes) {
  const Lattice flat(3, {{0, 7, 0}, {1, 7, 0.5}}, none);
  EXPECT_EQ(flat.coordinate(1, 7), 0U);
  EXPECT_EQ(flat.coordinate(1, 8), 0U);
  EXPECT_EQ(flat.coordinate(0, 0.5), 1U << 20);
  EXPECT_EQ(flat.coordinate(2, 0.25), 1U << 19);
  for (const int n : {2, 3}) {
    const Lattice point(n, {{3, 3, 3}, {3, 3, 3}}, none);
    for (const double place : {3.0, 2.0, 4.0, -most, most})
      EXPECT_EQ(point.coordinate(1, place), 0U);
  }
}

TEST(Lattice, ThirdAxisHasNoMeaningInThePlane) {
  const Lattice lattice(2, {{0, 0, -1e9}, {1, 1, 1e9}}, {false, false, true});
  EXPECT_EQ(lattice.coordinate(0, 0.5), 1U << 30);
}

TEST(Lattice, ExtremeBoxes) {
  for (const int n : {2, 3}) {
    const Box everywhere = {{-most, -most, -most}, {most, most, most}};
    for (const auto& periodic : {none, all}) {
      const Lattice lattice(n, everywhere, periodic);
      const std::uint32_t half = 1U << (levels_in(n) - 1);
      EXPECT_EQ(lattice.coordinate(0, -most), 0U);
      EXPECT_EQ(lattice.coordinate(0, 0), half);
      EXPECT_EQ(lattice.coordinate(0, -most / 2), half / 2);
      EXPECT_EQ(lattice.coordinate(0, 0.99 * most),
                static_cast<std::uint32_t>(std::floor(1.99 * half)));
      EXPECT_EQ(lattice.coordinate(0, most), periodic[0] ? 0U : last_of(n));
    }
    const Box corner = {{0.5 * most, most, most}, {most, most, most}};
    const Lattice far(n, corner, none);
    EXPECT_EQ(far.coordinate(0, 0.5 * most), 0U);
    EXPECT_EQ(far.coordinate(0, most), last_of(n));
    EXPECT_EQ(far.coordinate(0, -most), 0U);
  }
}

// Extents are so small that cells would have no length. All places must share one cell, or at least
// be in order.
TEST(Lattice, TinyBoxes) {
  for (const double side : {least, 8 * least, 1e-310, 1e-305, 1e-300, 1e-290})
    for (const auto& periodic : {none, all}) {
      const Lattice lattice(3, {{0, 0, 0}, {side, side / 2, side}}, periodic);
      std::uint32_t before = 0;
      for (const double share : {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
        const std::uint32_t cell = lattice.coordinate(0, share * side);
        EXPECT_GE(cell, before) << side << ' ' << share;
        EXPECT_LE(cell, last_of(3));
        before = cell;
      }
      if (side >= 1e-300) {
        EXPECT_EQ(before, static_cast<std::uint32_t>(0.99 * 0x1p21));
      }
      EXPECT_LE(lattice.coordinate(0, -1), periodic[0] ? last_of(3) : 0);
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
        const std::uint32_t cell = plain.coordinate(d, place);
        for (const int periods : {0, -1, 1, -2, 2, -1000, 1'000'000})
          EXPECT_EQ(wrapped.coordinate(d, place + periods * period), cell)
              << place << ' ' << periods;
      }
      EXPECT_EQ(wrapped.coordinate(d, box.upper[axis]), 0U) << "the upper face is the lower one";
      const std::uint32_t last = plain.coordinate(d, box.upper[axis]);
      EXPECT_EQ(wrapped.coordinate(d, std::nextafter(box.upper[axis], -most)), last);
      EXPECT_EQ(wrapped.coordinate(d, std::nextafter(lower, -most)), last);
      EXPECT_LE(wrapped.coordinate(d, most), last);
      EXPECT_LE(wrapped.coordinate(d, -most), last);
    }
  }
}

// The step below the lower face is so short that it vanishes when the period is added.
TEST(Lattice, JustBelowAPeriodicFaceIsTheLastCell) {
  const Lattice lattice(3, {{0, 0, 0}, {1, 0.5, 0.25}}, all);
  for (const double step : {1e-320, 1e-300, 1e-30, 1e-10}) {
    EXPECT_EQ(lattice.coordinate(0, -step), (1U << 21) - 1);
    EXPECT_EQ(lattice.coordinate(1, -step), (1U << 20) - 1);
    EXPECT_EQ(lattice.coordinate(2, -step), (1U << 19) - 1);
  }
}

TEST(Lattice, OnlyTheAxesNamedWrapAround) {
  for (std::size_t d = 0; d < 3; ++d) {
    std::array<bool, 3> periodic = none;
    periodic[d] = true;
    const Lattice lattice(3, {{0, 0, 0}, {1, 1, 1}}, periodic);
    for (std::size_t e = 0; e < 3; ++e)
      EXPECT_EQ(lattice.coordinate(static_cast<int>(e), 1.25), e == d ? 1U << 19 : last_of(3));
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
        ASSERT_LE(lattice.coordinate(d, places[i - 1]), lattice.coordinate(d, places[i]));
    }
  }
}

// Compares with long doubles. Rounding may put a point at a border into the neighbouring cell, but
// into no other.
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
        const auto cell = static_cast<std::int64_t>(lattice.coordinate(static_cast<int>(d), place));
        ASSERT_LE(std::abs(cell - expected), 1);
        off += cell == expected ? 0 : 1;
      }
  }
  EXPECT_LT(off, total / 1000);
}

// A float must have the cell of the double with the same value.
TEST(Lattice, FloatsAndDoublesAgree) {
  const Lattice lattice(3, {{-1, -1, -1}, {1, 1, 1}}, none);
  EXPECT_EQ(lattice.coordinate(0, 0.1F), lattice.coordinate(0, static_cast<double>(0.1F)));
  EXPECT_NE(lattice.coordinate(0, 0.1F + 1e-6F), lattice.coordinate(0, 0.1F));
}

TEST(Lattice, OtherDimensionsAreAnError) {
  for (const int dimensions : {-1, 0, 1, 4})
    EXPECT_ERROR(Lattice(dimensions, {{0, 0, 0}, {1, 1, 1}}, none),
                 "core/curve: A lattice in " + std::to_string(dimensions) +
                     " dimensions was asked for. Use 2 or 3 dimensions.");
  EXPECT_EQ(Lattice().dimensions(), 0);
}

// --- Levels --------------------------------------------------------------------------------------

constexpr CurveKind curves[] = {CurveKind::hilbert, CurveKind::morton, CurveKind::snake};

// A cell of fewer levels must consist of cells of more levels, and end where the box ends.
TEST(Lattice, FewerLevelsAreCoarserCells) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-0.1, 1.1);
  for (const int n : {2, 3})
    for (const auto& periodic : {none, all}) {
      const Box box = {{-1, 2, 0}, {3, 5, 0.7}};
      const Lattice fine(n, box, periodic);
      for (int levels = 1; levels <= levels_in(n); ++levels) {
        const Lattice coarse(n, box, periodic, CurveKind::hilbert, levels);
        for (int i = 0; i < 200; ++i)
          for (int d = 0; d < n; ++d) {
            const auto axis = static_cast<std::size_t>(d);
            const double place =
                box.lower[axis] + uniform(random) * (box.upper[axis] - box.lower[axis]);
            const std::uint32_t expected = fine.coordinate(d, place) >> (levels_in(n) - levels);
            ASSERT_EQ(coarse.coordinate(d, place), std::min(expected, coarse.last_coordinate(d)));
          }
      }
    }
}

TEST(Lattice, LastCoordinate) {
  for (const int n : {2, 3}) {
    const Box box = {{0, 0, 0}, {8, 3, 0}};
    const Lattice lattice(n, box, none, CurveKind::snake, 4);  // cells of one half
    EXPECT_EQ(lattice.last_coordinate(0), 15U);
    EXPECT_EQ(lattice.last_coordinate(1), 5U);
    if (n == 3) {
      EXPECT_EQ(lattice.last_coordinate(2), 0U);
    }
    for (int d = 0; d < n; ++d)
      EXPECT_EQ(lattice.coordinate(d, box.upper[static_cast<std::size_t>(d)]),
                lattice.last_coordinate(d));
    // If the box ends inside a cell, this cell is the last one.
    EXPECT_EQ(Lattice(n, {{0, 0, 0}, {8, 3.01, 0}}, none, CurveKind::snake, 4).last_coordinate(1),
              6U);
  }
}

TEST(Lattice, ALineOfCells) {
  const Lattice line(3, {{1, 0, 5}, {1, 4, 5}}, none, CurveKind::hilbert, 2);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(line.coordinate(1, i + 0.5), static_cast<unsigned>(i));
  EXPECT_EQ(line.last_coordinate(0), 0U);
  EXPECT_EQ(line.last_coordinate(2), 0U);
}

template <int n>
void round_trip(CurveKind curve, int levels) {
  std::mt19937_64 random(12);
  const Lattice lattice(n, {{0, 0, 0}, {1, 1, 1}}, none, curve, levels);
  EXPECT_EQ(lattice.levels(), levels);
  EXPECT_EQ(lattice.curve(), curve);
  EXPECT_EQ(lattice.unused_bits(), n * (levels_in(n) - levels));
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Cell<n> cell = test::random_cell<n>(random, levels);
    const CurveKey key = lattice.key(cell);
    ASSERT_LT(key, end_of_curve(n));
    ASSERT_EQ(key.value >> lattice.unused_bits() << lattice.unused_bits(), key.value);
    ASSERT_TRUE(lattice.template cell<n>(key) == cell);
    // Any bits may follow, since below the levels of the lattice a key has no information.
    const std::uint64_t inside = random() & ((std::uint64_t{1} << lattice.unused_bits()) - 1);
    ASSERT_TRUE(lattice.template cell<n>({key.value | inside}) == cell);
  }
}

TEST(Lattice, KeysTellTheirCells) {
  for (const CurveKind curve : curves)
    for (const int levels : {1, 2, 3, 10, 20, 21}) {
      SCOPED_TRACE(std::string(name_of(curve)) + ", " + std::to_string(levels));
      round_trip<2>(curve, levels);
      round_trip<3>(curve, levels);
    }
  for (const CurveKind curve : curves) round_trip<2>(curve, 31);
}

// Visits all keys of a small lattice. Each must occur once. If the curve never leaps, successive
// keys must be neighbours.
template <int n>
void walk_lattice(CurveKind curve, int levels) {
  const Lattice lattice(n, {{0, 0, 0}, {1, 1, 1}}, none, curve, levels);
  Cell<n> before;
  for (std::uint64_t i = 0; i < std::uint64_t{1} << (n * levels); ++i) {
    const CurveKey key = {i << lattice.unused_bits()};
    const Cell<n> cell = lattice.template cell<n>(key);
    ASSERT_EQ(lattice.key(cell), key);
    if (i > 0 && curve != CurveKind::morton) {
      ASSERT_EQ(test::distance(cell, before), 1);
    }
    before = cell;
  }
}

TEST(Lattice, SmallOnesAreWalked) {
  for (const CurveKind curve : curves)
    for (const int levels : {1, 2, 3, 4}) {
      walk_lattice<2>(curve, levels);
      walk_lattice<3>(curve, levels);
    }
}

// A key of a coarser lattice is that of the finest one, with zeros at its end; the snake is an
// exception.
template <int n>
void begin_alike(CurveKind curve) {
  std::mt19937_64 random(13);
  const Box box = {{0, 0, 0}, {1, 1, 1}};
  const Lattice fine(n, box, none, curve);
  for (int levels = 1; levels <= levels_in(n); ++levels) {
    const Lattice coarse(n, box, none, curve, levels);
    for (int repeat = 0; repeat < 100; ++repeat) {
      const Cell<n> cell = test::random_cell<n>(random, levels_in(n));
      Cell<n> around = cell;
      for (std::uint32_t& at : around.at) at >>= levels_in(n) - levels;
      const int unused = coarse.unused_bits();
      ASSERT_EQ(coarse.key(around).value, fine.key(cell).value >> unused << unused);
    }
  }
}

TEST(Lattice, CoarseKeysBeginFineOnes) {
  for (const CurveKind curve : {CurveKind::hilbert, CurveKind::morton}) {
    begin_alike<2>(curve);
    begin_alike<3>(curve);
  }
}

TEST(Lattice, KeysAreThoseOfTheCurve) {
  std::mt19937_64 random(14);
  const Box box = {{0, 0, 0}, {1, 1, 1}};
  const Lattice hilbert(3, box, none), morton(3, box, none, CurveKind::morton),
      snake(3, box, none, CurveKind::snake, 7);
  EXPECT_EQ(hilbert.levels(), 21);
  EXPECT_EQ(hilbert.unused_bits(), 0);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto cell = test::random_cell<3>(random, 21), coarse = test::random_cell<3>(random, 7);
    ASSERT_EQ(hilbert.key(cell).value, HilbertCurve<3>()(cell).value);
    ASSERT_EQ(morton.key(cell).value, MortonCurve<3>()(cell).value);
    ASSERT_EQ(snake.key(coarse).value, SnakeCurve<3>{7}(coarse).value << (3 * 14));
  }
}

TEST(Lattice, OtherLevelsAreAnError) {
  const Box box = {{0, 0, 0}, {1, 1, 1}};
  for (const int levels : {-1, 22, 1000})
    EXPECT_ERROR(Lattice(3, box, none, CurveKind::hilbert, levels),
                 "core/curve: A lattice of " + std::to_string(levels) +
                     " levels was asked for. In 3 dimensions, ask for 1 to 21, or for 0 to get "
                     "as many as possible.");
  EXPECT_ERROR(Lattice(2, box, none, CurveKind::hilbert, 32),
               "core/curve: A lattice of 32 levels was asked for. In 2 dimensions, ask for 1 to "
               "31, or for 0 to get as many as possible.");
}

TEST(Lattice, NamesOfCurves) {
  EXPECT_STREQ(name_of(CurveKind::hilbert), "hilbert");
  EXPECT_STREQ(name_of(CurveKind::morton), "morton");
  EXPECT_STREQ(name_of(CurveKind::snake), "snake");
}

// --- How many levels -----------------------------------------------------------------------------

TEST(LevelsFor, AllWhileTheSpacingIsUnknown) {
  for (const std::int64_t objects : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 40})
    for (const double spacing : {0.0, -1.0, std::nan("")}) {
      EXPECT_EQ(levels_for(2, objects, 1, spacing), 31);
      EXPECT_EQ(levels_for(3, objects, 1, spacing), 21);
    }
}

// The mesh has 64 cells a side. Cells of the lattice are half as wide, so there are 128.
TEST(LevelsFor, AMesh) {
  EXPECT_EQ(levels_for(3, 64 * 64 * 64, 1, 1.0 / 64), 7);
  EXPECT_EQ(levels_for(3, 64 * 64 * 64, 640, 10), 7);
  EXPECT_EQ(levels_for(2, 64 * 64, 1, 1.0 / 64), 7);
  EXPECT_EQ(levels_for(3, 65 * 65 * 65, 1, 1.0 / 64), 8);
}

// Objects that are close together need cells that narrow, even if the rest of the box is empty.
TEST(LevelsFor, TheFinerOfCountAndSpacing) {
  EXPECT_EQ(levels_for(3, 8, 1, 1.0 / 1024), 10);
  EXPECT_EQ(levels_for(3, 8, 1, 1.0 / 1025), 11);
  EXPECT_EQ(levels_for(3, 8, 1, 1), 2);
  EXPECT_EQ(levels_for(2, 1'000'000, 1, 0.5), 11) << "2000 cells a side";
}

TEST(LevelsFor, HugeSmallAndNoSides) {
  for (const int n : {2, 3}) {
    EXPECT_EQ(levels_for(n, 10, most, least), levels_in(n));
    EXPECT_EQ(levels_for(n, 10, most, 1), levels_in(n));
    EXPECT_EQ(levels_for(n, 10, 1, least), levels_in(n));
    EXPECT_EQ(levels_for(n, 1, 0, 1), 1);
    EXPECT_EQ(levels_for(n, 0, 0, 1), 1);
    EXPECT_EQ(levels_for(n, -5, least, most), 1);
    EXPECT_EQ(levels_for(n, std::numeric_limits<std::int64_t>::max(), 1, 1),
              std::min(levels_in(n), n == 3 ? 22 : 33));
  }
}

TEST(LevelsFor, MoreObjectsAndLessSpacingNeverNeedFewer) {
  for (const int n : {2, 3}) {
    int before = 0;
    for (std::int64_t objects = 1; objects < std::int64_t{1} << 60; objects += 1 + objects / 7) {
      const int levels = levels_for(n, objects, 1, 1);
      EXPECT_GE(levels, before);
      before = levels;
    }
    before = 0;
    double spacing = 2;
    for (int shrinks = 0; shrinks < 270; ++shrinks, spacing *= 0.9) {
      const int levels = levels_for(n, 100, 1, spacing);
      EXPECT_GE(levels, before);
      EXPECT_TRUE(std::ldexp(spacing, levels) >= 1 || levels == levels_in(n));
      before = levels;
    }
  }
}

TEST(LevelsFor, OtherDimensionsAreAnError) {
  EXPECT_ERROR(levels_for(1, 10, 1, 1), "A lattice in 1 dimensions was asked for.");
}

// --- On the space under test ---------------------------------------------------------------------

// For every point, finds in its row the cell, the key, and the key of that key's cell.
template <int n, class Places, class Numbers>
struct Locate {
  Lattice lattice;
  Places places;
  Numbers numbers;

  KOKKOS_FUNCTION void operator()(int i) const {
    Cell<n> cell;
    for (int d = 0; d < n; ++d) numbers(i, d) = cell.at[d] = lattice.coordinate(d, places(i, d));
    const CurveKey key = lattice.key(cell);
    numbers(i, n) = key.value;
    numbers(i, n + 1) = lattice.key(lattice.template cell<n>(key)).value;
  }
};

// Draws coordinates in and around the box, on its faces, and as far away as numbers reach.
double place_for(int i, std::mt19937_64& random) {
  constexpr double special[] = {0, 1, 2, 3, -1, 1e300, -1e300, most, -most, least, -1e-20};
  if (i % 10 == 0) return special[random() % std::size(special)];
  return std::uniform_real_distribution<double>(-1, 4)(random);
}

template <int n, class Instance>
void locate(const Instance& instance, const Lattice& lattice) {
  using Memory = typename Instance::memory_space;
  using Places = Kokkos::View<double* [n], Memory>;
  using Numbers = Kokkos::View<std::uint64_t * [n + 2], Memory>;
  constexpr int points = 5000;
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
    Cell<n> cell;
    for (int d = 0; d < n; ++d) {
      cell.at[d] = lattice.coordinate(d, host_places(i, d));
      ASSERT_EQ(found(i, d), cell.at[d]) << host_places(i, d);
    }
    ASSERT_EQ(found(i, n), lattice.key(cell).value);
    ASSERT_EQ(found(i, n + 1), found(i, n)) << "and back";
  }
}

TEST(Lattice, TheSameOnHostAndDevice) {
  with_space(test::space(), []<class Instance>(const Instance& instance) {
    const Box box = {{0, 0, 0}, {3, 2, 1}}, everywhere = {{-most, 0, 0}, {most, most, 1}};
    for (const CurveKind curve : curves)
      for (const int levels : {0, 4})
        for (const auto& periodic : {none, all})
          for (const Box& lattice_box : {box, everywhere}) {
            locate<2>(instance, Lattice(2, lattice_box, periodic, curve, levels));
            locate<3>(instance, Lattice(3, lattice_box, periodic, curve, levels));
          }
  });
}

}  // namespace
}  // namespace evenkeel::lattice_test
