// A program without a Balancer starts MPI and Kokkos, uses evenkeel, and returns. It must end by
// itself, with its own exit status.

#include <evenkeel/evenkeel.hpp>

#include <cstdio>
#include <optional>

namespace ek = evenkeel;

std::optional<ek::Communicator>
    global_communicator;  // destroyed after main, with MPI still running
std::optional<ek::Buffer> global_buffer;

int main(int argc, char** argv) {
#if EVENKEEL_HAS_MPI
  MPI_Init(&argc, &argv);
#endif
  Kokkos::initialize(argc, argv);
  global_communicator.emplace(ek::Communicator::world());
  global_buffer.emplace("left over", ek::MemoryKind::host, 1000);
  auto* leaked = new ek::Communicator(global_communicator->duplicate());
  const int ranks = leaked->all_reduce(1, ek::Reduction::sum);
  std::printf("%d rank(s), and out\n", ranks);
  return ranks == global_communicator->size() ? 0 : 1;
}
