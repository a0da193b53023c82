#include "cost_aware.hpp"

#include "median.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace evenkeel {

namespace {

// The only numbers that were chosen; docs/triggers.md tells how, and how little most of them
// matter.
constexpr double confidence = 2;    // standard errors that U stays below what was measured
constexpr double trust = 3;         // a cut that has lasted n steps is trusted for so many times n
constexpr double first_demand = 2;  // of the gain of the first rebalance, which is made blindly
constexpr double excess_margin = 1.25;  // of an excess over the price
constexpr double end_margin = 1.25;     // of what is left to save over the cost
constexpr double loss_factor = 1.5;     // on what is demanded, for each rebalance that did not pay
constexpr double healed_factor = 4;     // of an excess over the greatest that went away by itself,
constexpr double healed_most = 2;       // but of no more than so many times the price
constexpr double patience = 7.5;  // of an excess over the price: then it is acted on in any case
constexpr double least_waste = 0.005;         // of u over the mean: below, nothing is worth a look
constexpr double memory_steps = 1000;         // until an excess that healed is forgotten
constexpr std::int64_t losses_until_off = 2;  // in a row
constexpr double least_off = 32, most_off = 1000;  // steps; the least doubles with each time
constexpr double cured_share = 0.3;  // of the level before: less is as good as nothing,
constexpr double little = 0.05;      // of the mean: less is not worth a further rebalance in a row
constexpr double helped = 0.9;       // of the level before: one that has left less has helped
constexpr std::int64_t uncured_until_learned = 3;  // and is believed after so many in a row

constexpr double endless = std::numeric_limits<double>::max();

template <std::size_t size>
void put_first(std::array<double, size>& latest, double value) noexcept {
  std::shift_right(latest.begin(), latest.end(), 1);
  latest.front() = value;
}

bool is_epoch(const LoadSeen& seen) noexcept { return seen.steps > 1; }
double steps_of(const LoadSeen& seen) noexcept { return static_cast<double>(seen.steps); }

// Looks at single steps are many and cheap: three of them are as good as one at an epoch.
std::int64_t looks_at_start(const LoadSeen& seen) noexcept { return is_epoch(seen) ? 1 : 3; }

// The noise of u, from second differences: they are blind to steady growth, and their median is to
// jumps and outliers; that of a normal deviate is 0.6745 sqrt(6) standard deviations.
double noise_shown(const Outlook& outlook) noexcept {
  constexpr double deviations = 0.605;
  return deviations * detail::median(outlook.bends, outlook.bends_known);
}

// Epochs bring the variance from step to step besides, which growth inflates: the lesser counts.
double noise_of(const Outlook& outlook, double within, const LoadSeen& seen) noexcept {
  const double shown = noise_shown(outlook);
  if (!is_epoch(seen)) return shown;
  return outlook.bends_known < 3 ? within : std::min(shown, within);
}

void take_in(Outlook& outlook, const LoadSeen& seen, double waste) noexcept {
  const double steps = steps_of(seen);
  put_first(outlook.recent, waste);
  outlook.recent_looks =
      std::min<std::int64_t>(outlook.recent_looks + 1, std::ssize(outlook.recent));
  ++outlook.looks;
  outlook.steps += steps;
  outlook.wasted += waste * steps;
  if (outlook.looks <= looks_at_start(seen))
    outlook.start += (waste - outlook.start) / static_cast<double>(outlook.looks);
  if (outlook.recent_looks >= 3) {
    put_first(outlook.bends,
              std::abs(outlook.recent[0] - 2 * outlook.recent[1] + outlook.recent[2]));
    ++outlook.bends_known;
  }
  if (is_epoch(seen)) {
    constexpr std::int64_t slow = 8, quick = 4;  // looks
    const std::int64_t over = outlook.rebalances == 0 ? std::min(outlook.looks, slow) : quick;
    outlook.variance += (seen.variance - outlook.variance) / static_cast<double>(over);
  }
}

// The first time after a rebalance the lower of what it left and what the start had: a cut can be
// unlucky, and only a start can be perfect.
void learn_residual(Outlook& outlook, double candidate) noexcept {
  outlook.candidate = candidate;
  outlook.has_candidate = 1;
  if (outlook.rebalances == 0) return;
  if (outlook.residual_from == 2)
    outlook.residual += (candidate - outlook.residual) / 2;
  else
    outlook.residual =
        outlook.residual_from == 1 ? std::min(outlook.residual, candidate) : candidate;
  outlook.residual_from = 2;
  outlook.excess = 0;
}

// u right after a rebalance, before it grows. Of epochs it takes two to tell it from growth; but
// where nothing is cured time after time, the first is all there is.
void look_for_residual(Outlook& outlook, const LoadSeen& seen) noexcept {
  const double waste = outlook.recent[0], before = outlook.recent[1], steps = steps_of(seen);
  if (!is_epoch(seen)) {
    const double first = outlook.recent[2];
    if (outlook.looks == 3) learn_residual(outlook, std::min(outlook.start, first));
    return;
  }
  if (outlook.looks == 1 && outlook.rebalances > 0) {
    const bool is_cured = waste < (1 - cured_share) * outlook.level_before;
    outlook.uncured = is_cured ? 0 : outlook.uncured + 1;
    if (outlook.uncured >= uncured_until_learned) learn_residual(outlook, waste);
  } else if (outlook.looks == 2) {
    const double slope = std::max(0.0, (waste - before) / steps);
    learn_residual(outlook, std::max(0.0, before - slope * (steps / 2 + 1)));
  }
}

// Whether a jump is worth waiting a look for: do those that were seen stay?
void learn_spikiness(Outlook& outlook, const LoadSeen& seen) noexcept {
  if (is_epoch(seen) || outlook.looks < 3) return;
  const double now = outlook.recent[0], before = outlook.recent[1], earlier = outlook.recent[2];
  const double height = std::max(0.0, earlier - std::max(0.0, outlook.lowest));
  const bool jumped = before - earlier > height / 2 + 4 * noise_shown(outlook) + 0.01 * seen.mean;
  if (!jumped) return;
  const double gone = now < (before + earlier) / 2 ? 1 : 0;
  outlook.spikiness += (gone - outlook.spikiness) / 4;
}

bool jumps_stay(const Outlook& outlook) noexcept { return outlook.spikiness < 0.3; }

// Of single steps, the lower and the higher of the last two; an epoch is by itself.
struct Pair {
  double low, high;
};
Pair last_two(const Outlook& outlook, const LoadSeen& seen) noexcept {
  const double now = outlook.recent[0], before = outlook.recent[1];
  if (is_epoch(seen) || outlook.recent_looks < 2) return {now, now};
  return {std::min(now, before), std::max(now, before)};
}

// U: the best of several lower bounds. Of the last look, or, while jumps may be outliers, of the
// lower of two; of the means of the last 4, 8 and 16, each without its greatest.
double level_of(const Outlook& outlook, const LoadSeen& seen, double noise) noexcept {
  constexpr double unknown = -1;
  double level = unknown;
  if (is_epoch(seen) || jumps_stay(outlook))
    level = outlook.recent[0] - confidence * noise;
  else if (outlook.recent_looks >= 2)
    level = last_two(outlook, seen).low - confidence * noise;
  double sum = 0, greatest = 0;
  for (std::int64_t k = 0; k < outlook.recent_looks; ++k) {
    const double waste = outlook.recent[static_cast<std::size_t>(k)];
    const std::int64_t looks = k + 1;
    const auto count = static_cast<double>(looks);
    sum += waste;
    greatest = std::max(greatest, waste);
    const double error = confidence * noise / std::sqrt(count);
    if (looks == 2 && is_epoch(seen)) level = std::max(level, sum / count - error);
    if (looks == 4 || looks == 8 || looks == 16)
      level = std::max(level, (sum - greatest) / (count - 1) - error);
  }
  // What is over is no reason any more.
  return std::min(level, last_two(outlook, seen).high + confidence * noise);
}

// Episodes above the lowest u end by themselves, when u falls below half their height.
void follow_episode(Outlook& outlook, const LoadSeen& seen, double waste) noexcept {
  const auto [low, high] = last_two(outlook, seen);
  const double steps = steps_of(seen);
  outlook.lowest = outlook.lowest < 0 ? high : std::min(outlook.lowest, high);
  outlook.healed *= std::max(0.0, 1 - steps / memory_steps);
  if (outlook.episode > 0 && high < (outlook.lowest + outlook.episode_peak) / 2) {
    outlook.healed = std::max(outlook.healed, outlook.episode);
    outlook.episode = outlook.episode_peak = 0;
  } else {
    outlook.episode += std::max(0.0, waste - outlook.lowest) * steps;
    outlook.episode_peak = std::max(outlook.episode_peak, low);
  }
}

// An imbalance that is on its way out costs a triangle, not a rectangle.
double until_gone(const Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) noexcept {
  if (outlook.recent_looks < 6) return endless;
  const std::int64_t half = outlook.recent_looks >= 12 ? 6 : outlook.recent_looks / 2;
  const auto count = static_cast<double>(half);
  double now = 0, before = 0;
  for (std::int64_t k = 0; k < half; ++k) {
    now += outlook.recent[static_cast<std::size_t>(k)];
    before += outlook.recent[static_cast<std::size_t>(k + half)];
  }
  const double error = prospect.noise * std::sqrt(2 / count);
  const double slope = ((now - before) / count + error) / (count * steps_of(seen));
  const double above = prospect.level - prospect.residual;
  return slope < 0 ? above * above / (-2 * slope) : endless;
}

bool is_uneven(const LoadSeen& seen, const Prospect& prospect) noexcept {
  return prospect.level >= least_waste * seen.mean;
}

// Above what there was right after the last rebalance, less what of that another would cure.
bool has_grown(const Outlook& outlook, const Prospect& prospect) noexcept {
  return prospect.cured + prospect.level >= outlook.start;
}

bool is_curable(const Prospect& prospect) noexcept { return prospect.level > prospect.residual; }

// The farther off a rebalance, the longer. What is even now can be uneven at any step; but what has
// been even for long is likely to stay so for a while.
std::int64_t next_epoch_of(Outlook& outlook, const LoadSeen& seen,
                           const Prospect& prospect) noexcept {
  constexpr std::int64_t least = 6, longer = 8, most = 10;
  const bool is_calm = !is_uneven(seen, prospect) || !has_grown(outlook, prospect);
  outlook.calm_looks = is_calm ? outlook.calm_looks + 1 : 0;
  if (is_calm) return outlook.calm_looks > 8 ? most : outlook.calm_looks > 4 ? longer : least;
  const double ready = std::max(prospect.growth_gain, prospect.excess_gain);
  return ready < 0.05 * prospect.price ? most : ready < 0.1 * prospect.price ? longer : least;
}

double left_of(const LoadSeen& seen) noexcept {
  constexpr double long_run = 1e9;  // steps
  return std::min(long_run, std::max(0.0, seen.left.value_or(long_run)));
}

// What u will have grown above the start when a rebalance acts.
double grown_by_then(const Outlook& outlook, const LoadSeen& seen, double level) noexcept {
  const double grown = level - outlook.start, steps = steps_of(seen);
  if (!is_epoch(seen) || outlook.looks < 2) return grown;
  const double rate = std::max(0.0, grown) / (outlook.steps - steps);
  return grown + rate * (steps / 2 + static_cast<double>(seen.latency));
}

// x: what was there at the start and a rebalance cures; nothing, where there was one and it is not
// known what it has left. At first it may be hoped that all can be cured, less what moves about.
double cured_of(const Outlook& outlook, const LoadSeen& seen, const Prospect& prospect,
                double most_steps) noexcept {
  if (outlook.rebalances > 0 && outlook.residual_from == 0) return 0;
  const auto looks = static_cast<double>(std::min(outlook.looks, looks_at_start(seen)));
  const double above = outlook.start - prospect.residual;
  double cured = std::max(0.0, above - confidence * prospect.noise / std::sqrt(looks));
  cured = std::max(0.0, cured - outlook.transient / outlook.steps);
  if (outlook.rebalances > 0 || seen.growth <= 0) return cured;
  // At this rate a fresh cut is as uneven as the start was after `above` / growth times the steps
  // so far.
  const double height = std::max(0.0, above);
  const double triangle = height * height / 2 * outlook.steps / seen.growth;
  return cured * most_steps > triangle ? triangle / most_steps : cured;
}

double growth_gain_of(const Outlook& outlook, const Prospect& prospect, double grown,
                      double most_steps) noexcept {
  const double n = outlook.steps, rise = prospect.cured + grown;
  if (most_steps <= n) return most_steps * rise;  // the end is near: then none follows this one
  // A fresh cut replays what this one did, and goes on from there at the mean rate so far until it
  // is as bad.
  const double replayed = outlook.wasted - n * outlook.start;
  const double steps =
      grown > 0 ? std::min(most_steps, n * (1 + prospect.cured / grown)) : most_steps;
  return n * rise - replayed + (steps - n) * rise -
         std::max(0.0, grown) * (steps * steps - n * n) / (2 * n);
}

bool pays_by_growth(const Prospect& prospect, double price) noexcept {
  return prospect.growth_gain >= price;
}

bool pays_by_excess(const Outlook& outlook, const Prospect& prospect, double price) noexcept {
  const double asked = price * outlook.excess_demand;
  return prospect.excess_gain >= excess_margin * asked && prospect.ahead >= asked;
}

bool pays(const Outlook& outlook, const Prospect& prospect, double price) noexcept {
  return pays_by_growth(prospect, price) || pays_by_excess(outlook, prospect, price);
}

// What the last rebalance took off the level, for as long as it lasted, less its cost. What has
// grown since is not its fault, unless it was made for an excess: then it promised that it goes for
// good.
void settle(Outlook& outlook, const LoadSeen& seen) noexcept {
  outlook.open = 0;
  const auto lasted = static_cast<double>(seen.step + seen.latency - outlook.since);
  double left_over = outlook.start;
  if (outlook.has_candidate != 0)
    left_over = outlook.candidate;
  else if (is_epoch(seen) && outlook.residual_from != 0)
    left_over = std::min(outlook.residual, outlook.start);
  if ((outlook.level_before - left_over) * lasted < seen.cost) {
    ++outlook.losses;
    ++outlook.losses_in_row;
    outlook.demand *= loss_factor;
  } else {
    outlook.losses_in_row = 0;
    outlook.back_off = 0;
    outlook.demand = std::max(1.0, outlook.demand / loss_factor);
  }
  if (outlook.losses_in_row >= losses_until_off) {
    const double least = std::max(least_off, seen.mean > 0 ? 4 * seen.cost / seen.mean : 0);
    outlook.back_off =
        outlook.back_off == 0 ? least : std::min(2 * outlook.back_off, std::max(most_off, least));
    outlook.off_until = seen.step + static_cast<std::int64_t>(std::min(outlook.back_off, 1e9));
    outlook.losses_in_row = losses_until_off - 1;
    ++outlook.rearmed;
  }
  if (outlook.for_excess != 0) {
    const double mean = outlook.wasted / outlook.steps;
    const bool paid = (outlook.level_before - mean) * lasted >= seen.cost;
    outlook.excess_demand = paid ? std::max(1.0, outlook.excess_demand / loss_factor)
                                 : outlook.excess_demand * loss_factor;
  }
}

// The last step stands out, and a cut would be made for it.
bool stands_out(const Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) noexcept {
  if (is_epoch(seen) || jumps_stay(outlook) || outlook.recent_looks < 2) return false;
  const double now = outlook.recent[0], before = outlook.recent[1];
  return now - before > before - outlook.lowest + 4 * prospect.noise;
}

// Costs of objects that are measured are known better after each rebalance, and domains that are
// cut by totals alone take several rounds. So a rebalance that has helped, but has left more than a
// little, is made again, a limited number of times in a row. Half of what it has left (growth since
// then apart) is hoped for, as long as things may be trusted to stay as they are: not longer than
// the run has lasted.
double refining_gain(const Outlook& outlook, const LoadSeen& seen) noexcept {
  const auto so_far = static_cast<double>(seen.step);
  const double lasts = trust * std::max(outlook.lasted, outlook.steps);
  return outlook.candidate / 2 * std::min({left_of(seen), so_far, lasts});
}

bool is_worth_refining(const Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) {
  if (outlook.open == 0 || outlook.has_candidate == 0) return false;
  return outlook.refined < seen.refine_rounds && outlook.candidate > little * seen.mean &&
         outlook.candidate < helped * outlook.level_before && prospect.level > 0 &&
         refining_gain(outlook, seen) >= end_margin * prospect.price;
}

// --- The best of rebalances in a row -------------------------------------------------------------

// Before the first of them: what is there may be better than all that follow.
void begin_row(Outlook& outlook, const LoadSeen& seen) noexcept {
  const std::int64_t looks = std::min<std::int64_t>(outlook.recent_looks, 3);
  outlook.best_generation = -1;
  if (seen.kept_from < 0 || seen.generation < seen.kept_from || looks == 0) return;
  double sum = 0;
  for (std::int64_t k = 0; k < looks; ++k) sum += outlook.recent[static_cast<std::size_t>(k)];
  outlook.best = sum / static_cast<double>(looks);
  outlook.best_generation = seen.generation;
}

void follow_row(Outlook& outlook, const LoadSeen& seen) noexcept {
  if (outlook.open == 0 || outlook.has_candidate == 0) return;
  if (outlook.went_back != 0) {
    outlook.back_is_vain = outlook.candidate < helped * outlook.level_before ? 0 : 1;
    outlook.went_back = 0;
  }
  const bool is_kept = seen.kept_from >= 0 && seen.generation >= seen.kept_from;
  if (!is_kept || outlook.best_generation == seen.generation) return;
  if (outlook.best_generation < 0 || outlook.candidate < outlook.best) {
    outlook.best = outlook.candidate;
    outlook.best_generation = seen.generation;
  }
}

// What the best in a row would save, had it as long to last as the run has so far.
double returning_gain(const Outlook& outlook, const LoadSeen& seen, double noise) noexcept {
  const double above = outlook.candidate - outlook.best - confidence * noise;
  return above * std::min(left_of(seen), static_cast<double>(seen.step));
}

// What to go back to is known when the newest of a row has been measured, not before.
bool may_go_back_soon(const Outlook& outlook, const Prospect& prospect) noexcept {
  return outlook.open != 0 && outlook.has_candidate == 0 && outlook.back_is_vain == 0 &&
         outlook.best_generation >= 0 && outlook.best < prospect.level;
}

// When another has made things worse. A best that was found worse when it was taken again belongs
// to another time, and there is none in this run.
bool is_worth_going_back(const Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) {
  if (outlook.open == 0 || outlook.has_candidate == 0 || outlook.back_is_vain != 0) return false;
  if (outlook.best_generation < 0 || outlook.best_generation == seen.generation) return false;
  return outlook.best + little * seen.mean < outlook.candidate && outlook.best < prospect.level &&
         returning_gain(outlook, seen, prospect.noise) >= end_margin * prospect.price;
}

}  // namespace

