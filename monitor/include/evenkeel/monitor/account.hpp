#pragma once

// The time a run has taken, and the time it would have taken without any rebalance: seconds, or in
// a deterministic run thousandths of the weight. docs/monitor.md defines each word.

#include <cstdint>

namespace evenkeel {

struct Account {
  std::int64_t steps = 0;           // covered by looks
  std::int64_t measured_steps = 0;  // of these, those that decisions were based on
  double mean = 0;                  // work of the average rank
  double actual = 0;                // work of the slowest rank of each step
  double never = 0;                 // `actual`, had there been no rebalance
  bool knows_never = false;         // false: `never` assumes the last known imbalance
  double uncertainty = 0;           // of `never`, roughly
  double own_cost = 0;              // of rebalances: evenkeel's time
  double rebuild_cost = 0;          // and the application's rebuild in the step after
  double advised = 0;               // what rebalances would have saved in a run without any

  double spent() const noexcept { return own_cost + rebuild_cost; }
  double saved() const noexcept { return never - actual - spent(); }
};

}  // namespace evenkeel
