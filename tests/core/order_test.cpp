#include "core/values.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace evenkeel {
namespace {

constexpr Box box = {{-1, 0, 10}, {1, 2, 11}};
constexpr std::array<bool, 3> periodic = {false, true, false};

template <int n, class Real>
HilbertKey key_of(const Lattice& lattice, const Real* place) {
  std::uint32_t cell[n];
  for (int d = 0; d < n; ++d) cell[d] = lattice.cell(d, static_cast<double>(place[d]));
  return hilbert_key(cell);
}

// Key by key and object by object, on the host.
template <class Real>
Order oracle(const Lattice& lattice, const std::vector<Real>& coordinates) {
  const auto n = static_cast<std::size_t>(lattice.dimensions());
  std::vector<std::pair<std::uint64_t, std::int64_t>> pairs;
  for (std::size_t i = 0; i < coordinates.size() / n; ++i) {
    const Real* place = coordinates.data() + n * i;
    const HilbertKey key = n == 3 ? key_of<3>(lattice, place) : key_of<2>(lattice, place);
    pairs.emplace_back(key.value, static_cast<std::int64_t>(i));
  }
  std::sort(pairs.begin(), pairs.end());
  Order order;
  for (const auto& [key, object] : pairs) {
    order.keys.push_back({key});
    order.objects.push_back(object);
  }
  return order;
}

void expect_equal(const Order& found, const Order& expected) {
  EXPECT_EQ(found.objects, expected.objects);
  ASSERT_EQ(found.keys.size(), expected.keys.size());
  for (std::size_t i = 0; i < found.keys.size(); ++i) ASSERT_EQ(found.keys[i], expected.keys[i]);
}

// Which points: in and around the box, in a few places only, or all in one.
struct Points {
  const char* name;
  std::size_t count;
  int places;  // different ones along an axis; 0: any number
};

constexpr Points points[] = {{"none", 0, 0},        {"one", 1, 0},     {"a few", 7, 0},
                             {"many", 30'000, 0},   {"ties", 3000, 4}, {"many ties", 20'000, 10},
                             {"one place", 2000, 1}};

template <class Real>
std::vector<Real> coordinates_of(const Points& kind, int dimensions) {
  std::mt19937 random(17);
  std::uniform_real_distribution<Real> uniform(Real(-0.2), Real(1.2));
  std::vector<Real> coordinates(kind.count * static_cast<std::size_t>(dimensions));
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const std::size_t d = i % static_cast<std::size_t>(dimensions);
    Real share = uniform(random);
    if (kind.places > 0) share = std::floor(share * static_cast<Real>(kind.places));
    coordinates[i] =
        static_cast<Real>(box.lower[d]) + share * static_cast<Real>(box.upper[d] - box.lower[d]);
  }
  return coordinates;
}

// The order of points in a container that make(objects) gives.
template <class Real, class Make>
void expect_order(int dimensions, const Make& make) {
  const Lattice lattice(dimensions, box, periodic);
  for (const Points& kind : points) {
    SCOPED_TRACE(kind.name);
    const auto coordinates = coordinates_of<Real>(kind, dimensions);
    auto container = make(kind.count);
    test::write_values(field_of(container).position(), coordinates);
    expect_equal(order(test::space(), lattice, set(container)), oracle(lattice, coordinates));
  }
}

template <class Instance, class Real, class Layout>
void order_columns(int dimensions) {
  using View = Kokkos::View<Real**, Layout, typename Instance::memory_space>;
  expect_order<Real>(dimensions, [&](std::size_t objects) {
    return View("x", objects, static_cast<std::size_t>(dimensions));
  });
}

template <class Instance>
void order_views(const Instance&) {
  for (const int dimensions : {2, 3}) {
    order_columns<Instance, double, Kokkos::LayoutLeft>(dimensions);
    order_columns<Instance, double, Kokkos::LayoutRight>(dimensions);
    order_columns<Instance, float, Kokkos::LayoutLeft>(dimensions);
    order_columns<Instance, float, Kokkos::LayoutRight>(dimensions);
  }
}

TEST(Order, OfViews) {
  with_space(test::space(), [](const auto& instance) { order_views(instance); });
}

template <class Instance, class Element>
auto view_of(std::size_t objects) {
  return Kokkos::View<Element*, typename Instance::memory_space>("x", objects);
}

template <class Instance>
void order_elements(const Instance&) {
  expect_order<double>(3, view_of<Instance, test::Vec3>);
  expect_order<float>(2, view_of<Instance, std::array<float, 2>>);
  expect_order<float>(3, view_of<Instance, test::Particle>);
}

