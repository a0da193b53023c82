// Measures the cost of a balancer that cannot help. One object is most of the work, and shares its
// rank only with objects that cost nothing, so no other decomposition is more even. Runs with and
// without a Balancer take turns. Each begins with new objects and, if it has one, a new Balancer.
//
//   mpirun -n 2 bench_incurable [steps] [microseconds of the slowest rank per step] [pairs of runs]

#include "operations.hpp"
#include "runtime.hpp"

#include <evenkeel/evenkeel.hpp>

namespace ek = evenkeel;

namespace {

struct Objects {
  Kokkos::View<double* [3], Kokkos::HostSpace> position;
  Kokkos::View<double*, Kokkos::HostSpace> value;
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> cost;  // operations in a step

  explicit Objects(std::size_t count)
      : position("position", count), value("value", count), cost("cost", count) {}
};

// A thousand objects on each rank, in a slab of its own. On rank 0, one object has all the work,
// and the others cost nothing. On each other rank, all objects together cost a third of that one
// object.
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
  for (std::size_t i = 0; i < objects.cost.extent(0); ++i) ek::bench::compute(objects.cost(i));
}

class Runs {
 public:
  Runs(const ek::Communicator& ranks, int steps, double milliseconds)
      : ranks_(ranks),
        steps_(steps),
        heaviest_(static_cast<std::int64_t>(ek::bench::operations_in(ranks, milliseconds))) {}

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
  std::int64_t heaviest_;  // operations
};

}  // namespace

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  const ek::Communicator ranks = ek::Communicator::world();
  const int steps = runtime.number(1, 2000, 10);
  const int pairs = runtime.number(3, 10, 2);
  Runs runs(ranks, steps, 1e-3 * runtime.number(2, 1000, 1));
  std::vector<double> ratios;
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
  const double mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / pairs;
  double squares = 0;
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
