// A whole rebalance, stage by stage: objects of seven doubles in three arrays, in random order, by
// a Balancer, on any number of ranks. With several host threads (OMP_NUM_THREADS) it runs once with
// all of them; run it again with one to compare.
//
//   mpirun -n 2 bench_rebalance [objects of a rank] [repetitions] [weights: 0 or 1] [method]

#include "runtime.hpp"

#include <evenkeel/evenkeel.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace evenkeel {
namespace {

struct Particles {
  std::vector<std::array<double, 3>> position, velocity;
  std::vector<double> mass, weight;

  Particles(std::int64_t count, int rank)
      : position(static_cast<std::size_t>(count)),
        velocity(position.size()),
        mass(position.size(), 1),
        weight(position.size()) {
    std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (auto& place : position)
      for (double& coordinate : place) coordinate = uniform(random);
    for (double& one : weight) one = 1 + uniform(random);
  }
};

// The stages in their order, and the milliseconds of each repetition.
struct Table {
  std::vector<std::string> stages;
  std::map<std::string, std::vector<double>> milliseconds;

  void add(const std::string& stage, double time) {
    if (std::find(stages.begin(), stages.end(), stage) == stages.end()) stages.push_back(stage);
    milliseconds[stage].push_back(time);
  }
  void print() {
    for (const std::string& stage : stages) {
      std::vector<double>& times = milliseconds[stage];
      std::sort(times.begin(), times.end());
      std::printf("| %s | %.1f | %.1f |\n", stage.c_str(), times[times.size() / 2], times.front());
    }
  }
};

void measure(const Communicator& ranks, std::int64_t count, int repetitions, bool is_weighted,
             const Method& method) {
  Table table;
  for (int r = 0; r <= repetitions; ++r) {  // the first warms up
    Particles all(count, ranks.rank());
    Balancer balancer(ranks, {.method = method, .log = LogLevel::off});
    SetOptions options;
    if (is_weighted) options.weight = all.weight;
    const Set set = evenkeel::set(all.position, carry(all.velocity, all.mass, all.weight), options);
    ranks.barrier();
    const Stopwatch stopwatch;
    const MoveReport report = balancer.rebalance({&set, 1});
    ranks.barrier();
    const double whole = 1e3 * ranks.all_reduce(stopwatch.seconds(), Reduction::greatest);
    if (r == 0) continue;
    for (const auto& [stage, seconds] : report.seconds) table.add(stage, 1e3 * seconds);
    table.add("whole", whole);
  }
  if (ranks.rank() != 0) return;
  std::printf("\n%d ranks, %d threads, %lld objects each, weights %s, %s\n\n", ranks.size(),
              Kokkos::DefaultHostExecutionSpace().concurrency(), static_cast<long long>(count),
              is_weighted ? "given" : "none", to_text(method).c_str());
  std::printf("| stage | median, ms | least, ms |\n|---|---|---|\n");
  table.print();
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  const auto ranks = evenkeel::Communicator::world();
  const long long count = runtime.number(1, 4'000'000, 1);
  const auto repetitions = static_cast<int>(runtime.number(2, 5, 1));
  const bool is_weighted = runtime.number(3, 0, 0) != 0;
  const auto method = evenkeel::method_from_text(argc > 4 ? argv[4] : "hilbert");
  if (!method) {
    std::fprintf(stderr, "%s is no method\n", argv[4]);
    return 1;
  }
  evenkeel::measure(ranks, count, repetitions, is_weighted, *method);
  return 0;
}
