#pragma once

// Calls of MPI: turns return codes into Errors, and run-time types into MPI types.

#include <evenkeel/backends/comm/communicator.hpp>

#include <mpi.h>

namespace evenkeel::detail {

// Throws MPI's description of `code`, which `call` returned, unless it is MPI_SUCCESS.
void check(int code, const char* call);

// The number of tries of a call that other ranks do not take part in, or not yet. A call that fails
// seems to have done nothing, and is repeated.
constexpr int most_tries = 3;

template <class Call>
int repeated(const Call& call) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < most_tries; ++i)
    if ((code = call()) == MPI_SUCCESS) break;
  return code;
}

// The state of a request after MPI_Test or MPI_Wait has returned an error: this may be the error of
// its message, or only of the call. Open MPI keeps a request whose message has failed.
enum class Left : int { pending, complete, failed };
Left left_of(MPI_Request request) noexcept;

// Makes a call that may complete a request, and repeats it if only the call has failed.
template <class Call>
int completing(const MPI_Request& request, const Call& call) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < most_tries; ++i)
    if ((code = call()) == MPI_SUCCESS || left_of(request) == Left::failed) break;
  return code;
}

// True between MPI_Init and MPI_Finalize.
bool mpi_is_running();

MPI_Datatype datatype_of(ScalarType type);
MPI_Op operation_of(Reduction reduction);

}  // namespace evenkeel::detail
