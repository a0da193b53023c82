#pragma once

// How long collective work takes: from barrier to barrier, on the slowest rank.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

#include <algorithm>
#include <vector>

namespace evenkeel::bench {

// Collective; the same on all ranks.
template <class Work>
double slowest_milliseconds(const Communicator& ranks, const Work& work) {
  ranks.barrier();
  const Stopwatch watch;
  work();
  return 1e3 * ranks.all_reduce(watch.seconds(), Reduction::greatest);
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace evenkeel::bench
