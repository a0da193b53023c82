#pragma once

// Calling MPI: return codes become Errors, run-time types become MPI types.

#include <evenkeel/backends/comm/communicator.hpp>

#include <mpi.h>

namespace evenkeel::detail {

// Throws MPI's description of `code`, which `call` returned, unless it is MPI_SUCCESS.
void check(int code, const char* call);

// True between MPI_Init and MPI_Finalize.
bool mpi_is_running();

MPI_Datatype datatype_of(ScalarType type);
MPI_Op operation_of(Reduction reduction);

}  // namespace evenkeel::detail
