#pragma once

// Times collective work from barrier to barrier, on the slowest rank.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

namespace evenkeel::bench {

// Collective. Returns the same time on all ranks.
template <class Work>
double slowest_milliseconds(const Communicator& ranks, const Work& work) {
  ranks.barrier();
  const Stopwatch watch;
  work();
  return 1e3 * ranks.all_reduce(watch.seconds(), Reduction::greatest);
}

// Collective. Returns the time of each repetition, after one as a warm-up.
template <class Work>
std::vector<double> repeated_milliseconds(const Communicator& ranks, int repetitions,
                                          const Work& work) {
  std::vector<double> times;
  for (int r = 0; r <= repetitions; ++r) times.push_back(slowest_milliseconds(ranks, work));
  times.erase(times.begin());
  return times;
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace evenkeel::bench
