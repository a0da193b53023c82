#pragma once

// What an application says of a step.

namespace evenkeel {

// The same on all ranks.
struct StepOptions {
  // False: keep time, look and decide as ever, but move nothing in this step. A rebalance that is
  // decided on meanwhile comes in the next step that may move.
  bool may_move = true;
};

}  // namespace evenkeel
