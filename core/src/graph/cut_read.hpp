#pragma once

// Cuts a graph that has been read.

#include "graph/multilevel.hpp"
#include "graph/read.hpp"

#include <evenkeel/core/graph.hpp>

#include <functional>

namespace evenkeel::graphs {

// The same on all ranks, but for who watches.
struct CutWishes {
  Effort effort = Effort::good;
  double tolerance = 0;
  std::function<void(double done)> progress = {};
  Companion* companion = nullptr;  // null: none; the graph has nothing uncuttable then
};

// Collective. Leaves of `read` only what the report has not used up.
GraphCut cut_read(const Communicator& communicator, GraphRead& read, int parts,
                  const CutWishes& wishes);

}  // namespace evenkeel::graphs
