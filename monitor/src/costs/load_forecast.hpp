#pragma once

// Predicts the load of this rank after the application has changed its objects, for example after a
// mesh was refined. The load is assumed to be proportional to the amount of work: the sum of the
// weights or, without weights, the number of objects. The time per amount is measured before the
// change.

#include <evenkeel/backends/comm/communicator.hpp>

#include <cmath>
#include <optional>

namespace evenkeel {

class LoadForecast {
 public:
  // The amount of the present objects. It is not known at first, and after objects have moved.
  bool knows_amount() const noexcept { return amount_.has_value(); }
  void set_amount(double amount) noexcept { amount_ = amount; }
  void forget_amount() noexcept { amount_.reset(); }

  // Call this at the end of each step that has worked on the present amount.
  void end_step() noexcept {
    if (!amount_) return;
    sum_ += *amount_;
    ++steps_;
  }
  // Call this at the end of an epoch. `load` is its mean load per step.
  void end_epoch(double load) noexcept {
    if (sum_ > 0 && load > 0) time_ = load * static_cast<double>(steps_) / sum_;
    sum_ = 0;
    steps_ = 0;
  }

  // Collective. Returns the load per step that this amount will take. A rank that has measured
  // nothing uses the mean of the other ranks. Returns a negative number if no rank has measured
  // anything; this is the same on all ranks.
  double of(const Communicator& ranks, double amount) const {
    double known[] = {time_, time_ > 0 ? 1.0 : 0.0};
    ranks.all_reduce(std::span<double>(known), Reduction::sum);
    if (!(known[1] > 0)) return -1;
    return (time_ > 0 ? time_ : known[0] / known[1]) * std::max(0.0, amount);
  }

 private:
  std::optional<double> amount_;
  double sum_ = 0;          // of the amounts of the steps of this epoch
  std::int64_t steps_ = 0;  // number of these steps
  double time_ = 0;         // per amount; 0 if nothing was measured
};

}  // namespace evenkeel
