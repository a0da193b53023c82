// Compares the kernels of backends/exec with two peers in the same run: the plain serial loop, and
// std::memcpy of the bytes that the kernel must move, which is the limit of the machine. The output
// ends with a table of ratios; docs/performance.md says how to read it.
//
// A benchmark is named kernel/case/peer. Its bytes are the least that the kernel must move: each
// input is read once, and each result is written once. Bins and sums do not count.

#include "medians.hpp"

#include <evenkeel/backends/exec/gather.hpp>
#include <evenkeel/backends/exec/histogram.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/scan.hpp>
#include <evenkeel/core/order.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

namespace evenkeel {
namespace {

constexpr std::int64_t objects = std::int64_t{1} << 22;
constexpr std::int64_t bin_count = std::int64_t{1} << 11;
constexpr int repetitions = 9;

using Host = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Values = Kokkos::View<T*, Kokkos::HostSpace>;

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

void gather_loop(const std::int64_t* from, const double* in, double* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = in[from[i]];
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

// --- The rows ------------------------------------------------------------------------------------

// Adds the three cases of a row. run(time, kernel) makes its data. It times the kernel if `kernel`
// is true, and otherwise the loop. The third case is memcpy: it moves `bytes` in total, reading one
// half and writing the other.
template <class Run>
void add_row(const std::string& row, std::int64_t bytes, const Run& run) {
  const auto add_case = [&](const char* peer, const auto& timed) {
    const auto with_bytes = [=](benchmark::State& state) {
      timed([&](const auto& work) { bench::repeat(state, work); });
      state.SetBytesProcessed(state.iterations() * bytes);
    };
    bench::add(row + peer, with_bytes, repetitions)->MinTime(0.1)->UseRealTime();
  };
  add_case("/evenkeel", [=](const auto& time) { run(time, true); });
  add_case("/loop", [=](const auto& time) { run(time, false); });
  add_case("/memcpy", [=](const auto& time) {
    const std::vector<char> from(static_cast<std::size_t>(bytes / 2), 'x');
    std::vector<char> to(from.size());
    time([&] { std::memcpy(to.data(), from.data(), from.size()); });
  });
}

void add_scan() {
  add_row("exclusive_scan/int64", objects * 16, [](const auto& time, bool kernel) {
    const auto in = whole_numbers<std::int64_t>(0, 9);
    const Values<std::int64_t> out("evenkeel::bench::out", in.extent(0));
    if (kernel)
      time([&] { benchmark::DoNotOptimize(exec::exclusive_scan(Host(), in, out)); });
    else
      time([&] { benchmark::DoNotOptimize(scan_loop(in.data(), out.data(), objects)); });
  });
}

void add_histogram() {
  add_row("weighted_histogram/uniform", objects * 12, [](const auto& time, bool kernel) {
    const auto bin_of = whole_numbers<std::int32_t>(0, bin_count - 1);
    const auto weights = whole_numbers<double>(0, 9);
    const Values<double> bins("evenkeel::bench::bins", static_cast<std::size_t>(bin_count));
    if (kernel)
      time([&] { exec::weighted_histogram(Host(), objects, bin_of, weights, bins); });
    else
      time([&] { histogram_loop(bin_of.data(), weights.data(), bins.data(), objects); });
  });
}

void add_gather(const std::string& name, Order order) {
  add_row("gather/" + name, objects * 24, [=](const auto& time, bool kernel) {
    const auto from = indices(order);
    const auto in = whole_numbers<double>(0, 9);
    const Values<double> out("evenkeel::bench::out", in.extent(0));
    if (kernel)
      time([&] {
        exec::gather(Host(), from, in, out);
        exec::fence(Host(), "evenkeel::bench::gather");
      });
    else
      time([&] { gather_loop(from.data(), in.data(), out.data(), objects); });
  });
}

void add_extremes() {
  add_row("extremes/double", objects * 8, [](const auto& time, bool kernel) {
    const auto values = whole_numbers<double>(-1000000, 1000000);
    if (kernel)
      time([&] { benchmark::DoNotOptimize(exec::extremes<double>(Host(), objects, values)); });
    else
      time([&] { benchmark::DoNotOptimize(extremes_loop(values.data(), objects)); });
  });
}

void add_rows() {
  add_scan();
  add_histogram();
  add_gather("identity_1", Order::identity);
  add_gather("random_1", Order::random);
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
  medians.run_all();
  evenkeel::print(medians);
  return 0;
}
