#include "decide/cost_aware.hpp"

#include "decide/median.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace evenkeel {

namespace {

// The numbers that were chosen; docs/triggers.md and docs/performance.md tell.
constexpr double doubt = 1.2;       // of a shortfall: it may be this many times as large
constexpr double confidence = 1;    // standard errors that x stays below what was measured
constexpr double trust = 1.5;       // in the future: T_max / steps that the run was watched
constexpr double memory_looks = 4;  // over which the ageing of cuts is averaged
constexpr double most_debt = 1.5;   // in costs: above it, x must be
constexpr double caution = 1.5;     // this many times the price,
constexpr double proof = 2;         // and this many costs lost to what can be cured
constexpr double first_patience = 200, most_patience = 3200;  // in costs: until a shortfall is
                                                              // put to the test
constexpr double helped = 0.9;         // of u before: a rebalance that has left more has not helped
constexpr double least_level = 0.005;  // of u: below it, nothing is worth doing

constexpr double endless = std::numeric_limits<double>::max();

bool is_epoch(const LoadSeen& seen) noexcept { return seen.steps > 1; }
double steps_of(const LoadSeen& seen) noexcept { return static_cast<double>(seen.steps); }

template <std::size_t size>
void put_first(std::array<double, size>& latest, double value) noexcept {
  std::shift_right(latest.begin(), latest.end(), 1);
  latest.front() = value;
}

// --- Noise ---------------------------------------------------------------------------------------

// The expected greatest of `count` normal deviates: known for powers of 2, linear between them.
double greatest_of_normals(std::int64_t count) noexcept {
  constexpr std::array<double, 21> known = {0,    0.56, 1.03, 1.42, 1.77, 2.07, 2.34,
                                            2.59, 2.83, 3.04, 3.24, 3.43, 3.62, 3.79,
                                            3.96, 4.12, 4.27, 4.42, 4.56, 4.70, 4.83};
  std::int64_t power = 1;
  for (std::size_t i = 0; i + 1 < known.size(); ++i, power *= 2)
    if (count < 2 * power)
      return known[i] + (known[i + 1] - known[i]) * static_cast<double>(count - power) /
                            static_cast<double>(power);
  return known.back();
}

void learn_variance(Outlook& outlook, const LoadSeen& seen) noexcept {
  constexpr std::int64_t slow = 8;  // looks
  if (!is_epoch(seen)) return;
  outlook.variance_looks = std::min(outlook.variance_looks + 1, slow);
  outlook.variance +=
      (seen.variance - outlook.variance) / static_cast<double>(outlook.variance_looks);
}

// The standard error of a rank's mean load over the epoch, from its scatter from step to step.
double scatter_of(const Outlook& outlook, const LoadSeen& seen) noexcept {
  return is_epoch(seen) ? std::sqrt(outlook.variance / steps_of(seen)) : 0;
}

// The standard deviation of x, from its second differences: they are blind to steady growth, and
// their median is blind to jumps and outliers; for normal deviates it is 0.6745 sqrt(6) standard
// deviations. Epochs also show the scatter from step to step, which growth inflates: the lesser
// counts.
double noise_of(const Outlook& outlook, const LoadSeen& seen) noexcept {
  constexpr double deviations = 0.605;
  const double shown = deviations * detail::median(outlook.bends, outlook.bends_known);
  const double within = scatter_of(outlook, seen);
  if (!is_epoch(seen)) return shown;
  return outlook.bends_known < 3 ? within : std::min(shown, within);
}

// --- How cuts age --------------------------------------------------------------------------------

std::size_t octave_of(double age) noexcept {
  std::size_t octave = 0;
  for (double limit = 2; octave + 1 < Ageing::octaves && age >= limit; limit *= 2) ++octave;
  return octave;
}

void learn_ageing(Ageing& ageing, double age, double level) noexcept {
  const std::size_t octave = octave_of(age);
  ageing.known[octave] = std::min(ageing.known[octave] + 1, memory_looks);
  const double share = 1 / ageing.known[octave];
  ageing.age[octave] += share * (age - ageing.age[octave]);
  ageing.level[octave] += share * (std::max(0.0, level) - ageing.level[octave]);
}

// What was known of cuts that are older than this, and yet more even, is of another time.
void forget_older(Ageing& ageing, double age) noexcept {
  const std::size_t octave = octave_of(age);
  for (std::size_t i = octave + 1; i < Ageing::octaves; ++i)
    if (ageing.level[i] < ageing.level[octave]) ageing.known[i] = 0;
}

struct Aged {
  double level = 0;  // a(T)
  double sum = 0;    // of a(t) from 0 to T
};

// Linear between known ages, and constant beyond the last.
Aged aged(const Ageing& ageing, double until) noexcept {
  Aged all;
  double age = 0;
  for (std::size_t i = 0; i < Ageing::octaves && age < until; ++i) {
    if (ageing.known[i] <= 0 || ageing.age[i] <= age) continue;
    const double end = std::min(until, ageing.age[i]);
    const double slope = (ageing.level[i] - all.level) / (ageing.age[i] - age);
    const double then = all.level + slope * (end - age);
    all.sum += (all.level + then) / 2 * (end - age);
    age = end;
    all.level = then;
  }
  all.sum += all.level * (until - age);
  return all;
}

// Where nothing is foreseen of a fresh cut, it is taken to be even; then only its shortfall counts.
double foreseen(const Outlook& outlook) noexcept { return std::max(0.0, outlook.fresh); }

// How much u grows, by the ageing of the cut in use, from when it was measured until a rebalance
// acts; on average until the rebalance that the next look could lead to.
double growth_ahead(const Outlook& outlook, const LoadSeen& seen) noexcept {
  if (seen.age < 0) return 0;
  const double half = steps_of(seen) / 2;
  const double now = std::max(0.0, seen.age - half);
  const double then = seen.age + static_cast<double>(seen.latency) + half;
  const double level = aged(outlook.ageing, now).level;
  const double growth = std::max(0.0, aged(outlook.ageing, then).level - level);
  if (level <= 0) return growth;
  return growth * std::clamp((seen.level - foreseen(outlook)) / level, 0.0, 1.0);
}

// Learns from cuts made at earlier looks, whether or not they were used. Looks without a survey
// know of none and learn from the cut in use: how much more it has than a fresh one would; or,
// where that was never foreseen, and of the domains that the run began with, than it had itself at
// first.
void follow_ageing(Outlook& outlook, const LoadSeen& seen, double fresh) noexcept {
  bool has_earlier = false;
  for (const auto& [age, level] : seen.earlier) {
    if (age <= 0 || seen.fresh < 0) continue;
    learn_ageing(outlook.ageing, age, level - seen.fresh);
    has_earlier = true;
  }
  if (has_earlier || outlook.left < 0) return;
  const bool is_foreseen = outlook.fresh >= 0 && seen.age >= 0;
  const double age = outlook.steps - steps_of(seen) / 2;
  learn_ageing(outlook.ageing, age, seen.level - (is_foreseen ? fresh : outlook.left));
  // By costs that are guessed, a cut may be uneven from the first; that is not age.
  if (is_foreseen && outlook.misfit_looks > 0) forget_older(outlook.ageing, age);
}

// Learns what a run without any rebalance loses per step.
void follow_first(Outlook& outlook, const LoadSeen& seen) noexcept {
  constexpr std::int64_t slow = 16;  // looks
  const bool is_first =
      outlook.first_generation >= 0 && outlook.first_generation == seen.generation;
  const double first = is_first ? seen.level : seen.first;
  if (first < 0 || seen.fresh < 0) return;
  outlook.first_looks = std::min(outlook.first_looks + 1, slow);
  outlook.first_above +=
      (first - seen.fresh - outlook.first_above) / static_cast<double>(outlook.first_looks);
  outlook.behind_first =
      std::max(0.0, outlook.behind_first + (seen.level - first) * steps_of(seen));
}

// --- What a fresh cut would have -----------------------------------------------------------------

// Cuts by given weights are as wrong as the weights. How wrong these are shows at every look,
// without a trial.
void learn_misfit(Outlook& outlook, const LoadSeen& seen, double floor) noexcept {
  constexpr std::int64_t slow = 8;  // looks
  if (seen.as_weighed < 0) return;
  outlook.misfit_looks = std::min(outlook.misfit_looks + 1, slow);
  outlook.misfit += (seen.level - floor - seen.as_weighed - outlook.misfit) /
                    static_cast<double>(outlook.misfit_looks);
}

// Judges how much more u the last fresh cut has than was foreseen. If each cut misses by as much as
// the one before, so will the next; if the misses get smaller, the next one will be smaller again.
void judge_foresight(Outlook& outlook, const LoadSeen& seen, double floor) noexcept {
  if (std::exchange(outlook.awaits_judgement, 0) == 0) return;
  outlook.left = seen.level;
  const double age = steps_of(seen) + 2 * static_cast<double>(seen.latency);
  const double expected = foreseen(outlook) + floor + aged(outlook.ageing, age).sum / age;
  const double shortfall = std::max(0.0, seen.level - expected);
  if (outlook.last_shortfall > 0) {
    const double ratio = std::min(1.0, shortfall / outlook.last_shortfall);
    outlook.shortfall_ratio = outlook.shortfall_ratio < 0
                                  ? ratio
                                  : outlook.shortfall_ratio + (ratio - outlook.shortfall_ratio) / 2;
  }
  outlook.last_shortfall = shortfall;
  outlook.shortfall = outlook.shortfall_ratio < 0 ? 0 : shortfall * outlook.shortfall_ratio;
  outlook.judged_at = seen.step;
  // One cut that leaves u as it was may be bad luck; two in a row show what cannot be cured.
  const bool is_vain = seen.level >= helped * outlook.left_from;
  outlook.vain = is_vain ? outlook.vain + 1 : 0;
  if (!is_vain) outlook.patience = first_patience;
  if (outlook.vain > 2) outlook.patience = std::min(2 * outlook.patience, most_patience);
  if (outlook.vain >= 2) outlook.shortfall = std::max(0.0, seen.level - foreseen(outlook) - floor);
}

// A shortfall cannot exceed the u that is there to be cured, and is put to the test after a while.
// A single look below it may be noise: only looks in a row make it smaller for good.
double shortfall_now(Outlook& outlook, const LoadSeen& seen, double above) noexcept {
  constexpr double slow = 16;  // looks
  const double age = static_cast<double>(seen.step - outlook.judged_at);
  if (outlook.judged_at < 0 || age > outlook.patience * seen.cost) outlook.shortfall = 0;
  const double most = std::max(0.0, above);
  if (outlook.misfit_looks > 0) return std::clamp(outlook.misfit, 0.0, most);
  outlook.shortfall -= (outlook.shortfall - std::min(outlook.shortfall, most)) / slow;
  return std::min(doubt * outlook.shortfall, most);
}

// --- What it would take off ----------------------------------------------------------------------

void take_in(Outlook& outlook, double curable) noexcept {
  put_first(outlook.curable, curable);
  outlook.curable_looks =
      std::min<std::int64_t>(outlook.curable_looks + 1, std::ssize(outlook.curable));
  if (outlook.curable_looks < 3) return;
  put_first(outlook.bends,
            std::abs(outlook.curable[0] - 2 * outlook.curable[1] + outlook.curable[2]));
  outlook.bends_known = std::min<std::int64_t>(outlook.bends_known + 1, std::ssize(outlook.bends));
}

// The best of several lower bounds: from the last look or, if looks are single steps, from the
// lower of the last two; and from the means of the last 2, 4, 8 and 16 looks, without the greatest
// value from 4 looks on.
double lower_bound_of(const Outlook& outlook, const LoadSeen& seen, double noise) noexcept {
  const auto& latest = outlook.curable;
  const bool epoch = is_epoch(seen), several = outlook.curable_looks >= 2;
  const double low = epoch || !several ? latest[0] : std::min(latest[0], latest[1]);
  const double high = epoch || !several ? latest[0] : std::max(latest[0], latest[1]);
  // Where nothing is foreseen, noise is mistaken more easily for what could be cured.
  const double errors = outlook.fresh < 0 ? 2 * confidence : confidence;
  double bound = epoch || several ? low - errors * noise : 0;  // a single step is no evidence
  double sum = 0, greatest = 0;
  for (std::int64_t looks = 1; looks <= outlook.curable_looks; ++looks) {
    const double curable = latest[static_cast<std::size_t>(looks - 1)];
    const auto count = static_cast<double>(looks);
    sum += curable;
    greatest = std::max(greatest, curable);
    const double error = errors * noise / std::sqrt(count);
    if (looks == 2 && epoch) bound = std::max(bound, sum / count - error);
    if (looks == 4 || looks == 8 || looks == 16)
      bound = std::max(bound, (sum - greatest) / (count - 1) - error);
  }
  return std::min(bound, high + errors * noise);  // what is over is no reason to act
}

double left_of(const LoadSeen& seen) noexcept {
  constexpr double long_run = 1e9;  // steps
  return std::min(long_run, std::max(0.0, seen.left.value_or(long_run)));
}

// g and T.
void find_price(const Outlook& outlook, const LoadSeen& seen, Prospect& prospect) noexcept {
  constexpr double finer = 1.25;
  const double most = std::min(trust * outlook.measured, left_of(seen));
  prospect.price = endless;
  for (double steps = 1; most > 0; steps *= finer) {
    const double until = std::min(steps, most);
    const double lost = aged(outlook.ageing, until).sum;
    const double price = (seen.cost + lost) / until;
    if (price < prospect.price) {
      prospect.price = price;
      prospect.lasts = until;
      prospect.gain = prospect.curable * until - lost - seen.cost;
    }
    if (until >= most) break;
  }
}

// The farther off a rebalance, the longer the epoch. An even load can become uneven at any step,
// but one that has long been even is likely to stay so for a while.
std::int64_t next_epoch_of(Outlook& outlook, const LoadSeen& seen,
                           const Prospect& prospect) noexcept {
  constexpr std::int64_t least = 6, longer = 8, most = 10;
  const bool is_calm = seen.is_even || prospect.curable <= least_level;
  outlook.calm_looks = is_calm ? outlook.calm_looks + 1 : 0;
  if (is_calm) return outlook.calm_looks > 8 ? most : outlook.calm_looks > 4 ? longer : least;
  const double share = prospect.curable / prospect.price;
  return share < 0.3 ? most : share < 0.5 ? longer : least;
}

// --- Going back ----------------------------------------------------------------------------------

struct Earlier {
  double level = endless;
  std::int64_t generation = -1;
};

// Loads that do not follow objects (a slow node) do not come back with them: whether going back has
// helped is seen at the first look after it.
void judge_return(Outlook& outlook, const LoadSeen& seen) noexcept {
  if (outlook.returned_from < 0 || outlook.looks != 1) return;
  if (seen.level > helped * outlook.returned_from) outlook.is_return_vain = 1;
  outlook.returned_from = -1;
}

bool may_go_back_to(std::int64_t generation, const Outlook& outlook,
                    const LoadSeen& seen) noexcept {
  return outlook.is_return_vain == 0 && seen.kept_from >= 0 && generation >= seen.kept_from &&
         generation != seen.generation;
}

// Whether this much less per step pays, for as long as the future is trusted to be like the past.
bool pays_for_itself(double taken_off, const Outlook& outlook, const LoadSeen& seen) noexcept {
  return taken_off * std::min(outlook.measured, left_of(seen)) >= seen.cost;
}

Earlier best_earlier(const Outlook& outlook, const LoadSeen& seen) noexcept {
  Earlier best;
  const auto consider = [&](double level, std::int64_t generation) {
    if (level >= 0 && level < best.level && may_go_back_to(generation, outlook, seen))
      best = {level, generation};
  };
  consider(seen.first, outlook.first_generation);
  consider(seen.previous, outlook.previous_generation);
  return best;
}

// Whether cuts made at the best moments would lose more per step than the first domains have lately
// lost, because the load goes to and fro. False if those are not kept: waiting would not help then.
bool is_outrun(const Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) noexcept {
  constexpr std::int64_t enough = 8;  // looks
  const bool is_kept = seen.kept_from >= 0 && outlook.first_generation >= seen.kept_from;
  return is_kept && outlook.first_looks >= enough && prospect.price > outlook.first_above;
}

// What has been lost against the first domains would have paid for going back to them.
bool is_first_worth_it(const Outlook& outlook, const LoadSeen& seen) noexcept {
  const double taken_off = seen.level - seen.first;
  return seen.first >= 0 && may_go_back_to(outlook.first_generation, outlook, seen) &&
         outlook.behind_first >= seen.cost && pays_for_itself(taken_off, outlook, seen);
}

}  // namespace

