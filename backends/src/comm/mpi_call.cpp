#include "comm/mpi_call.hpp"

#include <evenkeel/backends/error.hpp>

#include <string>

namespace evenkeel::detail {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(
      ErrorKind::communication, Where{"backends/comm"},
      std::string(call) + " failed: " + std::string(text, static_cast<std::size_t>(length)) + '.',
      "See the output of MPI; the communicator may be unusable.");
}

Left left_of(MPI_Request request) noexcept {
  if (request == MPI_REQUEST_NULL) return Left::failed;
  int complete = 0;
  MPI_Status status;
  status.MPI_ERROR = MPI_SUCCESS;
  if (MPI_Request_get_status(request, &complete, &status) != MPI_SUCCESS || complete == 0)
    return Left::pending;
  return status.MPI_ERROR == MPI_SUCCESS ? Left::complete : Left::failed;
}

bool mpi_is_running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  if (initialized) MPI_Finalized(&finalized);
  return initialized && !finalized;
}

MPI_Datatype datatype_of(ScalarType type) {
  switch (type) {
    case ScalarType::none: return MPI_BYTE;
    case ScalarType::int8: return MPI_INT8_T;
    case ScalarType::int16: return MPI_INT16_T;
    case ScalarType::int32: return MPI_INT32_T;
    case ScalarType::int64: return MPI_INT64_T;
    case ScalarType::uint8: return MPI_UINT8_T;
    case ScalarType::uint16: return MPI_UINT16_T;
    case ScalarType::uint32: return MPI_UINT32_T;
    case ScalarType::uint64: return MPI_UINT64_T;
    case ScalarType::float32: return MPI_FLOAT;
    case ScalarType::float64: return MPI_DOUBLE;
  }
  return MPI_DATATYPE_NULL;
}

MPI_Op operation_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum: return MPI_SUM;
    case Reduction::least: return MPI_MIN;
    case Reduction::greatest: return MPI_MAX;
  }
  return MPI_OP_NULL;
}

}  // namespace evenkeel::detail
