#pragma once

// Ways to find the part of each point in memory, for comparisons.

#include "points.hpp"
#include "timing.hpp"
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
#include "zoltan.hpp"
#endif

#include <functional>

namespace evenkeel::bench {

struct Way {
  std::string name;
  std::function<void()> prepare;  // not timed
  std::function<std::span<const int>()> partition;
  std::vector<double> milliseconds = {};
  double lambda = 0;
};

// Collective. Runs all ways in turns, once as a warm-up and then `repetitions` times.
inline void take_turns(const Communicator& ranks, std::vector<Way>& ways, int parts,
                       int repetitions) {
  for (int r = 0; r <= repetitions; ++r)
    for (Way& way : ways) {
      way.prepare();
      std::span<const int> found;
      const double time = slowest_milliseconds(ranks, [&] { found = way.partition(); });
      if (r > 0) way.milliseconds.push_back(time);
      way.lambda = lambda_of(ranks, found, parts);
    }
}

#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
inline Way way_of_zoltan(std::string name, const Zoltan::Parameters& parameters,
                         const char* target_lambda, std::span<const clouds::Point> points,
                         int parts) {
  const auto peer = std::make_shared<ZoltanOnPoints>(parameters, target_lambda);
  return {std::move(name), [=] { peer->prepare(parts); }, [=] { return peer->partition(points); }};
}
#endif

}  // namespace evenkeel::bench
