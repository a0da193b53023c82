#pragma once

// Totals of simulated ranks.

#include "observe/all_steps.hpp"

#include <bit>

namespace evenkeel::test {

// `totals_of_rank(rank)` is what each rank contributes to the reduction. There is at least one
// rank.
template <class TotalsOfRank>
Totals over_ranks(std::size_t ranks, TotalsOfRank&& totals_of_rank) {
  Totals all = totals_of_rank(std::size_t{0});
  for (std::size_t rank = 1; rank < ranks; ++rank) combine(all, totals_of_rank(rank));
  return all;
}

inline Totals totals_over(const std::vector<Sample>& samples, std::int64_t last_mean = 0) {
  return over_ranks(samples.size(),
                    [&](std::size_t rank) { return totals_of(samples[rank], last_mean); });
}

// The bytes that are sent.
template <class T>
auto bytes_of(const T& value) {
  return std::bit_cast<std::array<unsigned char, sizeof(T)>>(value);
}

// The work of a rank in each step since the last look.
using StepLoads = std::vector<std::int64_t>;

inline AllSteps all_of(const StepLoads& loads) {
  AllSteps all;
  for (const std::int64_t load : loads) all.add(load);
  return all;
}

// Fills the sample of a rank with these loads, as a Monitor does.
inline void tell_all_steps(Sample& sample, const StepLoads& loads) {
  const AllSteps all = all_of(loads);
  sample.all_steps = all.steps();
  sample.all_load = all.sum();
  sample.slots = all.sums();
}

// The sample of a rank that has measured all of these steps.
inline Sample sample_of_steps(const StepLoads& loads) {
  Sample sample;
  tell_all_steps(sample, loads);
  sample.steps = sample.all_steps;
  sample.load = sample.duration = sample.all_load;
  return sample;
}

}  // namespace evenkeel::test
