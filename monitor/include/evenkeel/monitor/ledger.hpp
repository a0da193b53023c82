#pragma once

// The books: what a rebalance costs, what each has brought, and what the run has lost to imbalance.
// Times are nanoseconds; u = max - average of the load, per step.

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

struct Ledger {
  static constexpr std::size_t looks_after = 3;

  CostModel cost;

  // Over the whole run.
  double worked = 0;    // average load, over all steps
  double lost = 0;      // u, over all steps
  double elapsed = 0;   // from step to step, average over ranks
  double spent = 0;     // on rebalances
  double gained = 0;    // by those whose gain is known: u before less u after, over their steps
  double foreseen = 0;  // what these were thought to gain, their costs taken off
  std::int64_t counted = 0;  // rebalances whose gain is known
  std::int64_t losses = 0;   // of which cost more than they gained

  // Of the next rebalance, as the last look saw it: what it is thought to bring, its cost taken
  // off.
  double promised = 0;

  // The last rebalance, until its gain is known.
  std::int64_t open = 0;         // 1 while it is
  double before = 0;             // median u of the looks before it
  double predicted = 0;          // what it is thought to bring, its cost taken off
  double price = 0;              // what it cost
  std::int64_t steps_since = 0;  // that were measured
  std::int64_t looks_since = 0;
  std::array<double, looks_after> after{};  // u of the first looks after it

  // Of the last one whose gain is known, its cost taken off.
  double last_net = 0;
  // u that a rebalance leaves, the mean over those that were made; below 0: not known.
  double residual = -1;

  EVENKEEL_API double median_after() const noexcept;
  // What the open one has brought so far, its cost taken off.
  EVENKEEL_API double net_so_far() const noexcept;

  // What a rebalance has cost, whichever look brings it; `counts` where it is the last one's.
  EVENKEEL_API void pay(const Totals& totals, bool counts) noexcept;
  // A look that counts. `waste` is u.
  EVENKEEL_API void enter(const Totals& totals, double waste) noexcept;
  // A rebalance, with the median u of the looks before it, where there were any. The one before it
  // is settled.
  EVENKEEL_API void open_entry(double waste_before, bool known) noexcept;
  // The last rebalance counts for what it has brought so far.
  EVENKEEL_API void settle() noexcept;
};

}  // namespace evenkeel
