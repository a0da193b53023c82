#pragma once

// How memory travels between ranks.

#include <evenkeel/backends/export.hpp>

namespace evenkeel {

// How memory of a device travels between ranks.
enum class Transport : int {
  automatic,    // device_aware where MPI reports that it takes device memory, else host_staged
  host_staged,  // memory other than plain host memory is copied through a buffer on the host
  device_aware  // device pointers are handed to MPI as they are
};

// The name in messages and in the journal.
EVENKEEL_API const char* name_of(Transport transport) noexcept;

// True when this build has a device and the MPI library reports that it takes that device's
// pointers. An MPI library that offers no such query counts as not device-aware. Local.
EVENKEEL_API bool mpi_is_device_aware() noexcept;

}  // namespace evenkeel
