// Before Kokkos::initialize and after Kokkos::finalize, a Balancer must throw an Error that is the
// same on all ranks. A Monitor needs no Kokkos.

#include "application.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

namespace ek = evenkeel;
using namespace life;

void monitor_a_run(const ek::Communicator& ranks, Promises& promises) {
  ek::Monitor monitor(ranks, options());
  monitor.set_load(ranks.rank() == 0 ? 2 : 1);
  int advices = 0;
  while (monitor.steps() < settling_step + 1) advices += monitor.step() ? 1 : 0;
  promises.expect(advices == (ranks.size() > 1 ? 1 : 0), "a Monitor works without Kokkos");
  monitor.finish();
}

int main(int argc, char** argv) {
  Promises promises;
  start_mpi(argc, argv);
  {
    const ek::Communicator ranks = ek::Communicator::world();
    monitor_a_run(ranks, promises);
    promises.expect(contains(error_of([&] { ek::Balancer(ranks, options()); }),
                             "Kokkos is not running. Make a Balancer after Kokkos::initialize."),
                    "no Balancer without Kokkos");

    Kokkos::initialize(argc, argv);
    Application application(ranks), weighted(ranks);
    ek::Balancer balancer(ranks, options()), by_weight(ranks, options());
    application.run(balancer, looking_step - 1);
    while (by_weight.steps() < looking_step - 1) weighted.step_with_weights(by_weight);
    Kokkos::finalize();

    const std::size_t objects = application.objects();
    const char* refusal = "Kokkos is not running. Call rebalance between Kokkos::initialize";
    promises.expect(contains(error_of([&] { application.rebalance(balancer); }), refusal),
                    "no rebalance without Kokkos");
    const std::string error = error_of([&] { application.run(balancer, settling_step); });
    promises.expect(contains(error, refusal) == (ranks.size() > 1), "nor one by advice");
    while (by_weight.steps() < settling_step)
      error_of([&] { weighted.step_with_weights(by_weight); });
    promises.expect(application.objects() == objects, "nothing is lost");
    monitor_a_run(ranks, promises);
    balancer.finish();
    by_weight.finish();
  }
  end_mpi();
  return promises.status();
}
