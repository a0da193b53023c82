// Objects are sorted by cost, the most expensive ones first. Each round lays the remaining objects
// end to end along a line, and the open amounts of the trades along the same line, the greatest
// ones first. A trade gets the objects that are within its amount. The rest of an amount is
// less than the object that it could not take, so later rounds fill it with less expensive objects.

#include "lend/stage.hpp"

#include "field/numbers.hpp"
#include "order/sort_by_number.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/lend.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* choose_label = "evenkeel::lend::choose";
constexpr int most_rounds = 16;

// A number that is the less, the more an object costs. It distinguishes costs that differ by more
// than a 128th.
constexpr std::uint32_t end_of_ranks = 58 * 256;
constexpr int bits_of_ranks = 14;
static_assert(end_of_ranks <= 1U << bits_of_ranks);

struct WriteRank {
  const std::int64_t* costs;
  std::uint32_t* ranks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto value = static_cast<std::uint64_t>(costs[i]);
    std::uint32_t halvings = 0;
    for (; value >= 256; value >>= 1) ++halvings;
    ranks[i] = end_of_ranks - 1 - (halvings * 256 + static_cast<std::uint32_t>(value));
  }
};

// The objects that a round may choose.
struct OpenObjects {
  const std::int64_t* costs;
  const std::uint64_t* order;
  const std::uint32_t* trades;  // of each object, or `none`
  std::uint32_t none;
  std::int64_t least, most;

  KOKKOS_FUNCTION std::int64_t cost(std::int64_t place) const {
    const std::uint64_t object = order[place];
    const std::int64_t cost = costs[object];
    return trades[object] == none && cost >= least && cost <= most ? cost : 0;
  }
};

struct WriteCost {
  OpenObjects open;
  std::int64_t* costs;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const { costs[place] = open.cost(place); }
};

struct GiveToTrades {
  OpenObjects open;
  const std::int64_t* begins;  // of each object along the line
  const std::int64_t* bounds;  // of the amounts along the line; one more than there are trades
  const std::int64_t* names;   // of the trades along the line
  std::uint32_t* trades;
  std::int64_t* left;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const std::int64_t cost = open.cost(place), begin = begins[place];
    if (cost == 0 || begin + cost > bounds[open.none]) return;
    std::uint32_t low = 0, high = open.none;  // the trade that has `begin`
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (begin < bounds[middle] ? high : low) = middle;
    }
    if (begin + cost > bounds[low + 1]) return;
    trades[open.order[place]] = static_cast<std::uint32_t>(names[low]);
    Kokkos::atomic_add(&left[names[low]], -cost);
  }
};

// An object counts as at most 1,000 seconds, so that sums do not overflow.
struct ToNanoseconds {
  const double* amounts;
  double rate;
  std::int64_t* nanoseconds;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    constexpr double most = 1e12;
    const double value = amounts[i] * rate;
    nanoseconds[i] = static_cast<std::int64_t>(value < most ? value : most);
  }
};

}  // namespace

exec::Array<double> read_amounts(const Space& space, const FieldLayout& at, const std::string& name,
                                 std::int64_t count) {
  if (at.count < count || at.components != 1)
    refuse("'" + name + "' has " + std::to_string(at.components) + " numbers for each of " +
               std::to_string(at.count) + " objects, but costs are one number for each of " +
               std::to_string(count) + " objects.",
           "Give one cost per object.");
  exec::Array<double> amounts = read_reals(space, at, count);
  const std::int64_t bad = exec::first_that(space, count, exec::IsNoAmount{amounts.data()});
  if (bad == count) return amounts;
  double number = 0;
  amounts.fetch(bad, {&number, 1});
  refuse("The cost of object " + std::to_string(bad) + " is " + text_of(number) + " in '" + name +
             "'.",
         "Costs are finite and not negative.");
}

exec::Array<std::int64_t> in_nanoseconds(const exec::Array<double>& amounts, double rate) {
  exec::Array<std::int64_t> nanoseconds(amounts.space(), choose_label, amounts.size());
  exec::for_each(amounts.space(), choose_label, amounts.size(),
                 ToNanoseconds{amounts.data(), rate, nanoseconds.data()});
  return nanoseconds;
}

std::int64_t sum_of(const exec::Array<std::int64_t>& nanoseconds) {
  return exec::sum<std::int64_t>(nanoseconds.space(), nanoseconds.size(),
                                 exec::ValueAt{nanoseconds.data()});
}

LentObjects choose(const Space& space, const exec::Array<std::int64_t>& costs,
                   std::span<const Trade> trades, std::int64_t least) {
  const std::int64_t count = costs.size();
  const auto none = static_cast<std::uint32_t>(trades.size());
  const exec::Array<std::uint32_t> ranks(space, choose_label, count);
  exec::for_each(space, choose_label, count, WriteRank{costs.data(), ranks.data()});
  const auto order = exec::counted_up<std::uint64_t>(space, choose_label, count);
  exec::sort_pairs(space, ranks.data(), order.data(), count, {0, bits_of_ranks});
  const auto trade_of = exec::filled<std::uint32_t>(space, choose_label, count, none);
  const exec::Array<std::int64_t> begins(space, choose_label, count);

  std::vector<std::int64_t> amounts;
  for (const Trade& trade : trades) amounts.push_back(trade.nanoseconds);
  std::vector<std::int64_t> along(trades.size());  // the trades, those with the most left first
  std::iota(along.begin(), along.end(), std::int64_t{0});
  const auto all = std::accumulate(amounts.begin(), amounts.end(), std::int64_t{0});
  least = std::max<std::int64_t>(least, 1);
  for (int round = 0; round < most_rounds && !trades.empty(); ++round) {
    std::stable_sort(along.begin(), along.end(), [&](std::int64_t a, std::int64_t b) {
      return amounts[static_cast<std::size_t>(a)] > amounts[static_cast<std::size_t>(b)];
    });
    std::vector<std::int64_t> ends = {0};
    for (const std::int64_t trade : along)
      ends.push_back(ends.back() + amounts[static_cast<std::size_t>(trade)]);
    if (ends.back() <= all / 1000) break;
    // In every second round, objects must be small, so that many of them fit.
    const OpenObjects open = {costs.data(), order.data(), trade_of.data(),
                              none,         least,        ends[1] / (1 + round % 2)};
    exec::for_each(space, choose_label, count, WriteCost{open, begins.data()});
    if (exec::sum_up(begins) == 0) {
      if (round % 2 == 0) break;
      continue;
    }
    const exec::Array<std::int64_t> bounds(space, choose_label, ends),
        names(space, choose_label, along);
    const exec::Array<std::int64_t> left(space, choose_label, amounts);
    exec::for_each(space, choose_label, count,
                   GiveToTrades{open, begins.data(), bounds.data(), names.data(), trade_of.data(),
                                left.data()});
    amounts = left.on_host();
  }

  SortedByNumber sorted = sort_by_number(space, trade_of, std::int64_t{none} + 1);
  LentObjects lent;
  for (std::size_t t = 0; t < trades.size(); ++t) {
    const std::int64_t first = sorted.offsets[t], objects = sorted.offsets[t + 1] - first;
    if (objects > 0) lent.parcels.push_back({trades[t].to, first, objects});
  }
  lent.count = trades.empty() ? 0 : sorted.offsets[trades.size()];
  lent.objects = std::move(sorted.places);
  for (std::size_t t = 0; t < trades.size(); ++t)
    lent.nanoseconds += trades[t].nanoseconds - amounts[t];
  return lent;
}

}  // namespace evenkeel
