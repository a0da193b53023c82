#pragma once

// Lower bounds of lambda and of moved bytes, and proofs that caps are impossible.

#include "problem.hpp"

#include <string>

namespace evenkeel::assigning {

struct Bound {
  double lambda = 1;           // no map that keeps the caps has a smaller lambda
  std::string reason;          // the argument, as a clause
  std::vector<double> phases;  // by phase, as a lambda of this phase alone
};

// Throws an Error if a simple argument proves that no map keeps the caps.
void check_caps(const Problem& problem);

Bound bound_of(const Problem& problem);

// A bound of the bytes that leave their present rank in any map whose loads, relative to the shares
// of their ranks, are at most `lambda`. In units of Problem::bytes.
std::int64_t least_moved_bytes(const Problem& problem, double lambda);

}  // namespace evenkeel::assigning
