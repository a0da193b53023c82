// A heavy body passes through a cloud of particles. Particles near the body sink to it and circle
// it in many short steps, so the work concentrates there and moves with the body: an even
// decomposition does not stay even. Compare:
//
//   mpirun -n 2 02_particles --balance off
//   mpirun -n 2 02_particles --balance on
//
// Particles feel the body, not each other. So the path of a particle does not depend on the rank
// that computes it, and the checksum is the same to the bit for any number of ranks, balanced or
// not.

#include <evenkeel/evenkeel.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace ek = evenkeel;

constexpr double step_length = 0.005;
constexpr double attraction = 1.6;  // mass of the body times the constant of gravity
constexpr double softening = 0.02;  // radius of the body, within which its pull fades
constexpr double friction = 4;      // of the thin gas around the particles
constexpr double accuracy = 0.004;  // length of a sub-step, in radians of an orbit

struct Settings {
  std::int64_t particles = 100000, steps = 200;
  bool balance = true;
  bool table = false;  // one line for programs instead of two for people
};

struct Figures {
  double seconds = 0;  // of all steps, from barrier to barrier
  ek::LoadSummary load;
  int rebalances = 0;
  double cost_seconds = 0;  // of all rebalances
  std::uint64_t checksum = 0;
};

struct Cloud {
  Kokkos::View<double*[3]> position, velocity;
  Kokkos::View<int*> substeps;  // in the last step
  Kokkos::View<std::int64_t*> id;
};

// Scrambles bits, as SplitMix64 does (Steele, Lea and Flood, OOPSLA 2014).
KOKKOS_INLINE_FUNCTION std::uint64_t scramble(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

// Makes the particles with this rank's share of the ids. Each is at rest, at a place in the cube
// that depends only on its id.
Cloud make_cloud(const ek::Communicator& ranks, std::int64_t particles) {
  const std::int64_t first = particles * ranks.rank() / ranks.size();
  const std::int64_t count = particles * (ranks.rank() + 1) / ranks.size() - first;
  Cloud cloud{Kokkos::View<double* [3]>("position", count),
              Kokkos::View<double* [3]>("velocity", count), Kokkos::View<int*>("substeps", count),
              Kokkos::View<std::int64_t*>("id", count)};
  Kokkos::parallel_for(
      "place", count, KOKKOS_LAMBDA(std::int64_t i) {
        cloud.id(i) = first + i;
        cloud.substeps(i) = 1;
        auto bits = static_cast<std::uint64_t>(first + i);
        for (int axis = 0; axis < 3; ++axis) {
          bits = scramble(bits);
          cloud.position(i, axis) = static_cast<double>(bits >> 11U) * 0x1p-52 - 1;  // -1 to 1
        }
      });
  return cloud;
}

// Finds the acceleration of a particle at x, and returns the square of the angular velocity of an
// orbit there. The body moves on a straight line on one side of the cloud.
KOKKOS_INLINE_FUNCTION double pull(double time, const double (&x)[3], const double (&v)[3],
                                   double (&acceleration)[3]) {
  const double away[3] = {x[0] - 0.5, x[1] - 0.5, x[2] - (1.2 * time - 0.6)};
  const double square =
      away[0] * away[0] + away[1] * away[1] + away[2] * away[2] + softening * softening;
  const double rate = attraction / (square * std::sqrt(square));
  for (int axis = 0; axis < 3; ++axis) acceleration[axis] = -rate * away[axis] - friction * v[axis];
  return rate;
}

// Advances particle i by one step, by leap-frog in its own number of sub-steps: 1 far away, 500 at
// the body.
KOKKOS_INLINE_FUNCTION void fly(const Cloud& cloud, std::int64_t i, double time) {
  double x[3], v[3], acceleration[3];
  for (int axis = 0; axis < 3; ++axis) {
    x[axis] = cloud.position(i, axis);
    v[axis] = cloud.velocity(i, axis);
  }
  const double radians = step_length * std::sqrt(pull(time, x, v, acceleration));
  const int substeps = 1 + static_cast<int>(radians / accuracy);
  const double length = step_length / substeps;
  for (int substep = 1; substep <= substeps; ++substep) {
    for (int axis = 0; axis < 3; ++axis) {
      v[axis] += length / 2 * acceleration[axis];
      x[axis] += length * v[axis];
    }
    pull(time + substep * length, x, v, acceleration);
    for (int axis = 0; axis < 3; ++axis) v[axis] += length / 2 * acceleration[axis];
  }
  for (int axis = 0; axis < 3; ++axis) {
    cloud.position(i, axis) = x[axis];
    cloud.velocity(i, axis) = v[axis];
  }
  cloud.substeps(i) = substeps;
}

void advance(const Cloud& cloud, double time) {
  // Costs differ, so threads take few particles at a time.
  using Policy = Kokkos::RangePolicy<Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "advance", Policy(0, cloud.id.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) { fly(cloud, i, time); });
  Kokkos::fence();  // so that the timers measure the work
}

