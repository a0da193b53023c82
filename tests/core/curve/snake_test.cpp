#include "core/curve/cells.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/curve.hpp>

namespace evenkeel::snake_test {
namespace {

using test::distance;
using test::last_of;

// Walks the cells of a square of `side` in the order of a snake.
std::vector<Cell<2>> walk_square(std::uint32_t side) {
  std::vector<Cell<2>> cells;
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t i = 0; i < side; ++i) cells.push_back({{y % 2 == 0 ? i : side - 1 - i, y}});
  return cells;
}

// Walks planes, every other one in reverse.
std::vector<Cell<3>> walk_cube(std::uint32_t side) {
  const std::vector<Cell<2>> plane = walk_square(side);
  std::vector<Cell<3>> cells;
  for (std::uint32_t z = 0; z < side; ++z)
    for (std::size_t i = 0; i < plane.size(); ++i) {
      const Cell<2>& at = plane[z % 2 == 0 ? i : plane.size() - 1 - i];
      cells.push_back({{at.at[0], at.at[1], z}});
    }
  return cells;
}

template <class Kind>
class SnakeOf : public testing::Test {
 protected:
  static constexpr int n = Kind::n;
  static constexpr int levels = Kind::levels;
  using Bits = typename Kind::Bits;
  using Curve = SnakeCurve<n, Bits>;
  using Key = typename Curve::Key;

  static auto walk(std::uint32_t side) {
    if constexpr (n == 2)
      return walk_square(side);
    else
      return walk_cube(side);
  }
};

TYPED_TEST_SUITE(SnakeOf, test::Kinds, );

TYPED_TEST(SnakeOf, SmallLatticesAreWalked) {
  using F = TestFixture;
  for (int used = 1; used <= 4; ++used) {
    const typename F::Curve curve{used};
    const auto cells = F::walk(1U << used);
    ASSERT_EQ(cells.size(), std::size_t{1} << (F::n * used));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      ASSERT_EQ(curve(cells[i]).value, i);
      ASSERT_TRUE(curve(typename F::Key{static_cast<typename F::Bits>(i)}) == cells[i]);
      if (i > 0) {
        ASSERT_EQ(distance(cells[i], cells[i - 1]), 1);
      }
    }
  }
}

// The cells of successive keys must be neighbours, however many rows and planes end there.
TYPED_TEST(SnakeOf, StepsToANeighbourAnywhere) {
  using F = TestFixture;
  std::mt19937_64 random(2);
  for (int used = 1; used <= F::levels; ++used) {
    const typename F::Curve curve{used};
    const std::uint64_t end = std::uint64_t{1} << (F::n * used);
    for (int repeat = 0; repeat < 300; ++repeat) {
      const int zeros = repeat % (F::n * used);
      const std::uint64_t place = (random() % end) >> zeros << zeros;
      const auto key = static_cast<typename F::Bits>(place == 0 ? 1 : place);
      const auto here = curve(typename F::Key{key});
      const auto before = curve(typename F::Key{static_cast<typename F::Bits>(key - 1)});
      ASSERT_EQ(curve(here).value, key);
      ASSERT_EQ(distance(here, before), 1);
      for (const std::uint32_t at : here.at) ASSERT_LE(at, last_of(used));
    }
  }
}

// The numbers of rows and planes are even, so the curve must end at the end of the last axis.
TYPED_TEST(SnakeOf, Extremes) {
  using F = TestFixture;
  for (int used = 1; used <= F::levels; ++used) {
    const typename F::Curve curve{used};
    Cell<F::n> last;
    last.at[F::n - 1] = last_of(used);
    EXPECT_EQ(curve(Cell<F::n>{}).value, 0U);
    EXPECT_EQ(curve(last).value, (std::uint64_t{1} << (F::n * used)) - 1);
  }
  EXPECT_EQ(typename F::Curve().used_levels, F::levels);
}

}  // namespace
}  // namespace evenkeel::snake_test
