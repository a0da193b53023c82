#pragma once

// The cost of each object, learned from the loads of the ranks that have held it. Costs travel with
// the objects.

#include "costs/work_costs.hpp"
#include "survey/rank_records.hpp"

namespace evenkeel {

// The loads that costs are learned from, in nanoseconds per step.
struct CostEvidence {
  double mine = 0;             // of this rank since the last rebalance; 0 without a measurement
  double last = 0;             // the same in the last epoch
  double mean_per_object = 0;  // over all ranks; 0 if no rank has measured a load
  std::span<const StretchTimes> stretches = {};  // by loop in chunks
};

class LearnedCosts {
 public:
  // By set, in nanoseconds per step. Unknown costs are 0, or the array of the set is empty.
  const std::vector<exec::Array<double>>& of_sets() const noexcept {
    return is_typed_ ? costs_ : travelling_;
  }

  void resize(std::size_t sets) {
    for (auto* arrays : {&travelling_, &by_type_, &costs_}) arrays->resize(sets);
    keys_.resize(sets);
    is_new_.assign(sets, 0);
  }

  bool has_keys() const noexcept;

  // Matches costs to objects after the application may have made, removed or sorted objects. A set
  // with keys is matched by key. A set without keys retains its costs if its number of objects is
  // the same as before. Records of ranks follow likewise. Returns the number of objects whose costs
  // are forgotten.
  std::int64_t follow(const Space& space, std::span<const Set> sets, RankRecords& records);

  // Makes the sets carry their costs. Call follow() first.
  void travel_with(std::span<Set> sets);

  // To be called after objects have moved. Costs by type are unknown until the next renew().
  void note_move() noexcept;
  void note_keys(const Space& space, std::span<const Set> sets);

  // End a rebalance: keep the memory that it has allocated, or give it back.
  void keep() noexcept { is_new_.clear(); }
  void give_back() noexcept;

  // Computes the costs by type and feature of the present objects, if `work` knows them. From then
  // on, the learned value of an object is the ratio of its cost to its cost by type.
  void renew(const Space& space, std::span<const Set> sets, const WorkCosts& work);

  // The load of this rank according to the costs.
  std::int64_t expected() const;

  // Learns from the loads since the last rebalance. `followed` is the share of the load that is
  // spread by the costs known before (share_followed).
  void learn(const Space& space, std::span<const Set> sets, const CostEvidence& measured,
             double followed);
  // The same for known costs by type.
  void learn_by_type(std::span<const Set> sets, const CostEvidence& measured,
                     const WorkCosts& work);
  bool is_typed() const noexcept { return is_typed_; }

  // The weight of learned costs against new loads: 1 if they predicted the load, one half if they
  // were far off, or if one of the two loads is 0 and thus unknown.
  static double share_followed(double measured, double foretold) noexcept;

  // After learn_by_type(): for each set, the cost of each object in each phase. In each phase, the
  // costs of this rank's objects add up to the measured load, or to the expected one where noise
  // explains the difference. The ratio of an object's cost to its cost by type is the same in all
  // phases, since it is not known by phase.
  using ByPhase = std::vector<std::vector<exec::Array<double>>>;
  ByPhase by_phase(const Space& space, std::span<const Set> sets, const WorkCosts& work) const;

  // Remembers the mean, also if nothing is learned from it.
  void note_mean(double per_object) noexcept {
    if (per_object > 0) mean_per_object_ = per_object;
  }

  // Updates the costs between rebalances by the times of chunks. `load` is that of this rank, in
  // nanoseconds per step.
  void refresh(std::span<const Set> sets, double load, std::span<const StretchTimes> stretches);

 private:
  std::int64_t follow(const Space& space, const Set& set, std::size_t index, RankRecords& records);

  // The values that travel with the objects: their costs or, if costs by type are known, the ratio
  // of each object's cost to its cost by type.
  std::vector<exec::Array<double>> travelling_;
  // If costs by type are known: the cost by type of each object, and its own cost.
  bool is_typed_ = false;
  std::vector<exec::Array<double>> by_type_, costs_;
  std::vector<exec::Array<std::int64_t>> keys_;  // of each set that has keys
  std::vector<char> is_new_;                     // by set: made by the rebalance under way
  double mean_per_object_ = 0;                   // over all ranks, when last measured
};

}  // namespace evenkeel
