#pragma once

// Maps of all blocks to ranks, from a table. Each rank makes the same map. Local.

#include "blocks/block_table.hpp"

#include <cmath>

namespace evenkeel {

// A rank for each block of a table.
using RankOfBlock = std::vector<int>;

// A map, and what it is worth.
struct FreshMap {
  RankOfBlock ranks;
  double lambda = 1, bound = 1;
  std::string reason;
};

// The caps and prices of maps, and their target. The places of blocks are taken from the table.
struct MapOptions {
  std::int64_t most_blocks = 0;
  std::vector<double> memory = {};
  std::vector<double> speeds = {};
  std::vector<int> node_of_rank = {};
  double price_of_moving = 6, target = 1.05;
  bool consecutive = false;
};

// Throws an Error if the options, other than the limits of memory, are invalid for this number of
// ranks.
void check(const MapOptions& options, int ranks);

// Throws an Error if the caps cannot be kept.
FreshMap make_map(const BlockTable& table, const RankShares& shares, const MapOptions& options);

// The load of each rank if rank_of(block) had each block, in the unit of the shares. Rounded, so
// that all ranks find the same.
template <class RankOf>
std::vector<std::int64_t> loads_under(const BlockTable& table, const RankShares& shares,
                                      const RankOf& rank_of) {
  std::vector<double> loads;
  loads.reserve(shares.of_ranks.size());
  for (const RankShares::Share& share : shares.of_ranks) loads.push_back(share.others);
  for (std::size_t i = 0; i < table.blocks.size(); ++i) {
    const auto rank = static_cast<std::size_t>(rank_of(i));
    loads[rank] += shares.work_of(table.blocks[i]) / table.speeds[rank];
  }
  std::vector<std::int64_t> rounded;
  rounded.reserve(loads.size());
  for (const double load : loads) rounded.push_back(std::llround(load));
  return rounded;
}

// The bytes of the blocks that each rank gets.
std::vector<double> bytes_by_rank(const BlockTable& table, const FreshMap& map);

// The proposal to this rank.
BlockProposal proposal_of(const BlockTable& table, const RankShares& shares, const FreshMap& map,
                          int here);

// Throws an Error unless these are the ids of the blocks that the proposal gives to this rank.
void require_moved(const BlockProposal& proposal, std::span<const std::int64_t> ids, int here);

}  // namespace evenkeel
