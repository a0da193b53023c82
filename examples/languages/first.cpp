// The same program in C++, for comparison.
#include <evenkeel/evenkeel.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <bit>
#include <cstdio>
#include <vector>

namespace ek = evenkeel;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    const ek::Communicator ranks(MPI_COMM_WORLD);
    ek::Balancer balancer(ranks, {.method = ek::Hilbert{}});
    auto force = balancer.kernel("force");

    const std::size_t count = ranks.rank() == 0 ? 6000 : 0;
    std::vector<std::array<double, 3>> x(count, {0, 0, 0});
    std::vector<double> mass(count, 0.0);
    for (std::size_t i = 0; i < count; ++i) x[i][i % 3] = static_cast<double>(i);

    for (int step = 0; step < 60; ++step) {
      {
        auto timing = force.time();
        for (std::size_t i = 0; i < mass.size(); ++i)
          for (int k = 1; k < 100; ++k) mass[i] += 1 / (k + x[i][0]);
      }
      balancer.step(x, ek::carry(mass));
    }
    balancer.finish();

    std::uint64_t checksum = 0;
    for (const double each : mass) checksum += std::bit_cast<std::uint64_t>(each);
    checksum = ranks.all_reduce(checksum, ek::Reduction::sum);
    if (ranks.rank() == 0)
      std::printf("rank 0 has %zu objects, checksum %016llx\n", mass.size(),
                  static_cast<unsigned long long>(checksum));
  }
  MPI_Finalize();
}
