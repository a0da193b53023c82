#include "core/listed.hpp"
#include "core/positions.hpp"
#include "support/hold.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::order_test {
namespace {

constexpr Box box = {{-1, 0, 10}, {1, 2, 11}};
constexpr std::array<bool, 3> periodic = {false, true, false};

template <int n, class Real>
CurveKey key_of(const Lattice& lattice, const Real* place) {
  Cell<n> cell;
  for (int d = 0; d < n; ++d) cell.at[d] = lattice.coordinate(d, static_cast<double>(place[d]));
  return lattice.key(cell);
}

// Orders key by key and object by object, on the host.
template <class Real>
test::Listed oracle(const Lattice& lattice, const std::vector<Real>& coordinates) {
  const auto n = static_cast<std::size_t>(lattice.dimensions());
  std::vector<std::pair<std::uint64_t, std::int64_t>> pairs;
  for (std::size_t i = 0; i < coordinates.size() / n; ++i) {
    const Real* place = coordinates.data() + n * i;
    const CurveKey key = n == 3 ? key_of<3>(lattice, place) : key_of<2>(lattice, place);
    pairs.emplace_back(key.value, static_cast<std::int64_t>(i));
  }
  std::sort(pairs.begin(), pairs.end());
  test::Listed order;
  for (const auto& [key, object] : pairs) {
    order.keys.push_back({key});
    order.objects.push_back(object);
  }
  return order;
}

void expect_equal(const Order& of_space, const test::Listed& expected) {
  const test::Listed found = test::listed(of_space);
  EXPECT_EQ(found.objects, expected.objects);
  ASSERT_EQ(found.keys.size(), expected.keys.size());
  for (std::size_t i = 0; i < found.keys.size(); ++i) ASSERT_EQ(found.keys[i], expected.keys[i]);
}

// Points in and around the box, in a few places only, or all in one place.
struct Points {
  const char* name;
  std::size_t count;
  int places;  // the number of distinct places along an axis; 0 means any
};

constexpr Points points[] = {{"no objects", 0, 0},  {"one", 1, 0},     {"a few", 7, 0},
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

// Tests the order of points in a container that make(objects) returns.
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

TEST(Order, OfViews) {
  test::visit_positions(
      []<class Real>(int dimensions, const auto& make) { expect_order<Real>(dimensions, make); });
}

// --- In host memory ------------------------------------------------------------------------------

using Positions = std::vector<std::array<double, 2>>;

class OrderOnHost : public testing::Test {
 protected:
  Space host = Space::where(MemoryKind::host);
  Lattice lattice = Lattice(2, {{0, 0, 0}, {1, 1, 0}}, {false, false, false});
  std::mt19937 random{18};
  std::uniform_real_distribution<double> uniform{0, 1};

  Positions somewhere(std::size_t count) {
    Positions x(count);
    for (auto& place : x) place = {uniform(random), uniform(random)};
    return x;
  }
  void expect_ordered(Positions& x) const {
    std::vector<double> flat;
    for (const auto& place : x) flat.insert(flat.end(), place.begin(), place.end());
    expect_equal(order(host, lattice, set(x)), oracle(lattice, flat));
  }
};

// In the plane, the curve leads up, to the right and down again, from corner to corner.
TEST_F(OrderOnHost, ByHand) {
  Positions x = {{0.9, 0.1}, {0.1, 0.1}, {0.9, 0.9}, {0.1, 0.9}, {0.1, 0.1}};
  const test::Listed found = test::listed(order(host, lattice, set(x)));
  EXPECT_EQ(found.objects, (std::vector<std::int64_t>{1, 4, 3, 2, 0}));
  EXPECT_EQ(found.keys[0], found.keys[1]);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_LT(found.keys[i - 1], found.keys[i]);
  const std::uint64_t quarter = end_of_curve(2).value / 4;
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(found.keys[i].value / quarter, i - 1);
}

TEST_F(OrderOnHost, EveryObjectStandsOnce) {
  Positions x = somewhere(5000);
  test::Listed found = test::listed(order(host, lattice, set(x)));
  std::sort(found.objects.begin(), found.objects.end());
  EXPECT_EQ(found.objects, test::counting<std::int64_t>(5000));
}

TEST_F(OrderOnHost, ObjectsOfOneKeyKeepTheirOrder) {
  Positions x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {i % 3 == 0 ? 0.75 : 0.25, 0.5};
  const test::Listed found = test::listed(order(host, lattice, set(x)));
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

// Only the objects before .count may be in the order.
TEST_F(OrderOnHost, GhostsAreNotSeen) {
  Positions x = {{0.9, 0.1}, {0.1, 0.9}, {0.1, 0.1}, {std::nan(""), 1e300}, {0.5, 0.5}};
  int owned = 3;
  const test::Listed found = test::listed(order(host, lattice, set(x, {}, {.count = &owned})));
  EXPECT_EQ(found.objects, (std::vector<std::int64_t>{2, 1, 0}));
  EXPECT_EQ(found.keys.size(), 3U);
  const Order none = order(host, lattice, set(x, {}, {.count = 0}));
  EXPECT_TRUE(none.objects.empty() && none.keys.empty());
}

// A rank that never had objects may hold a View that never had extents.
TEST_F(OrderOnHost, ARankThatNeverHadObjects) {
  Kokkos::View<double**, Kokkos::HostSpace> never;
  EXPECT_TRUE(order(host, lattice, set(never)).objects.empty());
}

TEST_F(OrderOnHost, ALatticeOfOtherDimensionsIsAnError) {
  Positions x(3);
  const Lattice space(3, {{0, 0, 0}, {1, 1, 1}}, {false, false, false});
  EXPECT_ERROR(order(host, space, set(x)),
               "core/order: Positions have 2 components in host memory, but keys were asked for");
  EXPECT_ERROR(order(host, Lattice(), set(x)), " in 0 dimensions.");
}

// Little moves in a step. So the objects are sorted, and then a few are moved, swapped or appended.
TEST_F(OrderOnHost, OfNearlySortedObjects) {
  Positions x = somewhere(4000);
  reorder(set(x), order(host, lattice, set(x)));
  for (const std::size_t moved : {0, 1, 3, 40, 400}) {
    SCOPED_TRACE(moved);
    Positions near = x;
    for (std::size_t i = 0; i < moved; ++i)
      near[random() % near.size()] = {uniform(random), uniform(random)};
    expect_ordered(near);
    std::reverse(near.begin(), near.end());
    expect_ordered(near);
  }
}

// On lattices of any curve and of few levels, keys end in zeros.
TEST_F(OrderOnHost, OnOtherLattices) {
  const Points kind = {"many", 3000, 0};
  const auto flat = coordinates_of<double>(kind, 2);
  Positions x(kind.count);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {flat[2 * i], flat[2 * i + 1]};
  for (const CurveKind curve : {CurveKind::hilbert, CurveKind::morton, CurveKind::snake})
    for (const int levels : {1, 4, 8, 31}) {
      const Lattice other(2, box, periodic, curve, levels);
      expect_equal(order(host, other, set(x)), oracle(other, flat));
    }
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
TEST_F(OrderOnHost, ASpaceThatDoesNotReachThePositionsIsAnError) {
  Kokkos::View<double* [2]> x("x", 4);
  EXPECT_ERROR(order(host, lattice, set(x)), "but keys were asked for on");
}
#endif

// --- Reorder -------------------------------------------------------------------------------------

// Returns an array whose object i is object objects[i] of `values`. An object has `components`
// values.
template <class T>
std::vector<T> chosen(const std::vector<T>& values, const std::vector<std::int64_t>& objects,
                      std::size_t components) {
  std::vector<T> out;
  for (const std::int64_t object : objects)
    for (std::size_t c = 0; c < components; ++c)
      out.push_back(values[static_cast<std::size_t>(object) * components + c]);
  return out;
}

// A random permutation of `count` objects.
test::Listed shuffled(std::int64_t count) {
  test::Listed order;
  order.objects = test::counting<std::int64_t>(count);
  order.keys.resize(static_cast<std::size_t>(count));
  std::shuffle(order.objects.begin(), order.objects.end(), std::mt19937(20));
  return order;
}

// Compares the values of a field of any type before and after the reordering.
template <class T, class Container>
void expect_chosen(Container& container, const std::vector<T>& before, const test::Listed& order) {
  const FieldLayout at = field_of(container).layout();
  EXPECT_EQ(test::values_at<T>(at),
            chosen(before, order.objects, static_cast<std::size_t>(at.components)));
}

TEST(Reorder, AllFields) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    using Memory = typename Instance::memory_space;
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{999}}) {
      SCOPED_TRACE(count);
      Kokkos::View<double**, Kokkos::LayoutLeft, Memory> x("x", count, 3);
      Kokkos::View<float* [2], Kokkos::LayoutRight, Memory> rows("rows", count);
      Kokkos::View<std::int64_t*, Memory> id("id", count);
      Kokkos::DualView<double* [3]> force("force", count);
      std::vector<double> mass(count);
      const auto xs = test::fill<double>(field_of(x).layout(), 1);
      const auto rowss = test::fill<float>(field_of(rows).layout(), 2);
      const auto ids = test::fill<std::int64_t>(field_of(id).layout(), 3);
      const auto forces = test::fill<double>(field_of(force).layout(), 4);
      force.modify_device();
      const auto masses = test::fill<double>(field_of(mass).layout(), 5);
      const test::Listed order = shuffled(static_cast<std::int64_t>(count));
      reorder(set(x, carry(rows, id, force, mass)), order);
      expect_chosen(x, xs, order);
      expect_chosen(rows, rowss, order);
      expect_chosen(id, ids, order);
      expect_chosen(force, forces, order);
      expect_chosen(mass, masses, order);
    }
  });
}

