// The smallest program: describe the objects of a simulation, find the box around all of them, time
// the work on each rank, and say how even it is. Run it with: mpirun -n 2 01_minimal

#include <evenkeel/evenkeel.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <vector>

namespace ek = evenkeel;

using Positions = Kokkos::View<double* [3]>;
using Masses = Kokkos::View<double*>;

// Something that costs time per object: a sum over all pairs.
double work(const Positions& x) {
  const auto n = static_cast<int>(x.extent(0));
  double energy = 0;
  Kokkos::parallel_reduce(
      "pairs", n,
      KOKKOS_LAMBDA(int i, double& sum) {
        for (int j = 0; j < n; ++j) {
          const double dx = x(i, 0) - x(j, 0), dy = x(i, 1) - x(j, 1), dz = x(i, 2) - x(j, 2);
          sum += 1 / (1 + dx * dx + dy * dy + dz * dz);
        }
      },
      energy);
  return energy;
}

void simulate(const ek::Communicator& ranks) {
  // Each rank has more objects than the one before, on a line of its own.
  const int count = 1000 * (1 + ranks.rank());
  Positions position("position", count);
  Masses mass("mass", count);
  Kokkos::parallel_for(
      "place", count, KOKKOS_LAMBDA(int i) { position(i, 0) = i; });

  // A set: one position, and what moves with it.
  const ek::Set particles = ek::set(position, ek::carry(mass));
  const ek::Space space = ek::Space::where(particles.position().memory);
  const ek::Bounds box = ek::bounds(space, ranks, particles);

  const ek::Stopwatch stopwatch;
  const double energy = work(position);
  const std::vector<double> seconds = ranks.all_gather(stopwatch.seconds());
  const ek::LoadSummary load = ek::summarise(seconds);

  if (ranks.rank() == 0)
    std::printf(
        "%d rank(s) on %s, box %.0f wide, energy on rank 0 %.1f\n"
        "lambda %.2f (max/avg), imbalance %.0f %%\n",
        ranks.size(), std::string(space.name()).c_str(), box.upper[0] - box.lower[0], energy,
        ek::lambda(load), ek::imbalance_percent(load));
}

int main(int argc, char** argv) {
#if EVENKEEL_HAS_MPI
  MPI_Init(&argc, &argv);
#endif
  int status = 0;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    try {
      simulate(ek::Communicator::world());
    } catch (const ek::Error& error) {  // the same on all ranks
      std::fprintf(stderr, "%s\n", error.what());
      status = 1;
    }
  }
#if EVENKEEL_HAS_MPI
  MPI_Finalize();
#endif
  return status;
}
