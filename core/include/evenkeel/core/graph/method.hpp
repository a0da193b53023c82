#pragma once

// How a graph is cut.

#include <evenkeel/backends/config.hpp>

namespace evenkeel {

// How hard a cut is sought.
enum class Effort : int {
  polish,  // one level: improves the parts that there are, or those of a curve through positions
  fast,
  good
};
EVENKEEL_API const char* name_of(Effort effort) noexcept;

// The method, with what it aims for.
struct ByGraph {
  Effort effort = Effort::good;
  // By how much a part may exceed the average, in each constraint; a vertex that is heavier than
  // that allows it all the same.
  double tolerance = 0.03;
  // With parts to begin from: how many edges of the average weight may be cut more to keep a
  // vertex of the average bytes where it is. 0: it matters where all else is equal.
  double moving_cost = 0;
  // What a cut edge of the average weight costs in each step, in seconds, on one rank. With it, a
  // Balancer finds the moving cost from what moves have taken and how long cuts have lasted; unless
  // the run is deterministic. 0: not known.
  double edge_seconds = 0;
  friend bool operator==(const ByGraph&, const ByGraph&) = default;
};

}  // namespace evenkeel
