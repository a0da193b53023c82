#pragma once

// Trades of items between ranks on a string: rank 0, 1, 2, ... Each rank trades only with its
// neighbours, and items cross each border in one direction. This is for codes whose domains are
// pieces of a string of cells, which grow and shrink at their ends.
//
// Let T_i be the measured seconds of rank i, N_i its items, T the mean of all T_i, and C_i = T_i /
// N_i. The ranks up to i have F_i = sum over k <= i of (T_k - T) seconds too much. This load must
// cross the border after rank i. A rank gives its own items, which cost C_i each. If F_i > 0, S_i =
// F_i / C_i items go from rank i to the right. If F_i < 0, -F_i / C_(i+1) items go from rank i + 1
// to the left. An item from the left brings C_(i-1) seconds, so for a rank that gets such items S_i
// = (T_i + S_(i-1) C_(i-1) - T) / C_i.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace evenkeel {

// The load and the items of one rank.
struct Holding {
  double seconds = 0;  // measured: finite and not negative
  std::int64_t items = 0;
};

// The limits of trades.
struct StringOptions {
  // No rank trades if the greatest time is at most this many times the mean.
  double threshold_lambda = 1.02;
  // Each rank keeps this many of its items, or all of them if it has fewer.
  std::int64_t least_items = 0;
};

// Returns the number of items that cross each border: from rank i to rank i + 1 if it is positive,
// from rank i + 1 to rank i if it is negative. A rank gives no more items than it has before the
// trade, so items that must pass through a rank need another trade. A rank that would have to give
// more divides its items between both sides in proportion. Throws an Error for invalid seconds,
// items or options. Local.
EVENKEEL_API std::vector<std::int64_t> string_trades(std::span<const Holding> ranks,
                                                     const StringOptions& options = {});

// The trade of one rank.
struct Trade {
  std::int64_t to_left = 0, to_right = 0;      // items that it gives
  std::int64_t from_left = 0, from_right = 0;  // items that it gets
  double lambda = 1;                           // of the seconds before the trade; the same on all
                                               // ranks
  // The number of items of the rank after the trade.
  std::int64_t after(std::int64_t items) const noexcept {
    return items - to_left - to_right + from_left + from_right;
  }
  friend bool operator==(const Trade&, const Trade&) = default;
};

// The way in which ranks compute a trade.
enum class StringMode : int {
  distributed,  // uses a scan, reductions, and a note to each neighbour that gets items
  master        // rank 0 gathers all holdings, and broadcasts the numbers of string_trades()
};

// Collective. Computes the trade of this rank. Both modes find the numbers of string_trades(), on
// any number of ranks. Options must be the same on all ranks.
EVENKEEL_API Trade trade_on_string(const stages::Voters& voters, const Holding& mine,
                                   const StringOptions& options = {},
                                   StringMode mode = StringMode::distributed);

// --- Turns ---------------------------------------------------------------------------------------
// A trade for nodes with little memory: the ranks of a node remove and add items one after the
// other.

// The three steps of a trade on one rank. Each may be empty.
struct TradeSteps {
  // Packs the items to give away, makes new arrays of the items to keep, and frees the old arrays.
  std::function<void()> remove = {};
  // Sends the packed items, receives those of other ranks, and frees the sent ones. Collective
  // among ranks that trade.
  std::function<void()> transfer = {};
  // Joins the kept and the received items in new arrays, and frees the old arrays of both.
  std::function<void()> add = {};
};

// Collective. Runs the steps: on each node one rank after the other removes, then all ranks
// transfer, then on each node one rank after the other adds. `node` is a number that the ranks of
// one node share. If a step throws on one rank, the other ranks still take their turns in it; then
// all ranks throw the same Error, and no later step begins.
EVENKEEL_API void trade_in_turns(const Communicator& communicator, std::int64_t node,
                                 const TradeSteps& steps);

// Collective. Returns a number that is the same on all ranks whose hosts have the same name.
EVENKEEL_API std::int64_t node_of(const Communicator& communicator);

// The memory of one rank in a trade, in bytes.
struct TradeMemory {
  std::int64_t before = 0;    // of its items before the trade
  std::int64_t given = 0;     // of the items that it gives, which `before` includes
  std::int64_t received = 0;  // of the items that it gets
};

// Returns the most memory that the ranks of one node hold at any time, if each step frees memory
// only at its end. If ranks take turns, the result is the greatest of three sums: all items before
// the trade, plus those of the largest rank; all items before the trade, plus all received ones;
// all items after the trade, plus those of the largest rank. Without turns, all ranks hold their
// items twice at the same time.
EVENKEEL_API std::int64_t memory_peak(std::span<const TradeMemory> ranks_of_node, bool in_turns);

// --- Shifts --------------------------------------------------------------------------------------
// Shifts the offsets of ranks along a curve by the measured loads, as Niemoeller et al. do
// (Computers and Fluids 199, 2020, 104437). This serves costs that vary along the curve and that no
// weight contains.
//
// Let l_i be the load of rank i / the average load. The ranks before offset j have s_j = sum over i
// < j of (l_i - 1) too much. Offset j walks along the curve, to the left if s_j > 0. Each object k
// that it passes on rank i reduces |s_j| by f l_i w_k / W_i. Here w_k is the weight of the object,
// W_i is the weight of all objects of that rank, and f >= 1 is the penalty. The walk ends where the
// rest of s_j is nearest to 0. It may cross several domains, each with the l_i and W_i of its rank.
//
// Divide each rank's measured load among its objects in proportion to their weights, and let L(x)
// be the load before a place x on the curve, in average loads. Then L(offset j) = j + s_j, and the
// walk ends where L is nearest to t_j = j + (1 - 1/f) s_j. Since t_(j+1) - t_j = 1/f + (1 - 1/f)
// l_j > 0, two offsets never cross. So prefix sums and a binary search find the end of each walk.

// Returns s_0, s_1, ..., one for each offset; there is one offset more than ranks. The first and
// the last are 0, and all are 0 if all loads are 0. Throws an Error for loads that are negative,
// NaN or infinite.
EVENKEEL_API std::vector<double> cumulative_imbalances(std::span<const double> loads);

// Returns the number of objects that an offset passes on one rank. `imbalance` is |s_j|, `load` is
// l of that rank, and `shares` are w_k / W of its objects in the order of the walk. If two places
// are equally near, the walk ends at the first one. Throws an Error for a penalty below 1, and for
// other numbers that are negative, NaN or infinite.
EVENKEEL_API std::int64_t objects_to_pass(double imbalance, double load,
                                          std::span<const double> shares, double penalty);

// The result of a shift for this rank.
struct ShiftedOffset {
  // The objects that this rank should own: the number of the first, and one past that of the last.
  // Objects are numbered along the curve over all ranks.
  std::int64_t first = 0, end = 0;
  std::int64_t was_first = 0, was_end = 0;  // before the shift
  double imbalance = 0;                     // s of this rank's offset
  int hops = 0;                             // the most domains that a walk has crossed
};

// Collective. `weights` are the weights of this rank's objects, finite and not negative, in the
// order of the curve; all objects of a rank come before those of the next rank. `load` is the
// measured load of this rank, in a unit that is the same on all ranks. A rank without objects
// counts as a rank without load. If all weights of a rank are 0, its objects have equal weights. If
// no rank has load, nothing is shifted. The communication is two scans, some reductions, and one
// round of messages between neighbours along the curve for each domain that the longest walk
// crosses.
EVENKEEL_API ShiftedOffset shift_offsets(const stages::Voters& voters,
                                         const exec::Array<double>& weights, double load,
                                         double penalty);

}  // namespace evenkeel
