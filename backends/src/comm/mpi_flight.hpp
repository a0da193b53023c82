#pragma once

// Messages under way by MPI.

#include "comm/messenger.hpp"

#include <mpi.h>

#include <cstdint>
#include <memory>

namespace evenkeel::detail {

std::unique_ptr<Flight> start_mpi_send(MPI_Comm communicator, int tag, const Send& send,
                                       std::int64_t piece_bytes);
std::unique_ptr<Flight> start_mpi_receive(MPI_Comm communicator, int tag, const Receive& receive,
                                          std::int64_t piece_bytes);

}  // namespace evenkeel::detail
