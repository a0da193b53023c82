// A call of MPI fails on one rank, in a reduction in which the other ranks wait. With on_mpi_error
// = abort, all ranks end. Otherwise the one rank gets an Error, and the application must end the
// others.

#include "application.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <string_view>

namespace ek = evenkeel;
using namespace life;

namespace {
bool fails = false;
}

extern "C" int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm ranks) {
  return fails ? MPI_ERR_OTHER : PMPI_Allreduce(from, to, count, type, op, ranks);
}

int main(int argc, char** argv) {
  const bool aborts = argc > 1 && std::string_view(argv[1]) == "abort";
  start_mpi(argc, argv);
  Kokkos::initialize(argc, argv);
  const ek::Communicator ranks = ek::Communicator::world();
  ek::Options choice = options();
  choice.on_mpi_error = aborts ? ek::OnMpiError::abort : ek::OnMpiError::error;
  Application application(ranks);
  ek::Balancer balancer(ranks, choice);
  fails = ranks.rank() == ranks.size() - 1;
  try {
    application.run(balancer, settling_step);
  } catch (const ek::Error& error) {
    std::printf("the application got: %s\n", error.what());
    std::fflush(stdout);
  }
  MPI_Abort(MPI_COMM_WORLD, 3);  // ranks that wait do not get here
}
