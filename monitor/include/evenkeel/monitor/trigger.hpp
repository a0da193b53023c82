#pragma once

// The rules that can decide when to act. docs/triggers.md says how each one judges.
//
// In what follows u is the time per step that the slowest rank works longer than the average, n the
// number of steps since the last rebalance, and C what a rebalance costs.

#include <evenkeel/backends/config.hpp>

#include <cstdint>
#include <string>
#include <variant>

namespace evenkeel {

// The default: when what has been lost to growing imbalance, or what an imbalance that stays will
// cost, outweighs what a rebalance costs. See docs/triggers.md.
struct CostAware {
  friend bool operator==(const CostAware&, const CostAware&) = default;
};

// Nothing moves unless rebalance() is called.
struct Never {
  friend bool operator==(const Never&, const Never&) = default;
};

// At steps start, start + period, ..., the last not after stop (0: for ever), whatever the load.
struct Every {
  std::int64_t start = 0, stop = 0, period = 1;
  friend bool operator==(const Every&, const Every&) = default;
};

// When the imbalance reaches a limit, as lambda = max/avg or in percent. 0: no such limit; one of
// them must be given.
struct Threshold {
  double lambda = 0;
  double imbalance_percent = 0;
  friend bool operator==(const Threshold&, const Threshold&) = default;
};

// sum(u) >= C (Menon, Jain, Zheng and Kale, Cluster 2012).
struct Menon {
  friend bool operator==(const Menon&, const Menon&) = default;
};

// sum(median of the last 3 max - mean max since the last rebalance) >= C (Zhai et al., ICPP 2018).
struct Zhai {
  friend bool operator==(const Zhai&, const Zhai&) = default;
};

// max * (efficiency now / efficiency after the last rebalance) + C < rho * max (Procassini et al.,
// 2005), with efficiency = average / max.
struct Procassini {
  double rho = 1;
  friend bool operator==(const Procassini&, const Procassini&) = default;
};

// n u - sum(u) >= C (Boulmier, Abdennadher and Chopard, 2022).
struct Boulmier {
  friend bool operator==(const Boulmier&, const Boulmier&) = default;
};

// What a rule of your own sees of a look at the load; the same on all ranks. Times are seconds; in
// a deterministic run a weight of 1 counts as a millisecond.
struct LoadView {
  std::int64_t step = 0;         // the last one that was measured
  std::int64_t steps = 0;        // measured by this look
  std::int64_t steps_since = 0;  // since the last rebalance, or the start: n
  std::int64_t ranks = 1;
  std::int64_t looks = 0;       // before this one
  std::int64_t rebalances = 0;  // so far
  double slowest = 0;           // what all ranks wait for in a step: the greatest load,
  double average = 0;           // and the average load
  double average_before = 0;    // at the look before; 0: there was none since the last rebalance
  double wasted = 0;            // sum(u)
  double cost = 0;              // what a rebalance costs, as far as known: C
  double lambda = 1;            // slowest / average
  double imbalance_percent = 0;

  double waste() const noexcept { return slowest - average; }  // u
};

// A rule of your own: a pure function, the same on all ranks, which may run on the watcher's
// thread. True: rebalance. Given in code alone.
struct Custom {
  bool (*decide)(const LoadView&) = nullptr;
  friend bool operator==(const Custom&, const Custom&) = default;
};

// Any of the rules.
using Trigger =
    std::variant<CostAware, Never, Every, Threshold, Menon, Zhai, Procassini, Boulmier, Custom>;

// The text of a trigger, as in options and Errors: "cost_aware", "never", "always", "every 10",
// "every 0:500:10", "threshold lambda 1.1", "threshold imbalance_percent 10" (or both limits),
// "menon", "zhai", "procassini", "procassini 1.5", "boulmier", "custom". Nothing is lost but the
// function of a Custom, which is null after trigger_from_text().
EVENKEEL_API std::string to_text(const Trigger& trigger);
EVENKEEL_API Trigger trigger_from_text(const std::string& text);

// All these texts, as Errors list them; `with_custom`: also that of a rule of your own.
EVENKEEL_API std::string trigger_texts(bool with_custom);

// Throws an Error for a trigger that makes no sense. Local.
EVENKEEL_API void check(const Trigger& trigger);

// Whether this trigger acts at the end of this step without asking for the load.
EVENKEEL_API bool is_due(const Trigger& trigger, std::int64_t step) noexcept;

}  // namespace evenkeel
