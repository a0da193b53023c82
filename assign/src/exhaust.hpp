#pragma once

// Finds the map with the least lambda of few blocks, by trying all of them (branch and bound).

#include "problem.hpp"

namespace evenkeel::assigning {

struct Exhausted {
  bool complete = false;  // all maps were tried, or excluded by a bound
  std::vector<int>
      map;  // the best map that is better than the given lambda; empty if there is no such map
  double lambda = 0;
};

// Tries maps that keep the caps and have a lambda below `lambda`, at most `most_tries` of them.
Exhausted exhaust(const Problem& problem, double lambda, std::int64_t most_tries);

}  // namespace evenkeel::assigning
