#pragma once

// Fits the costs of objects to the loads of all ranks before and after the last move, because
// correct costs explain both (core/weights/cost_fit.hpp). Each move leads to one fit: at the first
// survey after it or, without such a survey, in the next rebalance.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/weights/cost_fit.hpp>

namespace evenkeel {

// Loads are in nanoseconds per step.
class CostRefit {
 public:
  using Costs = std::span<const exec::Array<double>>;             // by set
  using Records = std::vector<const exec::Array<std::int64_t>*>;  // by set; null if unknown

  // True if the last move has had no fit, and if the load before it is known; the same on all
  // ranks.
  bool is_due() const noexcept { return is_known_; }
  // Call this on all ranks if a fit has been tried before the next rebalance.
  void note_done() noexcept { is_known_ = false; }

  // Prepares a fit. Returns false if this rank cannot take part.
  bool prepare(int ranks, Records records, Costs costs);
  // If a fit is under way, starts it again with other costs of the same objects.
  void restart(Costs costs);
  // Collective. Call this only if all ranks can take part. Allocates nothing. `first` is the load
  // of this rank in the first epoch after the last move.
  void fit(const Communicator& ranks, double first);
  // Call this after fit(). Replaces the costs by the fitted costs.
  void apply(Costs costs) const;
  double first_load() const noexcept { return first_load_; }

  // Remembers the load of this rank in the last epoch before the coming move. `is_known` is true if
  // some rank has measured a load.
  void note_load(double last, bool is_known) noexcept;
  // Ends a rebalance. `moved` is true if there are new domains.
  void keep(bool moved) noexcept;
  void give_back() noexcept { fit_.reset(); }

 private:
  void add(Costs costs, CostFit& into) const;

  // These belong to the rebalance under way.
  std::optional<CostFit> fit_;
  Records records_;
  double first_load_ = 0;
  // The load of this rank before the last move, and before the move of the rebalance under way.
  double before_ = 0, next_before_ = 0;
  // True if that load is known, and may be used for a fit; the same on all ranks.
  bool is_known_ = false, is_next_known_ = false;
};

}  // namespace evenkeel
