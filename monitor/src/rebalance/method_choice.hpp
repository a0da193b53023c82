#pragma once

// Chooses the method of a rebalance, for Auto{}.

#include "costs/moving_costs.hpp"
#include "costs/object_costs.hpp"

#include <evenkeel/core/place.hpp>

#include <bit>

namespace evenkeel {

// True if the method is chosen for domains of this generation: the first one, and each power
// of two. The choice is never made for domains to which the run returns, nor for a shift.
inline bool is_choice_due(const Options& options, std::int64_t generation) noexcept {
  return is_auto(options.method) && generation > 0 &&
         std::has_single_bit(static_cast<std::uint64_t>(generation));
}

struct ChosenMethod {
  Method method;
  std::string told;  // the choice and the predictions, for the log
};

// The input of a choice. The weights and measurements are those of this rank.
struct ChoiceTask {
  const Communicator& ranks;
  const Options& options;
  std::span<const Set> sets;
  const Region& region;
  Weights weights;
  const Domains& present;
  const AgreedCosts& costs;
  const RankMeasurements& measured;
  const MovingCosts& moves;
  std::int64_t steps;  // so far; as many are expected until the next choice
};

// Collective. The status of this rank takes part in the first vote.
ChosenMethod choose_method(const ChoiceTask& task, const Status& status);

}  // namespace evenkeel