TEST(Reorder, Records) {
  std::vector<test::Particle> particles(100);
  std::vector<test::Opaque> kinds(100);
  for (int i = 0; i < 100; ++i) {
    const auto at = static_cast<std::size_t>(i);
    particles[at] = {i, {static_cast<float>(i), 0, 0}, 2.0 * i};
    kinds[at] = {0.5 * i, i, 'k'};
  }
  const test::Listed order = shuffled(100);
  reorder(set(particles, carry(kinds)), order);
  for (std::size_t i = 0; i < 100; ++i) {
    const auto object = static_cast<int>(order.objects[i]);
    EXPECT_EQ(particles[i].id, object);
    EXPECT_EQ(particles[i].x[0], static_cast<float>(object));
    EXPECT_EQ(particles[i].charge, 2.0 * object);
    EXPECT_EQ(kinds[i], (test::Opaque{0.5 * object, object, 'k'}));
  }
}

// Objects that are in order must keep their order.
TEST_F(OrderOnHost, ReorderedObjectsAreInOrder) {
  Positions x = somewhere(2000);
  const test::Listed found = test::listed(order(host, lattice, set(x)));
  reorder(set(x), found);
  const test::Listed again = test::listed(order(host, lattice, set(x)));
  EXPECT_EQ(again.objects, test::counting<std::int64_t>(2000));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(again.keys[i], found.keys[i]);
}

