#include "core/positions.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::bounds_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The number of objects of each rank. All ranks compute the same numbers, so that each can compute
// the oracle.
struct Spread {
  const char* name;
  std::int64_t (*count)(int rank, int size);
};

constexpr Spread spreads[] = {
    {"some everywhere", [](int rank, int) { return std::int64_t{100} + 37 * rank; }},
    {"many on one rank", [](int rank, int) { return std::int64_t{rank == 0 ? 20'000 : 3}; }},
    {"no objects on odd ranks", [](int rank, int) { return std::int64_t{rank % 2 == 0 ? 10 : 0}; }},
    {"one each", [](int, int) { return std::int64_t{1}; }},
    {"one on the last rank",
     [](int rank, int size) { return std::int64_t{rank == size - 1 ? 1 : 0}; }},
    {"no objects at all", [](int, int) { return std::int64_t{0}; }},
};

// Coordinates are far from the origin, so that a stray zero would show.
template <class Real>
std::vector<Real> coordinates_of(int rank, std::int64_t count, int dimensions) {
  std::mt19937 random(static_cast<unsigned>(7 + rank));
  std::uniform_real_distribution<Real> uniform(Real(-20), Real(-10));
  std::vector<Real> coordinates(static_cast<std::size_t>(count * dimensions));
  for (auto& coordinate : coordinates) coordinate = uniform(random);
  return coordinates;
}

template <class Real>
Bounds oracle(const Spread& spread, int size, int dimensions) {
  Bounds box;
  box.dimensions = dimensions;
  for (int rank = 0; rank < size; ++rank) {
    const auto all = coordinates_of<Real>(rank, spread.count(rank, size), dimensions);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t d = i % static_cast<std::size_t>(dimensions);
      box.lower[d] = std::min(box.lower[d], static_cast<double>(all[i]));
      box.upper[d] = std::max(box.upper[d], static_cast<double>(all[i]));
    }
  }
  return box;
}

void expect_equal(const Bounds& box, const Bounds& expected) {
  EXPECT_EQ(box.dimensions, expected.dimensions);
  EXPECT_EQ(box.lower, expected.lower);
  EXPECT_EQ(box.upper, expected.upper);
  EXPECT_EQ(box.empty(), expected.empty());
}

// Tests the bounds of this rank's share in a container that make(objects) returns.
template <class Real, class Make>
void expect_bounds(int dimensions, const Make& make) {
  const Communicator communicator = test::world();
  for (const Spread& spread : spreads) {
    SCOPED_TRACE(spread.name);
    const std::int64_t count = spread.count(communicator.rank(), communicator.size());
    auto container = make(static_cast<std::size_t>(count));
    test::write_values(field_of(container).position(),
                       coordinates_of<Real>(communicator.rank(), count, dimensions));
    expect_equal(bounds(test::space(), communicator, set(container)),
                 oracle<Real>(spread, communicator.size(), dimensions));
  }
}

TEST(Bounds, OfViews) {
  test::visit_positions(
      []<class Real>(int dimensions, const auto& make) { expect_bounds<Real>(dimensions, make); });
}

template <class Element>
std::vector<Element> vector_of(std::size_t objects) {
  return std::vector<Element>(objects);
}

TEST(Bounds, OfVectors) {
  if (!test::space().can_access(MemoryKind::host)) GTEST_SKIP() << "host memory is out of reach";
  expect_bounds<double>(2, vector_of<std::array<double, 2>>);
  expect_bounds<double>(3, vector_of<test::Vec3>);
  expect_bounds<float>(3, vector_of<std::array<float, 3>>);
  expect_bounds<float>(3, vector_of<test::Particle>);
}

// This rank's positions for the tests below.
using Positions = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

class BoundsOn : public test::OnRanks {
 protected:
  Space host = Space::where(MemoryKind::host);

  // `count` objects. Their coordinates are between the number of this rank and the number of the
  // next one.
  Positions some(std::size_t count, std::size_t dimensions = 3) const {
    Positions x("x", count, dimensions);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t d = 0; d < dimensions; ++d) x(i, d) = rank + 0.5;
    return x;
  }
};

TEST_F(BoundsOn, ExtremeButFiniteNumbers) {
  Positions x = some(2);
  constexpr double most = std::numeric_limits<double>::max();
  x(0, 0) = -most;
  x(1, 0) = most;
  x(0, 1) = x(1, 1) = -0.0;
  x(0, 2) = std::numeric_limits<double>::denorm_min();
  const Bounds box = bounds(host, communicator, set(x));
  EXPECT_EQ(box.lower[0], -most);
  EXPECT_EQ(box.upper[0], most);
  EXPECT_EQ(box.lower[1], 0.0);
  EXPECT_EQ(box.upper[1], 0.0);
  EXPECT_EQ(box.lower[2], std::numeric_limits<double>::denorm_min());
}

// Only the objects before .count may be read.
TEST_F(BoundsOn, GhostsAreNotSeen) {
  Positions x = some(8);
  for (std::size_t i = 5; i < 8; ++i)
    for (std::size_t d = 0; d < 3; ++d) x(i, d) = i % 2 == 0 ? infinity : std::nan("");
  int owned = 5;
  const Bounds box = bounds(host, communicator, set(x, {}, {.count = &owned}));
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(box.lower[d], 0.5);
    EXPECT_EQ(box.upper[d], size - 0.5);
  }
  EXPECT_TRUE(bounds(host, communicator, set(x, {}, {.count = 0})).empty());
  EXPECT_ERROR(bounds(host, communicator, set(x, {}, {.count = 6})), "object 5 is not finite");
}

