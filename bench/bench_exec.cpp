// The kernels of backends/exec against two peers in the same run: std::memcpy that moves as many
// bytes as the kernel must (the limit of the machine), and the plain serial loop. At the end stands
// a table of ratios; docs/performance.md says how to read it.
//
// A benchmark is named kernel/case/peer. Bytes are those that the kernel must move at least: each
// input read once, each result written once, bins and sums for nothing.

#include "medians.hpp"

#include <evenkeel/backends/exec/gather.hpp>
#include <evenkeel/backends/exec/histogram.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/scan.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

constexpr std::int64_t objects = std::int64_t{1} << 22;
constexpr std::int64_t bin_count = std::int64_t{1} << 11;
constexpr int repetitions = 9;

using Host = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Values = Kokkos::View<T*, Kokkos::HostSpace>;
using Objects = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

// --- Data ----------------------------------------------------------------------------------------
template <class T>
Values<T> whole_numbers(std::int64_t least, std::int64_t greatest) {
  std::mt19937_64 generator(1);
  const auto span = static_cast<std::uint64_t>(greatest - least + 1);
  Values<T> values("evenkeel::bench::values", static_cast<std::size_t>(objects));
  for (std::int64_t i = 0; i < objects; ++i)
    values(i) = static_cast<T>(least + static_cast<std::int64_t>(generator() % span));
  return values;
}

enum class Order { identity, random };

Values<std::int64_t> indices(Order order) {
  Values<std::int64_t> values("evenkeel::bench::indices", static_cast<std::size_t>(objects));
  for (std::int64_t i = 0; i < objects; ++i) values(i) = i;
  if (order == Order::random)
    std::shuffle(values.data(), values.data() + objects, std::mt19937_64(1));
  return values;
}

// --- The serial peers: raw pointers and nothing in between ---------------------------------------
std::int64_t scan_loop(const std::int64_t* in, std::int64_t* out, std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t value = in[i];
    out[i] = sum;
    sum += value;
  }
  return sum;
}

void histogram_loop(const std::int32_t* bin_of, const double* weights, double* bins,
                    std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) bins[bin_of[i]] += weights[i];
}

void gather_loop(const std::int64_t* from, const double* in, double* out, std::int64_t count,
                 std::int64_t components) {
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t c = 0; c < components; ++c)
      out[i * components + c] = in[from[i] * components + c];
}

exec::Extremes<double> extremes_loop(const double* values, std::int64_t count) {
  using Limits = std::numeric_limits<double>;
  exec::Extremes<double> found{Limits::max(), Limits::lowest()};
  for (std::int64_t i = 0; i < count; ++i) {
    if (values[i] < found.least) found.least = values[i];
    if (values[i] > found.greatest) found.greatest = values[i];
  }
  return found;
}

// --- Timing --------------------------------------------------------------------------------------
template <class Work>
void measure(benchmark::State& state, std::int64_t bytes, const Work& work) {
  work();  // pages are there, bins are warm
  for ([[maybe_unused]] auto step : state) {
    work();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}

// Moves `bytes` in all: half of them read, the other half written.
void move_bytes(benchmark::State& state, std::int64_t bytes) {
  const auto half = static_cast<std::size_t>(bytes / 2);
  const std::vector<char> from(half, 'x');
  std::vector<char> to(half);
  measure(state, bytes, [&] { std::memcpy(to.data(), from.data(), half); });
}

template <class Work>
void add(const std::string& name, std::int64_t bytes, const Work& work) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { work(state, bytes); })
      ->MinTime(0.1)
      ->UseRealTime()
      ->Repetitions(repetitions)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
}

// The three benchmarks of one row of the table.
template <class Kernel, class Loop>
void add_row(const std::string& row, std::int64_t bytes, const Kernel& kernel, const Loop& loop) {
  add(row + "/evenkeel", bytes, kernel);
  add(row + "/loop", bytes, loop);
  add(row + "/memcpy", bytes, move_bytes);
}

// --- The rows ------------------------------------------------------------------------------------
void add_scan() {
  const auto run = [](benchmark::State& state, std::int64_t bytes, bool kernel) {
    const auto in = whole_numbers<std::int64_t>(0, 9);
    const Values<std::int64_t> out("evenkeel::bench::out", in.extent(0));
    if (kernel)
      measure(state, bytes,
              [&] { benchmark::DoNotOptimize(exec::exclusive_scan(Host(), in, out)); });
    else
      measure(state, bytes,
              [&] { benchmark::DoNotOptimize(scan_loop(in.data(), out.data(), objects)); });
  };
  add_row(
      "exclusive_scan/int64", objects * 16,
      [=](benchmark::State& state, std::int64_t bytes) { run(state, bytes, true); },
      [=](benchmark::State& state, std::int64_t bytes) { run(state, bytes, false); });
}

