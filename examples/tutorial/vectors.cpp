// Objects in vectors, without a View. Their costs are measured, loop by loop, in chunks.

#include <evenkeel/evenkeel.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace ek = evenkeel;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Kokkos::ScopeGuard kokkos(argc, argv);  // evenkeel itself works with Kokkos
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    std::vector<std::array<double, 3>> position;
    std::vector<double> heat;
    for (int i = 0; rank == 0 && i < 6000; ++i) {  // as if rank 0 had read a file
      position.push_back({std::sin(i), std::sin(1.3 * i), std::sin(1.7 * i)});
      heat.push_back(1);
    }

    ek::Balancer balancer(MPI_COMM_WORLD);
    auto work = balancer.kernel("work");
    balancer.rebalance(position, ek::carry(heat));
    for (int step = 0; step < 60; ++step) {
      for (const auto chunk : work.chunks(std::ssize(heat))) {
        const auto timing = chunk.time();
        for (auto i = chunk.begin(); i < chunk.end(); ++i)
          for (int k = position[i][0] > 0.5 ? 100 : 1; k > 0; --k) heat[i] += std::sin(heat[i]) / k;
      }
      balancer.step(position, ek::carry(heat));
    }
    balancer.finish();
    std::printf("rank %d has %zu objects\n", rank, heat.size());
  }
  MPI_Finalize();
}
