#pragma once

// The calls of MPI of the library's protocols, stage by stage, on any number of ranks. They follow
// the code of the library, and check.hpp compares them with its real calls. Some calls depend on
// the places of objects. These are arguments, which stages.hpp has recorded.

#include "calls.hpp"

namespace evenkeel::scale {

// The order of objects along the curve.
enum class Lie : int {
  anyhow,   // sorted on no rank
  strayed,  // sorted on each rank, but the stretches of ranks overlap
  in_order  // sorted from rank to rank as well
};

// --- Looking -------------------------------------------------------------------------------------

// The calls of one look: two reductions, between which ranks compute.
Calls look();

// Finds the loads under other domains, by a cut of at most a thousand objects of each rank.
// `search` is recorded; it is not used if the objects are in order.
Calls survey(std::int64_t ranks, Lie lie, const Calls& search);

// --- Placing -------------------------------------------------------------------------------------

struct CurveCut {
  Lie lie = Lie::strayed;
  // `has_last`: there are last domains, and one reduction decides whether they are even enough. If
  // they are, they are kept.
  bool has_last = false, is_kept = false;
  Calls search = {};  // recorded; not used if objects are in order, or domains are kept
};
Calls place_on_curve(std::int64_t ranks, const CurveCut& how);

struct BoxesPlaced {
  bool has_last = false, is_kept = false;
  Calls cut = {};  // recorded, with its votes; not used if domains are kept
};
Calls place_in_boxes(std::int64_t ranks, const BoxesPlaced& how);

// A cut by extras/nodes.hpp. The objects on a node are in any order.
struct NodeCut {
  std::int64_t ranks = 1, ranks_of_node = 1;
  Lie lie = Lie::anyhow;
  Calls among;                      // the recorded search among nodes
  std::vector<std::int64_t> items;  // that this rank sends to other nodes, to one rank each
  Calls within;                     // the recorded search within the node
};
struct NodeCutCalls {
  Calls among, within, last;  // of all ranks; of the ranks of a node; of all ranks
  Calls all() const;
};
NodeCutCalls cut_by_nodes(const NodeCut& how);

// --- Moving --------------------------------------------------------------------------------------

// The objects that one rank sends.
struct Traffic {
  std::vector<std::int64_t> objects;               // for each rank that gets objects
  std::vector<std::int64_t> bytes_of_fields = {};  // of an object, field by field
  bool is_any = true;                              // at least one rank sends objects
};

// Moves objects from an assignment to their places.
Calls move(const Traffic& traffic);

// --- A whole rebalance ---------------------------------------------------------------------------

// The calls of a rebalance: those of `placing`, and all others. The box and the weights are given.
// Learned costs, a measured box, groups and hooks would add votes.
Calls rebalance(const Calls& placing, const Traffic& traffic);

}  // namespace evenkeel::scale