// The checksum of all bits of all particles, independent of their order. Collective.
std::uint64_t checksum(const ek::Communicator& ranks, const Cloud& cloud) {
  const Kokkos::HostSpace host;
  const auto position = Kokkos::create_mirror_view_and_copy(host, cloud.position);
  const auto velocity = Kokkos::create_mirror_view_and_copy(host, cloud.velocity);
  const auto id = Kokkos::create_mirror_view_and_copy(host, cloud.id);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < id.extent(0); ++i) {
    std::uint64_t bits = scramble(static_cast<std::uint64_t>(id(i)));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bits = scramble(bits ^ std::bit_cast<std::uint64_t>(position(i, axis)));
      bits = scramble(bits ^ std::bit_cast<std::uint64_t>(velocity(i, axis)));
    }
    sum += bits;
  }
  return ranks.all_reduce(sum, ek::Reduction::sum);
}

Figures simulate(const ek::Communicator& ranks, const Settings& settings) {
  Cloud cloud = make_cloud(ranks, settings.particles);
  // The arrays that move together. A clock measures only the sum over all particles, so the number
  // of sub-steps gives the cost of each.
  const auto particles = [&cloud] {
    return ek::set(cloud.position, ek::carry(cloud.velocity, cloud.substeps, cloud.id),
                   {.weight = cloud.substeps});
  };

  ek::Options options;
  if (!settings.balance) options.trigger = ek::Never{};
  ek::Balancer balancer(ranks, options);
  auto flight = balancer.kernel("flight");
  balancer.rebalance(particles());  // the first distribution

  Figures figures;
  figures.load.ranks = ranks.size();
  double work_seconds = 0;
  ranks.barrier();
  const ek::Stopwatch wall;
  for (std::int64_t step = 1; step <= settings.steps; ++step) {
    const ek::Stopwatch work;
    {
      auto timing = flight.time();
      advance(cloud, static_cast<double>(step - 1) * step_length);
    }
    work_seconds += work.seconds();

    const ek::Stopwatch call;
    if (balancer.step(particles())) {
      ++figures.rebalances;
      // The rank that enters last does not wait for the others. So the least time is the cost.
      figures.cost_seconds += ranks.all_reduce(call.seconds(), ek::Reduction::least);
    }

    if (step % 4 == 0 || step == settings.steps) {  // the program's own summary
      const ek::LoadSummary look = ek::summarise(ranks.all_gather(work_seconds));
      figures.load.sum += look.sum;
      figures.load.greatest += look.greatest;
      work_seconds = 0;
    }
  }
  ranks.barrier();
  figures.seconds = wall.seconds();
  balancer.finish();
  figures.checksum = checksum(ranks, cloud);
  return figures;
}

void print(const Figures& figures, const Settings& settings) {
  const char* people =
      "%.2f s: %.1f steps/s, lambda %.2f, imbalance %.0f %%\n"
      "%d rebalances took %.2f s; checksum %016llx\n";
  const char* programs =
      "seconds=%.3f steps_per_second=%.2f lambda=%.3f imbalance_percent=%.1f "
      "rebalances=%d cost_seconds=%.3f checksum=%016llx\n";
  std::printf(settings.table ? programs : people, figures.seconds,
              static_cast<double>(settings.steps) / figures.seconds, ek::lambda(figures.load),
              ek::imbalance_percent(figures.load), figures.rebalances, figures.cost_seconds,
              static_cast<unsigned long long>(figures.checksum));
}

// Returns false if an argument is unknown or has a bad value.
bool read(int argc, char** argv, Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const std::string value = option != "--table" && i + 1 < argc ? argv[++i] : "";
    const auto is_number = [&value](std::int64_t& number) {
      const char* end = value.data() + value.size();
      const auto [rest, error] = std::from_chars(value.data(), end, number);
      return error == std::errc() && rest == end && number > 0 && number <= 1'000'000'000;
    };
    const bool known = option == "--table" ||
                       (option == "--particles" && is_number(settings.particles)) ||
                       (option == "--steps" && is_number(settings.steps)) ||
                       (option == "--balance" && (value == "on" || value == "off"));
    if (!known) return false;
    if (option == "--table") settings.table = true;
    if (option == "--balance") settings.balance = value == "on";
  }
  return true;
}

int run(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);  // removes Kokkos's own arguments
  try {
    const ek::Communicator ranks = ek::Communicator::world();
    Settings settings;
    if (!read(argc, argv, settings)) {
      if (ranks.rank() == 0)
        std::fputs("usage: 02_particles [--particles N] [--steps N] [--balance on|off] [--table]\n",
                   stderr);
      return 2;
    }
    const Figures figures = simulate(ranks, settings);
    if (ranks.rank() == 0) print(figures, settings);
  } catch (const ek::Error& error) {  // the same on all ranks
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
#if EVENKEEL_HAS_MPI
  MPI_Init(&argc, &argv);
#endif
  const int status = run(argc, argv);
#if EVENKEEL_HAS_MPI
  MPI_Finalize();
#endif
  return status;
}
