// A balanced program: all objects begin on rank 0. Run it with: mpirun -n 2 01_minimal
#include <evenkeel/evenkeel.hpp>

#include <cstdio>

namespace ek = evenkeel;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    ek::Balancer balancer(MPI_COMM_WORLD, {.method = ek::Hilbert{}});
    auto force = balancer.kernel("force");  // register

    const int rank = ek::Communicator(MPI_COMM_WORLD).rank(), count = rank == 0 ? 60000 : 0;
    Kokkos::View<double* [3]> position("position", count);
    Kokkos::View<double*> mass("mass", count);
    Kokkos::parallel_for(
        "place", count, KOKKOS_LAMBDA(int i) { position(i, i % 3) = i; });

    for (int step = 0; step < 120; ++step) {
      {
        auto timing = force.time();  // ends with the scope
        Kokkos::parallel_for(
            "force", position.extent(0), KOKKOS_LAMBDA(int i) {
              for (int k = 1; k < 100; ++k) mass(i) += 1 / (k + position(i, 0));
            });
        Kokkos::fence();
      }
      // Collective. Moves only when worth it. If it returns false, no field has changed.
      if (auto moved = balancer.step(position, ek::carry(mass)))
        std::printf("rank %d has %zu objects after step %d\n", rank, position.extent(0), step);
    }
    balancer.finish();
  }
  MPI_Finalize();
}
