// Compares the sort of (key, index) pairs with its peers in the same run, for keys of four kinds.
// The output ends with a table of ratios; docs/performance.md says how to read it.
//
// A benchmark is named sort/keys/peer. Its time does not include restoring the unsorted pairs.
//   evenkeel  exec::sort_pairs on the default host space
//   gnu       __gnu_parallel::sort of an array of pairs, on as many threads (GCC with OpenMP only)
//   std       std::sort of the indices by their keys, on one thread
//   kokkos    Kokkos::Experimental::sort_by_key, which on hosts is a sort through an index
//             (from Kokkos 4.5 on)

#include "medians.hpp"

#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOS_VERSION >= 40500
#include <Kokkos_Sort.hpp>
#endif
#if defined(_OPENMP) && defined(__GLIBCXX__)
#define EVENKEEL_HAS_GNU_PARALLEL
#include <omp.h>
#include <parallel/algorithm>
#endif

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

namespace evenkeel {
namespace {

using Key = std::uint64_t;
using Index = std::uint32_t;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr std::size_t pair_count = 8'000'000;
constexpr int repetitions = 9;

// --- Keys ----------------------------------------------------------------------------------------

// Keys with 64 random bits.
std::vector<Key> uniform_keys() {
  std::mt19937_64 generator(1);
  std::vector<Key> keys(pair_count);
  for (Key& key : keys) key = generator();
  return keys;
}

// Keys that are 10^12 times a lognormal number, sigma 2. Half of them are in 2^-24 of the range.
std::vector<Key> clustered_keys() {
  std::mt19937_64 generator(1);
  std::lognormal_distribution<double> draw(0, 2);
  std::vector<Key> keys(pair_count);
  for (Key& key : keys) key = static_cast<Key>(1e12 * draw(generator));
  return keys;
}

// The uniform keys in order. A random key replaces one in a hundred.
std::vector<Key> replaced_keys() {
  auto keys = uniform_keys();
  std::sort(keys.begin(), keys.end());
  std::mt19937_64 generator(2);
  for (std::size_t i = 0; i < pair_count / 100; ++i) {
    const std::size_t at = generator() % pair_count;
    keys[at] = generator();
  }
  return keys;
}

// The uniform keys in order. One in a hundred moves by up to 100 mean distances between keys, as
// objects do in one step.
std::vector<Key> drifted_keys() {
  auto keys = uniform_keys();
  std::sort(keys.begin(), keys.end());
  constexpr Key distance = std::numeric_limits<Key>::max() / pair_count;
  std::mt19937_64 generator(2);
  for (std::size_t i = 0; i < pair_count / 100; ++i) {
    Key& key = keys[generator() % pair_count];
    key += generator() % (200 * distance) - 100 * distance;
  }
  return keys;
}

// --- Peers: sort pairs that `restore` has put in place -------------------------------------------

struct Evenkeel {
  Kokkos::View<Key*, Kokkos::HostSpace> keys{"evenkeel::bench::keys", pair_count};
  Kokkos::View<Index*, Kokkos::HostSpace> indices{"evenkeel::bench::indices", pair_count};
  Space space = space_of(Host());

  void restore(const std::vector<Key>& from) {
    std::copy(from.begin(), from.end(), keys.data());
    std::iota(indices.data(), indices.data() + pair_count, Index{0});
  }
  void sort() {
    exec::sort_pairs(space, keys.data(), indices.data(), static_cast<std::int64_t>(pair_count));
  }
};

struct Std {
  std::vector<Key> keys;
  std::vector<Index> indices = std::vector<Index>(pair_count);

  void restore(const std::vector<Key>& from) {
    keys = from;
    std::iota(indices.begin(), indices.end(), Index{0});
  }
  void sort() {
    std::sort(indices.begin(), indices.end(),
              [this](Index a, Index b) { return keys[a] < keys[b]; });
  }
};

#ifdef EVENKEEL_HAS_GNU_PARALLEL
struct Gnu {
  std::vector<std::pair<Key, Index>> pairs = std::vector<std::pair<Key, Index>>(pair_count);

  void restore(const std::vector<Key>& from) {
    for (std::size_t i = 0; i < pair_count; ++i) pairs[i] = {from[i], static_cast<Index>(i)};
  }
  void sort() { __gnu_parallel::sort(pairs.begin(), pairs.end()); }
};
#endif

#if KOKKOS_VERSION >= 40500
struct ByKokkos : Evenkeel {
  void sort() {
    Kokkos::Experimental::sort_by_key(Host(), keys, indices);
    exec::fence(Host(), "evenkeel::bench::sort_by_key");
  }
};
#endif

// --- Timing --------------------------------------------------------------------------------------

template <class Peer>
void add(const std::string& name, const std::vector<Key>& keys) {
  const auto run = [&keys](benchmark::State& state) {
    Peer peer;
    for ([[maybe_unused]] auto step : state) {
      peer.restore(keys);
      const Stopwatch watch;
      peer.sort();
      state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pair_count));
  };
  bench::add(name, run, repetitions)->Iterations(1)->UseManualTime();
}

void add_row(const std::string& row, const std::vector<Key>& keys) {
  add<Evenkeel>("sort/" + row + "/evenkeel", keys);
  add<Std>("sort/" + row + "/std", keys);
#ifdef EVENKEEL_HAS_GNU_PARALLEL
  add<Gnu>("sort/" + row + "/gnu", keys);
#endif
#if KOKKOS_VERSION >= 40500
  add<ByKokkos>("sort/" + row + "/kokkos", keys);
#endif
}

// --- The table -----------------------------------------------------------------------------------

void print(const bench::Medians& medians) {
  std::printf("\n| keys | M pairs/s | of uniform | of gnu | of kokkos | of std |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const char* row : {"uniform", "clustered", "replaced", "drifted"}) {
    const std::string name = std::string("sort/") + row;
    const double rate = medians.items_per_second(name + "/evenkeel");
    const auto of = [&](const std::string& peer) { return rate / medians.items_per_second(peer); };
    std::printf("| %s | %.1f | %.2f | %.2f | %.2f | %.2f |\n", row, rate * 1e-6,
                of("sort/uniform/evenkeel"), of(name + "/gnu"), of(name + "/kokkos"),
                of(name + "/std"));
  }
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (!evenkeel::bench::initialize(argc, argv)) return 1;

  const int threads = evenkeel::Host().concurrency();
#ifdef EVENKEEL_HAS_GNU_PARALLEL
  omp_set_num_threads(threads);
#endif
  std::printf("%zu pairs of 64-bit keys and 32-bit indices; host space %s with %d threads\n",
              evenkeel::pair_count, evenkeel::Host::name(), threads);
  std::printf(
      "uniform: all bits random\n"
      "clustered: lognormal, sigma 2\n"
      "replaced: in order, then 1 %% replaced at random\n"
      "drifted: in order, then 1 %% moved by up to 100 mean distances of keys\n");
  const auto uniform = evenkeel::uniform_keys();
  const auto clustered = evenkeel::clustered_keys();
  const auto replaced = evenkeel::replaced_keys();
  const auto drifted = evenkeel::drifted_keys();
  evenkeel::add_row("uniform", uniform);
  evenkeel::add_row("clustered", clustered);
  evenkeel::add_row("replaced", replaced);
  evenkeel::add_row("drifted", drifted);
  evenkeel::bench::Medians medians;
  medians.run_all();
  evenkeel::print(medians);
  return 0;
}
