#pragma once

// Totals of ranks that are not there.

#include "agree/epoch.hpp"
#include "observe/all_steps.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evenkeel::test {

// `totals_of_rank(rank)` is what each of them brings to the reduction; there is at least one.
template <class TotalsOfRank>
Totals over_ranks(std::size_t ranks, TotalsOfRank&& totals_of_rank) {
  Totals all = totals_of_rank(std::size_t{0});
  for (std::size_t rank = 1; rank < ranks; ++rank) combine(all, totals_of_rank(rank));
  return all;
}

// What a rank has worked in each step since the last look.
using StepLoads = std::vector<std::int64_t>;

inline AllSteps all_of(const StepLoads& loads) {
  AllSteps all;
  for (const std::int64_t load : loads) all.add(load);
  return all;
}

// The sample of a rank that has worked so, as a Monitor tells it.
inline void tell_all_steps(Sample& sample, const StepLoads& loads) {
  const AllSteps all = all_of(loads);
  sample.all_steps = all.steps();
  sample.all_load = all.sum();
  sample.slots = all.sums();
}

// ... and all of these steps were measured.
inline Sample sample_of_steps(const StepLoads& loads) {
  Sample sample;
  tell_all_steps(sample, loads);
  sample.steps = sample.all_steps;
  sample.load = sample.duration = sample.all_load;
  return sample;
}

}  // namespace evenkeel::test
