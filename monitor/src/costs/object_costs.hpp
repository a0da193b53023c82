#pragma once

// All that a Balancer knows about the costs of objects: their weights, the costs of their types,
// and the learned cost of each object. It learns at looks and in rebalances, unless the application
// gives weights or the run is deterministic.

#include "costs/cost_refit.hpp"
#include "costs/learned_costs.hpp"

#include <evenkeel/monitor/options.hpp>

#include <functional>

namespace evenkeel {

// The measurements of this rank since the last rebalance, in nanoseconds per step. A time x speed
// is a cost: the time at the mean speed of all ranks.
struct RankMeasurements {
  std::int64_t load = 0;                               // in all epochs
  double first = 0, last = 0;                          // load in the first and the last epoch
  std::span<const double> kernels = {};                // of each kernel in the last epoch
  std::span<const KernelOptions> kernel_options = {};  // of each kernel
  std::span<const StretchTimes> stretches = {};        // one for each loop in chunks
  double speed = 1;                                    // of this rank / the mean speed
};

// The statement of each rank about its costs at the start of a rebalance.
struct CostStatement {
  std::int64_t load = 0;      // measured cost, in nanoseconds per step
  std::int64_t expected = 0;  // by the learned costs of objects, in nanoseconds per step
  std::int64_t objects = 0;
  std::int64_t forgotten = 0;  // objects whose learned costs are forgotten
  std::int64_t fits = 0;       // ranks that can fit their costs to earlier loads
  AgreedWork work = {};

  void add(const CostStatement& other) noexcept;
};

// The conclusions from the statements for this rank. Times are in nanoseconds per step.
struct AgreedCosts {
  double mine = 0;             // load of this rank; 0 if it has measured nothing
  double mean_per_object = 0;  // over all ranks; 0 if no rank has measured anything
  // The load of this rank by learned costs, scaled so that the sum over ranks is the measured sum.
  double expected = 0;
  std::int64_t forgotten = 0;  // objects of all ranks whose learned costs are forgotten
  bool fits = false;           // true if all ranks can fit their costs to earlier loads
  bool is_typed = false;       // true if sets give types or features of their objects
  AgreedWork work = {};
};
AgreedCosts agreed_from(const CostStatement& mine, const CostStatement& all, int ranks);

// The number of objects, for statistics only. Ends the count at an invalid set; a vote elsewhere
// refuses such a set.
std::int64_t objects_in(std::span<const Set> sets);
// The sum over sets of the given weights. For a set without weights, adds the given costs of the
// types of its objects or, without such costs, the number of its objects.
double weight_of(std::span<const Set> sets);
// True if the objects of a set have weights or costs of types. Then weight_of() takes time.
bool has_amounts(std::span<const Set> sets);

// The weights of objects by set, in the memory of the space. If the weights of a set are empty,
// each object counts as one. `of_sets` refers to `given`, or to the learned costs.
struct ObjectWeights {
  std::vector<exec::Array<double>> given;
  std::vector<std::span<const double>> of_sets;
};

class ObjectCosts {
 public:
  // Calls `tell` with the costs of types after each new fit.
  ObjectCosts(const Options& options, std::function<void(CostTable)> tell)
      : work_(options.type_costs == TypeCosts::minimum_norm),
        tell_(std::move(tell)),
        may_learn_(!options.deterministic),
        may_learn_types_(may_learn_ && options.type_costs != TypeCosts::off) {}

  // The learned costs by set. Their number differs from the number of objects if the application
  // has made or removed objects.
  std::span<const exec::Array<double>> of_sets() const noexcept { return learned_.of_sets(); }

  // --- At looks ----------------------------------------------------------------------------------

