#pragma once

// The ledger of a run: the cost of a rebalance, the gain of each rebalance, and the time that the
// run would have taken without any rebalance. Times are in nanoseconds.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/monitor/clock.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <array>

namespace evenkeel {

struct Totals;

// The cost of a rebalance: a fixed part, and a part for each byte that it moves, by least squares
// in which older rebalances count less and less. The costs of one method do not predict the costs
// of another. Costs are in nanoseconds.
struct CostModel {
  std::int64_t method = 0;     // 1 + its index in Method, or 0 for a method of the application
  double weight = 0;           // sum of the weights of all rebalances; 0 before the first one
  double cost = 0, bytes = 0;  // means
  double bytes_bytes = 0, bytes_cost = 0;  // weighted sums of products of deviations from the means
  // The first distribution. No later rebalance is assumed to cost more for each byte. It is 0 if
  // evenkeel has not made this distribution.
  double first_cost = 0, first_bytes = 0;

  // The bytes that a fresh cut would move by the last survey, and by the last survey before the
  // last rebalance; negative if unknown.
  double ahead = -1, asked = -1;
  // Weighted sums over rebalances: the bytes that they moved, and those that surveys had predicted.
  double moved = 0, predicted = 0;

  EVENKEEL_API void learn(double nanoseconds, double bytes_moved) noexcept;
  EVENKEEL_API void learn_first(double nanoseconds, double bytes_moved) noexcept;
  // Call this at a rebalance.
  EVENKEEL_API void note_rebalance() noexcept;

  bool knows() const noexcept { return weight > 0; }
  EVENKEEL_API double per_byte() const noexcept;
  // The cost of a rebalance that moves this many bytes; the model must know costs.
  EVENKEEL_API double of(double bytes_moved) const noexcept;
  // The expected cost of the next rebalance. Until a cost is known, it is at most `guess`.
  EVENKEEL_API double next(double guess) const noexcept;
};

// The greatest load under other domains, added up over steps. The level (greatest / mean - 1) is
// known only now and then. In between, it is assumed to change linearly.
struct Course {
  double sum = 0;      // greatest load summed over the steps up to the last known level
  double level = -1;   // the last known level; negative if no level was ever known
  double pending = 0;  // mean load summed over the steps since then

  EVENKEEL_API void add(double mean) noexcept;              // steps of unknown level
  EVENKEEL_API void add(double mean, double now) noexcept;  // steps of level `now`
  double total() const noexcept { return sum + pending * (1 + (level > 0 ? level : 0)); }
};

// --- For the log, the journal and the report: no decision reads these ----------------------------

// Sums over all steps of the run that looks have covered; times are in nanoseconds.
struct RunTotals {
  std::int64_t steps = 0, measured_steps = 0;  // all steps, and those in epochs
  double worked = 0;                           // load of the average rank
  double level = -1;                           // slowest / average load - 1, at the last look
  double elapsed = 0;                          // time of the steps in epochs, average over ranks
  double covered = 0;                          // load of the average rank in epochs
  double extra = 0;                            // extra time of kernels below 0, to be made up
  std::int64_t never_steps = 0;                // steps whose load without any rebalance is known
  // The standard error of this load, where it follows from the costs of objects.
  double doubtful = 0;
  // In each phase, the load of the slowest rank - that of the average rank.
  std::array<double, kernel_phases> uneven{};
};

// The gains of rebalances. A gain is the difference between the slowest rank's load under the
// replaced domains, if they had been kept, and its load under the new domains.
struct Gains {
  double gained = 0;
  double foreseen = 0;         // the expected gains, net of costs
  std::int64_t counted = 0;    // rebalances whose gain is known
  std::int64_t losses = 0;     // rebalances that cost more than they gained
  std::int64_t unchanged = 0;  // rebalances that moved nothing
  // The gain that the last look expects of the next rebalance, net of its cost.
  double promised = 0;

  // The errors of the forecasts for fresh cuts, as shares of the mean load.
  double miss = 0;              // mean of their squares, in which older errors count less
  std::int64_t foresights = 0;  // number of forecasts
};

// The entry of the last rebalance, open until the next one.
struct LedgerEntry {
  std::int64_t open = 0;  // 1 if there is an open entry
  double predicted = 0;   // expected gain of the rebalance, net of its cost
  double price = 0;       // cost of the rebalance, without the extra time of kernels
  Course replaced;        // load of the slowest rank under the replaced domains
  double since = 0;       // load of the slowest rank since the rebalance
  std::int64_t looks_since = 0;

  // The gain of the rebalance so far, net of its cost.
  double net() const noexcept { return replaced.total() - since - price; }
};

// -------------------------------------------------------------------------------------------------

struct Ledger {
  // Decisions read these.
  CostModel cost;
  double slowest = 0;  // load of the slowest rank of each step
  double spent = 0;    // time that rebalances took in evenkeel,
  double rebuilt = 0;  // and in the application: noted by it, or in the step after
  Course never;        // load of the slowest rank, if there had been no rebalance

  RunTotals run;
  Gains gains;
  LedgerEntry last;

  // The time saved compared with a run without rebalances, and the error bar of that time: in nine
  // of ten runs, the truth is not further away.
  double saved() const noexcept { return never.total() - slowest - spent - rebuilt; }
  EVENKEEL_API double uncertainty() const noexcept;

  // Adds the costs of rebalances that totals report. The first distribution is always needed, so it
  // is not spent. `counts` is true if they include the last rebalance.
  EVENKEEL_API void pay(const Totals& totals, bool counts) noexcept;
  // Adds all steps since the last look. `is_first` is true if the domains are those of the start of
  // the run. `is_current` is true if the look has measured the present domains. `grown` is the
  // growth of the level since the last look under the same domains. Without a survey of the
  // replaced domains, their level is assumed to have grown by the same amount.
  EVENKEEL_API void enter(const Totals& totals, bool is_first, bool is_current,
                          double grown = 0) noexcept;
  // Opens the entry of a new rebalance, after settling the last entry. Two rebalances without a
  // look between them share an entry. Before the first look, this does nothing.
  EVENKEEL_API void open_entry() noexcept;
  // Closes the entry of the last rebalance with its gain so far.
  EVENKEEL_API void settle() noexcept;
  // Adds the error of a forecast for a fresh cut, as a share of the mean load.
  EVENKEEL_API void miss(double by) noexcept;
};

EVENKEEL_API Account account_of(const Ledger& ledger) noexcept;

}  // namespace evenkeel