TEST(Order, OfVectorTypesAndRecords) {
  with_space(test::space(), [](const auto& instance) { order_elements(instance); });
}

// Columns of a wider array.
template <class Instance>
void order_subview(const Instance&) {
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Instance::memory_space>;
  expect_order<double>(2, [](std::size_t objects) {
    return Kokkos::subview(View("all", objects, 5), Kokkos::ALL(), std::pair<int, int>(2, 4));
  });
}

TEST(Order, OfSubviews) {
  with_space(test::space(), [](const auto& instance) { order_subview(instance); });
}

// --- In host memory ------------------------------------------------------------------------------

using Positions = std::vector<std::array<double, 2>>;

class OrderOnHost : public testing::Test {
 protected:
  Space host = Space::where(MemoryKind::host);
  Lattice lattice = Lattice(2, {{0, 0, 0}, {1, 1, 0}}, {false, false, false});
};

// In the plane the curve goes up, to the right and down again: from corner to corner.
TEST_F(OrderOnHost, ByHand) {
  Positions x = {{0.9, 0.1}, {0.1, 0.1}, {0.9, 0.9}, {0.1, 0.9}, {0.1, 0.1}};
  const Order found = order(host, lattice, set(x));
  EXPECT_EQ(found.objects, (std::vector<std::int64_t>{1, 4, 3, 2, 0}));
  EXPECT_EQ(found.keys[0], found.keys[1]);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_LT(found.keys[i - 1], found.keys[i]);
  const std::uint64_t quarter = end_of_curve(2).value / 4;
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(found.keys[i].value / quarter, i - 1);
}

TEST_F(OrderOnHost, EveryObjectStandsOnce) {
  std::mt19937 random(18);
  std::uniform_real_distribution<double> uniform(0, 1);
  Positions x(5000);
  for (auto& place : x) place = {uniform(random), uniform(random)};
  Order found = order(host, lattice, set(x));
  std::sort(found.objects.begin(), found.objects.end());
  EXPECT_EQ(found.objects, test::counting<std::int64_t>(5000));
}

TEST_F(OrderOnHost, ObjectsOfOneKeyKeepTheirOrder) {
  Positions x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {i % 3 == 0 ? 0.75 : 0.25, 0.5};
  const Order found = order(host, lattice, set(x));
  const auto step = [&](std::size_t i) { return found.objects[i] - found.objects[i - 1]; };
  int changes = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (found.keys[i] == found.keys[i - 1])
      EXPECT_GT(step(i), 0);
    else
      ++changes;
  }
  EXPECT_EQ(changes, 1);
}

// Only what stands before .count has a place.
TEST_F(OrderOnHost, GhostsAreNotSeen) {
  Positions x = {{0.9, 0.1}, {0.1, 0.9}, {0.1, 0.1}, {std::nan(""), 1e300}, {0.5, 0.5}};
  int owned = 3;
  const Order found = order(host, lattice, set(x, {}, {.count = &owned}));
  EXPECT_EQ(found.objects, (std::vector<std::int64_t>{2, 1, 0}));
  EXPECT_EQ(found.keys.size(), 3U);
  const Order none = order(host, lattice, set(x, {}, {.count = 0}));
  EXPECT_TRUE(none.objects.empty() && none.keys.empty());
}

// A rank that never had objects may hold a View that was never given extents.
TEST_F(OrderOnHost, ARankThatNeverHadObjects) {
  Kokkos::View<double**, Kokkos::HostSpace> never;
  EXPECT_TRUE(order(host, lattice, set(never)).objects.empty());
}

TEST_F(OrderOnHost, ALatticeOfOtherDimensionsIsAnError) {
  Positions x(3);
  const Lattice space(3, {{0, 0, 0}, {1, 1, 1}}, {false, false, false});
  EXPECT_ERROR(static_cast<void>(order(host, space, set(x))),
               "core/order: Positions of 2 components in host memory cannot be ordered on");
  EXPECT_ERROR(static_cast<void>(order(host, Lattice(), set(x))), " in 0 dimensions.");
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
TEST_F(OrderOnHost, ASpaceThatDoesNotReachThePositionsIsAnError) {
  Kokkos::View<double* [2]> x("x", 4);
  EXPECT_ERROR(static_cast<void>(order(host, lattice, set(x))), "cannot be ordered on");
}
#endif

}  // namespace
}  // namespace evenkeel
