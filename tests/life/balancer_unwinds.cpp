// An exception leaves the function that owns a Balancer while a look is under way. It is thrown on
// one rank alone or on all ranks (the argument). The destructor of the Balancer must not wait for
// other ranks, and MPI must end afterwards.

#include "application.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstring>
#include <stdexcept>

namespace ek = evenkeel;
using namespace life;

// Up to step `last`, the rank that throws has posted all messages that the others need. In the next
// step they would wait for it.
void simulate(const ek::Communicator& ranks, int last, bool gives_up) {
  Application application(ranks);
  ek::Balancer balancer(ranks, options());
  const ek::Kernel work = balancer.kernel("work");
  application.run(balancer, last);
  const auto timing = work.time();
  if (gives_up) throw std::runtime_error("the application gives up");
}

int main(int argc, char** argv) {
  const bool everybody = argc > 1 && std::strcmp(argv[1], "all_ranks") == 0;
  Promises promises;
  start_mpi(argc, argv);
  Kokkos::initialize(argc, argv);
  {
    const ek::Communicator ranks = ek::Communicator::world();
    for (int last = looking_step; last <= settling_step; ++last) {
      const bool gives_up = everybody || ranks.rank() == last % ranks.size();
      bool caught = false;
      try {
        simulate(ranks, last, gives_up);
      } catch (const std::runtime_error&) {
        caught = true;
      }
      promises.expect(caught == gives_up, "the exception arrives");
      promises.expect(ranks.all_reduce(1, ek::Reduction::sum) == ranks.size(), "MPI still works");
    }
  }
  Kokkos::finalize();
  end_mpi();
  return promises.status();
}
