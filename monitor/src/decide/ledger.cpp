#include "decide/ledger.hpp"

#include "agree/epoch.hpp"

#include <evenkeel/monitor/account.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

// The newest rebalance counts fully, each older one less by the factor `keep`.
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

// A line through the means; it never falls, and is never below 0.
double CostModel::estimate() const noexcept {
  const double spread = bytes_squared - bytes * bytes;
  const double together = bytes_by_cost - bytes * cost;
  constexpr double least_spread = 1e-6;  // of the square of the mean: below, it is rounding
  if (!(spread > least_spread * bytes * bytes) || together <= 0) return cost;
  return std::max(0.0, cost + together / spread * (last_bytes - bytes));
}

void Course::add(double mean) noexcept { pending += mean; }

// The level is known for these steps, and linear over the pending ones before them.
void Course::add(double mean, double now) noexcept {
  const double before = level < 0 ? now : level;
  sum += pending * (1 + (before + now) / 2) + mean * (1 + now);
  level = now;
  pending = 0;
}

// Misses of different rebalances are independent of each other.
double Ledger::uncertainty() const noexcept {
  if (foresights == 0) return 0;
  const double since_last = open != 0 ? worked_since : 0;
  return std::sqrt(misses / static_cast<double>(foresights) * (squares + since_last * since_last));
}

// A rebalance that moved nothing, where others did, says nothing about the cost of the next one.
void Ledger::pay(const Totals& totals, bool is_spent, bool counts) noexcept {
  if (totals.cost <= 0 && totals.rebuild <= 0 && totals.extra <= 0) return;
  const auto own = static_cast<double>(totals.cost), theirs = static_cast<double>(totals.rebuild);
  const auto moved = static_cast<double>(totals.bytes);
  const auto kernels = static_cast<double>(totals.extra);  // already part of the load
  if (moved > 0 || cost.bytes <= 0) cost.learn(own + theirs + kernels, moved);
  if (!is_spent) return;
  spent += own;
  rebuilt += theirs;
  if (counts) price += own + theirs;
}

namespace {

double share_measured(const Totals& totals) noexcept {
  if (totals.all_steps <= 0) return 1;
  return std::clamp(static_cast<double>(totals.steps) / static_cast<double>(totals.all_steps), 0.0,
                    1.0);
}

}  // namespace

void Ledger::enter(const Totals& totals, bool is_first, bool is_current, double grown) noexcept {
  const double mean = totals.mean_of_all(), now = totals.slowest_of_all();
  steps += totals.all_steps;
  measured_steps += totals.steps;
  worked += mean;
  slowest += now;
  if (mean > 0) level = now / mean - 1;
  covered += totals.mean_load();
  elapsed += static_cast<double>(totals.duration.sum) / static_cast<double>(totals.ranks);
  // Without a rebalance, kernels would not have taken longer in the step after it.
  const double usual = std::max(0.0, mean - static_cast<double>(totals.extra));
  const bool is_known = totals.would_be.first >= 0 && totals.mean_load() > 0;
  if (mean > 0 && (is_first || is_known)) {
    // A survey covers the measured steps; the level is linear over the others before them.
    const double told = is_first ? 1 : share_measured(totals);
    never.add((1 - told) * usual);
    never.add(told * usual, is_first ? now / mean - 1 : totals.level_of_others());
    never_steps += totals.all_steps;
  } else {
    never.add(usual);
  }
  if (open == 0) return;
  ++looks_since;
  since += now;
  worked_since += mean;
  const double measured = totals.mean_load();
  if (is_current && measured > 0 && mean > 0 && totals.would_be.previous >= 0) {
    // What noise adds to the slowest rank, it would have added under any domains.
    const double noise = now / mean - static_cast<double>(totals.load.greatest) / measured;
    const double then = static_cast<double>(totals.would_be.previous) / measured - 1;
    // Some steps of the first look after a rebalance were still under the domains before.
    replaced.add(usual, then + (looks_since > 1 ? std::max(0.0, noise) : 0));
  } else if (is_current && grown != 0 && replaced.level >= 0) {
    replaced.add(usual, std::max(0.0, replaced.level + grown));
  } else {
    replaced.add(usual);
  }
}

void Ledger::settle() noexcept {
  if (open != 0 && looks_since > 0) {
    last_net = net_so_far();
    gained += last_net + price;
    foreseen += predicted;
    ++counted;
    losses += last_net < 0 ? 1 : 0;
    squares += worked_since * worked_since;
  }
  open = 0;
}

// Two rebalances without a look between them count as one, which replaced the earliest domains.
void Ledger::open_entry() noexcept {
  if (steps == 0) return;  // the first distribution replaces nothing
  const bool goes_on = open != 0 && looks_since == 0;
  const double so_far = goes_on ? price : 0;
  if (!goes_on) {
    settle();
    replaced = {0, level, 0};
  }
  open = 1;
  predicted = promised;
  promised = 0;
  price = so_far;
  since = worked_since = 0;
  looks_since = 0;
}

Account account_of(const Ledger& ledger) noexcept {
  constexpr double seconds = 1e-9;
  Account account;
  account.steps = ledger.steps;
  account.measured_steps = ledger.measured_steps;
  account.mean = ledger.worked * seconds;
  account.actual = ledger.slowest * seconds;
  account.never = ledger.never.total() * seconds;
  account.knows_never = ledger.never_steps > 0 && ledger.never.pending <= ledger.never.sum;
  account.uncertainty = ledger.uncertainty() * seconds;
  account.own_cost = ledger.spent * seconds;
  account.rebuild_cost = ledger.rebuilt * seconds;
  return account;
}

}  // namespace evenkeel
