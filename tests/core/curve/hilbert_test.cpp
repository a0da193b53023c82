#include "core/curve/bitwise.hpp"
#include "core/curve/cells.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/curve.hpp>

namespace evenkeel::hilbert_test {
namespace {

using test::distance;
using test::last_of;
using test::random_cell;

template <class Kind>
class HilbertOf : public testing::Test {
 protected:
  static constexpr int n = Kind::n;
  static constexpr int levels = Kind::levels;
  using Bits = typename Kind::Bits;
  using Curve = HilbertCurve<n, Bits>;
  using Key = typename Curve::Key;
  static constexpr std::uint64_t end = std::uint64_t{1} << (n * levels);

  static Bits key_of(const Cell<n>& cell) { return Curve()(cell).value; }
  static Cell<n> cell_of(std::uint64_t key) { return Curve()(Key{static_cast<Bits>(key)}); }

  // Expects that the curve has passed through all cells of [origin, origin + 2^cube * spacing) that
  // are multiples of `spacing` from the origin, without a leap and without another cell between
  // them.
  static void expect_walk(const Cell<n>& origin, int cube, int spacing_levels) {
    struct Visit {
      std::uint64_t place;
      Cell<n> cell;
    };
    std::vector<Visit> visits;
    for (std::uint64_t i = 0; i < 1U << (n * cube); ++i) {
      Cell<n> cell = test::cell_in_cube<n>(i, cube);
      for (int axis = 0; axis < n; ++axis)
        cell.at[axis] = origin.at[axis] + (cell.at[axis] << spacing_levels);
      visits.push_back({std::uint64_t{key_of(cell)} >> (n * spacing_levels), cell});
    }
    std::sort(visits.begin(), visits.end(),
              [](const Visit& a, const Visit& b) { return a.place < b.place; });
    EXPECT_EQ(visits.front().place % visits.size(), 0U) << "aligned";
    for (std::size_t i = 1; i < visits.size(); ++i) {
      ASSERT_EQ(visits[i].place, visits[i - 1].place + 1);
      ASSERT_EQ(distance(visits[i].cell, visits[i - 1].cell), std::int64_t{1} << spacing_levels);
    }
  }

  static hilbert::PackedTable<n> packed_places() {
    static const std::vector<std::uint16_t> entries = [] {
      const auto& places = hilbert::tables<n>.places;
      std::vector<std::uint16_t> packed;
      for (std::uint32_t at = 0; at < hilbert::Table<n>::size; ++at)
        packed.push_back(static_cast<std::uint16_t>(places.row_at(at) | places.digit_at(at)));
      return packed;
    }();
    return {entries.data()};
  }

  // All implementations must find the same key for a cell, and this cell for the key.
  static void expect_one_key(const Cell<n>& cell) {
    const Bits key = test::hilbert_bitwise<n, Bits>(cell);
    constexpr auto& tables = hilbert::tables<n>;
    ASSERT_EQ((hilbert::key_by_table<n, Bits>(tables.places, cell)), key);
    ASSERT_EQ((hilbert::key_by_table<n, Bits>(packed_places(), cell)), key);
    ASSERT_EQ((hilbert::key_by_levels<n, Bits>(cell)), key);
    ASSERT_EQ(key_of(cell), key);
    ASSERT_TRUE((hilbert::cell_by_table<n, Bits>(tables.coordinates, key)) == cell);
    ASSERT_TRUE((hilbert::cell_by_levels<n, Bits>(key)) == cell);
    ASSERT_TRUE(cell_of(key) == cell);
    ASSERT_LT(std::uint64_t{key}, end);
  }
};

TYPED_TEST_SUITE(HilbertOf, test::Kinds, );

TYPED_TEST(HilbertOf, AllFormsAgree) {
  using F = TestFixture;
  std::mt19937_64 random(3);
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    // Also tests few levels, at either end of the coordinates.
    const int used = 1 + repeat % F::levels;
    Cell<F::n> cell = random_cell<F::n>(random, used);
    if (repeat % 2 == 0)
      for (std::uint32_t& at : cell.at) at <<= F::levels - used;
    F::expect_one_key(cell);
  }
  for (std::uint64_t i = 0; i < 1U << 12; ++i)
    F::expect_one_key(test::cell_in_cube<F::n>(i, 12 / F::n));
}

TYPED_TEST(HilbertOf, EveryKeyHasACell) {
  using F = TestFixture;
  std::mt19937_64 random(4);
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    const std::uint64_t key = random() % F::end;
    ASSERT_EQ(F::key_of(F::cell_of(key)), key);
  }
}

// The curve must lead from corner to corner along the first axis.
TYPED_TEST(HilbertOf, Extremes) {
  using F = TestFixture;
  Cell<F::n> last;
  last.at[0] = last_of(F::levels);
  F::expect_one_key({});
  F::expect_one_key(last);
  F::expect_one_key(test::all_at<F::n>(last_of(F::levels)));
  EXPECT_EQ(F::key_of({}), 0U);
  EXPECT_EQ(F::key_of(last), F::end - 1);
}

