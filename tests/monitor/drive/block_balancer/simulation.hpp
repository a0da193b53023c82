#pragma once

// A program that owns blocks and moves them: each block has a cost in virtual nanoseconds per step.
// All ranks know all blocks, so that tests can compare.

#include "monitor/drive/virtual_clock.hpp"

#include <evenkeel/monitor/block_balancer.hpp>

namespace evenkeel::test {

struct SimulatedBlock {
  std::int64_t id = 0;
  int owner = 0;
  std::int64_t cost = 0;
  int first = 0;  // its owner if no block had ever moved
  BlockInfo info = {};
};

class BlockSimulation {
 public:
  explicit BlockSimulation(const Communicator& ranks) : ranks_(ranks) { virtual_time = 0; }

  BlockSimulation& add(std::int64_t id, int owner, std::int64_t cost, BlockInfo info = {}) {
    info.id = id;
    blocks[id] = {id, owner, cost, owner, std::move(info)};
    return *this;
  }
  // Blocks 0, 1, 2, ... in equal numbers on all ranks.
  void add_evenly(int per_rank, const std::function<std::int64_t(std::int64_t)>& cost) {
    for (std::int64_t id = 0; id < per_rank * std::int64_t{ranks_.size()}; ++id)
      add(id, static_cast<int>(id / per_rank), cost(id));
  }

  std::vector<BlockInfo> described() const {
    std::vector<BlockInfo> list;
    for (const auto& [id, block] : blocks)
      if (block.owner == ranks_.rank()) list.push_back(block.info);
    return list;
  }
  std::vector<std::int64_t> ids() const {
    std::vector<std::int64_t> ids;
    for (const auto& [id, block] : blocks)
      if (block.owner == ranks_.rank()) ids.push_back(id);
    return ids;
  }
  // Replaces a block by others on the same rank, which share its cost equally.
  void split(std::int64_t id, const std::vector<std::int64_t>& children) {
    const SimulatedBlock parent = blocks.at(id);
    blocks.erase(id);
    for (const std::int64_t child : children) {
      add(child, parent.owner, parent.cost / std::ssize(children), {.made_from = {id}});
      blocks[child].first = parent.first;
    }
  }

  void work(BlockBalancer& balancer) const {
    for (const auto& [id, block] : blocks) {
      if (block.owner != ranks_.rank()) continue;
      const auto timing = balancer.time_block(id);
      virtual_time += block.cost;
    }
  }
  void move_to(const BlockProposal& proposal) {
    for (const BlockMove& move : proposal.map) {
      ASSERT_TRUE(blocks.contains(move.id));
      EXPECT_EQ(blocks[move.id].owner, move.from);
      blocks[move.id].owner = move.to;
    }
  }

  std::vector<std::int64_t> loads(int SimulatedBlock::*rank = &SimulatedBlock::owner) const {
    std::vector<std::int64_t> loads(static_cast<std::size_t>(ranks_.size()));
    for (const auto& [id, block] : blocks)
      loads[static_cast<std::size_t>(block.*rank)] += block.cost;
    return loads;
  }
  double lambda() const {
    const std::vector<std::int64_t> all = loads();
    const auto sum = std::accumulate(all.begin(), all.end(), std::int64_t{0});
    return static_cast<double>(std::ranges::max(all)) * ranks_.size() / static_cast<double>(sum);
  }

  std::map<std::int64_t, SimulatedBlock> blocks;

 private:
  const Communicator& ranks_;
};

// For tests of a BlockBalancer with a virtual clock.
class BlockBalancing : public OnRanks {
 protected:
  BlockSimulation simulation{communicator};

  static BlockBalancerOptions with(const Trigger& trigger) {
    return {.monitor = {.trigger = trigger,
                        .epoch_steps = 6,
                        .warmup_steps = 0,
                        .own_clock = &virtual_now,
                        .watcher = false,
                        .log = LogLevel::off}};
  }
  // Makes steps until the costs of blocks are known. No proposal is made.
  void measure(BlockBalancer& balancer) const {
    for (int step = 0; step < 6; ++step) {
      simulation.work(balancer);
      EXPECT_FALSE(balancer.step().has_value());
    }
  }
  // Expects that all ranks got proposals that fit each other and the simulation.
  void expect_consistent(const BlockProposal& proposal) const {
    std::vector<BlockMove> leaving, arriving;
    for (const BlockMove& move : proposal.map) {
      EXPECT_EQ(proposal.rank_of(move.id), move.to);
      if (move.from == move.to) continue;
      if (move.from == rank) leaving.push_back(move);
      if (move.to == rank) arriving.push_back(move);
    }
    const auto by = [](int BlockMove::*key) {
      return [key](const BlockMove& a, const BlockMove& b) {
        return std::pair(a.*key, a.id) < std::pair(b.*key, b.id);
      };
    };
    std::ranges::sort(leaving, by(&BlockMove::to));
    std::ranges::sort(arriving, by(&BlockMove::from));
    EXPECT_EQ(proposal.leaving, leaving);
    EXPECT_EQ(proposal.arriving, arriving);
    EXPECT_EQ(proposal.map.size(), simulation.blocks.size());
    EXPECT_TRUE(std::ranges::equal(proposal.map, simulation.blocks, {}, &BlockMove::id,
                                   [](const auto& entry) { return entry.first; }));
    std::string all;
    for (const BlockMove& move : proposal.map)
      all += std::to_string(move.id) + ' ' + std::to_string(move.to) + '\n';
    EXPECT_TRUE(test::same_everywhere(communicator, all));
  }
};

}  // namespace evenkeel::test
