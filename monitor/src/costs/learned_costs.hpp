#pragma once

// The cost of each object, learned from the loads of the ranks that have held the object. Costs
// move with the objects.

#include "costs/work_costs.hpp"
#include "observe/clock.hpp"
#include "survey/rank_records.hpp"

namespace evenkeel {

// The times of loops in chunks, one for each loop. A time x speed is a cost.
struct ChunkEvidence {
  std::span<const StretchTimes> loops = {};
  double speed = 1;  // of this rank
};

// The costs from which those of objects are learned, in nanoseconds per step.
struct CostEvidence {
  double mine = 0;             // of this rank since the last rebalance; 0 without a measurement
  double last = 0;             // of this rank in the last epoch; 0 without a measurement
  double mean_per_object = 0;  // over all ranks; 0 if no rank has measured a load
  ChunkEvidence chunks = {};
};

class LearnedCosts {
 public:
  // The cost of each object in nanoseconds per step, by set. An unknown cost is 0; if no cost of a
  // set is known, its array is empty.
  const std::vector<exec::Array<double>>& of_sets() const noexcept {
    return is_typed_ ? costs_ : travelling_;
  }

  void resize(std::size_t sets) {
    for (auto* arrays : {&travelling_, &by_type_, &costs_}) arrays->resize(sets);
    keys_.resize(sets);
    is_new_.assign(sets, 0);
  }

  bool has_keys() const noexcept;

  // Matches costs to objects after the application may have made, removed or sorted objects. The
  // objects of a set with keys are matched by key, and so are their records of ranks. A set without
  // keys retains its costs if its number of objects is the same as before. Returns the number of
  // objects whose costs are forgotten.
  std::int64_t follow(const Space& space, std::span<const Set> sets, RankRecords& records);

  // The same if no costs are learned: matches only the records of ranks.
  void follow_records(const Space& space, std::span<const Set> sets, RankRecords& records);

  // Makes the sets carry their costs. Call it after follow().
  void travel_with(std::span<Set> sets);

  // Call this after objects have moved. Costs by type are then unknown until the next renew().
  void note_move() noexcept;
  void note_keys(const Space& space, std::span<const Set> sets);

  // These end a rebalance. give_back() frees the memory that the rebalance has allocated, unless
  // keep() was called before.
  void keep() noexcept { is_new_.clear(); }
  void give_back() noexcept;

  // Computes the costs of the present objects by type and feature; `work` must know the costs of
  // these. From then on, the learned value of an object is the ratio of its cost to its cost by
  // type.
  void renew(const Space& space, std::span<const Set> sets, const WorkCosts& work);

  // The sum of the costs on this rank: its expected load.
  std::int64_t expected() const;

  // Learns from the loads since the last rebalance, without costs by type. The share `followed` of
  // the load (see share_followed) is distributed in proportion to the costs that were known before.
  void learn(const Space& space, std::span<const Set> sets, const CostEvidence& measured,
             double followed);
  // Learns from the loads since the last rebalance, with costs by type.
  void learn_by_type(std::span<const Set> sets, const CostEvidence& measured,
                     const WorkCosts& work);
  bool is_typed() const noexcept { return is_typed_; }

  // The share of a load that is distributed in proportion to the learned costs. It is 1 if they
  // predicted the load. It is one half if they were far off, or if a load is 0, which means
  // unknown.
  static double share_followed(double measured, double foretold) noexcept;

  // Call this after learn_by_type(). Returns, for each set, the cost of each object in each phase.
  // In each phase, the costs of this rank's objects add up to the measured load or, if noise
  // explains the difference, to the expected load. The ratio of an object's cost to its cost by
  // type is assumed to be the same in all phases.
  using ByPhase = std::vector<std::vector<exec::Array<double>>>;
  ByPhase by_phase(const Space& space, std::span<const Set> sets, const WorkCosts& work) const;

  // Remembers the mean cost of an object, even if nothing else is learned.
  void note_mean(double per_object) noexcept {
    if (per_object > 0) mean_per_object_ = per_object;
  }

  // Updates the costs by the times of chunks. It may be called between rebalances. `cost` is the
  // cost of all objects of this rank in nanoseconds per step.
  void refresh(std::span<const Set> sets, double cost, const ChunkEvidence& chunks);

 private:
  std::int64_t follow(const Space& space, const Set& set, std::size_t index, RankRecords& records);
  std::int64_t match(const Space& space, const Set& set, std::size_t index,
                     exec::Array<double>& values, RankRecords& records);

  // The values that move with the objects: the cost of each object or, if costs by type are known,
  // the ratio of its cost to its cost by type.
  std::vector<exec::Array<double>> travelling_;
  // If costs by type are known: the cost by type of each object, and its own cost.
  bool is_typed_ = false;
  std::vector<exec::Array<double>> by_type_, costs_;
  std::vector<exec::Array<std::int64_t>> keys_;  // by set; empty for a set without keys
  std::vector<char> is_new_;    // by set: true if the rebalance under way has made its travelling_
                                // array
  double mean_per_object_ = 0;  // over all ranks, at the last measurement
};

}  // namespace evenkeel
