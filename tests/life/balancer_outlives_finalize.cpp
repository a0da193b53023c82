// Balancers live longer than MPI and Kokkos, in every phase of a look: as globals, as locals of
// main, and without ever being destroyed. The argument says whether MPI or Kokkos ends first. Using
// such a Balancer must be an Error, not an abort, and its destructor must do nothing.

#include "application.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstring>
#include <memory>
#include <optional>

namespace ek = evenkeel;
using namespace life;

std::optional<ek::Kernel> global_kernel;  // destroyed after main, and after the Balancers
std::optional<ek::Balancer> global_balancer, finished_balancer;
std::optional<ek::Monitor> global_monitor;

// At MPI_Finalize, the reduction of the totals is under way or complete, or the reduction that
// compares the decisions is.
void run_in_every_phase(std::vector<std::unique_ptr<ek::Balancer>>& balancers,
                        const ek::Communicator& ranks, Promises& promises) {
  for (int last = looking_step - 1; last <= settling_step + 10; ++last) {
    Application application(ranks);
    balancers.push_back(std::make_unique<ek::Balancer>(ranks, options()));
    const int moves = application.run(*balancers.back(), last);
    const int expected = ranks.size() > 1 && last >= settling_step ? 1 : 0;
    promises.expect(moves == expected, "one rebalance, when the look is settled");
  }
}

void use(ek::Balancer& balancer, const ek::Communicator& ranks, Promises& promises) {
  Application application(ranks);
  const std::size_t objects = application.objects();
  const auto refuses = [&](auto&& function) {
    const std::string text = error_of(function);
    return contains(text, "MPI has been finalized") || contains(text, "Kokkos is not running");
  };
  promises.expect(refuses([&] { application.rebalance(balancer); }), "no rebalance without MPI");
  // If a step sends nothing to other ranks, it needs no MPI.
  for (int step = 0; step < 20; ++step) error_of([&] { application.step(balancer); });
  error_of([&] { balancer.finish(); });
  promises.expect(contains(error_of([&] { application.step(balancer); }), "after finish"),
                  "no step after finish, whatever that has met");
  promises.expect(application.objects() == objects, "nothing is lost");
}

int main(int argc, char** argv) {
  const bool kokkos_first = argc > 1 && std::strcmp(argv[1], "kokkos_first") == 0;
  Promises promises;
  start_mpi(argc, argv);
  Kokkos::initialize(argc, argv);
  const ek::Communicator ranks = ek::Communicator::world();

  std::vector<std::unique_ptr<ek::Balancer>> balancers, leaked, untouched;
  for (auto* some : {&balancers, &leaked, &untouched}) run_in_every_phase(*some, ranks, promises);
  for (auto& balancer : leaked) static_cast<void>(balancer.release());

  Application application(ranks);
  ek::Options by_the_clock = options();
  by_the_clock.deterministic = false;
  balancers.push_back(std::make_unique<ek::Balancer>(ranks, by_the_clock));
  application.rebalance(*balancers.back());  // so that it has costs of objects
  global_balancer.emplace(ranks, options());
  global_kernel = global_balancer->kernel("work");
  application.run(*global_balancer, looking_step + 1);
  finished_balancer.emplace(ranks, options(), ek::space_of(Kokkos::DefaultHostExecutionSpace()));
  application.run(*finished_balancer, looking_step + 1);
  finished_balancer->finish();
  global_monitor.emplace(ranks, options());
  global_monitor->set_load(1);
  while (global_monitor->steps() < looking_step + 4) global_monitor->step();

  if (kokkos_first) Kokkos::finalize();
  end_mpi();
  if (!kokkos_first) Kokkos::finalize();

  for (auto& balancer : balancers) use(*balancer, ranks, promises);
  const auto timing = global_kernel->time();
  return promises.status();
}