TYPED_TEST(HilbertOf, WalksThroughCubesOfCells) {
  using F = TestFixture;
  std::mt19937_64 random(5);
  for (int cube = 1; cube <= 12 / F::n; ++cube) {
    F::expect_walk({}, cube, 0);
    F::expect_walk(test::all_at<F::n>(last_of(F::levels) - last_of(cube)), cube, 0);
    for (int repeat = 0; repeat < 20; ++repeat) {
      Cell<F::n> origin = random_cell<F::n>(random, F::levels);
      for (std::uint32_t& at : origin.at) at &= ~last_of(cube);
      F::expect_walk(origin, cube, 0);
    }
  }
}

// The curve must be the same at every coarser level: cells with the same parent share the place of
// the parent.
TYPED_TEST(HilbertOf, IsNested) {
  using F = TestFixture;
  constexpr int cube = 9 / F::n;
  std::mt19937_64 random(6);
  for (int spacing = 0; spacing <= F::levels - cube; ++spacing) {
    SCOPED_TRACE(spacing);
    Cell<F::n> origin = random_cell<F::n>(random, F::levels);
    for (std::uint32_t& at : origin.at) at = at >> (spacing + cube) << (spacing + cube);
    F::expect_walk(origin, cube, spacing);
    for (int repeat = 0; repeat < 50; ++repeat) {
      Cell<F::n> inside = random_cell<F::n>(random, spacing);
      for (int axis = 0; axis < F::n; ++axis) inside.at[axis] += origin.at[axis];
      ASSERT_EQ(F::key_of(inside) >> (F::n * spacing), F::key_of(origin) >> (F::n * spacing));
    }
  }
}

// The cells of successive keys must be neighbours, however many orthants end there.
TYPED_TEST(HilbertOf, StepsToANeighbourAnywhere) {
  using F = TestFixture;
  std::mt19937_64 random(7);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const int zeros = repeat % (F::n * F::levels);
    const std::uint64_t place = (random() % F::end) >> zeros << zeros;
    const std::uint64_t key = std::clamp<std::uint64_t>(place, 1, F::end - 1);
    ASSERT_EQ(distance(F::cell_of(key), F::cell_of(key - 1)), 1);
  }
}

TEST(Hilbert, ShortKeysBeginLongOnes) {
  test::expect_short_keys_begin_long_ones<HilbertCurve, 2>();
  test::expect_short_keys_begin_long_ones<HilbertCurve, 3>();
}

// The order in which the curve visits a cube of two cells a side, at the start of the 64-bit curve.
TEST(Hilbert, ByHand) {
  constexpr Cell<2> square[] = {{{0, 0}}, {{0, 1}}, {{1, 1}}, {{1, 0}}};
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(HilbertCurve<2>()(square[i]).value, i);
  constexpr Cell<3> cube[] = {{{0, 0, 0}}, {{1, 0, 0}}, {{1, 1, 0}}, {{0, 1, 0}},
                              {{0, 1, 1}}, {{1, 1, 1}}, {{1, 0, 1}}, {{0, 0, 1}}};
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(HilbertCurve<3>()(cube[i]).value, i);
}

// --- Keys ----------------------------------------------------------------------------------------

TEST(CurveKey, EndOfCurve) {
  static_assert(curve_levels<2, std::uint64_t> == 31 && curve_levels<3, std::uint64_t> == 21);
  static_assert(curve_levels<2, std::uint32_t> == 15 && curve_levels<3, std::uint32_t> == 10);
  static_assert(curve_bits(2) == 62 && curve_bits(3) == 63);
  static_assert(end_of_curve(2).value == std::uint64_t{1} << 62);
  static_assert(end_of_curve(3).value == std::uint64_t{1} << 63);
}

template <class Key>
void expect_order() {
  EXPECT_LT(Key{1}, Key{2});
  EXPECT_FALSE(Key{2} < Key{2});
  EXPECT_TRUE(Key{2} == Key{2} && Key{2} != Key{1});
}

TEST(CurveKey, AreOrdered) {
  expect_order<CurveKey>();
  expect_order<HilbertCurve<3>::Key>();
  expect_order<SnakeCurve<2, std::uint32_t>::Key>();
}

TEST(CurveKey, OfOtherCurvesIsAnotherType) {
  static_assert(!std::is_convertible_v<HilbertCurve<3>::Key, MortonCurve<3>::Key>);
  static_assert(!std::is_convertible_v<HilbertCurve<3>::Key, HilbertCurve<2>::Key>);
  static_assert(!std::is_convertible_v<HilbertCurve<3>::Key, CurveKey>);
}

}  // namespace
}  // namespace evenkeel::hilbert_test
