// Compares write_keys, which core/order.hpp declares, with Lattice::key, object by object.

#include "core/positions.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/order.hpp>

namespace evenkeel::write_keys_test {
namespace {

constexpr Box box = {{-1, 0, 10}, {1, 3, 10.5}};
constexpr CurveKind curves[] = {CurveKind::hilbert, CurveKind::morton, CurveKind::snake};
// Sizes around that of the blocks in which hosts work.
constexpr std::size_t counts[] = {0, 1, 255, 256, 257, 1000};

// Draws a coordinate. Some are on faces of the box, and a few are far away.
double place_on(std::size_t axis, std::mt19937_64& random) {
  const double lower = box.lower[axis], length = box.upper[axis] - lower;
  constexpr double special[] = {0, 1, -1, 2, 0.5, -1e-18, 1e6, -1e30, 1e30};
  if (random() % 16 == 0) return lower + length * special[random() % std::size(special)];
  return lower + length * std::uniform_real_distribution<double>(-0.2, 1.2)(random);
}

template <class Real>
std::vector<Real> random_places(std::size_t count, int dimensions) {
  std::mt19937_64 random(count);
  std::vector<Real> places;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
      places.push_back(static_cast<Real>(place_on(axis, random)));
  return places;
}

template <int n, class Real>
CurveKey key_at(const Lattice& lattice, const Real* place) {
  Cell<n> cell;
  for (int axis = 0; axis < n; ++axis)
    cell.at[axis] = lattice.coordinate(axis, static_cast<double>(place[axis]));
  return lattice.key(cell);
}

// The keys that write_keys finds, and the key behind them, which must not change.
constexpr CurveKey untouched = {0xABCD};

std::vector<CurveKey> written_keys(const Lattice& lattice, const Set& set) {
  const std::vector<CurveKey> nothing(static_cast<std::size_t>(set.count()) + 1, untouched);
  const auto keys = test::array_of(nothing);
  write_keys(test::space(), lattice, set, keys.data());
  return keys.on_host();
}

template <class Real>
void expect_keys(const std::vector<CurveKey>& keys, const Lattice& lattice,
                 const std::vector<Real>& places) {
  const auto n = static_cast<std::size_t>(lattice.dimensions());
  ASSERT_EQ(keys.size(), places.size() / n + 1);
  EXPECT_TRUE(keys.back() == untouched);
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    const Real* place = places.data() + n * i;
    const CurveKey expected = n == 3 ? key_at<3>(lattice, place) : key_at<2>(lattice, place);
    ASSERT_EQ(keys[i].value, expected.value) << "object " << i;
  }
}

std::vector<Lattice> lattices_of(int dimensions) {
  std::vector<Lattice> lattices;
  for (const CurveKind curve : curves)
    for (const int levels : {0, 1, 9})
      for (const std::array<bool, 3>& periodic :
           {std::array<bool, 3>{false, false, false}, {true, true, true}, {false, true, false}})
        lattices.emplace_back(dimensions, box, periodic, curve, levels);
  return lattices;
}

// Tests keys of places in a container that make(objects) returns.
template <class Real, class Make>
void expect_keys_in(int dimensions, const Make& make) {
  for (const std::size_t count : counts) {
    const auto places = random_places<Real>(count, dimensions);
    auto container = make(count);
    test::write_values(field_of(container).position(), places);
    for (const Lattice& lattice : lattices_of(dimensions)) {
      SCOPED_TRACE(std::to_string(count) + " objects, " + name_of(lattice.curve()) + ", " +
                   std::to_string(lattice.levels()) + " levels");
      expect_keys(written_keys(lattice, set(container)), lattice, places);
    }
  }
}

TEST(WriteKeys, OfViews) {
  test::visit_positions(
      []<class Real>(int dimensions, const auto& make) { expect_keys_in<Real>(dimensions, make); });
}

// --- In host memory ------------------------------------------------------------------------------

using Positions = std::vector<std::array<double, 2>>;
Space host() { return Space::where(MemoryKind::host); }

TEST(WriteKeys, OfOwnedObjectsAlone) {
  Positions x = {{0.1, 0.1}, {0.9, 0.9}, {1e300, 1e300}};
  const Lattice lattice(2, {{0, 0, 0}, {1, 1, 0}}, {false, false, false}, CurveKind::hilbert, 1);
  std::vector<CurveKey> keys(3, untouched);
  write_keys(host(), lattice, set(x, {}, {.count = 2}), keys.data());
  host().fence("evenkeel::test::keys");
  const std::uint64_t quarter = end_of_curve(2).value / 4;
  EXPECT_EQ(keys[0].value, 0U);
  EXPECT_EQ(keys[1].value, 2 * quarter);
  EXPECT_TRUE(keys[2] == untouched);
}

TEST(WriteKeys, OfNoObjectsAsksForNothing) {
  Positions none;
  Kokkos::View<double**, Kokkos::HostSpace> never;
  write_keys(host(), Lattice(), set(none), nullptr);
  write_keys(host(), Lattice(), set(never), nullptr);
}

TEST(WriteKeys, OtherDimensionsAreAnError) {
  Positions x(3);
  std::vector<CurveKey> keys(3, untouched);
  const Lattice lattice(3, {{0, 0, 0}, {1, 1, 1}}, {false, false, false});
  EXPECT_ERROR(write_keys(host(), lattice, set(x), keys.data()),
               "core/order: Positions have 2 components in host memory, but keys were asked for "
               "on " +
                   std::string(host().name()) +
                   " in 3 dimensions. Use a lattice with one dimension per component, and a space "
                   "that reaches the memory of the positions.");
  for (const CurveKey& key : keys) EXPECT_TRUE(key == untouched);
}

}  // namespace
}  // namespace evenkeel::write_keys_test
