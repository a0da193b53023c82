#pragma once

// What can be chosen as the rule that decides when to act. How each judges is in decision.hpp.
//
// In what follows u is the time per step that the slowest rank works longer than the average, n the
// number of steps since the last rebalance, and C what a rebalance costs.

#include <evenkeel/backends/export.hpp>

#include <cstdint>
#include <string>
#include <variant>

namespace evenkeel {

struct State;
struct Totals;

// The default: when what has been lost to growing imbalance, or what an imbalance that stays will
// cost, outweighs what a rebalance costs. See docs/triggers.md.
struct CostAware {
  friend bool operator==(const CostAware&, const CostAware&) = default;
};

// Nothing moves but by rebalance().
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

// A rule of your own: a pure function of its arguments, the same on all ranks, which may run on the
// watcher's thread. Given in code alone. The state is the one before this look.
struct Custom {
  bool (*decide)(const State&, const Totals&) = nullptr;
  friend bool operator==(const Custom&, const Custom&) = default;
};

using Trigger =
    std::variant<CostAware, Never, Every, Threshold, Menon, Zhai, Procassini, Boulmier, Custom>;

// "cost_aware", "never", "always", "every 10", "every 0:500:10", "threshold lambda 1.1", "threshold
// imbalance_percent 10" (or both limits), "menon", "zhai", "procassini", "procassini 1.5",
// "boulmier", "custom": as options say it, and Errors about it. Without loss, but for the function
// of a Custom: it is not there in what the text gives.
EVENKEEL_API std::string to_text(const Trigger& trigger);
EVENKEEL_API Trigger trigger_from_text(const std::string& text);

// Throws an Error for a trigger that makes no sense. Local.
EVENKEEL_API void check(const Trigger& trigger);

// Whether this trigger acts at the end of this step without asking for the load.
EVENKEEL_API bool is_due(const Trigger& trigger, std::int64_t step) noexcept;

}  // namespace evenkeel
