#pragma once

// What the library's protocols ask of MPI, stage by stage, on any number of ranks: written from its
// code, and held against what it does by check.hpp. What depends on where objects lie comes in as
// calls that stages.hpp has recorded.

#include "calls.hpp"

#include <cstdint>
#include <vector>

namespace evenkeel::scale {

// How objects lie along the curve.
enum class Lie : int {
  anyhow,   // nowhere sorted
  strayed,  // sorted on each rank, but the stretches of ranks overlap
  in_order  // sorted from rank to rank as well
};

// --- Looking -------------------------------------------------------------------------------------

// Two reductions of one look, between which ranks compute.
Calls look();

// What would have been, by a cut of a thousand objects of each rank at most. `search`: recorded,
// unless the objects are in order.
Calls survey(std::int64_t ranks, Lie lie, const Calls& search);

// --- Placing -------------------------------------------------------------------------------------

struct CurveCut {
  Lie lie = Lie::strayed;
  // There are domains for which one reduction tells whether they are even enough; and they are.
  bool has_last = false, is_kept = false;
  Calls search = {};  // recorded, unless objects are in order, or domains kept
};
Calls place_on_curve(std::int64_t ranks, const CurveCut& how);

struct BoxesPlaced {
  bool has_last = false, is_kept = false;
  Calls cut = {};  // recorded, with its votes; none where domains are kept
};
Calls place_in_boxes(std::int64_t ranks, const BoxesPlaced& how);

// core/cut/nodes.hpp. Objects lie anyhow on the node.
struct NodeCut {
  std::int64_t ranks = 1, ranks_of_node = 1;
  Lie lie = Lie::anyhow;
  Calls among;                      // nodes: the search, recorded
  std::vector<std::int64_t> items;  // that this rank sends to other nodes, to one rank each
  Calls within;                     // the node: likewise
};
struct NodeCutCalls {
  Calls among, within, last;  // of all ranks; of those of a node; of all
  Calls all() const;
};
NodeCutCalls cut_by_nodes(const NodeCut& how);

// --- Moving --------------------------------------------------------------------------------------

// What one rank sends.
struct Traffic {
  std::vector<std::int64_t> objects;               // for each rank that gets some
  std::vector<std::int64_t> bytes_of_fields = {};  // of an object, field by field
  bool is_any = true;                              // some rank sends something
};

// From an assignment to objects in their places.
Calls move(const Traffic& traffic);

// --- A whole rebalance ---------------------------------------------------------------------------

// Around what places; in a given box, with given weights. Learned costs, a box that is measured,
// groups and hooks would add votes.
Calls rebalance(const Calls& placing, const Traffic& traffic);

}  // namespace evenkeel::scale
