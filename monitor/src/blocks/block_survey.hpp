#pragma once

// Finds the load that ranks would have now under other maps of blocks. Each block and its cost are
// known, so these loads are as exact as the costs.
//
// All functions are local, but all ranks must call them at the same steps and with the same tables.

#include "blocks/block_map.hpp"

namespace evenkeel {

// Keeps the maps that were made at earlier looks.
class BlockSurveys {
 public:
  // Makes the result of a survey at a step, with a fresh map. `here` is this rank. `has_moved` is
  // true if the present map is not the first one.
  Survey survey(const BlockTable& table, const RankShares& shares, const FreshMap& fresh,
                std::int64_t step, bool has_moved, int here) const;
  // Keeps the map of that survey, in the table, too. Allocates nothing.
  void keep(BlockTable& table, const FreshMap& fresh, std::int64_t step, OwnBlocks& own) noexcept;
  // Advice would have led to the last map.
  void advise(OwnBlocks& own) const noexcept;

 private:
  std::size_t free_column() const noexcept;

  EarlierCuts<std::size_t> earlier_;  // columns of BlockRanks
  std::optional<std::size_t> latest_;
};

}  // namespace evenkeel
