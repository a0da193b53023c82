#pragma once

// Predicts the load of this rank after the application has changed its objects, for example after a
// mesh was refined. The load is assumed to be proportional to the amount of work: the sum of the
// weights or, without weights, the number of objects. The time per amount is measured before the
// change.

#include "costs/object_costs.hpp"

#include <cmath>

namespace evenkeel {

class LoadForecast {
 public:
  // Call this at the end of each step. If the objects have changed since the kernels worked on
  // them, counts their amount before the change. Weights are added up only if nothing is known of
  // the objects, as this takes time.
  void end_step(std::span<const Set> sets, bool have_changed) {
    end_step(have_changed, has_amounts(sets), [&] { return weight_of(sets); });
  }
  // The same for objects that are not in sets. amount() returns their amount; `takes_time` is true
  // if that takes time.
  template <class Amount>
  void end_step(bool have_changed, bool takes_time, const Amount& amount) {
    if (!have_changed && !(takes_time && amount_ >= 0)) amount_ = amount();
    if (amount_ < 0) return;
    sum_ += amount_;
    ++steps_;
  }
  // Call this after objects have moved: then their amount is not known.
  void forget_amount() noexcept { amount_ = -1; }
  // Call this at the end of an epoch. `load` is its mean load per step, in nanoseconds.
  void end_epoch(double load) noexcept {
    if (sum_ > 0 && load > 0) time_ = load * static_cast<double>(steps_) / sum_;
    sum_ = 0;
    steps_ = 0;
  }

  // Collective. Returns the load per step that these objects will take, in nanoseconds. A rank that
  // has measured nothing uses the mean of the other ranks. Returns -1 if no rank has measured
  // anything; this is the same on all ranks. `load` is that of the epoch before the change.
  std::int64_t of(const Communicator& ranks, std::span<const Set> sets, double load) {
    return of(ranks, weight_of(sets), load);
  }
  std::int64_t of(const Communicator& ranks, double amount, double load) {
    end_epoch(load);
    amount_ = amount;
    double known[] = {time_, time_ > 0 ? 1.0 : 0.0};
    ranks.all_reduce(std::span<double>(known), Reduction::sum);
    if (!(known[1] > 0)) return -1;
    constexpr double most = 0x1p61;
    const double expected = (time_ > 0 ? time_ : known[0] / known[1]) * amount_;
    return expected > 0 ? std::llround(std::min(expected, most)) : 0;
  }

 private:
  double amount_ = -1;      // of the present objects; negative if unknown
  double sum_ = 0;          // of the amounts of the steps of this epoch
  std::int64_t steps_ = 0;  // number of these steps
  double time_ = 0;         // per amount; 0 if nothing was measured
};

}  // namespace evenkeel
