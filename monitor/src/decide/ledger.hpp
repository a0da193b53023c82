#pragma once

// The books: the cost of a rebalance, the gain of each one, and the time that the run would have
// taken without any. Times are nanoseconds.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/monitor/metrics.hpp>

namespace evenkeel {

struct Totals;

// The cost of a rebalance: a mean in which older rebalances count less and less. The costs of one
// method do not predict those of another.
struct CostModel {
  std::int64_t method = 0;  // 1 + its index in Method, or 0 for a method of the application
  double weight = 0;        // of all rebalances seen; 0 before the first one
  double cost = 0, bytes = 0;

  EVENKEEL_API void learn(double nanoseconds, double bytes_moved) noexcept;
  bool knows() const noexcept { return weight > 0; }
};

// The load under other domains. Its level is known only now and then, and is assumed to change
// linearly in between, over the mean loads of the steps.
struct Course {
  double sum = 0;      // nanoseconds, up to when it was last known
  double level = -1;   // above the mean load then, as a share of it; negative if still unknown
  double pending = 0;  // nanoseconds of mean load since then

  EVENKEEL_API void add(double mean) noexcept;              // steps whose level is not known
  EVENKEEL_API void add(double mean, double now) noexcept;  // steps whose level is known
  double total() const noexcept { return sum + pending * (1 + (level > 0 ? level : 0)); }
};

// --- For the log, the journal and the report: no decision reads these ----------------------------

// All steps of the run that looks have covered.
struct RunTotals {
  std::int64_t steps = 0, measured_steps = 0;  // measured: in epochs, for decisions
  double worked = 0;                           // average load
  double level = -1;             // of the slowest rank above the average, at the last look
  double elapsed = 0;            // from step to step, average over ranks, in epochs
  double covered = 0;            // average load in epochs
  std::int64_t never_steps = 0;  // with a known time without any rebalance
};

// The reduction of the slowest rank's load by rebalances, compared with the domains that each of
// them has replaced, as those would have aged.
struct Gains {
  double gained = 0;
  double foreseen = 0;         // the expected gain, net of costs
  std::int64_t counted = 0;    // rebalances whose gain is known
  std::int64_t losses = 0;     // that cost more than they gained
  std::int64_t unchanged = 0;  // that left everything where it was
  // The gain that the last look expects of the next rebalance, net of its cost.
  double promised = 0;

  // The errors of the forecasts for fresh cuts, in shares of the mean load.
  double misses = 0;  // sum of squares
  std::int64_t foresights = 0;
  double squares = 0;  // sum of squares of the mean loads between rebalances
};

// The entry of the last rebalance, open until the next one.
struct LedgerEntry {
  std::int64_t open = 0;    // 1 while there is one
  double predicted = 0;     // its expected gain, net of its cost
  double price = 0;         // its cost, without the extra time of kernels
  Course replaced;          // the slowest rank under the replaced domains
  double since = 0;         // the slowest rank since then,
  double worked_since = 0;  // and the average rank
  std::int64_t looks_since = 0;

  // Its gain so far, net of its cost.
  double net() const noexcept { return replaced.total() - since - price; }
};

// -------------------------------------------------------------------------------------------------

struct Ledger {
  // These are for decisions.
  CostModel cost;
  double slowest = 0;  // the load of the slowest rank in each step,
  double spent = 0;    // time of rebalances: that of evenkeel,
  double rebuilt = 0;  // and that of the application in the step after
  Course never;        // the slowest rank, had there been no rebalance

  RunTotals run;
  Gains gains;
  LedgerEntry last;

  // The time saved compared with never rebalancing, and its rough uncertainty, in nanoseconds.
  double saved() const noexcept { return never.total() - slowest - spent - rebuilt; }
  EVENKEEL_API double uncertainty() const noexcept;

  // Enters the cost of a rebalance, whichever look reports it. `is_spent`: it was not the first
  // distribution, which is always needed; `counts`: it was the last rebalance.
  EVENKEEL_API void pay(const Totals& totals, bool is_spent, bool counts) noexcept;
  // Enters all steps since the last look. `is_first`: the domains are those that the run began
  // with; `is_current`: the look measured the present domains. `grown`: the growth since the last
  // look, under the same domains, of the slowest rank's load above the mean. Without a survey of
  // the replaced domains, their level is assumed to have grown by as much.
  EVENKEEL_API void enter(const Totals& totals, bool is_first, bool is_current,
                          double grown = 0) noexcept;
  // Opens the entry of a new rebalance, and settles the one before it.
  EVENKEEL_API void open_entry() noexcept;
  // Closes the entry of the last rebalance with its gain so far.
  EVENKEEL_API void settle() noexcept;
  // Enters the error of a forecast for a fresh cut, as a share of the mean load.
  void miss(double by) noexcept {
    gains.misses += by * by;
    ++gains.foresights;
  }
};

// The account of the run, from its books.
EVENKEEL_API Account account_of(const Ledger& ledger) noexcept;

}  // namespace evenkeel
