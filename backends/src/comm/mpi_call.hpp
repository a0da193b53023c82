#pragma once

// Helpers for calls of MPI: they turn return codes into Errors, and run-time types into MPI types.

#include <evenkeel/backends/comm/communicator.hpp>

#include <mpi.h>

namespace evenkeel::detail {

// Unless `code` is MPI_SUCCESS, throws an Error with MPI's description of it. `call` is the name of
// the function that returned it.
void check(int code, const char* call);

// The most attempts at a call that does not wait for other ranks, such as making a datatype or
// posting a message. If such a call fails, we assume that it has done nothing, and repeat it.
constexpr int most_tries = 3;

template <class Call>
int repeated(const Call& call) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < most_tries; ++i)
    if ((code = call()) == MPI_SUCCESS) break;
  return code;
}

// The state of a request after MPI_Test or MPI_Wait has returned an error. Either the message has
// failed, or only the call. After a failed message, Open MPI keeps the request.
enum class Left : int { pending, complete, failed };
Left left_of(MPI_Request request) noexcept;

// Makes a call that may complete a request, such as MPI_Wait. If the call fails but the message has
// not failed, repeats the call.
template <class Call>
int completing(const MPI_Request& request, const Call& call) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < most_tries; ++i)
    if ((code = call()) == MPI_SUCCESS || left_of(request) == Left::failed) break;
  return code;
}

// Returns true between MPI_Init and MPI_Finalize.
bool mpi_is_running();

MPI_Datatype datatype_of(ScalarType type);
MPI_Op operation_of(Reduction reduction);

}  // namespace evenkeel::detail
