// Starts MPI and Kokkos, and returns from main without finalizing them. A look is under way in two
// Balancers: one is destroyed after main, the other is never destroyed. The program must end by
// itself, with its own exit status.

#include "application.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <optional>

namespace ek = evenkeel;
using namespace life;

std::optional<ek::Balancer> global_balancer;

int main(int argc, char** argv) {
  start_mpi(argc, argv);
  Kokkos::initialize(argc, argv);
  const ek::Communicator ranks = ek::Communicator::world();
  Application application(ranks);
  global_balancer.emplace(ranks, options());
  application.run(*global_balancer, looking_step + 1);
  auto* leaked = new ek::Balancer(ranks, options());
  application.run(*leaked, settling_step - 1);
  return leaked->steps() == settling_step - 1 ? 0 : 1;
}
