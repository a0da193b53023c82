#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/extras/string.hpp>

#include "cut/shift_targets.hpp"
#include "cut/units.hpp"
#include "string/stage.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

void check(const Holding& mine, const StringOptions& options) {
  constexpr Refusal refuse{stage_name};
  if (!std::isfinite(mine.seconds) || mine.seconds < 0)
    refuse("A rank on a string has worked for " + std::to_string(mine.seconds) + " seconds.",
           "Give what was measured: finite, and not negative.");
  if (mine.items < 0)
    refuse("A rank on a string has " + std::to_string(mine.items) + " items.", "Give 0 or more.");
  if (!(options.threshold_lambda >= 1) || options.least_items < 0)
    refuse("A string has a threshold_lambda of " + std::to_string(options.threshold_lambda) +
               " and least_items of " + std::to_string(options.least_items) + '.',
           "Give a lambda of 1 or more, and 0 items or more.");
}

// The values that all ranks know. Times are whole units, so that sums are exact.
struct String {
  Units units;
  std::int64_t ranks = 1, sum = 0, greatest = 0;

  String(double most_seconds, std::int64_t count)
      : units(Census{.objects = count, .heaviest = most_seconds}), ranks(count) {}

  // If no rank has spent time, all ranks count as equal.
  std::int64_t of(double seconds) const { return units.weightless() ? 0 : units.of(seconds); }
  double lambda() const {
    return lambda_of(static_cast<double>(greatest), static_cast<double>(sum),
                     static_cast<double>(ranks));
  }
  bool is_even(const StringOptions& options) const {
    return sum == 0 || lambda() <= options.threshold_lambda;
  }
  // The flow F over the border after a rank. `upto` is the load of this rank and of all ranks
  // before it, in units.
  std::int64_t flow(std::int64_t rank, std::int64_t upto) const {
    return upto - share_before(rank + 1, ranks, sum);
  }
};

struct Gifts {
  std::int64_t to_left = 0, to_right = 0;
};

// The items that a rank gives. Flows over its two borders are positive to the right. `load` is the
// time of the rank.
Gifts gifts_of(std::int64_t left_flow, std::int64_t right_flow, std::int64_t load,
               std::int64_t items, const StringOptions& options) {
  const std::int64_t spare = items - std::min(items, options.least_items);
  if (load <= 0 || spare == 0) return {};
  const double per_unit = static_cast<double>(items) / static_cast<double>(load);
  const auto wish = [&](std::int64_t flow) {
    const double wanted = flow > 0 ? static_cast<double>(flow) * per_unit : 0.0;
    return wanted < static_cast<double>(spare) ? std::llround(wanted) : spare;
  };
  Gifts gifts = {wish(-left_flow), wish(right_flow)};
  if (gifts.to_left <= spare - gifts.to_right) return gifts;
  const double both = static_cast<double>(gifts.to_left) + static_cast<double>(gifts.to_right);
  gifts.to_left = static_cast<std::int64_t>(static_cast<double>(spare) *
                                            (static_cast<double>(gifts.to_left) / both));
  gifts.to_left = std::min(gifts.to_left, spare);
  gifts.to_right = spare - gifts.to_left;
  return gifts;
}

void take_greater(double& into, const double& from) noexcept { into = std::max(into, from); }

// Collective.
Trade trade_by_scan(const Communicator& communicator, const Status& ready, const Holding& mine,
                    const StringOptions& options) {
  const int rank = communicator.rank(), size = communicator.size();
  const double most = vote<&take_greater>(communicator, ready, ready.ok() ? mine.seconds : 0.0);
  String string(most, size);
  const std::int64_t load = string.of(mine.seconds);
  const std::int64_t before = communicator.exclusive_scan(load);
  string.sum = communicator.all_reduce(load, Reduction::sum);
  string.greatest = string.of(most);
  Trade trade;
  trade.lambda = string.lambda();
  if (string.is_even(options)) return trade;
  const std::int64_t left = rank == 0 ? 0 : string.flow(rank - 1, before);
  const std::int64_t right = rank + 1 == size ? 0 : string.flow(rank, before + load);
  const Gifts gifts = gifts_of(left, right, load, mine.items, options);
  trade.to_left = gifts.to_left;
  trade.to_right = gifts.to_right;
  const Status told = attempt(stage_name, [&] {
    std::vector<Note<std::int64_t>> notes;
    if (gifts.to_left > 0) notes.push_back({rank - 1, gifts.to_left});
    if (gifts.to_right > 0) notes.push_back({rank + 1, gifts.to_right});
    for (const auto& note : announce(communicator, std::span<const Note<std::int64_t>>(notes)))
      (note.rank < rank ? trade.from_left : trade.from_right) = note.content;
  });
  vote(communicator, told);
  return trade;
}

String string_of(std::span<const Holding> ranks) {
  double most = 0;
  for (const Holding& rank : ranks) most = std::max(most, rank.seconds);
  String string(most, std::max<std::int64_t>(1, std::ssize(ranks)));
  for (const Holding& rank : ranks) string.sum += string.of(rank.seconds);
  string.greatest = string.of(most);
  return string;
}

// Collective.
Trade trade_by_master(const Communicator& communicator, const Status& ready, const Holding& mine,
                      const StringOptions& options) {
  const int rank = communicator.rank(), size = communicator.size();
  const Gathered<Holding> all = gather(communicator, ready, std::span(&mine, 1), 0);
  std::vector<std::int64_t> across;
  Trade trade;
  const Status found = attempt(stage_name, [&] {
    across.resize(static_cast<std::size_t>(size) - 1);
    if (rank != 0) return;
    across = string_trades(all.values, options);
    trade.lambda = string_of(all.values).lambda();
  });
  vote(communicator, found);
  communicator.broadcast(std::span<std::int64_t>(across), 0);
  trade.lambda = communicator.broadcast(trade.lambda, 0);
  const auto over = [&](int border) {
    return border < 0 || border + 1 == size ? 0 : across[static_cast<std::size_t>(border)];
  };
  const std::int64_t left = over(rank - 1), right = over(rank);
  trade.to_left = std::max<std::int64_t>(0, -left);
  trade.from_left = std::max<std::int64_t>(0, left);
  trade.to_right = std::max<std::int64_t>(0, right);
  trade.from_right = std::max<std::int64_t>(0, -right);
  return trade;
}

}  // namespace

std::vector<std::int64_t> string_trades(std::span<const Holding> ranks,
                                        const StringOptions& options) {
  for (const Holding& rank : ranks) check(rank, options);
  std::vector<std::int64_t> across(ranks.empty() ? 0 : ranks.size() - 1);
  const String string = string_of(ranks);
  if (string.is_even(options)) return across;
  std::int64_t upto = 0, left = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t load = string.of(ranks[i].seconds);
    upto += load;
    const std::int64_t right =
        i + 1 == ranks.size() ? 0 : string.flow(static_cast<std::int64_t>(i), upto);
    const Gifts gifts = gifts_of(left, right, load, ranks[i].items, options);
    if (gifts.to_left > 0) across[i - 1] -= gifts.to_left;
    if (gifts.to_right > 0) across[i] += gifts.to_right;
    left = right;
  }
  return across;
}

Trade trade_on_string(const Voters& voters, const Holding& mine, const StringOptions& options,
                      StringMode mode) {
  const Communicator& communicator = voters.communicator();
  const Status ready = attempt(stage_name, [&] {
    voters.require_success();
    check(mine, options);
  });
  return mode == StringMode::master ? trade_by_master(communicator, ready, mine, options)
                                    : trade_by_scan(communicator, ready, mine, options);
}

}  // namespace evenkeel
