#pragma once

// The method that cuts a graph, and its options.

#include <evenkeel/backends/config.hpp>

namespace evenkeel {

// The effort of the search for a cut.
enum class Effort : int {
  polish,  // one level: improves present parts, or those of a curve through positions
  fast,
  good
};
// The name in messages and in the text of options.
EVENKEEL_API const char* name_of(Effort effort) noexcept;

// The method and its goals.
struct ByGraph {
  Effort effort = Effort::good;
  // The share by which a part may exceed the average, in each constraint. Vertices that are too
  // heavy for this raise the limit.
  double tolerance = 0.03;
  // The number of edges of the average weight that may be cut in addition to keep a vertex of the
  // average bytes in its part, if the cut begins from parts. If it is 0, moving only breaks ties.
  double moving_cost = 0;
  // The seconds per step that a cut edge of the average weight costs on one rank, or 0 if they are
  // not known. With them, a Balancer derives the moving cost from the seconds of earlier moves and
  // the lifetime of cuts, unless the run is deterministic.
  double edge_seconds = 0;
  friend bool operator==(const ByGraph&, const ByGraph&) = default;
};

}  // namespace evenkeel
