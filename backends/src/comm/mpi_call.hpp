#pragma once

// Calling MPI: return codes become Errors, run-time types become MPI's.

#include <evenkeel/backends/comm/communicator.hpp>

#include <mpi.h>

namespace evenkeel::detail {

// Throws what MPI says about `code`, which `call` returned, unless it is MPI_SUCCESS.
void check(int code, const char* call);

// Between MPI_Init and MPI_Finalize.
bool mpi_is_running();

MPI_Datatype datatype_of(ScalarType type);
MPI_Op operation_of(Reduction reduction);

}  // namespace evenkeel::detail
