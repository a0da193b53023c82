// Times a whole rebalance by a Balancer, stage by stage, on any number of ranks. Objects have seven
// doubles in three arrays, and are in random order. The run uses all host threads
// (OMP_NUM_THREADS); run it again with one thread to compare.
//
//   mpirun -n 2 bench_rebalance [objects of a rank] [repetitions] [weights: 0 or 1] [method]

#include "clouds.hpp"
#include "runtime.hpp"
#include "timing.hpp"

#include <evenkeel/evenkeel.hpp>

namespace evenkeel {
namespace {

struct Particles {
  std::vector<clouds::Point> position, velocity;
  std::vector<double> mass, weight;

  Particles(std::int64_t count, int rank)
      : position(clouds::points_of(clouds::Kind::uniform, rank * count, (rank + 1) * count)),
        velocity(position.size()),
        mass(position.size(), 1) {
    for (std::int64_t i = 0; i < count; ++i) weight.push_back(clouds::weight_of(rank * count + i));
  }
};

void measure(const Communicator& ranks, std::int64_t count, int repetitions, bool is_weighted,
             const Method& method) {
  std::vector<std::pair<std::string, std::vector<double>>> stages;  // milliseconds
  for (int r = 0; r <= repetitions; ++r) {                          // the first is a warm-up
    Particles all(count, ranks.rank());
    Balancer balancer(ranks, {.method = method, .log = LogLevel::off});
    SetOptions options;
    if (is_weighted) options.weight = all.weight;
    const Set set = evenkeel::set(all.position, carry(all.velocity, all.mass, all.weight), options);
    MoveReport report;
    const double whole =
        bench::slowest_milliseconds(ranks, [&] { report = balancer.rebalance(set); });
    report.seconds.emplace_back("whole", 1e-3 * whole);
    stages.resize(report.seconds.size());
    for (std::size_t s = 0; r > 0 && s < stages.size(); ++s) {
      stages[s].first = report.seconds[s].first;
      stages[s].second.push_back(1e3 * report.seconds[s].second);
    }
  }
  if (ranks.rank() != 0) return;
  std::printf("\n%d ranks, %d threads, %lld objects each, weights %s, %s\n\n", ranks.size(),
              Kokkos::DefaultHostExecutionSpace().concurrency(), static_cast<long long>(count),
              is_weighted ? "given" : "not given", to_text(method).c_str());
  std::printf("| stage | median, ms | least, ms |\n|---|---|---|\n");
  for (const auto& [stage, milliseconds] : stages)
    std::printf("| %s | %.1f | %.1f |\n", stage.c_str(), bench::median(milliseconds),
                std::ranges::min(milliseconds));
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  const evenkeel::bench::Runtime runtime(argc, argv);
  const auto ranks = evenkeel::Communicator::world();
  const std::int64_t count = runtime.number<std::int64_t>(1, 4'000'000, 1);
  const int repetitions = runtime.number(2, 5, 1);
  const bool is_weighted = runtime.number(3, 0, 0) != 0;
  const auto method = evenkeel::method_from_text(argc > 4 ? argv[4] : "hilbert");
  if (!method) {
    std::fprintf(stderr, "unknown method %s: give one as in options, such as hilbert\n", argv[4]);
    return 1;
  }
  evenkeel::measure(ranks, count, repetitions, is_weighted, *method);
  return 0;
}
