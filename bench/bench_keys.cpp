// Times keys of curves on one core: from cells to keys, from keys to cells, and from positions to
// keys by write_keys. The peer in the same run computes the Hilbert key level by level, bit by bit.
// The output ends with a table of ratios; docs/performance.md says how to read it.
//
// A benchmark is named kernel/case. Coordinates are uniform, from std::mt19937_64(1): all bits of a
// cell, and positions in [0, 1) in the unit box.

#include "core/curve/bitwise.hpp"
#include "medians.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

namespace evenkeel {
namespace {

constexpr std::int64_t objects = std::int64_t{1} << 20;
constexpr int repetitions = 9;
constexpr const char* peer = "cell/hilbert 3-D 64 bitwise";

// --- Data ----------------------------------------------------------------------------------------
std::vector<Cell<3>> random_cells() {
  std::mt19937_64 random(1);
  std::vector<Cell<3>> cells(static_cast<std::size_t>(objects));
  for (Cell<3>& cell : cells)
    for (std::uint32_t& at : cell.at)
      at = static_cast<std::uint32_t>(random() >> (64 - curve_levels<3, std::uint64_t>));
  return cells;
}

using Positions = Kokkos::View<double* [3], Kokkos::LayoutRight, Kokkos::HostSpace>;

Positions random_positions() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  Positions positions("evenkeel::bench::positions", static_cast<std::size_t>(objects));
  for (std::int64_t i = 0; i < objects; ++i)
    for (int axis = 0; axis < 3; ++axis) positions(i, axis) = uniform(random);
  return positions;
}

// --- The rows ------------------------------------------------------------------------------------

// make(measure) makes its data, and calls measure(work) to time the work.
template <class Make>
void add(const std::string& name, const Make& make) {
  const auto with_items = [=](benchmark::State& state) {
    make([&](const auto& work) { bench::repeat(state, work); });
    state.SetItemsProcessed(state.iterations() * objects);
  };
  bench::add(name, with_items, repetitions)->MinTime(0.1);
}

template <class KeyOf>
void add_keys_of_cells(const std::string& name, const KeyOf& key_of) {
  add("cell/" + name, [=](const auto& measure) {
    const auto cells = random_cells();
    std::vector<std::uint64_t> keys(cells.size());
    measure([&] {
      for (std::size_t i = 0; i < cells.size(); ++i) keys[i] = key_of(cells[i]);
    });
  });
}

template <class Curve>
void add_curve(const std::string& name, const Curve& curve) {
  add_keys_of_cells(name, [=](const Cell<3>& cell) { return curve(cell).value; });
  add("key/" + name, [=](const auto& measure) {
    auto cells = random_cells();
    std::vector<typename Curve::Key> keys(cells.size());
    std::ranges::transform(cells, keys.begin(), curve);
    measure([&] {
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = curve(keys[i]);
    });
  });
}

void add_keys_of_positions(const std::string& name, const Lattice& lattice) {
  add("position/" + name, [=](const auto& measure) {
    auto positions = random_positions();
    std::vector<CurveKey> keys(static_cast<std::size_t>(objects));
    const Space space = Space::where(MemoryKind::host);
    measure([&] {
      write_keys(space, lattice, set(positions), keys.data());
      space.fence("evenkeel::bench::keys");
    });
  });
}

void add_rows() {
  add_curve("hilbert 3-D 64", HilbertCurve<3>());
  add_curve("morton 3-D 64", MortonCurve<3>());
  add_curve("snake 3-D 64", SnakeCurve<3>());
  add_keys_of_cells("hilbert 3-D 64 bitwise", [](const Cell<3>& cell) {
    return test::hilbert_bitwise<3, std::uint64_t>(cell);
  });
  constexpr Box box = {{0, 0, 0}, {1, 1, 1}};
  for (const CurveKind kind : {CurveKind::hilbert, CurveKind::morton, CurveKind::snake})
    add_keys_of_positions(std::string(name_of(kind)) + " 3-D rows of double",
                          Lattice(3, box, {}, kind));
  add_keys_of_positions("hilbert 3-D rows of double, periodic",
                        Lattice(3, box, {true, true, true}));
}

// --- The table -----------------------------------------------------------------------------------

void print(const bench::Medians& medians) {
  std::printf("\n| from | ns per key | times as fast as bitwise |\n|---|---|---|\n");
  for (const std::string& name : medians.names()) {
    const double rate = medians.items_per_second(name);
    std::printf("| %s | %.2f | %.1f |\n", name.c_str(), 1e9 / rate,
                rate / medians.items_per_second(peer));
  }
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (!evenkeel::bench::initialize(argc, argv)) return 1;

  std::printf("%lld objects; host space %s with %d threads\n",
              static_cast<long long>(evenkeel::objects), Kokkos::DefaultHostExecutionSpace::name(),
              Kokkos::DefaultHostExecutionSpace().concurrency());
  evenkeel::add_rows();
  evenkeel::bench::Medians medians;
  medians.run_all();
  evenkeel::print(medians);
  return 0;
}
