#pragma once

// Calling MPI: return codes become Errors, run-time types become MPI types.

#include <evenkeel/backends/comm/communicator.hpp>

#include <mpi.h>

namespace evenkeel::detail {

// Throws MPI's description of `code`, which `call` returned, unless it is MPI_SUCCESS.
void check(int code, const char* call);

// How often a call is made that other ranks do not take part in, or not yet: if it fails it has
// done nothing, as far as anybody can tell, and is made again.
constexpr int most_tries = 3;

template <class Call>
int repeated(const Call& call) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < most_tries; ++i)
    if ((code = call()) == MPI_SUCCESS) break;
  return code;
}

// What is left of a request when MPI_Test or MPI_Wait has returned an error: that may be the error
// of its message, or of the call alone. Open MPI keeps a request whose message has failed.
enum class Left : int { pending, complete, failed };
Left left_of(MPI_Request request) noexcept;

// Makes a call that may complete a request, again if the call alone has failed.
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