  using Now = std::function<std::int64_t()>;
  // Local. Counts the objects of this rank by type for the epoch that has just ended, unless the
  // sets are invalid. Counts may take at most a thousandth of the time, so some are skipped.
  void observe(std::span<const Set> sets, const RankMeasurements& measured, const Now& now);
  // Collective. Brings the costs up to date, and the records of ranks of objects with keys. Returns
  // the nanoseconds that this rank needed, without waiting for others.
  std::int64_t refresh(const Communicator& ranks, std::span<const Set> sets,
                       const RankMeasurements& measured, RankRecords& records, const Now& now);

  // --- In a rebalance, in this order -------------------------------------------------------------

  // Local. Matches costs to objects after the application may have changed the sets, makes the sets
  // carry their costs, and prepares the fit. Returns the statement to agree on.
  CostStatement arrive(const Space& space, std::span<Set> sets, RankRecords& records,
                       const RankMeasurements& measured, int ranks, const Now& now);
  // Collective. Fits the costs of types and the costs of objects to the measurements. `earlier` has
  // the costs that an earlier run has learned.
  void fit(const Communicator& ranks, std::span<const Set> sets, const AgreedCosts& agreed,
           const RankMeasurements& measured, const CostTable& earlier);
  // Local. Learns from the measurements, and returns the weights.
  ObjectWeights weigh(std::span<const Set> sets, const AgreedCosts& agreed,
                      const RankMeasurements& measured);
  // Has a bit for each phase in which the costs of objects are known; the same on all ranks.
  std::uint32_t phases(const AgreedCosts& agreed) const noexcept {
    return learns_ && agreed.is_typed ? work_.phases() : 0;
  }
  LearnedCosts::ByPhase by_phase(const Space& space, std::span<const Set> sets) const {
    return learned_.by_phase(space, sets, work_);
  }
  // Call this after objects have moved, with the sets after the move.
  void note_move(std::span<const Set> sets);
  // Call this if the rebalance has succeeded. `moved` is true if there are new domains.
  void keep(bool moved) noexcept;
  // Call this after every rebalance. If keep() was not called, frees the memory that the rebalance
  // has allocated.
  void give_back() noexcept;

  // --- In a migration ----------------------------------------------------------------------------

  // Makes the sets carry their costs, if costs have been learned.
  void travel_with(std::span<Set> sets, RankRecords& records);
  // The number of this rank's objects whose costs were forgotten since the last rebalance or
  // migration.
  std::int64_t forgotten() const noexcept { return forgotten_; }
  void clear_forgotten() noexcept { forgotten_ = 0; }

 private:
  bool learns_types(std::span<const Set> sets) const;
  void fit_last_move(const Communicator& ranks, std::span<const Set> sets,
                     const RankMeasurements& measured, const RankRecords& records);
  bool prepare_fit(int ranks, std::span<const Set> sets, const RankRecords& records);
  void bring_up_to_date(std::span<const Set> sets, const RankMeasurements& measured,
                        RankRecords& records, int ranks);
  void count(std::span<const Set> sets, const RankMeasurements& measured, const Now& now);
  Status fit_types(const Communicator& ranks, std::span<const Set> sets, const AgreedWork& agreed,
                   const CostTable& earlier);
  CostStatement statement(const Space& space, std::span<const Set> sets,
                          const RankMeasurements& measured) const;
  void learn(const Space& space, std::span<const Set> sets, const AgreedCosts& agreed,
             const RankMeasurements& measured);

  LearnedCosts learned_;
  WorkCosts work_;
  CostRefit refit_;
  std::function<void(CostTable)> tell_;
  bool may_learn_, may_learn_types_;
  // The end and the duration of the last count of objects by type, in nanoseconds, and whether a
  // later look has skipped its count.
  struct {
    std::int64_t ended_at = 0, took = 0;
    bool is_owed = false;
  } counting_;
  std::int64_t forgotten_ = 0;
  bool learns_ = false;
  bool would_learn_ = false;  // the value of learns_ that this rank proposes in the rebalance under
                              // way
  bool can_fit_ = false;      // in the rebalance under way
};

}  // namespace evenkeel
