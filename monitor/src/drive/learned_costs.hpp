#pragma once

// What each object costs, as the load of the ranks that have held it tells. Travels with the
// objects.

#include "drive/agreement.hpp"
#include "drive/surveyor.hpp"
#include "drive/work_costs.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/set.hpp>
#include <evenkeel/core/weights/cost_fit.hpp>
#include <evenkeel/monitor/clock.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

class LearnedCosts {
 public:
  // By set, in nanoseconds per step; where nothing is known, 0 or no entry for any object.
  const std::vector<exec::Array<double>>& of_sets() const noexcept {
    return is_typed_ ? costs_ : travelling_;
  }

  void resize(std::size_t sets) {
    for (auto* arrays : {&travelling_, &by_type_, &costs_}) arrays->resize(sets);
    keys_.resize(sets);
    is_new_.assign(sets, 0);
  }

  bool has_keys() const noexcept;

  // Finds out whose costs are known after the application may have made, removed or sorted objects:
  // by their keys or, in sets without keys, those of all objects if there are as many as before.
  // What the surveyor has on record of them follows likewise. Returns the number of objects whose
  // costs are forgotten.
  std::int64_t follow(const Space& space, std::span<const Set> sets, Surveyor& surveyor);

  // Makes the sets carry their costs, which follow() has brought up to date.
  void travel_with(std::span<Set> sets);

  // After objects have moved with their costs: these are known again when they are renewed.
  void note_move() noexcept;
  void note_keys(const Space& space, std::span<const Set> sets);

  // The memory that the present rebalance has made, unless it is kept.
  void give_back() noexcept;
  // `moved`: there are new domains.
  void keep(bool moved) noexcept;

  // Makes ready to fit the costs to what the ranks have measured before the last move and after it.
  // `records`: of each set, the records of its objects; null where they are not known. False if
  // this rank cannot take part.
  using Records = std::vector<const exec::Array<std::int64_t>*>;
  bool prepare_fit(int ranks, Records records);
  // Collective, where all ranks can take part; takes no memory. `first`: the load of this rank in
  // the first epoch after the last move.
  void fit(const Communicator& ranks, double first);

  // Costs by type and feature, where those are known, for objects as they are now; what is learned
  // of single objects then is by how much each is dearer than that. A fit that is under way goes on
  // with these costs.
  void renew(const Space& space, std::span<const Set> sets, const WorkCosts& work);

  // The load of this rank by what is known.
  std::int64_t expected() const;

  // Remembers the mean, also where nothing is learned from it.
  void note(const Agreed& agreed) noexcept;

  // What this rank has measured.
  struct Measurements {
    double last = 0;                            // load in the last epoch, nanoseconds per step
    bool of_types = false;                      // costs by type are measured, not only thought
    double noise = 0;                           // of loads, as a share, as far as types tell it
    std::span<const StretchTimes> stretches{};  // by loop in chunks
  };
  // Adds what was measured since the last rebalance.
  void learn(const Space& space, std::span<const Set> sets, const Agreed& agreed,
             const Measurements& measured);

  // After learn(), where types are known: for each set, what each object costs in each phase. In
  // each, the objects of this rank together cost what was measured of them, unless that is within
  // noise of what is expected: how much dearer than its types an object is, is not known by phase.
  using ByPhase = std::vector<std::vector<exec::Array<double>>>;
  ByPhase by_phase(const Space& space, std::span<const Set> sets, const WorkCosts& work) const;

  // Brings the costs up to date, between rebalances, by what chunks have taken. `load`: of this
  // rank, in nanoseconds per step.
  void refresh(std::span<const Set> sets, double load, std::span<const StretchTimes> stretches);

 private:
  std::int64_t follow(const Space& space, const Set& set, std::size_t index, Surveyor& surveyor);

  void learn_by_type(std::span<const Set> sets, const Agreed& agreed, const Measurements& measured);
  void add_to_fit(CostFit& fit) const;

  // What travels with the objects: their costs or, where types are known, by how much each is
  // dearer than its types say.
  std::vector<exec::Array<double>> travelling_;
  // Where types are known: what they say of each object, and its cost.
  bool is_typed_ = false;
  std::vector<exec::Array<double>> by_type_, costs_;
  std::vector<exec::Array<std::int64_t>> keys_;  // of each set that has keys
  std::vector<char> is_new_;                     // by set: made by the rebalance under way
  double mean_per_object_ = 0;                   // over all ranks, when last measured

  std::optional<CostFit> fit_;  // of the rebalance under way
  Records records_;             // likewise
  double first_load_ = 0;       // likewise: in the first epoch after the last move
  // In the last epoch before the last move, and before that of the rebalance under way; 0: nothing
  // was measured here.
  double load_before_ = 0, next_before_ = 0;
  bool has_before_ = false, has_next_ = false;  // the same on all ranks: anything was measured
};

}  // namespace evenkeel
