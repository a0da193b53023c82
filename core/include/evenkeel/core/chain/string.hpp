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
#include <evenkeel/backends/export.hpp>

#include <cstdint>
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

}  // namespace evenkeel
