#pragma once

// The blocks of all ranks, with the cost of each. All ranks have the same table.

#include "blocks/own_blocks.hpp"

#include <evenkeel/backends/comm/vote.hpp>

namespace evenkeel {

struct BlockTable {
  std::vector<BlockRecord> blocks;                    // by ascending id; all have a work
  std::vector<std::array<int, 2>> edges;              // pairs of indices of neighbours
  std::vector<std::vector<std::int64_t>> neighbours;  // of each block; empty if no block has any
  std::vector<double> speeds;                         // by rank
  // False if no rank has timed a block. Then the works are only relative.
  bool is_measured = false;

  const BlockRecord* find(std::int64_t id) const noexcept;
};

// Collective. Sets the works of this rank's blocks that were not measured, as far as they can be
// expected, and gathers all blocks. A status that is an Error is thrown on all ranks.
BlockTable gather_blocks(const Communicator& ranks, const Status& ready, OwnBlocks& own,
                         const std::vector<double>& speeds);

// The loads of ranks that follow from a table and from the load that each rank has measured. All
// are in the unit of that load. If ranks have not measured any load, it is that of the works.
struct RankShares {
  struct Share {
    double factor;  // of the works of blocks that are on this rank now
    double others;  // the load of this rank that no block causes
  };
  std::vector<Share> of_ranks;

  double work_of(const BlockRecord& block) const noexcept {
    return block.work * of_ranks[static_cast<std::size_t>(block.owner)].factor;
  }
};

// Collective. `load` is that of this rank, or negative if works are to count as they are.
RankShares gather_shares(const Communicator& ranks, const BlockTable& table, const OwnBlocks& own,
                         double load);

// --- Descriptions --------------------------------------------------------------------------------

// Collective. Makes the list of blocks that `blocks` describe, with the known costs and ranks of
// blocks that are known on any rank. Throws an Error if a description is invalid, or if two blocks
// have the same id. Does not change `own`, except for spare parts. `step` is the number of steps.
OwnBlocks::List described(const Communicator& ranks, const Status& ready, OwnBlocks& own,
                          std::span<const BlockInfo> blocks, std::int64_t step);

}  // namespace evenkeel
