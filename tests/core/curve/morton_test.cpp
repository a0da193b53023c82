#include "core/curve/bitwise.hpp"
#include "core/curve/cells.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/curve.hpp>

namespace evenkeel::morton_test {
namespace {

using test::last_of;

template <class Kind>
class MortonOf : public testing::Test {
 protected:
  static constexpr int n = Kind::n;
  static constexpr int levels = Kind::levels;
  using Bits = typename Kind::Bits;
  using Curve = MortonCurve<n, Bits>;

  static void expect_key(const Cell<n>& cell, Bits key) {
    ASSERT_EQ(Curve()(cell).value, key);
    ASSERT_TRUE(Curve()(typename Curve::Key{key}) == cell);
  }
};

TYPED_TEST_SUITE(MortonOf, test::Kinds, );

TYPED_TEST(MortonOf, InterleavesBits) {
  using F = TestFixture;
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    const auto cell = test::random_cell<F::n>(random, 1 + repeat % F::levels);
    F::expect_key(cell, test::morton_bitwise<F::n, typename F::Bits>(cell));
  }
}

// Each bit of each coordinate must have its own place in the key.
TYPED_TEST(MortonOf, EveryBit) {
  using F = TestFixture;
  for (int bit = 0; bit < F::levels; ++bit)
    for (int axis = 0; axis < F::n; ++axis) {
      Cell<F::n> cell;
      cell.at[axis] = 1U << bit;
      F::expect_key(cell, static_cast<typename F::Bits>(std::uint64_t{1} << (F::n * bit + axis)));
    }
}

TYPED_TEST(MortonOf, Extremes) {
  using F = TestFixture;
  F::expect_key({}, 0);
  F::expect_key(test::all_at<F::n>(last_of(F::levels)),
                static_cast<typename F::Bits>((std::uint64_t{1} << (F::n * F::levels)) - 1));
}

TEST(Morton, ShortKeysBeginLongOnes) {
  test::expect_short_keys_begin_long_ones<MortonCurve, 2>();
  test::expect_short_keys_begin_long_ones<MortonCurve, 3>();
}

TEST(Morton, ByHand) {
  EXPECT_EQ(MortonCurve<2>()({{0b101, 0b011}}).value, 0b01'10'11U);
  EXPECT_EQ(MortonCurve<3>()({{0b101, 0b011, 0b100}}).value, 0b101'010'011U);
}

}  // namespace
}  // namespace evenkeel::morton_test