Prospect observe(Outlook& outlook, const LoadSeen& seen) {
  const double waste = std::max(0.0, seen.peak - seen.mean), steps = steps_of(seen);
  take_in(outlook, seen, waste);
  look_for_residual(outlook, seen);
  follow_row(outlook, seen);
  learn_spikiness(outlook, seen);

  Prospect prospect;
  const double within = is_epoch(seen) ? std::sqrt(outlook.variance / steps) : 0;
  prospect.noise = noise_of(outlook, within, seen);
  prospect.residual = outlook.residual_from != 0 ? outlook.residual : within;
  prospect.level = outlook.level = level_of(outlook, seen, prospect.noise);
  follow_episode(outlook, seen, waste);

  double moving = 0;
  if (outlook.rebalances == 0) {
    moving = std::min(std::max(0.0, outlook.start - prospect.residual), seen.growth);
    outlook.transient += moving * steps;
  }
  const double above = prospect.level - prospect.residual, left = left_of(seen);
  outlook.excess += std::max(0.0, above - moving) * steps;
  prospect.excess_gain = outlook.excess;
  prospect.to_end = above * left;
  prospect.price = seen.cost * (outlook.rebalances == 0 ? first_demand : 1) * outlook.demand;

  const double most_steps = std::min(left, trust * outlook.steps);
  const double gone = until_gone(outlook, seen, prospect);
  prospect.cured = cured_of(outlook, seen, prospect, most_steps);
  prospect.growth_gain = std::min(
      gone,
      growth_gain_of(outlook, prospect, grown_by_then(outlook, seen, prospect.level), most_steps));
  prospect.ahead = std::min(gone, outlook.steps * above / 2);

  outlook.next_epoch = next_epoch_of(outlook, seen, prospect);
  return prospect;
}