TEST(Reorder, OwnedObjectsAlone) {
  Positions x = {{0, 0}, {1, 1}, {2, 2}, {-1, -1}, {-2, -2}};
  int owned = 3;
  std::vector<int> id = {10, 11, 12, -1, -2};
  reorder(set(x, carry(id), {.count = &owned}), test::Listed{std::vector<CurveKey>(3), {2, 0, 1}});
  EXPECT_EQ(owned, 3);
  ASSERT_GE(id.size(), 3U);
  EXPECT_EQ(std::vector<int>(id.begin(), id.begin() + 3), (std::vector<int>{12, 10, 11}));
  EXPECT_EQ(x[0][0], 2);
}

// Pointers must stay, and so must the values behind the owned objects.
TEST(Reorder, KeepsAllocations) {
  Positions x = {{0, 0}, {1, 1}, {2, 2}, {-1, -1}, {-2, -2}};
  Kokkos::View<int*, Kokkos::HostSpace> id("id", 5);
  std::vector<double> lent = {20, 21, 22, -3, -4};
  RawField<double> raw = raw_field(lent.data(), {.count = 3, .capacity = 5});
  for (int i = 0; i < 5; ++i) id(i) = 10 + i;
  const Kokkos::View<int*, Kokkos::HostSpace> other_holder = id;
  const auto* const places = x.data();
  const int* const ids = id.data();
  int owned = 3;
  reorder(set(x, carry(id, raw), {.count = &owned, .keep_allocation = true}),
          test::Listed{std::vector<CurveKey>(3), {2, 0, 1}});
  EXPECT_EQ(owned, 3);
  EXPECT_EQ(x.data(), places);
  EXPECT_EQ(id.data(), ids);
  EXPECT_EQ(x[0][0], 2);
  EXPECT_EQ(x[2][0], 1);
  for (int i = 0; i < 5; ++i) {
    constexpr int expected[] = {12, 10, 11, 13, 14};
    EXPECT_EQ(other_holder(i), expected[i]);
  }
  EXPECT_EQ(lent, (std::vector<double>{22, 20, 21, -3, -4}));
}