Prospect observe(Outlook& outlook, const LoadSeen& seen) noexcept {
  ++outlook.looks;
  outlook.steps += steps_of(seen);
  outlook.measured += steps_of(seen);
  learn_variance(outlook, seen);
  if (seen.fresh >= 0) outlook.fresh = seen.fresh;
  const double floor = scatter_of(outlook, seen) * greatest_of_normals(seen.ranks);
  learn_misfit(outlook, seen, floor);
  judge_foresight(outlook, seen, floor);
  judge_return(outlook, seen);
  follow_first(outlook, seen);

  Prospect prospect;
  prospect.noise = floor;
  const double above = seen.level - foreseen(outlook) - floor;
  prospect.fresh = foreseen(outlook) + floor + shortfall_now(outlook, seen, above);
  follow_ageing(outlook, seen, prospect.fresh);
  take_in(outlook, seen.level - prospect.fresh);
  outlook.lost = std::max(0.0, outlook.lost + outlook.curable[0] * steps_of(seen));
  prospect.growth = growth_ahead(outlook, seen);
  prospect.curable = lower_bound_of(outlook, seen, noise_of(outlook, seen)) + prospect.growth;
  find_price(outlook, seen, prospect);
  outlook.next_epoch = next_epoch_of(outlook, seen, prospect);
  return prospect;
}

