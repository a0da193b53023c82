#pragma once

// A trade of items where memory is short: the ranks of a node remove and add one after the other.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/export.hpp>

#include <cstdint>
#include <functional>
#include <span>

namespace evenkeel {

// What a trade does on one rank, in three steps. Each may be empty.
struct TradeSteps {
  // Packs what is given away, and makes the arrays of what is kept; then gives the old ones back.
  std::function<void()> remove = {};
  // Sends what was packed, gets what others have packed, and gives back what was sent. Collective
  // among ranks that trade.
  std::function<void()> transfer = {};
  // Makes arrays of what was kept and what came; then gives both back.
  std::function<void()> add = {};
};

// Collective. Runs the steps: on each node one rank after the other removes, then all ranks
// transfer, then on each node one after the other adds. `node`: a number that the ranks of one node
// share. Where a step throws on one rank, all ranks throw the same Error, and no later step begins;
// the other ranks do take their turns.
EVENKEEL_API void trade_in_turns(const Communicator& communicator, std::int64_t node,
                                 const TradeSteps& steps);

// Collective. A number that the ranks share whose hosts have the same name.
EVENKEEL_API std::int64_t node_of(const Communicator& communicator);

// The memory of one rank in a trade, in bytes.
struct TradeMemory {
  std::int64_t before = 0;    // of its items
  std::int64_t given = 0;     // part of them
  std::int64_t received = 0;  // in their place
};

// The most memory that the ranks of one node hold at any time, if each step holds what it gives
// back until it ends: in turns, or all at once. In turns it is at most the items of all ranks and
// once more those of the largest, before the trade or after it, or all items with those that come.
EVENKEEL_API std::int64_t memory_peak(std::span<const TradeMemory> ranks_of_node, bool in_turns);

}  // namespace evenkeel