// Objects that are already in order must stay in their places.
TEST(Reorder, NothingToDo) {
  Positions x = {{0, 0}, {1, 1}, {2, 2}};
  test::Hold hold{{1, 2, 3}, true};
  const auto* const places = x.data();
  reorder(set(x, carry(hold)), test::Listed{std::vector<CurveKey>(3), {0, 1, 2}});
  EXPECT_EQ(x.data(), places);
}

// If one field refuses, all fields must keep their values.
TEST(Reorder, AFieldThatRefusesLeavesEverything) {
  const Positions before = {{0, 0}, {1, 1}, {2, 2}};
  Positions x = before;
  std::vector<int> id = {10, 11, 12}, last = {20, 21, 22};
  test::Hold hold{{1, 2, 3}, true};
  int owned = 3;
  const test::Listed order = {std::vector<CurveKey>(3), {2, 0, 1}};
  const Set all = set(x, carry(id, hold, last), {.count = &owned});
  EXPECT_ERROR(reorder(all, order), "core/field: Room for 3 objects of 'hold' was refused: ");
  EXPECT_EQ(x, before);
  EXPECT_EQ(id, (std::vector<int>{10, 11, 12}));
  EXPECT_EQ(last, (std::vector<int>{20, 21, 22}));
  EXPECT_EQ(hold.values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(owned, 3);
  hold.is_full = false;
  reorder(all, order);
  EXPECT_EQ(id, (std::vector<int>{12, 10, 11}));
  EXPECT_EQ(hold.values, (std::vector<double>{3, 1, 2}));
}

TEST(Reorder, AnOrderOfOtherObjectsIsAnError) {
  const Positions before = {{0, 0}, {1, 1}, {2, 2}};
  Positions x = before;
  const std::vector<std::vector<std::int64_t>> wrong = {
      {}, {0, 1}, {0, 1, 2, 3}, {0, 1, 1}, {0, 2, 3}, {-1, 0, 1}, {2, 1, 2}};
  for (const auto& objects : wrong) {
    EXPECT_ERROR(reorder(set(x), test::Listed{std::vector<CurveKey>(objects.size()), objects}),
                 "core/order: An order of " + std::to_string(objects.size()) +
                     " objects does not name each of 3 objects once. Use the order of this set, "
                     "made after its objects last changed.");
    EXPECT_EQ(x, before);
  }
}

TEST(Reorder, ASetThatCannotBeChangedIsAnError) {
  Kokkos::View<double* [2], Kokkos::HostSpace> x("x", 3);
  const auto other_holder = x;
  const test::Listed order = {std::vector<CurveKey>(3), {2, 0, 1}};
  EXPECT_ERROR(reorder(set(x), order), "is also held by another View");
  EXPECT_EQ(other_holder.data(), x.data());
}

}  // namespace
}  // namespace evenkeel::order_test
