#pragma once

// The books: what a rebalance costs, what each has brought, and what the run would have taken
// without any. Times are nanoseconds.

#include <evenkeel/backends/export.hpp>

#include <array>
#include <cstdint>

namespace evenkeel {

struct Totals;

// What a rebalance costs by the bytes that it moves, learned by least squares in which older ones
// count less and less. What belongs to one method says nothing of another.
struct CostModel {
  std::int64_t method = 0;  // whose costs these are: 1 + the place in Method; 0: an application's
  double weight = 0;        // of all that was seen; 0: nothing yet
  double cost = 0, bytes = 0;                   // weighted means
  double bytes_squared = 0, bytes_by_cost = 0;  // weighted means of products
  double last_bytes = 0;

  EVENKEEL_API void learn(double nanoseconds, double bytes_moved) noexcept;
  bool knows() const noexcept { return weight > 0; }
  // Of one that moves as much as the last did.
  EVENKEEL_API double estimate() const noexcept;
};

// What would have been of a load under other domains, where that is known only now and then: lines
// between what is known, over the mean loads of the steps between.
struct Course {
  double sum = 0;      // nanoseconds, up to when it was last known
  double level = -1;   // above the mean load then, as a share of it; below 0: not known yet
  double pending = 0;  // nanoseconds of mean load since then

  EVENKEEL_API void add(double mean) noexcept;              // steps of which nothing is known
  EVENKEEL_API void add(double mean, double now) noexcept;  // and of which something is
  double total() const noexcept { return sum + pending * (1 + (level > 0 ? level : 0)); }
};

struct Ledger {
  CostModel cost;

  // Over all steps of the run that looks have told of.
  std::int64_t steps = 0, measured_steps = 0;  // the latter in epochs, by which it was decided
  double worked = 0;                           // average load
  double slowest = 0;                          // of the slowest rank in each step
  double level = -1;                           // of that above the average, at the last look
  double elapsed = 0;                          // from step to step, average over ranks, in epochs
  double covered = 0;                          // average load in epochs
  double spent = 0;                            // on rebalances: evenkeel's own time,
  double rebuilt = 0;                          // and the application's in the step after
  Course never;                                // the slowest, had there been no rebalance
  std::int64_t never_steps = 0;                // of which that was not only carried on

  // Of rebalances: what they have taken off the slowest rank against the domains that each has
  // replaced, as those would have aged.
  double gained = 0;
  double foreseen = 0;       // what these were thought to bring, their costs taken off
  std::int64_t counted = 0;  // rebalances whose gain is known
  std::int64_t losses = 0;   // of which cost more than they gained
  // Of the next rebalance, as the last look saw it: what it is thought to bring, its cost taken
  // off.
  double promised = 0;

  // The last rebalance, until the next.
  std::int64_t open = 0;    // 1 while there is one
  double predicted = 0;     // what it is thought to bring, its cost taken off
  double price = 0;         // what it cost, beside what its kernels have taken longer
  Course replaced;          // the slowest under the domains that it has replaced
  double since = 0;         // the slowest since then,
  double worked_since = 0;  // and the average rank
  std::int64_t looks_since = 0;
  double last_net = 0;  // of the last one that was settled, its cost taken off

  // How far off what was foreseen of fresh cuts has been: shares of the mean load.
  double misses = 0;  // sum of squares
  std::int64_t foresights = 0;
  double squares = 0;  // of the mean loads between two rebalances

  // What never rebalancing would have cost more than what was done; and about how far that may be
  // off. Nanoseconds.
  double saved() const noexcept { return never.total() - slowest - spent - rebuilt; }
  EVENKEEL_API double uncertainty() const noexcept;
  // What the open one has brought so far, its cost taken off.
  double net_so_far() const noexcept { return replaced.total() - since - price; }

  // What a rebalance has cost, whichever look brings it. `is_spent`: it was not the first
  // distribution, which has to be made in any case; `counts`: it was the last one.
  EVENKEEL_API void pay(const Totals& totals, bool is_spent, bool counts) noexcept;
  // All steps since the last look. `is_first`: the domains are those that the run began with;
  // `is_current`: the look's measured epoch was of the domains that there are now.
  EVENKEEL_API void enter(const Totals& totals, bool is_first, bool is_current) noexcept;
  // A rebalance; the one before it is settled.
  EVENKEEL_API void open_entry() noexcept;
  // The last rebalance counts for what it has brought so far.
  EVENKEEL_API void settle() noexcept;
  // A fresh cut was off by so much of the mean load.
  void miss(double by) noexcept {
    misses += by * by;
    ++foresights;
  }
};

}  // namespace evenkeel
