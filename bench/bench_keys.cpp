// Keys of curves on one core: of cells, back again, and of positions the whole way through
// write_keys. Their peer in the same run is the Hilbert key per level, bit by bit. At the end
// stands a table of ratios; docs/performance.md says how to read it.
//
// A benchmark is named kernel/case. Coordinates are uniform, from std::mt19937_64(1): all bits of a
// cell, and positions in [0, 1) in the unit box.

#include "core/curve/bitwise.hpp"
#include "medians.hpp"

#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/order.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

constexpr std::int64_t objects = std::int64_t{1} << 20;
constexpr int repetitions = 9;
constexpr const char* peer = "cell/hilbert 3-D 64 bitwise";

// --- Data ----------------------------------------------------------------------------------------
template <int n, class Bits>
std::vector<Cell<n>> random_cells() {
  std::mt19937_64 random(1);
  std::vector<Cell<n>> cells(static_cast<std::size_t>(objects));
  for (Cell<n>& cell : cells)
    for (std::uint32_t& at : cell.at)
      at = static_cast<std::uint32_t>(random() >> (64 - curve_levels<n, Bits>));
  return cells;
}

template <class Positions>
Positions random_positions(int dimensions) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<typename Positions::value_type> uniform(0, 1);
  Positions positions("evenkeel::bench::positions", static_cast<std::size_t>(objects),
                      static_cast<std::size_t>(dimensions));
  for (std::int64_t i = 0; i < objects; ++i)
    for (int axis = 0; axis < dimensions; ++axis) positions(i, axis) = uniform(random);
  return positions;
}

// --- Timing --------------------------------------------------------------------------------------
template <class Work>
void measure(benchmark::State& state, const Work& work) {
  work();  // pages are there, tables are warm
  for ([[maybe_unused]] auto step : state) {
    work();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * objects);
}

template <class Work>
void add(const std::string& name, const Work& work) {
  benchmark::RegisterBenchmark(name.c_str(), work)
      ->MinTime(0.1)
      ->Repetitions(repetitions)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
}

// --- The rows ------------------------------------------------------------------------------------
template <int n, class Bits, class KeyOf>
void add_keys_of_cells(const std::string& name, const KeyOf& key_of) {
  add("cell/" + name, [=](benchmark::State& state) {
    const auto cells = random_cells<n, Bits>();
    std::vector<Bits> keys(cells.size());
    measure(state, [&] {
      for (std::size_t i = 0; i < cells.size(); ++i) keys[i] = key_of(cells[i]);
    });
  });
}

template <int n, class Bits, class Curve>
void add_cells_of_keys(const std::string& name, const Curve& curve) {
  add("key/" + name, [=](benchmark::State& state) {
    auto cells = random_cells<n, Bits>();
    std::vector<typename Curve::Key> keys;
    keys.reserve(cells.size());
    for (const auto& cell : cells) keys.push_back(curve(cell));
    measure(state, [&] {
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = curve(keys[i]);
    });
  });
}

template <int n, class Bits>
void add_curves(const std::string& suffix) {
  const HilbertCurve<n, Bits> hilbert;
  const MortonCurve<n, Bits> morton;
  const SnakeCurve<n, Bits> snake;
  const auto add_curve = [&](const std::string& name, const auto& curve) {
    add_keys_of_cells<n, Bits>(name + suffix,
                               [=](const Cell<n>& cell) { return curve(cell).value; });
    add_cells_of_keys<n, Bits>(name + suffix, curve);
  };
  add_curve("hilbert", hilbert);
  add_curve("morton", morton);
  add_curve("snake", snake);
  add_keys_of_cells<n, Bits>("hilbert" + suffix + " levels", [](const Cell<n>& cell) {
    return hilbert::key_by_levels<n, Bits>(cell);
  });
  add_keys_of_cells<n, Bits>("hilbert" + suffix + " bitwise", [](const Cell<n>& cell) {
    return test::hilbert_bitwise<n, Bits>(cell);
  });
}

template <class Real, class Layout>
void add_keys_of_positions(const std::string& name, const Lattice& lattice) {
  add("position/" + name, [=](benchmark::State& state) {
    using Positions = Kokkos::View<Real**, Layout, Kokkos::HostSpace>;
    auto positions = random_positions<Positions>(lattice.dimensions());
    std::vector<CurveKey> keys(static_cast<std::size_t>(objects));
    const Space space = Space::where(MemoryKind::host);
    measure(state, [&] {
      write_keys(space, lattice, set(positions), keys.data());
      space.fence("evenkeel::bench::keys");
    });
  });
}

void add_positions() {
  using Rows = Kokkos::LayoutRight;
  using Columns = Kokkos::LayoutLeft;
  constexpr Box box = {{0, 0, 0}, {1, 1, 1}};
  constexpr std::array<bool, 3> none = {false, false, false}, all = {true, true, true};
  for (const CurveKind kind : {CurveKind::hilbert, CurveKind::morton, CurveKind::snake}) {
    const std::string curve = name_of(kind);
    const Lattice lattice(3, box, none, kind);
    add_keys_of_positions<double, Rows>(curve + " 3-D rows of double", lattice);
    add_keys_of_positions<double, Columns>(curve + " 3-D columns of double", lattice);
    add_keys_of_positions<float, Rows>(curve + " 3-D rows of float", lattice);
    add_keys_of_positions<float, Columns>(curve + " 3-D columns of float", lattice);
  }
  add_keys_of_positions<double, Rows>("hilbert 2-D rows of double", Lattice(2, box, none));
  add_keys_of_positions<double, Rows>("hilbert 3-D rows of double, periodic", Lattice(3, box, all));
  add_keys_of_positions<double, Rows>("hilbert 3-D rows of double, 10 levels",
                                      Lattice(3, box, none, CurveKind::hilbert, 10));
}

void add_rows() {
  add_curves<3, std::uint64_t>(" 3-D 64");
  add_curves<3, std::uint32_t>(" 3-D 32");
  add_curves<2, std::uint64_t>(" 2-D 64");
  add_curves<2, std::uint32_t>(" 2-D 32");
  add_positions();
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
  benchmark::RunSpecifiedBenchmarks(&medians);
  evenkeel::print(medians);
  benchmark::Shutdown();
  return 0;
}
