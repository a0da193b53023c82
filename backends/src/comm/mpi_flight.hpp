#pragma once

// Sends and receives messages by MPI.

#include "comm/messenger.hpp"
#include "comm/mpi_handle.hpp"

namespace evenkeel::detail {

// Returns a Flight for messages of at most `most_bytes` bytes, in pieces of `piece_bytes` bytes.
std::unique_ptr<Flight> make_mpi_flight(std::shared_ptr<MpiHandle> handle, std::int64_t most_bytes,
                                        std::int64_t piece_bytes);

}  // namespace evenkeel::detail
