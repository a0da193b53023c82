#pragma once

// The rules that can decide when to rebalance. docs/triggers.md describes how each one decides.
//
// In this file u is the time per step by which the slowest rank works longer than the average, n
// the number of steps since the last rebalance, and C the cost of a rebalance.

#include <evenkeel/backends/config.hpp>

#include <cstdint>
#include <string>
#include <variant>

namespace evenkeel {

// The default: acts if the gain of a new cut pays for a rebalance. See docs/triggers.md.
struct CostAware {
  friend bool operator==(const CostAware&, const CostAware&) = default;
};

// Never acts: nothing moves unless the application or a command asks for a rebalance.
struct Never {
  friend bool operator==(const Never&, const Never&) = default;
};

// Acts at steps start, start + period, ... up to stop, whatever the load is. If stop is 0, there is
// no last step.
struct Every {
  std::int64_t start = 0, stop = 0, period = 1;
  friend bool operator==(const Every&, const Every&) = default;
};

// Acts if the imbalance reaches one of two limits: lambda = max / average, or the imbalance in
// percent. A limit of 0 is ignored; at least one must be given.
struct Threshold {
  double lambda = 0;
  double imbalance_percent = 0;
  friend bool operator==(const Threshold&, const Threshold&) = default;
};

// Acts if sum(u) >= C (Menon, Jain, Zheng and Kale, Cluster 2012).
struct Menon {
  friend bool operator==(const Menon&, const Menon&) = default;
};

// Acts if sum(median of the last 3 max - mean max since the last rebalance) >= C (Zhai et al., ICPP
// 2018).
struct Zhai {
  friend bool operator==(const Zhai&, const Zhai&) = default;
};

// Acts if max * (efficiency now / efficiency after the last rebalance) + C < rho * max (Procassini
// et al., 2005), with efficiency = average / max.
struct Procassini {
  double rho = 1;
  friend bool operator==(const Procassini&, const Procassini&) = default;
};

// Acts if n u - sum(u) >= C (Boulmier, Abdennadher and Chopard, 2022).
struct Boulmier {
  friend bool operator==(const Boulmier&, const Boulmier&) = default;
};

// The results of a look that a rule of your own gets; the same on all ranks. Times are in seconds;
// in a deterministic run a weight of 1 counts as a millisecond.
struct LoadView {
  std::int64_t step = 0;         // the last step that was measured
  std::int64_t steps = 0;        // the number of steps that this look measured
  std::int64_t steps_since = 0;  // since the last rebalance, or since the start: n
  std::int64_t ranks = 1;
  std::int64_t looks = 0;       // before this one
  std::int64_t rebalances = 0;  // so far
  double slowest = 0;           // the greatest load per step, for which all ranks wait
  double average = 0;           // the average load per step
  double average_before = 0;    // at the previous look; 0 if there was no look since the last
                                // rebalance
  double wasted = 0;            // sum(u)
  double cost = 0;              // C; an estimate until a rebalance has been measured
  double lambda = 1;            // slowest / average
  double imbalance_percent = 0;

  double waste() const noexcept { return slowest - average; }  // u
};

// A rule of your own: a pure function, the same on all ranks, that returns true to rebalance. It
// may run on the watcher's thread. Set in code only.
struct Custom {
  bool (*decide)(const LoadView&) = nullptr;
  friend bool operator==(const Custom&, const Custom&) = default;
};

// Any of the rules.
using Trigger =
    std::variant<CostAware, Never, Every, Threshold, Menon, Zhai, Procassini, Boulmier, Custom>;

// The text of a trigger, as in options and Errors: "cost_aware", "never", "always", "every 10",
// "every 0:500:10", "threshold lambda 1.1", "threshold imbalance_percent 10" (or both limits),
// "menon", "zhai", "procassini", "procassini 1.5", "boulmier", "custom". Converting to text and
// back loses only the function of a Custom, which is then null. Any other text is an Error.
EVENKEEL_API std::string to_text(const Trigger& trigger);
EVENKEEL_API Trigger trigger_from_text(const std::string& text);

// A list of all these texts, for Errors. It includes the text of a Custom if `with_custom` is true.
EVENKEEL_API std::string trigger_texts(bool with_custom);

// Throws an Error for an invalid trigger. Local.
EVENKEEL_API void check(const Trigger& trigger);

// True if this trigger acts at the end of this step whatever the load is.
EVENKEEL_API bool is_due(const Trigger& trigger, std::int64_t step) noexcept;

}  // namespace evenkeel