Decision judge(Outlook& outlook, const LoadSeen& seen, Prospect prospect) {
  const auto decision = [&](Action action, Reason reason) {
    // Of an excess, what is compared with the price: less than it, unless it pays.
    const double by_excess =
        std::min(prospect.excess_gain / excess_margin, prospect.ahead) / outlook.excess_demand;
    return Decision{action, reason, std::max(prospect.growth_gain, by_excess), prospect.price};
  };
  const auto hold = [&](Reason reason) { return decision(Action::hold, reason); };
  if (prospect.level < 0 && outlook.looks == 1) return hold(Reason::too_early);
  if (!is_uneven(seen, prospect)) return hold(Reason::below_noise);
  if (may_go_back_soon(outlook, prospect)) return hold(Reason::too_early);
  if (is_worth_refining(outlook, seen, prospect)) {
    Decision again = decision(Action::rebalance, Reason::refines);
    again.weighed = refining_gain(outlook, seen);
    settle(outlook, seen);
    ++outlook.refined;
    outlook.for_excess = 0;
    outlook.decided = 1;
    return again;
  }
  if (is_worth_going_back(outlook, seen, prospect)) {
    Decision back = decision(Action::rebalance, Reason::goes_back);
    back.weighed = returning_gain(outlook, seen, prospect.noise);
    settle(outlook, seen);
    outlook.refined = seen.refine_rounds;  // the row is over
    outlook.for_excess = 0;
    outlook.decided = outlook.went_back = 1;
    return back;
  }
  if (!has_grown(outlook, prospect) || !is_curable(prospect)) return hold(Reason::below_noise);
  if (prospect.to_end < end_margin * seen.cost) return hold(Reason::near_end);
  if (!pays(outlook, prospect, prospect.price))
    return hold(pays(outlook, prospect, prospect.price / outlook.demand) ? Reason::not_paying
                                                                         : Reason::below_cost);
  const bool is_urgent = prospect.excess_gain >= patience * prospect.price;
  const double healed = std::min(healed_factor * outlook.healed, healed_most * prospect.price);
  if (!is_urgent && outlook.episode + prospect.cured * outlook.steps < healed)
    return hold(Reason::heals_itself);
  if (outlook.open != 0) {
    const double demand = outlook.demand;
    settle(outlook, seen);
    if (outlook.demand > demand) prospect.price *= loss_factor;
    if (!pays(outlook, prospect, prospect.price)) return hold(Reason::not_paying);
  }
  if (seen.step < outlook.off_until && prospect.excess_gain < patience * prospect.price)
    return hold(Reason::switched_off);
  if (stands_out(outlook, seen, prospect)) return hold(Reason::outlier);
  outlook.for_excess = pays_by_growth(prospect, prospect.price) ? 0 : 1;
  outlook.refined = 0;
  outlook.decided = 1;
  begin_row(outlook, seen);
  Decision act = decision(Action::rebalance,
                          outlook.for_excess == 0 ? Reason::growth_pays : Reason::excess_pays);
  act.weighed = outlook.for_excess == 0 ? prospect.growth_gain : prospect.excess_gain;
  return act;
}

void rebalanced(Outlook& outlook, std::int64_t step) noexcept {
  outlook.lasted = static_cast<double>(step - outlook.since);
  outlook.since = step;
  if (std::exchange(outlook.decided, 0) == 0) {  // by somebody else: a new row
    outlook.best_generation = -1;
    outlook.went_back = 0;
  }
  if (outlook.looks == 0 && outlook.rebalances == 0) return;  // the first distribution
  if (outlook.rebalances == 0 && outlook.has_candidate != 0) {
    outlook.residual = outlook.candidate;
    outlook.residual_from = 1;
  }
  outlook.level_before = outlook.level;
  outlook.open = 1;
  ++outlook.rebalances;
  outlook.looks = outlook.recent_looks = outlook.has_candidate = 0;
  outlook.steps = outlook.wasted = outlook.start = outlook.transient = outlook.excess = 0;
  outlook.episode = outlook.episode_peak = 0;
  outlook.lowest = -1;
  outlook.calm_looks = 0;
  outlook.next_epoch = 6;
}

}  // namespace evenkeel
