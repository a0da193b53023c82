#pragma once

// Compares the model with the library. Runs real Balancers on the ranks of this run, records their
// calls of MPI, and predicts the same calls.

#include "calls.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

namespace evenkeel::scale {

struct Compared {
  std::string protocol;
  Calls predicted, made;  // by this rank
  // True if both have the same collectives in the same order and, for each kind of call to single
  // ranks, the same number of calls and of bytes.
  bool agree() const;
};

// Collective. Takes at most some seconds.
std::vector<Compared> compare_with_library(const Communicator& world);

}  // namespace evenkeel::scale
