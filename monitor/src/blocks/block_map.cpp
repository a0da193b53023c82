#include "blocks/block_map.hpp"

#include <evenkeel/assign.hpp>
#include <evenkeel/core/chain.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

constexpr detail::Refusal refuse_map{"monitor/block_balancer"};

AssignOptions assign_options(const MapOptions& options, int ranks) {
  AssignOptions assigning;
  assigning.ranks = ranks;
  assigning.most_blocks = options.most_blocks;
  assigning.memory = options.memory;
  assigning.speeds = options.speeds;
  assigning.node_of_rank = options.node_of_rank;
  assigning.price_of_moving = options.price_of_moving;
  assigning.target = std::max(1.0, options.target);
  return assigning;
}

// The centres of all blocks; empty if a block has no centre. 2-D leaves out third coordinates.
std::vector<double> centres_of(const BlockTable& table, int& dimensions) {
  const std::vector<BlockRecord>& blocks = table.blocks;
  if (!std::ranges::all_of(blocks, &BlockRecord::has_centre)) return {};
  const auto is_in_plane = [&](const BlockRecord& b) {
    return b.centre[2] == blocks.front().centre[2];
  };
  dimensions = std::ranges::all_of(blocks, is_in_plane) ? 2 : 3;
  std::vector<double> centres;
  for (const BlockRecord& block : blocks)
    centres.insert(centres.end(), block.centre.begin(), block.centre.begin() + dimensions);
  return centres;
}

FreshMap consecutive_map(const BlockTable& table, const RankShares& shares) {
  std::vector<double> costs;
  for (const BlockRecord& block : table.blocks) costs.push_back(shares.work_of(block));
  const auto ranks = std::ssize(table.speeds);
  const stages::Chain chain =
      stages::cut_chain(costs, {.parts = static_cast<int>(ranks),
                                .speeds = table.speeds,
                                .min_items = std::ssize(costs) >= ranks ? 1 : 0});
  FreshMap map = {RankOfBlock(costs.size()), chain.lambda, chain.lambda,
                  "no map with consecutive blocks is more even"};
  for (int rank = 0; rank < ranks; ++rank)
    std::fill(map.ranks.begin() + chain.offsets[static_cast<std::size_t>(rank)],
              map.ranks.begin() + chain.offsets[static_cast<std::size_t>(rank) + 1], rank);
  return map;
}

constexpr const char* carry_out = "Carry out the whole proposal before accept().";

[[noreturn]] void refuse_missing(const BlockMove& move) {
  std::string text = "Block " + std::to_string(move.id) + " is not on rank ";
  text += std::to_string(move.to);
  if (move.from == move.to)
    text += ", to which it belongs.";
  else
    text += ", to which it was to move from rank " + std::to_string(move.from) + '.';
  refuse_map(std::move(text), carry_out);
}

[[noreturn]] void refuse_leftover(const BlockMove& move, int here) {
  refuse_map("Block " + std::to_string(move.id) + " is still on rank " + std::to_string(here) +
                 ", and not only on rank " + std::to_string(move.to) + '.',
             carry_out);
}

double lambda_under(const BlockTable& table, const RankShares& shares) {
  std::vector<double> work(table.speeds.size());
  for (const BlockRecord& block : table.blocks)
    work[static_cast<std::size_t>(block.owner)] += shares.work_of(block);
  return lambda_of(work, table.speeds);
}

}  // namespace

void check(const MapOptions& options, int ranks) {
  if (options.consecutive && (options.most_blocks != 0 || !options.memory.empty()))
    refuse_map("consecutive was given together with most_blocks or memory.",
               "Leave out the caps, or let ranks have any blocks.");
  AssignOptions assigning = assign_options(options, ranks);
  assigning.memory.clear();
  static_cast<void>(assign({}, assigning));
}

FreshMap make_map(const BlockTable& table, const RankShares& shares, const MapOptions& options) {
  if (options.consecutive) return consecutive_map(table, shares);
  AssignOptions assigning = assign_options(options, static_cast<int>(std::ssize(table.speeds)));
  std::vector<double> costs, bytes;
  std::vector<int> from;
  for (const BlockRecord& block : table.blocks) {
    costs.push_back(shares.work_of(block));
    bytes.push_back(block.bytes);
    from.push_back(block.owner);
  }
  assigning.from = from;
  const bool has_bytes = std::ranges::any_of(bytes, [](double b) { return b > 0; });
  if (!options.memory.empty() && !has_bytes && !bytes.empty())
    refuse_map("monitor.memory was given, but no block has bytes.",
               "Describe blocks with their bytes, or give no limit of memory.");
  if (has_bytes) assigning.bytes = bytes;
  int dimensions = 3;
  const std::vector<double> centres = centres_of(table, dimensions);
  if (!table.neighbours.empty())
    assigning.place = BlockEdges{table.edges};
  else if (!centres.empty())
    assigning.place = BlockCentres{centres, dimensions};
  BlockMap made = assign(costs, assigning);
  return {std::move(made.map), made.lambda, made.bound, std::move(made.reason)};
}

std::vector<double> bytes_by_rank(const BlockTable& table, const FreshMap& map) {
  std::vector<double> bytes(table.speeds.size());
  for (std::size_t i = 0; i < table.blocks.size(); ++i)
    bytes[static_cast<std::size_t>(map.ranks[i])] += table.blocks[i].bytes;
  return bytes;
}

BlockProposal proposal_of(const BlockTable& table, const RankShares& shares, const FreshMap& map,
                          int here) {
  BlockProposal proposal;
  for (std::size_t i = 0; i < table.blocks.size(); ++i) {
    const BlockRecord& block = table.blocks[i];
    const BlockMove& move =
        proposal.map.emplace_back(BlockMove{block.id, block.owner, map.ranks[i], block.bytes});
    if (move.from == move.to) continue;
    ++proposal.blocks_moved;
    proposal.bytes_moved += move.bytes;
    if (move.from == here) proposal.leaving.push_back(move);
    if (move.to == here) proposal.arriving.push_back(move);
  }
  std::ranges::stable_sort(proposal.leaving, {}, &BlockMove::to);
  std::ranges::stable_sort(proposal.arriving, {}, &BlockMove::from);
  proposal.lambda_before = lambda_under(table, shares);
  proposal.lambda = map.lambda;
  proposal.bound = map.bound;
  proposal.reason = map.reason;
  return proposal;
}

void require_moved(const BlockProposal& proposal, std::span<const std::int64_t> ids, int here) {
  std::vector<std::int64_t> present(ids.begin(), ids.end());
  std::ranges::sort(present);
  std::size_t expected = 0;
  for (const BlockMove& move : proposal.map) {
    const bool is_here = std::ranges::binary_search(present, move.id);
    if (move.to == here) ++expected;
    if (is_here && move.to != here) refuse_leftover(move, here);
    if (!is_here && move.to == here) refuse_missing(move);
  }
  if (std::ranges::adjacent_find(present) != present.end() || present.size() != expected)
    refuse_map("accept got " + std::to_string(present.size()) + " ids on rank " +
                   std::to_string(here) + ", but the proposal gives it " +
                   std::to_string(expected) + " blocks.",
               "Give the id of each block that this rank has once.");
}

int BlockProposal::rank_of(std::int64_t id) const {
  const auto found = std::ranges::lower_bound(map, id, {}, &BlockMove::id);
  if (found == map.end() || found->id != id)
    refuse_map("The proposal has no block " + std::to_string(id) + '.',
               "Ask for blocks that a rank has described.");
  return found->to;
}

}  // namespace evenkeel
