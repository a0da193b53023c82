#include "decide/ledger.hpp"

#include "observe/epoch.hpp"

namespace evenkeel {

namespace {

// A rebalance has a weight of 1, which each later rebalance multiplies by this number.
constexpr double keep = 0.8;

constexpr double half = 0.5;  // of the first distribution's cost, which is assumed to be fixed

}  // namespace

// Delays by other programs only add to a cost. So if two costs differ by a factor of more than
// `most`, and bytes do not explain it, the greater one counts as `most` times the smaller one,
// whichever was first. This does not hold for costs of a run on other ranks, whose weight is small.
void CostModel::learn(double nanoseconds, double bytes_moved) noexcept {
  constexpr double most = 3;
  double counted = nanoseconds;
  if (weight >= 1 && cost > 0 && nanoseconds > 0) {
    const double expected = of(bytes_moved);
    const double in_proportion = bytes > 0 ? cost * (bytes_moved / bytes) : cost;
    counted = std::min(counted, most * std::max(expected, in_proportion));
    const double least = std::min(expected, in_proportion);
    if (least > most * counted) {
      const double share = most * counted / least;
      cost *= share;
      bytes_cost *= share;
    }
  }
  weight = keep * weight + 1;
  const double off_cost = counted - cost, off_bytes = bytes_moved - bytes;
  cost += off_cost / weight;
  bytes += off_bytes / weight;
  bytes_bytes = keep * bytes_bytes + off_bytes * (bytes_moved - bytes);
  bytes_cost = keep * bytes_cost + off_bytes * (counted - cost);
  if (asked >= 0) {
    moved = keep * moved + bytes_moved;
    predicted = keep * predicted + asked;
  }
  asked = -1;
}

void CostModel::learn_first(double nanoseconds, double bytes_moved) noexcept {
  if (nanoseconds <= 0 || bytes_moved <= 0) return;
  first_cost = nanoseconds;
  first_bytes = bytes_moved;
}

void CostModel::note_rebalance() noexcept {
  asked = ahead;
  ahead = -1;
}

// The whole cost is assumed to be fixed until rebalances of different sizes show otherwise. The
// less their sizes have differed, the less this evidence counts.
double CostModel::per_byte() const noexcept {
  constexpr double doubted = 0.05;
  if (bytes <= 0) return 0;
  double most = cost / bytes;
  if (first_bytes > 0) most = std::min(most, first_cost / first_bytes);
  return std::clamp(bytes_cost / (bytes_bytes + doubted * bytes * bytes), 0.0, most);
}

double CostModel::of(double bytes_moved) const noexcept {
  return cost + per_byte() * (bytes_moved - bytes);
}

// Surveys see samples, and do not see all data. So their predictions are scaled by the bytes that
// rebalances moved. The model is not trusted far beyond these.
double CostModel::next(double guess) const noexcept {
  constexpr double far = 4;
  const double scale = predicted > 0 ? moved / predicted : 1;
  if (knows()) return ahead < 0 ? cost : of(std::min(scale * ahead, far * bytes));
  if (first_bytes <= 0) return guess;
  const double part = ahead < 0 ? 1 : scale * ahead / first_bytes;
  return std::min(guess, first_cost * std::max(part, half + (1 - half) * part));
}

void Course::add(double mean) noexcept { pending += mean; }

// The level of these steps is `now`. Over the pending steps before them, it changes linearly.
void Course::add(double mean, double now) noexcept {
  const double before = level < 0 ? now : level;
  sum += pending * (1 + (before + now) / 2) + mean * (1 + now);
  level = now;
  pending = 0;
}

// An error in the costs of objects lasts, so the errors of all looks are assumed to have the same
// sign. A level that was only known before is assumed to be between 0 and twice that level.
double Ledger::uncertainty() const noexcept {
  constexpr double standard_errors = 1.6;  // nine of ten normal deviates are less
  return standard_errors * run.doubtful + never.pending * std::max(0.0, never.level);
}

void Ledger::miss(double by) noexcept {
  constexpr double share_of_new = 0.3;
  const double square = by * by;
  gains.miss = gains.foresights == 0 ? square : gains.miss + share_of_new * (square - gains.miss);
  ++gains.foresights;
}

// A rebalance that moves nothing says little about those that do. Its cost is learned only until
// one has moved data.
void Ledger::pay(const Totals& totals, bool counts) noexcept {
  cost.learn_first(static_cast<double>(totals.first_cost), static_cast<double>(totals.first_bytes));
  const auto own = static_cast<double>(totals.cost);
  const double theirs = totals.cost_of_application();
  if (own <= 0 && theirs <= 0 && totals.extra == 0) return;
  const auto moved = static_cast<double>(totals.bytes);
  const double kernels = totals.mean_extra();  // the load already includes it
  const auto rebalances = static_cast<double>(std::max<std::int64_t>(1, totals.rebalances));
  if (moved > 0 && cost.bytes <= 0) cost.weight = 0;
  if (moved > 0 || cost.bytes <= 0)
    cost.learn(std::max(0.0, own + theirs + kernels) / rebalances, moved / rebalances);
  spent += own;
  rebuilt += theirs;
  if (counts) last.price += own + theirs;
}

namespace {

// The standard error of the level under the first domains, if it depends on objects that were made
// during the run. bench_amr shows how far such levels are off.
double doubt_of_guesses(const Totals& totals) noexcept {
  constexpr double standard_error = 0.15;
  const double mean = totals.mean_load();
  return mean > 0 ? standard_error * totals.level_of_others() *
                        std::min(1.0, static_cast<double>(totals.would_be.guessed) / mean)
                  : 0;
}

double share_measured(const Totals& totals) noexcept {
  if (totals.all_steps <= 0) return 1;
  return std::clamp(static_cast<double>(totals.steps) / static_cast<double>(totals.all_steps), 0.0,
                    1.0);
}

}  // namespace

void Ledger::enter(const Totals& totals, bool is_first, bool is_current, double grown) noexcept {
  const double mean = totals.mean_of_all(), now = totals.slowest_of_all();
  slowest += now;
  run.steps += totals.all_steps;
  run.measured_steps += totals.steps;
  // Without the rebalance, there would have been no extra time of kernels in the step after it.
  // Noise cancels out over rebalances. If loads grow, the sum of extra times is less than 0, and
  // nothing is subtracted.
  run.extra += totals.mean_extra();
  const double usual = std::max(0.0, mean - std::max(0.0, run.extra));
  run.extra = std::min(0.0, run.extra);
  run.worked += mean;
  if (mean > 0) run.level = now / mean - 1;
  run.covered += totals.mean_load();
  for (std::size_t phase = 0; phase < run.uneven.size(); ++phase) {
    const RankTally& load = totals.phases[phase];
    if (load.sum > 0)
      run.uneven[phase] += (static_cast<double>(load.greatest) -
                            static_cast<double>(load.sum) / static_cast<double>(totals.ranks)) /
                           share_measured(totals);
  }
  run.elapsed += static_cast<double>(totals.duration.sum) / static_cast<double>(totals.ranks);
  const bool is_known = totals.would_be.first >= 0 && totals.mean_load() > 0;
  if (mean > 0 && (is_first || is_known)) {
    // A survey shows only the measured steps. Over the steps before them, the level changes
    // linearly.
    const double told = is_first ? 1 : share_measured(totals);
    never.add((1 - told) * usual);
    never.add(told * usual, is_first ? now / mean - 1 : totals.level_of_others());
    run.never_steps += totals.all_steps;
    if (!is_first) run.doubtful += usual * (std::sqrt(gains.miss) + doubt_of_guesses(totals));
  } else {
    never.add(usual);
  }
  if (last.open == 0) return;
  ++last.looks_since;
  last.since += now;
  const double measured = totals.mean_load();
  if (is_current && measured > 0 && mean > 0 && totals.would_be.previous >= 0) {
    // Noise of single steps is assumed to add the same time to the slowest rank under any domains.
    const double noise = now / mean - static_cast<double>(totals.load.greatest) / measured;
    const double then = static_cast<double>(totals.would_be.previous) / measured - 1;
    // The first look after a rebalance covers some steps before it, so its noise is not used.
    last.replaced.add(usual, then + (last.looks_since > 1 ? std::max(0.0, noise) : 0));
  } else if (is_current && grown != 0 && last.replaced.level >= 0) {
    last.replaced.add(usual, std::max(0.0, last.replaced.level + grown));
  } else {
    last.replaced.add(usual);
  }
}

void Ledger::settle() noexcept {
  if (last.open != 0 && last.looks_since > 0) {
    gains.gained += last.net() + last.price;
    gains.foreseen += last.predicted;
    ++gains.counted;
    gains.losses += last.net() < 0 ? 1 : 0;
  }
  last.open = 0;
}

// Two rebalances without a look between them count as one, which has replaced the domains before
// the first.
void Ledger::open_entry() noexcept {
  if (run.steps == 0) return;  // the first distribution replaces nothing
  const bool goes_on = last.open != 0 && last.looks_since == 0;
  if (!goes_on) settle();
  LedgerEntry next;
  next.open = 1;
  next.predicted = gains.promised;
  next.replaced.level = run.level;
  if (goes_on) {
    next.price = last.price;
    next.replaced = last.replaced;
  }
  last = next;
  gains.promised = 0;
}

Account account_of(const Ledger& ledger) noexcept {
  constexpr double seconds = 1e-9;
  Account account;
  account.steps = ledger.run.steps;
  account.measured_steps = ledger.run.measured_steps;
  account.mean = ledger.run.worked * seconds;
  account.actual = ledger.slowest * seconds;
  account.never = ledger.never.total() * seconds;
  account.knows_never = ledger.never.level >= 0;
  account.uncertainty = ledger.uncertainty() * seconds;
  account.own_cost = ledger.spent * seconds;
  account.rebuild_cost = ledger.rebuilt * seconds;
  return account;
}

}  // namespace evenkeel
