// Times a whole rebalance by a Balancer, stage by stage, on any number of ranks. Objects have seven
// doubles in three arrays, and are in random order. The run uses all host threads
// (OMP_NUM_THREADS); run it again with one thread to compare.
//
//   mpirun -n 2 bench_rebalance [objects of a rank] [repetitions] [weights: 0 or 1] [method]
//                               [memory: host or device]
//
// On the host the arrays are vectors. With `device` they are Views in the memory of the device; in
// builds without a device this is the memory of the host.

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

  static std::string space() {
    const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
    return std::to_string(threads) + " threads";
  }
};

// Copies of the same objects in the default memory of the device.
struct ParticlesOnDevice {
  using Points = Kokkos::View<double* [3], exec::Device>;
  using Values = Kokkos::View<double*, exec::Device>;

  Points position, velocity;
  Values mass, weight;

  ParticlesOnDevice(std::int64_t count, int rank) {
    const Particles all(count, rank);
    position = copy_of(all.position);
    velocity = copy_of(all.velocity);
    mass = copy_of(all.mass);
    weight = copy_of(all.weight);
  }

  static std::string space() { return exec::Device::name(); }

  static Points copy_of(const std::vector<clouds::Point>& points) {
    Points copy("evenkeel::bench::points", points.size());
    const auto on_host = Kokkos::create_mirror_view(copy);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) on_host(i, axis) = points[i][axis];
    Kokkos::deep_copy(copy, on_host);
    return copy;
  }
  static Values copy_of(const std::vector<double>& values) {
    Values copy("evenkeel::bench::values", values.size());
    const auto on_host = Kokkos::create_mirror_view(copy);
    for (std::size_t i = 0; i < values.size(); ++i) on_host(i) = values[i];
    Kokkos::deep_copy(copy, on_host);
    return copy;
  }
};

template <class Objects>
void measure(const Communicator& ranks, std::int64_t count, int repetitions, bool is_weighted,
             const Method& method) {
  std::vector<std::pair<std::string, std::vector<double>>> stages;  // milliseconds
  for (int r = 0; r <= repetitions; ++r) {                          // the first is a warm-up
    Objects all(count, ranks.rank());
    Balancer balancer(ranks, {.method = method, .log = LogLevel::off});
    SetOptions options;
    if (is_weighted) options.weight = all.weight;
    const Set set = evenkeel::set(all.position, carry(all.velocity, all.mass, all.weight), options);
    MoveReport report;
    const double whole = bench::slowest_milliseconds(ranks, [&] {
      report = balancer.rebalance(set);
      Kokkos::fence();
    });
    report.seconds.emplace_back("whole", 1e-3 * whole);
    stages.resize(report.seconds.size());
    for (std::size_t s = 0; r > 0 && s < stages.size(); ++s) {
      stages[s].first = report.seconds[s].first;
      stages[s].second.push_back(1e3 * report.seconds[s].second);
    }
  }
  if (ranks.rank() != 0) return;
  std::printf("\n%d ranks, %s, %lld objects each, weights %s, %s\n\n", ranks.size(),
              Objects::space().c_str(), static_cast<long long>(count),
              is_weighted ? "given" : "not given", to_text(method).c_str());
  std::printf("| stage | median, ms | least, ms |\n|---|---|---|\n");
  for (const auto& [stage, milliseconds] : stages)
    std::printf("| %s | %.1f | %.1f |\n", stage.c_str(), bench::median(milliseconds),
                std::ranges::min(milliseconds));
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  using namespace evenkeel;
  const bench::Runtime runtime(argc, argv);
  const auto ranks = Communicator::world();
  const std::int64_t count = runtime.number<std::int64_t>(1, 4'000'000, 1);
  const int repetitions = runtime.number(2, 5, 1);
  const bool is_weighted = runtime.number(3, 0, 0) != 0;
  const auto method = method_from_text(argc > 4 ? argv[4] : "hilbert");
  if (!method) {
    std::fprintf(stderr, "unknown method %s: give one as in options, such as hilbert\n", argv[4]);
    return 1;
  }
  const std::string_view memory = argc > 5 ? argv[5] : "host";
  if (memory == "host") {
    measure<Particles>(ranks, count, repetitions, is_weighted, *method);
  } else if (memory == "device") {
    measure<ParticlesOnDevice>(ranks, count, repetitions, is_weighted, *method);
  } else {
    std::fprintf(stderr, "unknown memory %s: give host or device\n", argv[5]);
    return 1;
  }
  return 0;
}
