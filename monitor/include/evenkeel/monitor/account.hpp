#pragma once

// What a run has taken, and what it would have taken without any rebalance. docs/monitor.md defines
// each word. Seconds; of a deterministic run, thousandths of the weight.

#include <evenkeel/backends/export.hpp>

#include <cstdint>

namespace evenkeel {

struct Ledger;

struct Account {
  std::int64_t steps = 0;           // that looks have told of
  std::int64_t measured_steps = 0;  // those by which it was decided
  double mean = 0;                  // what the average rank worked
  double actual = 0;                // what the slowest rank of each step worked
  double never = 0;                 // what that would have been without any rebalance
  bool knows_never = false;         // false: as uneven as when it was last known
  double uncertainty = 0;           // of `never`, about
  double own_cost = 0;              // of rebalances: evenkeel's time
  double rebuild_cost = 0;          // and what the application did in the step after
  double advised = 0;               // what rebalances would have saved, where none was made

  double spent() const noexcept { return own_cost + rebuild_cost; }
  double saved() const noexcept { return never - actual - spent(); }
};

// What the books say.
EVENKEEL_API Account account_of(const Ledger& ledger) noexcept;

}  // namespace evenkeel
