#pragma once

// The books: what a rebalance costs, what each has brought, and what the run would have taken
// without any. Times are nanoseconds.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/account.hpp>

#include <array>
#include <cstdint>

namespace evenkeel {

struct Totals;

// The cost of a rebalance as a function of the bytes that it moves, learned by least squares in
// which older rebalances count less and less. The costs of one method say nothing about another.
struct CostModel {
  std::int64_t method = 0;  // whose costs these are: 1 + the place in Method; 0: an application's
  double weight = 0;        // of all that was seen; 0: nothing yet
  double cost = 0, bytes = 0;                   // weighted means
  double bytes_squared = 0, bytes_by_cost = 0;  // weighted means of products
  double last_bytes = 0;

  EVENKEEL_API void learn(double nanoseconds, double bytes_moved) noexcept;
  bool knows() const noexcept { return weight > 0; }
  // Of a rebalance that moves as much as the last one did.
  EVENKEEL_API double estimate() const noexcept;
};

// The load under other domains, whose level is known only now and then, and taken to change
// linearly between, over the mean loads of the steps.
struct Course {
  double sum = 0;      // nanoseconds, up to when it was last known
  double level = -1;   // above the mean load then, as a share of it; below 0: not known yet
  double pending = 0;  // nanoseconds of mean load since then

  EVENKEEL_API void add(double mean) noexcept;              // steps whose level is not known
  EVENKEEL_API void add(double mean, double now) noexcept;  // steps whose level is known
  double total() const noexcept { return sum + pending * (1 + (level > 0 ? level : 0)); }
};

struct Ledger {
  CostModel cost;

  // Over all steps of the run that looks have covered.
  std::int64_t steps = 0, measured_steps = 0;  // the latter in epochs, for decisions
  double worked = 0;                           // average load
  double slowest = 0;                          // of the slowest rank in each step
  double level = -1;                           // of that above the average, at the last look
  double elapsed = 0;                          // from step to step, average over ranks, in epochs
  double covered = 0;                          // average load in epochs
  double spent = 0;                            // on rebalances: evenkeel's own time,
  double rebuilt = 0;                          // and the application's in the step after
  Course never;                                // the slowest, had there been no rebalance
  std::int64_t never_steps = 0;                // for which that was known, not only carried on

  // What rebalances have taken off the slowest rank, compared with the domains that each has
  // replaced, as those would have aged.
  double gained = 0;
  double foreseen = 0;       // what was expected of these, net of their costs
  std::int64_t counted = 0;  // rebalances whose gain is known
  std::int64_t losses = 0;   // of which cost more than they gained
  // The gain that the last look expects of the next rebalance, net of its cost.
  double promised = 0;

  // The last rebalance, until the next.
  std::int64_t open = 0;    // 1 while there is one
  double predicted = 0;     // its expected gain, net of its cost
  double price = 0;         // its cost, without the extra time of kernels
  Course replaced;          // the slowest under the domains that it has replaced
  double since = 0;         // the slowest since then,
  double worked_since = 0;  // and the average rank
  std::int64_t looks_since = 0;
  double last_net = 0;  // gain of the last one that was settled, net of its cost

  // How far off the forecasts for fresh cuts have been, in shares of the mean load.
  double misses = 0;  // sum of squares
  std::int64_t foresights = 0;
  double squares = 0;  // sum of squares of the mean loads between rebalances

  // How much more never rebalancing would have cost than what was done, and roughly how far off
  // this may be. Nanoseconds.
  double saved() const noexcept { return never.total() - slowest - spent - rebuilt; }
  EVENKEEL_API double uncertainty() const noexcept;
  // The gain of the open rebalance so far, net of its cost.
  double net_so_far() const noexcept { return replaced.total() - since - price; }

  // Enters the cost of a rebalance, whichever look reports it. `is_spent`: it was not the first
  // distribution, which has to be made in any case; `counts`: it was the last rebalance.
  EVENKEEL_API void pay(const Totals& totals, bool is_spent, bool counts) noexcept;
  // Enters all steps since the last look. `is_first`: the domains are those that the run began
  // with; `is_current`: the look measured the present domains. `grown`: how much more above the
  // mean load the slowest rank is than at the last look under the same domains. Where no survey
  // tells of the domains that were replaced, they are taken to have grown as uneven by as much.
  EVENKEEL_API void enter(const Totals& totals, bool is_first, bool is_current,
                          double grown = 0) noexcept;
  // Opens the entry of a new rebalance, and settles the one before it.
  EVENKEEL_API void open_entry() noexcept;
  // The last rebalance counts for what it has brought so far.
  EVENKEEL_API void settle() noexcept;
  // The forecast for a fresh cut was off by this share of the mean load.
  void miss(double by) noexcept {
    misses += by * by;
    ++foresights;
  }
};

// What the books say.
EVENKEEL_API Account account_of(const Ledger& ledger) noexcept;

}  // namespace evenkeel
