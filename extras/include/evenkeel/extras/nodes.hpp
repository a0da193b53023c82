#pragma once

// Cuts the curve in two levels: first among the nodes of a machine, then, on each node, among its
// ranks. The lists of cut() have an entry for each rank. The lists here are shorter: they have an
// entry for each node, or for each rank of one node. Only the result has an entry for each rank.
// docs/scale.md states the number of ranks from which this pays.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/cut.hpp>

#include <span>
#include <vector>

namespace evenkeel {

// Says which ranks are on which node; the same on all ranks, except for `here`. A node is any set
// of consecutive ranks that have a communicator of their own.
struct Nodes {
  std::vector<int> first_ranks;  // the first rank of each node; then the number of all ranks
  int here = 0;                  // the node of this rank
  int count() const noexcept { return static_cast<int>(first_ranks.size()) - 1; }
  // The number of ranks of a node.
  int ranks_of(int node) const noexcept {
    const auto n = static_cast<std::size_t>(node);
    return first_ranks[n + 1] - first_ranks[n];
  }
};

// Collective over `ranks`, and over `node`, the communicator of this rank's node. The ranks of each
// node must be consecutive, and in the same order in both communicators; otherwise throws the same
// Error on all ranks. Call it once and keep the result.
EVENKEEL_API Nodes nodes_of(const Communicator& ranks, const Communicator& node);

// Collective over `ranks`, and over `node`. Cuts like cut() with Aim::nearest and a part for each
// rank. Each node gets weight in proportion to the number of its ranks, and its ranks get equal
// shares of this weight. No part weighs more than the average plus (1 + 1/n) times the weight of
// the heaviest key, where n is the number of the node's ranks. Objects with the same key stay
// together, and the result does not depend on how objects are distributed over ranks and threads.
// The keys and weights of objects that belong to another node are sent to it, 16 bytes for each
// object; the objects are not sent.
EVENKEEL_API stages::Cut cut_by_nodes(const stages::Voters& ranks, const Communicator& node,
                                      const Nodes& nodes,
                                      std::span<const stages::WeightedKeys> sets,
                                      int dimensions = 3);

}  // namespace evenkeel
