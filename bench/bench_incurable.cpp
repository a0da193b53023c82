// What a balancer costs where it cannot help: one object is most of the work, on a rank of its own
// from the start but for objects that cost nothing, so that no other decomposition is more even.
// Runs with a Balancer and without one take turns; each begins anew and knows nothing of the
// others.
//
//   mpirun -n 2 bench_incurable [steps] [microseconds of the slowest rank per step] [pairs of runs]

#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/evenkeel.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace ek = evenkeel;

namespace {

// So many multiplications and additions, each of which waits for the one before.
[[gnu::noinline]] double compute(double value, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) value = value * 0.999999 + 1e-6;
  return value;
}

struct Objects {
  Kokkos::View<double* [3], Kokkos::HostSpace> position;
  Kokkos::View<double*, Kokkos::HostSpace> value;
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> cost;  // operations in a step

  explicit Objects(std::size_t count)
      : position("position", count), value("value", count), cost("cost", count) {}
};

// A thousand on each rank, in a slab of its own. One on rank 0 costs all that rank has to do, and
// the others there nothing; those elsewhere together a third of it on each rank.
Objects make_objects(const ek::Communicator& ranks, std::int64_t heaviest) {
  constexpr std::size_t count = 1000;
  const bool is_first = ranks.rank() == 0;
  std::mt19937 random(static_cast<unsigned>(ranks.rank()));
  std::uniform_real_distribution<double> place(0, 1);
  Objects objects(count);
  for (std::size_t i = 0; i < count; ++i) {
    objects.position(i, 0) = ranks.rank() + place(random);
    objects.position(i, 1) = place(random);
    objects.position(i, 2) = place(random);
    objects.value(i) = 1;
    objects.cost(i) = is_first ? 0 : heaviest / 3 / static_cast<std::int64_t>(count);
  }
  if (is_first) objects.cost(count / 2) = heaviest;
  return objects;
}

void advance(const Objects& objects) {
  for (std::size_t i = 0; i < objects.value.extent(0); ++i)
    objects.value(i) = compute(objects.value(i), objects.cost(i));
}

class Runs {
 public:
  Runs(const ek::Communicator& ranks, int steps, std::int64_t nanoseconds)
      : ranks_(ranks), steps_(steps) {
    constexpr std::int64_t trial = 1'000'000;
    constexpr int trials = 9;
    std::vector<double> milliseconds;
    milliseconds.reserve(trials);
    for (int i = 0; i < trials; ++i)
      milliseconds.push_back(
          ek::bench::slowest_milliseconds(ranks, [&] { held_ = compute(held_, trial); }));
    const double per_operation = 1e6 * ek::bench::median(milliseconds) / trial;
    heaviest_ = ranks.all_reduce(
        static_cast<std::int64_t>(static_cast<double>(nanoseconds) / per_operation),
        ek::Reduction::least);
  }

  double without() const {
    const Objects objects = make_objects(ranks_, heaviest_);
    return ek::bench::slowest_milliseconds(ranks_, [&] {
      for (int step = 0; step < steps_; ++step) {
        advance(objects);
        ranks_.barrier();
      }
    });
  }

  double with(int& rebalances) const {
    Objects objects = make_objects(ranks_, heaviest_);
    ek::Balancer balancer(ranks_);
    const ek::Kernel kernel = balancer.kernel("work");
    rebalances = 0;
    const double milliseconds = ek::bench::slowest_milliseconds(ranks_, [&] {
      for (int step = 0; step < steps_; ++step) {
        {
          const auto timing = kernel.time();
          advance(objects);
        }
        if (balancer.step(objects.position, ek::carry(objects.value, objects.cost))) ++rebalances;
        ranks_.barrier();
      }
    });
    balancer.finish();
    return milliseconds;
  }

 private:
  const ek::Communicator& ranks_;
  int steps_;
  std::int64_t heaviest_ = 0;  // operations
  volatile double held_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  const ek::Communicator ranks = ek::Communicator::world();
  const auto steps = static_cast<int>(runtime.number(1, 2000, 10));
  const auto pairs = static_cast<int>(runtime.number(3, 10, 2));
  Runs runs(ranks, steps, 1000 * runtime.number(2, 1000, 1));
  std::vector<double> ratios;
  ratios.reserve(static_cast<std::size_t>(pairs));
  int moved = 0;
  std::mt19937 random(1);  // the same on all ranks
  for (int pair = 0; pair < pairs; ++pair) {
    const bool first = random() % 2 == 0;
    int rebalances = 0;
    const double before = first ? 0 : runs.without();
    const double with = runs.with(rebalances);
    ratios.push_back(with / (first ? runs.without() : before));
    moved += rebalances;
  }
  double sum = 0, squares = 0;
  for (const double ratio : ratios) sum += ratio;
  const double mean = sum / pairs;
  for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
  const double reach = 1.96 * std::sqrt(squares / (pairs - 1) / pairs);
  if (ranks.rank() == 0)
    std::printf(
        "%d ranks, %d steps, %d pairs of runs\ntime with a balancer over the time without: median "
        "%.4f, mean %.4f (95 %%: %.4f to %.4f); %.1f moves in a run\n",
        ranks.size(), steps, pairs, ek::bench::median(ratios), mean, mean - reach, mean + reach,
        static_cast<double>(moved) / pairs);
  return 0;
}