void add_histogram(const std::string& name, std::int64_t least_bin, std::int64_t greatest_bin) {
  const auto run = [=](benchmark::State& state, std::int64_t bytes, bool kernel) {
    const auto bin_of = whole_numbers<std::int32_t>(least_bin, greatest_bin);
    const auto weights = whole_numbers<double>(0, 9);
    const Values<double> bins("evenkeel::bench::bins", static_cast<std::size_t>(bin_count));
    if (kernel)
      measure(state, bytes,
              [&] { exec::weighted_histogram(Host(), objects, bin_of, weights, bins); });
    else
      measure(state, bytes,
              [&] { histogram_loop(bin_of.data(), weights.data(), bins.data(), objects); });
  };
  add_row(
      "weighted_histogram/" + name, objects * 12,
      [=](benchmark::State& state, std::int64_t bytes) { run(state, bytes, true); },
      [=](benchmark::State& state, std::int64_t bytes) { run(state, bytes, false); });
}

void gather_values(benchmark::State& state, std::int64_t bytes, Order order, bool kernel) {
  const auto from = indices(order);
  const auto in = whole_numbers<double>(0, 9);
  const Values<double> out("evenkeel::bench::out", in.extent(0));
  if (kernel)
    measure(state, bytes, [&] {
      exec::gather(Host(), from, in, out);
      exec::fence(Host(), "evenkeel::bench::gather");
    });
  else
    measure(state, bytes, [&] { gather_loop(from.data(), in.data(), out.data(), objects, 1); });
}

void gather_objects(benchmark::State& state, std::int64_t bytes, Order order, bool kernel) {
  const auto from = indices(order);
  const Objects in("evenkeel::bench::in", static_cast<std::size_t>(objects), 3);
  const Objects out("evenkeel::bench::out", static_cast<std::size_t>(objects), 3);
  if (kernel)
    measure(state, bytes, [&] {
      exec::gather(Host(), from, in, out);
      exec::fence(Host(), "evenkeel::bench::gather");
    });
  else
    measure(state, bytes, [&] { gather_loop(from.data(), in.data(), out.data(), objects, 3); });
}

void add_gather(const std::string& name, Order order, std::int64_t components) {
  const auto run = components == 1 ? gather_values : gather_objects;
  add_row(
      "gather/" + name + "_" + std::to_string(components), objects * (8 + 16 * components),
      [=](benchmark::State& state, std::int64_t bytes) { run(state, bytes, order, true); },
      [=](benchmark::State& state, std::int64_t bytes) { run(state, bytes, order, false); });
}

void add_extremes() {
  const auto run = [](benchmark::State& state, std::int64_t bytes, bool kernel) {
    const auto values = whole_numbers<double>(-1000000, 1000000);
    if (kernel)
      measure(state, bytes,
              [&] { benchmark::DoNotOptimize(exec::extremes<double>(Host(), objects, values)); });
    else
      measure(state, bytes,
              [&] { benchmark::DoNotOptimize(extremes_loop(values.data(), objects)); });
  };
  add_row(
      "extremes/double", objects * 8,
      [=](benchmark::State& state, std::int64_t bytes) { run(state, bytes, true); },
      [=](benchmark::State& state, std::int64_t bytes) { run(state, bytes, false); });
}

void add_rows() {
  add_scan();
  add_histogram("uniform", 0, bin_count - 1);
  add_histogram("one_bin", bin_count / 2, bin_count / 2);
  for (const std::int64_t components : {1, 3}) {
    add_gather("identity", Order::identity, components);
    add_gather("random", Order::random, components);
  }
  add_extremes();
}

// --- The table -----------------------------------------------------------------------------------

void print(const bench::Medians& medians) {
  std::printf("\n| kernel | GB/s | of memcpy | of the serial loop |\n|---|---|---|---|\n");
  for (const std::string& name : medians.names()) {
    const auto cut = name.rfind('/');
    if (name.substr(cut) != "/evenkeel") continue;
    const std::string row = name.substr(0, cut);
    const double rate = medians.bytes_per_second(name);
    std::printf("| %s | %.1f | %.2f | %.2f |\n", row.c_str(), rate * 1e-9,
                rate / medians.bytes_per_second(row + "/memcpy"),
                rate / medians.bytes_per_second(row + "/loop"));
  }
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (!evenkeel::bench::initialize(argc, argv)) return 1;

  std::printf("%lld objects; host space %s with %d threads\n",
              static_cast<long long>(evenkeel::objects), evenkeel::Host::name(),
              evenkeel::Host().concurrency());
  evenkeel::add_rows();
  evenkeel::bench::Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);
  evenkeel::print(medians);
  benchmark::Shutdown();
  return 0;
}
