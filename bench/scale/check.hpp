#pragma once

// Holds the model against the library: runs real Balancers on the ranks that there are, records
// what they ask of MPI, and has the same predicted.

#include "calls.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <string>
#include <vector>

namespace evenkeel::scale {

struct Compared {
  std::string protocol;
  Calls predicted, made;  // by this rank
  // The same collectives in the same order; to single ranks as many calls of each kind, and as many
  // bytes.
  bool agree() const;
};

// Collective. Seconds at most.
std::vector<Compared> compare_with_library(const Communicator& world);

}  // namespace evenkeel::scale
