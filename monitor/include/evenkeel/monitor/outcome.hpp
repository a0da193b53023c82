#pragma once

// What an application that balances itself tells a Monitor about a rebalance.

#include <evenkeel/monitor/domain_sections.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

// What came of an advice. Seconds of stages are those of the slowest rank.
struct Outcome {
  bool moved = true;     // false: the decomposition is what it was
  bool earlier = false;  // earlier domains were taken again
  bool shifted = false;  // the last domains were shifted, as far as they had to be
  std::int64_t objects_moved = 0, bytes_moved = 0;
  double seconds = 0;          // from begin to end, on this rank
  std::int64_t forgotten = 0;  // objects whose learned costs are, since they have changed
  double lambda = 0;           // of the new domains, by the weights of the objects; 0: not known
  // Of a cut for several phases: the lambda of each, and how much longer a step takes than the
  // bound that no cut can be below. Empty: there was none.
  std::vector<double> phase_lambdas = {};
  double shortfall_percent = 0;
  std::vector<std::pair<std::string, double>> stages = {};
  DomainSections domains = {};  // the new ones, for the journal; that of rank 0 counts
};

}  // namespace evenkeel
