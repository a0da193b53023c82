#pragma once

// The room backends/comm: how the ranks of this program communicate.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/reduction.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
