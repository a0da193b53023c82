// Balancers are destroyed without finish() in every phase of a look, some while a Timer of one of
// their kernels still runs. MPI and Kokkos must end as usual afterwards.

#include "application.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <memory>

namespace ek = evenkeel;
using namespace life;

int main(int argc, char** argv) {
  Promises promises;
  start_mpi(argc, argv);
  Kokkos::initialize(argc, argv);
  {
    const ek::Communicator ranks = ek::Communicator::world();
    for (const bool watcher : {true, false})
      for (int last = 0; last <= settling_step + 10; ++last) {
        ek::Options choice = options();
        choice.watcher = watcher;
        Application application(ranks);
        auto balancer = std::make_unique<ek::Balancer>(ranks, choice);
        const ek::Kernel work = balancer->kernel("work");
        const auto outer = work.time();
        application.run(*balancer, last);
        const auto inner = work.time();
        balancer.reset();
        promises.expect(ranks.all_reduce(1, ek::Reduction::sum) == ranks.size(), "MPI still works");
      }
  }
  Kokkos::finalize();
  end_mpi();
  return promises.status();
}
