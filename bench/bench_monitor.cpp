// What watching costs: the call of step at the end of each step, when nothing is to be done, and a
// timed scope. Beside them, in the same run, what they are made of: a reading of the clock, and a
// blocking reduction of the same size, which a balancer without this protocol would pay at each
// look.
//
//   mpirun -n 2 bench_monitor [steps] [microseconds of work per step]

#include "runtime.hpp"

#include <evenkeel/evenkeel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace ek = evenkeel;

namespace {

void work_for(std::int64_t nanoseconds) {
  const std::int64_t end = ek::wall_nanoseconds() + nanoseconds;
  while (ek::wall_nanoseconds() < end) {
  }
}

// Nanoseconds of each of `count` calls, sorted.
template <class Prepare, class Call>
std::vector<std::int64_t> times_of(int count, Prepare&& prepare, Call&& call) {
  std::vector<std::int64_t> times;
  times.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    prepare();
    const std::int64_t begin = ek::wall_nanoseconds();
    call();
    times.push_back(ek::wall_nanoseconds() - begin);
  }
  std::sort(times.begin(), times.end());
  return times;
}

void print(const char* what, const std::vector<std::int64_t>& times) {
  const auto at = [&](double share) {
    return static_cast<double>(times[static_cast<std::size_t>(share * double(times.size() - 1))]) *
           1e-3;
  };
  double sum = 0;
  for (const std::int64_t time : times) sum += static_cast<double>(time) * 1e-3;
  std::printf("%-34s %9.3f %9.3f %9.3f %9.3f\n", what, at(0.5), at(0.9), at(0.99),
              sum / static_cast<double>(times.size()));
}

// The slower of all ranks, call by call of the same rank in the order of time.
std::vector<std::int64_t> slowest(const ek::Communicator& ranks, std::vector<std::int64_t> times) {
  ranks.all_reduce(std::span(times), ek::Reduction::greatest);
  return times;
}

void add_totals(ek::Totals& into, const ek::Totals& from) noexcept { ek::combine(into, from); }

void measure(const ek::Communicator& ranks, int steps, std::int64_t work_nanoseconds) {
  Kokkos::View<double* [3], Kokkos::HostSpace> position("position", 1000);
  Kokkos::View<double*, Kokkos::HostSpace> mass("mass", 1000);
  const auto busy = [&] { work_for(work_nanoseconds); };
  const auto nothing = [] {};
  const bool first = ranks.rank() == 0;
  if (first)
    std::printf(
        "%d rank(s), %d steps of %.0f us; microseconds on the slowest rank\n%-34s %9s %9s "
        "%9s %9s\n",
        ranks.size(), steps, static_cast<double>(work_nanoseconds) * 1e-3, "", "median", "90 %",
        "99 %", "mean");

  ek::Balancer balancer(ranks, {.trigger = ek::Threshold{.lambda = 1000}});
  const ek::Kernel kernel = balancer.kernel("work");
  const auto timed_busy = [&] {
    const auto timing = kernel.time();
    busy();
  };
  const auto step = [&] { static_cast<void>(balancer.step(position, ek::carry(mass))); };
  const auto step_times = slowest(ranks, times_of(steps, timed_busy, step));
  const auto scope_times = slowest(ranks, times_of(steps, nothing, [&] {
                                     for (int i = 0; i < 100; ++i) static_cast<void>(kernel.time());
                                   }));
  const auto clock_times = slowest(ranks, times_of(steps, nothing, [] {
                                     for (int i = 0; i < 100; ++i)
                                       static_cast<void>(ek::wall_nanoseconds());
                                   }));
  const auto reduction_times =
      slowest(ranks, times_of(steps, busy, [&] {
                static_cast<void>(ek::all_reduce<&add_totals>(ranks, ek::totals_of({}, 0)));
              }));
  balancer.finish();
  if (!first) return;
  print("step", step_times);
  print("100 x kernel begin + end", scope_times);
  print("100 x reading of the wall clock", clock_times);
  print("blocking reduction of the totals", reduction_times);
}

}  // namespace

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  measure(ek::Communicator::world(), static_cast<int>(runtime.number(1, 5000, 10)),
          1000 * runtime.number(2, 200, 0));
  return 0;
}
