// In every step, sends the objects that have left their domain to their owners. The peer in the
// same run is one pass over the positions. Times are medians of milliseconds on the slowest rank.
// docs/performance.md says how to read them.
//
//   mpirun -n 2 bench_home [objects of all ranks] [steps]
//
// Objects of 8 doubles (position, velocity, two more) fill a periodic unit cube and fly in straight
// lines, so fast that about one in a hundred leaves its domain in a step. Their arrays have spare
// room, as in most particle codes. The pass sums the coordinates; `bounds` finds the least and the
// greatest of them, as the library does at each rebalance.

#include "clouds.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/monitor/balancer.hpp>

namespace evenkeel::bench {
namespace {

using clouds::Random;

struct Particles {
  using Vectors = Kokkos::View<double* [3], Kokkos::LayoutRight, Kokkos::HostSpace>;
  Vectors x, v;
  Kokkos::View<double*, Kokkos::HostSpace> mass, charge;
  std::int64_t owned;

  Particles(std::int64_t count, int rank)
      : x("x", room(count)),
        v("v", room(count)),
        mass("mass", room(count)),
        charge("charge", room(count)),
        owned(count) {
    for (std::int64_t i = 0; i < count; ++i) {
      Random random(31, i + rank * count);
      for (int d = 0; d < 3; ++d) x(i, d) = random.uniform();
      for (int d = 0; d < 3; ++d) v(i, d) = random.uniform() - 0.5;
    }
  }
  static std::size_t room(std::int64_t count) { return static_cast<std::size_t>(count * 5 / 4); }
  Set as_set() { return set(x, carry(v, mass, charge), {.count = &owned, .reserve = 1.2}); }

  void fly(double seconds) const {
    for (std::int64_t i = 0; i < owned; ++i)
      for (int d = 0; d < 3; ++d) {
        double place = x(i, d) + seconds * v(i, d);
        place += place < 0 ? 1 : place >= 1 ? -1 : 0;
        x(i, d) = place;
      }
  }
  double pass() const {
    double sum[3] = {};
    const double* const values = x.data();
    for (std::int64_t i = 0; i < owned; ++i)
      for (int d = 0; d < 3; ++d) sum[d] += values[3 * i + d];
    return sum[0] + sum[1] + sum[2];
  }
};

void measure(const Communicator& ranks, const char* name, const Method& method, std::int64_t count,
             int steps) {
  Particles particles(count, ranks.rank());
  Balancer balancer(ranks, {.method = method,
                            .trigger = Never{},
                            .box = Box{{0, 0, 0}, {1, 1, 1}},
                            .periodic = {true, true, true},
                            .log = LogLevel::off});
  balancer.rebalance(particles.as_set());
  std::vector<double> home, pass, all_bounds, nothing;
  double moved = 0, sum = 0;
  for (int step = 0; step <= steps; ++step) {  // the first step is a warm-up
    const auto time = [&](std::vector<double>& into, const auto& work) {
      const double milliseconds = slowest_milliseconds(ranks, work);
      if (step > 0) into.push_back(milliseconds);
    };
    particles.fly(0.02);
    std::int64_t left = 0;
    time(pass, [&] { sum += particles.pass(); });
    time(all_bounds, [&] { bounds(Space::where(MemoryKind::host), ranks, particles.as_set()); });
    time(home, [&] { left = balancer.migrate(particles.as_set()).objects; });
    time(nothing, [&] { balancer.migrate(particles.as_set()); });
    if (step > 0) moved += static_cast<double>(left) / static_cast<double>(count * ranks.size());
  }
  balancer.finish();
  if (ranks.rank() != 0) return;
  std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |%s\n", name,
              100 * moved / steps, median(pass), median(all_bounds), median(home), median(nothing),
              median(home) / median(pass), median(home) / median(all_bounds),
              sum == 0 ? " " : "");  // the compiler cannot remove a sum that is used
  std::fflush(stdout);
}

void measure_all(std::int64_t objects, int steps) {
  const Communicator ranks = Communicator::world();
  const std::int64_t count = std::max<std::int64_t>(1, objects / ranks.size());
  if (ranks.rank() == 0)
    std::printf(
        "%lld objects on each of %d rank(s)\n\n"
        "| method | left, %% | pass | bounds | migrate | migrate, all at home | x pass "
        "| x bounds |\n|---|---|---|---|---|---|---|---|\n",
        static_cast<long long>(count), ranks.size());
  const std::pair<const char*, Method> methods[] = {
      {"hilbert", Hilbert{}},     {"morton", Morton{}}, {"snake", Snake{}},
      {"staggered", Staggered{}}, {"tensor", Tensor{}}, {"bisection", RecursiveBisection{}}};
  for (const auto& [name, method] : methods) measure(ranks, name, method, count, steps);
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  evenkeel::bench::measure_all(runtime.number<std::int64_t>(1, 2'000'000, 1000),
                               runtime.number(2, 15, 1));
  return 0;
}
