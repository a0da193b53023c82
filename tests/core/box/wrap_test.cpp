#include "core/domains/any.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::wrap_test {
namespace {

using test::Random;

// Numbers are eighths, so that shifts by whole periods are exact.
template <class Real, class Layout, class Instance>
void expect_wrapped(const Instance&, int dimensions, Random& random) {
  using Memory = typename Instance::memory_space;
  const auto n = static_cast<std::size_t>(dimensions);
  const test::Room room = test::random_room(dimensions, random);
  constexpr std::size_t count = 200;
  std::vector<Real> places, expected;
  for (std::size_t i = 0; i < count * n; ++i) {
    const std::size_t d = i % n;
    const double lower = room.box.lower[d], upper = room.box.upper[d];
    const double place = test::eighths(lower - 20, upper + 20, random);
    double inside = place;
    while (room.periodic[d] && inside >= upper) inside -= upper - lower;
    while (room.periodic[d] && inside < lower) inside += upper - lower;
    places.push_back(static_cast<Real>(place));
    expected.push_back(static_cast<Real>(inside));
  }
  Kokkos::View<Real**, Layout, Memory> x("x", count, n);
  test::write_values(field_of(x).position(), places);
  wrap(test::space(), set(x), room.box, room.periodic);
  ASSERT_EQ(test::values_at<Real>(field_of(x).position()), expected);
}

TEST(Wrap, ByWholePeriods) {
  with_space(test::space(), []<class Instance>(const Instance& instance) {
    Random random(1);
    for (const int dimensions : {2, 3})
      for (int repeat = 0; repeat < 20; ++repeat) {
        expect_wrapped<double, Kokkos::LayoutRight>(instance, dimensions, random);
        expect_wrapped<double, Kokkos::LayoutLeft>(instance, dimensions, random);
        expect_wrapped<float, Kokkos::LayoutRight>(instance, dimensions, random);
        if (testing::Test::HasFatalFailure()) return;
      }
  });
}

// With any rounding, a place just below the lower face must not move onto the upper one.
TEST(Wrap, NeverEndsOnTheUpperFace) {
  const Space host = Space::where(MemoryKind::host);
  const Box box = {{0, 0, 0}, {0.1, 1, 1}};
  std::vector<std::array<float, 3>> x = {{-1e-30F, 0, 0}, {0.1F, 0, 0}, {-0.05F, 2, 0}};
  wrap(host, set(x), box, {true, false, false});
  for (const auto& place : x) {
    EXPECT_GE(place[0], 0);
    EXPECT_LT(static_cast<double>(place[0]), 0.1);
  }
  EXPECT_EQ(x[2][1], 2) << "this axis does not wrap around";
}

TEST(Wrap, LeavesAloneWhatIsNotOwnedOrNotFinite) {
  const Space host = Space::where(MemoryKind::host);
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<std::array<double, 2>> x = {{infinity, 3}, {std::nan(""), -infinity}, {7, 7}};
  wrap(host, set(x, {}, {.count = 2}), {{0, 0, 0}, {1, 1, 1}}, {true, true, false});
  EXPECT_EQ(x[0], (std::array<double, 2>{infinity, 0}));
  EXPECT_TRUE(std::isnan(x[1][0]));
  EXPECT_EQ(x[1][1], -infinity);
  EXPECT_EQ(x[2], (std::array<double, 2>{7, 7}));
}

}  // namespace
}  // namespace evenkeel::wrap_test