Decision judge(Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) noexcept {
  outlook.wanted_generation = -1;
  const auto hold = [&](Reason reason) {
    return Decision{Action::hold, reason, prospect.curable, prospect.price};
  };
  if (seen.level < least_level) return hold(Reason::below_noise);
  const auto go_back = [&](std::int64_t generation, double taken_off) {
    outlook.wanted_generation = generation;
    outlook.left_from = seen.level;
    return Decision{Action::rebalance, Reason::goes_back, taken_off, prospect.price};
  };
  const Earlier earlier = best_earlier(outlook, seen);
  const double taken_off = prospect.curable - prospect.growth + prospect.fresh - earlier.level;
  if (earlier.level < prospect.fresh && taken_off > 0 && pays_for_itself(taken_off, outlook, seen))
    return go_back(earlier.generation, taken_off);
  if (seen.debt > most_debt && is_outrun(outlook, seen, prospect))
    return is_first_worth_it(outlook, seen)
               ? go_back(outlook.first_generation, seen.level - seen.first)
               : hold(Reason::in_debt);
  if (prospect.curable <= 0)
    return hold(seen.level > 2 * prospect.fresh ? Reason::below_noise : Reason::not_curable);
  if (prospect.curable < prospect.price)
    return hold(prospect.curable * left_of(seen) < seen.cost ? Reason::near_end
                                                             : Reason::below_cost);
  if (seen.debt > most_debt &&
      (prospect.curable < caution * prospect.price || outlook.lost < proof * seen.cost))
    return hold(Reason::in_debt);
  outlook.left_from = seen.level;
  return {Action::rebalance, Reason::curable, prospect.curable, prospect.price};
}

void rebalanced(Outlook& outlook, std::int64_t generation_before, std::int64_t generation,
                RebalanceKind kind) noexcept {
  const std::int64_t wanted = std::exchange(outlook.wanted_generation, -1);
  // Domains that are taken again get a new generation.
  if (kind == RebalanceKind::earlier && wanted == outlook.first_generation)
    outlook.first_generation = generation;
  if (generation != generation_before) outlook.previous_generation = generation_before;
  const bool is_cut = kind == RebalanceKind::fresh || kind == RebalanceKind::application;
  outlook.awaits_judgement = is_cut ? 1 : 0;
  outlook.left = -1;
  outlook.returned_from = kind == RebalanceKind::earlier ? outlook.left_from : -1;
  outlook.looks = outlook.curable_looks = outlook.calm_looks = 0;
  outlook.steps = outlook.lost = outlook.behind_first = 0;
  outlook.next_epoch = 6;
}

}  // namespace evenkeel
