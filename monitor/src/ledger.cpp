#include <evenkeel/monitor/ledger.hpp>

#include "median.hpp"

#include <evenkeel/monitor/epoch.hpp>

#include <algorithm>

namespace evenkeel {

// The newest counts fully, each older one by so much less.
void CostModel::learn(double nanoseconds, double bytes_moved) noexcept {
  constexpr double keep = 0.8;
  weight = keep * weight + 1;
  const double share = 1 / weight;
  cost += share * (nanoseconds - cost);
  bytes += share * (bytes_moved - bytes);
  bytes_squared += share * (bytes_moved * bytes_moved - bytes_squared);
  bytes_by_cost += share * (bytes_moved * nanoseconds - bytes_by_cost);
  last_bytes = bytes_moved;
}

// A line through the means; never falling, and never below nothing.
double CostModel::estimate() const noexcept {
  const double spread = bytes_squared - bytes * bytes;
  const double together = bytes_by_cost - bytes * cost;
  constexpr double least_spread = 1e-6;  // of the square of the mean: below, it is rounding
  if (!(spread > least_spread * bytes * bytes) || together <= 0) return cost;
  return std::max(0.0, cost + together / spread * (last_bytes - bytes));
}

double Ledger::median_after() const noexcept { return detail::median(after, looks_since); }

double Ledger::net_so_far() const noexcept {
  return (before - median_after()) * static_cast<double>(steps_since) - price;
}

// One that moved nothing, where others did, says nothing of what the next will cost.
void Ledger::pay(const Totals& totals, bool counts) noexcept {
  if (totals.cost <= 0) return;
  const auto nanoseconds = static_cast<double>(totals.cost);
  const auto moved = static_cast<double>(totals.bytes);
  if (moved > 0 || cost.bytes <= 0) cost.learn(nanoseconds, moved);
  spent += nanoseconds;
  if (counts) price += nanoseconds;
}

void Ledger::enter(const Totals& totals, double waste) noexcept {
  const auto steps = static_cast<double>(totals.steps);
  worked += totals.mean_load();
  lost += waste * steps;
  elapsed += static_cast<double>(totals.duration.sum) / static_cast<double>(totals.ranks);
  if (open == 0) return;
  steps_since += totals.steps;
  if (looks_since < static_cast<std::int64_t>(looks_after))
    after[static_cast<std::size_t>(looks_since)] = waste;
  ++looks_since;
}

void Ledger::settle() noexcept {
  if (open != 0 && looks_since > 0) {
    constexpr double share = 0.5;  // of what is new in what is remembered
    const double left = median_after();
    last_net = net_so_far();
    gained += last_net + price;
    foreseen += predicted;
    ++counted;
    losses += last_net < 0 ? 1 : 0;
    residual = residual < 0 ? left : residual + share * (left - residual);
  }
  open = 0;
}

// Two without a look between them count as one.
void Ledger::open_entry(double waste_before, bool known) noexcept {
  const bool goes_on = open != 0 && looks_since == 0 && !known;
  const double so_far = goes_on ? price : 0;
  const double first = goes_on ? before : waste_before;
  if (!goes_on) settle();
  open = known || goes_on ? 1 : 0;
  before = first;
  predicted = promised;
  promised = 0;
  price = so_far;
  steps_since = looks_since = 0;
  after = {};
}

}  // namespace evenkeel
