#pragma once

// Carries out the stages of a rebalance in order. The caller decides when to rebalance.

#include "rebalance/agreement.hpp"
#include "rebalance/crowding.hpp"
#include "rebalance/domain_history.hpp"
#include "rebalance/memory_watch.hpp"
#include "rebalance/mover.hpp"

#include <evenkeel/core/place/phases.hpp>
#include <evenkeel/monitor/monitor.hpp>

namespace evenkeel {

// The parts of a Balancer that both rebalances and migrations use.
struct BalancerParts {
  const Communicator& ranks;
  const Options& options;
  ObjectCosts& costs;
  RankRecords& records;
  DomainHistory& domains;
  Mover& mover;
  MemoryWatch& memory;
};

// The time and the cause of a rebalance.
struct Occasion {
  const Advice& advice;               // if it is empty, a new cut is made
  std::int64_t step = 0;              // number of steps so far
  bool has_begun = false;             // true if a step has been made
  std::int64_t best_generation = -1;  // of the most even domains since the last new cut, or -1
  RankMeasurements measured = {};
  const CostTable& earlier_costs;  // learned by an earlier run
};

// The result of a rebalance.
struct Rebalanced {
  MoveReport report = {};
  std::optional<Outcome> outcome = {};  // empty if no rank has ever had an object
  bool runs_hooks = false;
  bool is_whole = true;  // false if the application itself moves further data
};

class Rebalancer {
 public:
  using Now = std::function<std::int64_t()>;
  Rebalancer(const BalancerParts& parts, Now now, RebalanceLog log)
      : parts_(parts), now_(std::move(now)), log_(std::move(log)) {}

  // Collective.
  Rebalanced rebalance(std::span<const Set> given, const Occasion& occasion);

 private:
  // The chosen domains: a new cut, a shift of the present ones, or those of an earlier generation.
  struct Choice {
    std::shared_ptr<const Domains> domains = {};
    bool is_changed = false;
    double lambda = 1;
    int refused = 0;
    std::int64_t back_to = -1;  // the earlier generation, or -1
    bool is_shifted = false;    // true even if the shift has changed no domain
    std::optional<PhaseLoads> phases = {};
    bool is_held_back = false;  // true if a more even cut did not fit into memory
  };

  Status arrive(std::span<const Set> given, const Occasion& occasion, StageTimes& times,
                Arrival& into);
  Box box_around(std::span<const Set> sets);
  Method method_now(const Status& status, std::span<const Set> sets, const Region& region,
                    const ObjectWeights& weights, const AgreedCosts& agreed,
                    const Occasion& occasion);
  // Stores the assignment of objects to ranks in `into`.
  Choice choose(const Prepared& prepared, const ObjectWeights& weights, const AgreedCosts& agreed,
                const Occasion& occasion, const PlaceLimits& limits, Assignment& into);
  std::optional<Allowed> take_again(const Prepared& prepared, Weights weights,
                                    const PlaceLimits& limits, std::int64_t generation);
  PlacedByPhases place_anew(const Prepared& prepared, const ObjectWeights& weights,
                            std::uint32_t phases, const CurveGoal& goal, const PlaceLimits& limits);
  ObjectWeights bytes_of(std::span<const Set> sets) const;
  PlaceLimits limits(const ObjectWeights& bytes, bool frees_memory) const;
  void look_for_crowds(const Prepared& prepared, const Assignment& assignment);
  Outcome adopt(Choice chosen, const Occasion& occasion, std::int64_t began, MoveReport& report);
  template <class Text>
  void warn(const Text& text_of);

  BalancerParts parts_;
  Now now_;
  RebalanceLog log_;
  Crowding crowding_;
  std::int64_t chosen_for_ = 0;  // the generation for which the method was last chosen
};

}  // namespace evenkeel