// Each rank in turn has a coordinate that is not finite.
template <class Real>
void expect_not_finite_is_an_error(const Communicator& communicator) {
  constexpr auto huge = std::numeric_limits<Real>::infinity();
  constexpr std::array<Real, 3> values = {std::numeric_limits<Real>::quiet_NaN(), huge, -huge};
  for (int bad = 0; bad < communicator.size(); ++bad)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t component = (k + static_cast<std::size_t>(bad)) % 3;
      std::vector<std::array<Real, 3>> x(200, {1, 2, 3});
      if (communicator.rank() == bad) x[137][component] = x[150][component] = values[k];
      const std::string text = test::error_everywhere(
          [&] { bounds(Space::where(MemoryKind::host), communicator, set(x)); });
      EXPECT_EQ(text, "evenkeel: rank " + std::to_string(bad) + ": core/bounds: Component " +
                          std::to_string(component) +
                          " of the position of object 137 is not finite. Give finite positions "
                          "before balancing.");
    }
}

TEST_F(BoundsOn, NotFiniteIsTheSameErrorOnAllRanks) {
  expect_not_finite_is_an_error<double>(communicator);
  expect_not_finite_is_an_error<float>(communicator);
}

// The same test on the space under test.
TEST(Bounds, NotFiniteIsFoundOnTheSpaceOfThePositions) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    const Communicator communicator = test::world();
    Kokkos::View<double* [3], typename Instance::memory_space> x("x", 1000);
    std::vector<double> values(3000, 1.0);
    if (communicator.rank() == communicator.size() - 1) values[3 * 613 + 1] = -infinity;
    test::write_values(field_of(x).layout(), values);
    EXPECT_ERROR_EVERYWHERE(bounds(test::space(), communicator, set(x)),
                            "Component 1 of the position of object 613");
  });
}

TEST_F(BoundsOn, DifferentDimensionsAreTheSameErrorOnAllRanks) {
  const bool odd = rank == size - 1;
  for (const std::size_t count : {4U, 0U}) {
    Positions x = some(odd ? count : 4, odd ? 2 : 3);
    const std::string text = test::error_everywhere([&] { bounds(host, communicator, set(x)); });
    const std::string expected =
        size == 1 ? "nothing was thrown" : "positions in 2 dimensions, others in 3";
    EXPECT_MENTIONS(text, expected);
  }
}

// A rank that never had objects may hold a View that never had extents. It must not affect the
// result.
TEST_F(BoundsOn, ARankThatNeverHadObjects) {
  Kokkos::View<double**, Kokkos::HostSpace> x;
  const bool has = communicator.rank() == communicator.size() - 1;
  if (has) {
    x = Kokkos::View<double**, Kokkos::HostSpace>("x", 2, 2);
    x(1, 0) = 5;
    x(1, 1) = -3;
  }
  const Bounds box = bounds(Space::where(MemoryKind::host), communicator, set(x));
  EXPECT_EQ(box.dimensions, 2);
  EXPECT_EQ(box.lower[1], -3);
  EXPECT_EQ(box.upper[0], 5);
  Kokkos::View<double**, Kokkos::HostSpace> never;
  EXPECT_TRUE(bounds(Space::where(MemoryKind::host), communicator, set(never)).empty());
}

TEST_F(BoundsOn, ARefusedSetIsTheSameErrorOnAllRanks) {
  for (int bad = 0; bad < size; ++bad) {
    Positions x = some(4);
    std::vector<double> mass(rank == bad ? 3 : 4);
    const std::string text =
        test::error_everywhere([&] { bounds(host, communicator, set(x, carry(mass))); });
    EXPECT_EQ(text.substr(0, text.find(". ")),
              "evenkeel: rank " + std::to_string(bad) +
                  ": core/field: Field 1, 'std::vector', has 3 objects, but the set has 4");
  }
  Positions x = some(4);
  EXPECT_NO_THROW(bounds(host, communicator, set(x))) << "and continues";
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
TEST_F(BoundsOn, ASpaceThatDoesNotReachThePositionsIsAnError) {
  Kokkos::View<double* [3]> x("x", 4);
  EXPECT_ERROR(bounds(host, communicator, set(x)), "does not reach");
}
#endif

}  // namespace
}  // namespace evenkeel::bounds_test
