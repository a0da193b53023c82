#pragma once

// Trades of items between ranks that stand on a string, as rank 0, 1, 2, ...: each trades with its
// neighbours alone, and over each border items go one way. For codes whose domains are pieces of a
// string of cells, which cells join and leave at the ends.
//
// With T_i the measured seconds of rank i, N_i its items, T the mean of all T_i and C_i = T_i /
// N_i, the ranks up to i have F_i = sum over k <= i of (T_k - T) seconds too much, and these are to
// cross the border behind rank i. Whoever gives items gives his own, which cost what his cost: S_i
// = F_i / C_i items go to the right if F_i > 0, and -F_i / C_(i+1) to the left if F_i < 0. Items
// that come from the left do bring C_(i-1) each, so S_i = (T_i + S_(i-1) C_(i-1) - T) / C_i there.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace evenkeel {

// What one rank has.
struct Holding {
  double seconds = 0;  // measured: finite and not negative
  std::int64_t items = 0;
};

// When a trade is not worth it.
struct StringOptions {
  // Nobody trades while the greatest time is at most so many times the mean.
  double threshold_lambda = 1.02;
  // A rank that has no more items than this gives none away, and keeps as many.
  std::int64_t least_items = 0;
};

// By border: how many items go from rank i to rank i + 1; below 0: from rank i + 1 to rank i.
// Nobody gives more than he has before the trade, so that what only passes through a rank takes a
// round more; a rank that would have to gives to both sides in proportion. Throws an Error for
// seconds or items that make no sense. Local.
EVENKEEL_API std::vector<std::int64_t> string_trades(std::span<const Holding> ranks,
                                                     const StringOptions& options = {});

// What one rank trades.
struct Trade {
  std::int64_t to_left = 0, to_right = 0;      // items that it gives
  std::int64_t from_left = 0, from_right = 0;  // items that it gets
  double lambda = 1;                           // before the trade; the same on all ranks
  // How many items the rank has after the trade.
  std::int64_t after(std::int64_t items) const noexcept {
    return items - to_left - to_right + from_left + from_right;
  }
  friend bool operator==(const Trade&, const Trade&) = default;
};

// How ranks find out what crosses the borders.
enum class StringMode : int {
  distributed,  // one scan, and a note to each neighbour who gets something
  master        // rank 0 gathers what all have, and tells all what crosses each border
};

// Collective. Both modes find the same numbers, on any number of ranks those of string_trades.
// Options are the same on all ranks.
EVENKEEL_API Trade trade_on_string(const Communicator& communicator, const Status& status,
                                   const Holding& mine, const StringOptions& options = {},
                                   StringMode mode = StringMode::distributed);

// --- Turns ---------------------------------------------------------------------------------------
// A trade of items where memory is short: the ranks of a node remove and add one after the other.

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

// --- Shifts --------------------------------------------------------------------------------------
// Shifts the offsets of ranks along a curve by what the ranks have measured, as Niemoeller et al.
// do (Computers and Fluids 199, 2020, 104437): for what varies along the curve and no weight tells.
//
// With l_i the load of rank i over the average, s_j = sum over i < j of (l_i - 1) is what the ranks
// before offset j have too much. Offset j walks along the curve, to the left if s_j > 0. An object
// k that it passes on rank i takes f l_i w_k / W_i off s_j, where W_i is the weight of that rank's
// objects and f >= 1 the penalty; the walk ends where the rest is nearest to 0. It goes on beyond
// the neighbouring domain, at that rank's own price.
//
// In terms of L(x), the load before a place x on the curve as the weights spread what was measured,
// L(offset j) = j + s_j, and the walk ends where L is nearest to t_j = j + (1 - 1/f) s_j. Since
// t_(j+1) - t_j = 1/f + (1 - 1/f) l_j > 0, two offsets never cross, and an end is found by prefix
// sums and a binary search.

// s_0, s_1, ..., one for each offset: one more than ranks; the first and the last are 0. All are 0
// where nothing was measured. Throws an Error for loads that are negative, NaN or infinite.
EVENKEEL_API std::vector<double> cumulative_imbalances(std::span<const double> loads);

// The objects that an offset passes. `shares`: w_k / W of the objects in the order of the walk, all
// of one rank; `load`: l of that rank; `imbalance`: what is to be taken off, |s_j|. Of two places
// that are equally near, the first. Throws an Error for a penalty below 1.
EVENKEEL_API std::int64_t objects_to_pass(double imbalance, double load,
                                          std::span<const double> shares, double penalty);

// What a shift makes of the offsets of this rank.
struct ShiftedOffset {
  // The numbers, along the curve and over all ranks, of the objects that this rank should have: the
  // first, and one past the last.
  std::int64_t first = 0, end = 0;
  std::int64_t was_first = 0, was_end = 0;
  double imbalance = 0;  // s of this rank's offset
  int hops = 0;          // from rank to rank, of the longest walk
};

// Collective. `weights`: of the objects of this rank, finite and not negative, in the order of the
// curve; all objects of a rank stand before those of the next. `load`: of this rank, measured, in
// one unit on all ranks. A rank without objects counts as one without load; where all weights of a
// rank are 0, its objects weigh the same. Without any load nothing is shifted. Takes two scans,
// and messages between neighbours along the curve, as often as the longest walk crosses domains.
EVENKEEL_API ShiftedOffset shift_offsets(const Communicator& communicator, const Status& status,
                                         const exec::Array<double>& weights, double load,
                                         double penalty);

}  // namespace evenkeel
