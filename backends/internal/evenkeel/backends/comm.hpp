#pragma once

// Includes the headers of backends/comm, by which the ranks of this program communicate.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
