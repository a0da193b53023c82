#pragma once

// How much rank 0 logs while a run lasts.

namespace evenkeel {

// Each level includes those before it.
enum class LogLevel : int {
  off,
  summary,    // a few lines at the end
  decisions,  // a line for each rebalance, and when balancing stops or resumes
  looks       // a line for each look at the load
};

}  // namespace evenkeel
