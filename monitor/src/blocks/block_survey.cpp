#include "blocks/block_survey.hpp"

#include <algorithm>

namespace evenkeel {

Survey BlockSurveys::survey(const BlockTable& table, const RankShares& shares,
                            const FreshMap& fresh, std::int64_t step, bool has_moved,
                            int here) const {
  const std::vector<BlockRecord>& blocks = table.blocks;
  const auto loads_by = [&](const auto& rank_of) {
    return loads_under(table, shares, [&](std::size_t i) { return rank_of(blocks[i].ranks); });
  };
  const std::vector<std::int64_t> of_fresh =
      loads_under(table, shares, [&](std::size_t i) { return fresh.ranks[i]; });
  Survey found;
  Counterfactual& would_be = found.would_be;
  would_be.fresh = std::ranges::max(of_fresh);
  double moved = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (fresh.ranks[i] != blocks[i].owner) moved += blocks[i].bytes;
  would_be.moved = std::llround(moved);
  std::vector<std::int64_t> otherwise;
  if (has_moved) {
    otherwise = loads_by([](const BlockRanks& ranks) { return ranks.first; });
    const std::vector<std::int64_t> previous =
        loads_by([](const BlockRanks& ranks) { return ranks.previous; });
    would_be.first = would_be.first_again = std::ranges::max(otherwise);
    would_be.previous = would_be.previous_again = std::ranges::max(previous);
  }
  const auto is_advised = [](const BlockRecord& block) {
    return block.ranks.advised != BlockRanks::unknown;
  };
  if (std::ranges::any_of(blocks, is_advised)) {
    const std::vector<std::int64_t> advised = loads_by([](const BlockRanks& ranks) {
      return ranks.advised != BlockRanks::unknown ? ranks.advised : ranks.first;
    });
    would_be.advised = std::ranges::max(advised);
    if (!has_moved) otherwise = advised;
  }
  if (!otherwise.empty()) found.mine_otherwise = otherwise[static_cast<std::size_t>(here)];
  std::size_t i = 0;
  for (const auto& entry : earlier_.entries()) {
    const std::vector<std::int64_t> loads = loads_by([&](const BlockRanks& ranks) {
      const int rank = ranks.earlier[entry.cut];
      return rank != BlockRanks::unknown ? rank : ranks.first;
    });
    would_be.earlier[i] = std::ranges::max(loads);
    would_be.age[i++] = step - entry.step;
  }
  return found;
}

// A column is in use as long as its map is kept, so at least one is free.
std::size_t BlockSurveys::free_column() const noexcept {
  std::size_t column = 0;
  const auto is_used = [&](const auto& entry) { return entry.cut == column; };
  while (std::ranges::any_of(earlier_.entries(), is_used)) ++column;
  return column;
}

void BlockSurveys::keep(BlockTable& table, const FreshMap& fresh, std::int64_t step,
                        OwnBlocks& own) noexcept {
  const std::size_t column = free_column();
  for (std::size_t i = 0; i < table.blocks.size(); ++i)
    table.blocks[i].ranks.earlier[column] = fresh.ranks[i];
  for (OwnBlock& block : own.all())
    block.record.ranks.earlier[column] = table.find(block.record.id)->ranks.earlier[column];
  earlier_.add(step, column);
  latest_ = column;
}

void BlockSurveys::advise(OwnBlocks& own) const noexcept {
  if (!latest_) return;
  for (OwnBlock& block : own.all())
    block.record.ranks.advised = block.record.ranks.earlier[*latest_];
}

}  // namespace evenkeel
