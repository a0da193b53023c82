#pragma once

// The method that cuts a graph, and its options.

#include <evenkeel/backends/config.hpp>

#include <array>

namespace evenkeel {

// The effort of the search for a cut.
enum class Effort : int {
  polish,  // improves present parts, or those of a curve through positions, without coarser graphs
  fast,
  good,
  best  // for graphs that are cut once
};
// The name in messages and in the text of options.
EVENKEEL_API const char* name_of(Effort effort) noexcept;
// All efforts. A greater one takes more time.
inline constexpr std::array all_efforts = {Effort::polish, Effort::fast, Effort::good,
                                           Effort::best};

// The method and its goals.
struct ByGraph {
  Effort effort = Effort::good;
  // The greatest lambda of a new cut, in each constraint: at least 1, where 1.03 allows 3 % above
  // the average. If a vertex is too heavy for this limit, the limit is higher.
  double target_lambda = 1.03;
  // The cost of moving a vertex of the average bytes out of its present part, as a number of cut
  // edges of the average weight. If it is 0, a vertex moves unless another cut is as good without
  // the move.
  double moving_cost = 0;
  // The seconds per step that a cut edge of the average weight costs on one rank, or 0 if they are
  // not known. If they are given and the run is not deterministic, a Balancer derives the moving
  // cost from them, the seconds of earlier moves and the lifetime of cuts.
  double edge_seconds = 0;
  friend bool operator==(const ByGraph&, const ByGraph&) = default;
};

}  // namespace evenkeel
