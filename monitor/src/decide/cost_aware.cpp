#include "decide/cost_aware.hpp"

#include "decide/interval.hpp"

namespace evenkeel {

namespace {

// The chosen constants; docs/triggers.md and docs/performance.md explain them.
constexpr double doubt = 1.2;          // a shortfall may be this many times the expected one
constexpr double confidence = 1;       // x is the measured value minus this many standard errors
constexpr double trust = 1.5;          // T_max / number of measured steps
constexpr double memory_looks = 4;     // the ageing of cuts is averaged over this many looks
constexpr double most_debt = 1.5;      // in costs of a rebalance; a greater debt demands more:
constexpr double caution = 1.5;        // x must be this many times the price g, and the curable
constexpr double proof = 2;            // imbalance must have lost this many costs of a rebalance,
                                       // and more if the debt is greater
constexpr double patience = 200;       // in costs of a rebalance: after this time a shortfall is
                                       // tested
constexpr double helped = 0.9;         // a rebalance that leaves more than this share of the level
                                       // is in vain
constexpr double least_level = 0.005;  // below this level no action is worthwhile

constexpr double endless = std::numeric_limits<double>::max();

bool is_epoch(const LoadSeen& seen) noexcept { return seen.steps > 1; }
double steps_of(const LoadSeen& seen) noexcept { return static_cast<double>(seen.steps); }

double smoothed(double mean, double seen, double slow) noexcept {
  return mean < not_known ? mean + (seen - mean) / slow : seen;
}

// --- Noise ---------------------------------------------------------------------------------------

// The expected maximum of `count` normal deviates, from a table for powers of 2, linear in between.
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

void learn_variance(Scatter& scatter, const LoadSeen& seen) noexcept {
  constexpr double slow = 4;  // looks
  if (!is_epoch(seen)) return;
  scatter.variance = smoothed(scatter.variance, seen.variance, slow);
}

// The standard error of a rank's mean load over the epoch, from its scatter from step to step.
double scatter_of(const Outlook& outlook, const LoadSeen& seen) noexcept {
  return is_epoch(seen) ? std::sqrt(outlook.scatter.variance / steps_of(seen)) : 0;
}

// The standard deviation of x, from the median of |second differences| of x. Steady growth does not
// change second differences, and jumps and outliers hardly change a median. For normal deviates
// this median is 0.6745 sqrt(6) standard deviations. Epochs of several steps also show the scatter
// from step to step. Growth increases it, so the lesser of the two estimates is used. But if
// objects have changed, the next change may change the level as much as earlier ones, whatever the
// scatter of steps is.
double noise_of(const Outlook& outlook, const LoadSeen& seen) noexcept {
  constexpr double deviations = 0.605;
  const auto& bends = outlook.scatter.bends;
  const auto known = std::ranges::count_if(bends, [](double bend) { return bend < not_known; });
  const double shown = deviations * median(bends, known);
  const double within = scatter_of(outlook, seen);
  if (!is_epoch(seen)) return shown;
  if (known < 3) return within;
  return seen.is_predicted ? shown : std::min(shown, within);
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

// An older cut cannot be more even than a younger one: drops such stale entries.
void forget_older(Ageing& ageing, double age) noexcept {
  const std::size_t octave = octave_of(age);
  for (std::size_t i = octave + 1; i < Ageing::octaves; ++i)
    if (ageing.level[i] < ageing.level[octave]) ageing.known[i] = 0;
}

struct Aged {
  double level = 0;  // a(T)
  double sum = 0;    // of a(t) from 0 to T
};

// a(t) is linear between the known ages, from 0 at age 0, and constant beyond the last known age.
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

// The predicted level of a fresh cut. Without a prediction, a fresh cut is assumed to be even.
double foreseen(const Outlook& outlook) noexcept { return std::max(0.0, outlook.fresh); }

// The growth of the level from the middle of the epoch until a rebalance acts, because the cut in
// use ages. Half an epoch is added, which is the mean delay if this look or the next one leads to
// the rebalance.
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

// Learns from cuts made at earlier looks, whether or not they were used. If there are no such cuts,
// learns from the cut in use, from its level minus the level of a fresh cut. If the level of a
// fresh cut was never predicted, or if the age is unknown, subtracts the first level of the cut in
// use instead.
void follow_ageing(Outlook& outlook, const LoadSeen& seen, double fresh) noexcept {
  bool has_earlier = false;
  for (const auto& [age, level] : seen.earlier) {
    if (age <= 0 || seen.fresh < 0) continue;
    learn_ageing(outlook.ageing, age, level - seen.fresh);
    has_earlier = true;
  }
  if (has_earlier || outlook.left < 0) return;
  const bool is_foreseen = outlook.fresh >= 0 && seen.age >= 0;
  const double age = static_cast<double>(seen.since) - steps_of(seen) / 2;
  learn_ageing(outlook.ageing, age, seen.level - (is_foreseen ? fresh : outlook.left));
  // A cut by wrong costs may be uneven from the start; that is not ageing.
  if (is_foreseen && outlook.shortfall.weighed > 0) forget_older(outlook.ageing, age);
}

// Learns the level of the first domains minus the level of a fresh cut, and the loss against the
// first domains since the last rebalance.
void follow_first(FirstDomains& first, const LoadSeen& seen) noexcept {
  constexpr double slow = 16;  // looks
  const bool is_first = first.generation >= 0 && first.generation == seen.generation;
  const double level = is_first ? seen.level : seen.first;
  if (level < 0 || seen.fresh < 0) return;
  first.above = smoothed(first.above, level - seen.fresh, slow);
  first.behind = std::max(0.0, first.behind + (seen.level - level) * steps_of(seen));
}

// --- The level of a fresh cut --------------------------------------------------------------------

// Cuts by given weights are as wrong as the weights, and every look shows how wrong the weights
// are. So this learns even if no cut is made.
void learn_misfit(Shortfall& shortfall, const LoadSeen& seen, double floor) noexcept {
  constexpr std::int64_t slow = 8;  // looks
  if (seen.as_weighed < 0) return;
  if (shortfall.weighed == 0) shortfall.expected = 0;
  shortfall.weighed = std::min(shortfall.weighed + 1, slow);
  shortfall.expected += (seen.level - floor - seen.as_weighed - shortfall.expected) /
                        static_cast<double>(shortfall.weighed);
}

// Learns the miss of the last fresh cut: its level minus the predicted level. The next cut is
// expected to have the same miss, but at most four times the miss of the cut before, because a
// single miss may be an accident. A part of the miss is ageing and does not count. But if the cut
// has hardly reduced the level, the whole miss counts, because this cut was no better from the
// start.
void judge_cut(Outlook& outlook, const LoadSeen& seen, double floor) noexcept {
  outlook.left = seen.level;
  const double age = steps_of(seen) + 2 * static_cast<double>(seen.latency);
  const bool is_vain = seen.level >= helped * outlook.left_from;
  const double of_age = is_vain ? 0 : aged(outlook.ageing, age).sum / age;
  Shortfall& shortfall = outlook.shortfall;
  const double missed = std::max(0.0, seen.level - foreseen(outlook) - floor - of_age);
  if (shortfall.weighed == 0) shortfall.expected = std::min(missed, 4 * shortfall.last);
  shortfall.last = missed;
}

// Judges whether the last rebalance has helped. If a return to earlier domains did not help, the
// load does not follow objects, for example because a node is slow. Then no other return is tried.
void judge_last(Outlook& outlook, const LoadSeen& seen, double floor) noexcept {
  if (outlook.left == Outlook::new_cut) return judge_cut(outlook, seen, floor);
  if (outlook.left != Outlook::new_return) return;
  outlook.left = Outlook::no_cut;
  if (outlook.left_from >= 0 && seen.level > helped * outlook.left_from) outlook.is_return_vain = 1;
}

// The expected shortfall of a cut now. It cannot exceed `above`, the curable part of the level.
// Long after the last rebalance it is assumed to be 0, so that a cut tests it. A single look with a
// smaller `above` may be noise, so each such look reduces the expected shortfall only a little.
double shortfall_now(Shortfall& shortfall, const LoadSeen& seen, double above) noexcept {
  constexpr double slow = 16;  // looks
  const double most = std::max(0.0, above);
  if (shortfall.weighed > 0) return std::clamp(shortfall.expected, 0.0, most);
  if (static_cast<double>(seen.since) > patience * seen.cost) shortfall.expected = 0;
  shortfall.expected -= (shortfall.expected - std::min(shortfall.expected, most)) / slow;
  return std::min(doubt * shortfall.expected, most);
}

// --- The reduction of the level by a fresh cut ---------------------------------------------------

void take_in(Outlook& outlook, double taken_off, double steps) noexcept {
  auto& [latest, lost] = outlook.curable;
  put_first(latest, taken_off);
  lost = std::max(0.0, lost + taken_off * steps);
  if (latest[2] < not_known)
    put_first(outlook.scatter.bends, std::abs(latest[0] - 2 * latest[1] + latest[2]));
}

// The greatest of several lower bounds of x. One is from the last look or, if epochs are single
// steps, from the lower of the last two looks. The others are from the means over the last 4, 8 and
// 16 looks without their greatest value. If epochs have several steps, one more is from the mean
// over the last 2 looks.
double lower_bound_of(const Outlook& outlook, const LoadSeen& seen, double noise) noexcept {
  const auto& latest = outlook.curable.latest;
  const bool epoch = is_epoch(seen), several = latest[1] < not_known;
  const double low = epoch || !several ? latest[0] : std::min(latest[0], latest[1]);
  const double high = epoch || !several ? latest[0] : std::max(latest[0], latest[1]);
  // Without a predicted level, noise looks more like curable imbalance.
  const double errors = outlook.fresh < 0 ? 2 * confidence : confidence;
  double bound = epoch || several ? low - errors * noise : 0;  // a single step is no evidence
  double sum = 0, greatest = 0, count = 0;
  for (const double curable : latest) {
    if (curable >= not_known) break;
    sum += curable;
    greatest = std::max(greatest, curable);
    ++count;
    const double error = errors * noise / std::sqrt(count);
    if (count == 2 && epoch) bound = std::max(bound, sum / count - error);
    if (count == 4 || count == 8 || count == 16)
      bound = std::max(bound, (sum - greatest) / (count - 1) - error);
  }
  return std::min(bound, high + errors * noise);  // imbalance that has passed is no reason to act
}

double left_of(const LoadSeen& seen) noexcept {
  constexpr double long_run = 1e9;  // steps
  return std::min(long_run, std::max(0.0, seen.left.value_or(long_run)));
}

// --- How long imbalances last --------------------------------------------------------------------

bool has_work_risen(const Imbalances& last) noexcept {
  constexpr double least_rise = 1.15;
  return last.work > least_rise * last.calm_work;
}

// True if the mean load had risen with the last imbalance, and has fallen again. This shows the end
// of the imbalance under any domains, even if the costs of objects are only estimated.
bool has_work_fallen(const Imbalances& last, const LoadSeen& seen) noexcept {
  constexpr double left = 0.25;
  return has_work_risen(last) && seen.work < last.calm_work + left * (last.work - last.calm_work);
}

// True if the domains of the last imbalance are the first ones or those before the last rebalance.
bool are_kept(const Outlook& outlook, const LoadSeen& seen) noexcept {
  const std::int64_t generation = outlook.imbalances.generation;
  return generation == outlook.first.generation || generation == seen.generation - 1;
}

// The state of the last imbalance if its domains are no longer in use: of these domains by weights,
// and otherwise of the work.
bool can_be_seen(const Outlook& outlook, const LoadSeen& seen) noexcept {
  return outlook.shortfall.weighed > 0 ? are_kept(outlook, seen)
                                       : has_work_risen(outlook.imbalances);
}
bool has_passed_since(const Outlook& outlook, const LoadSeen& seen, double even) noexcept {
  const Imbalances& last = outlook.imbalances;
  if (outlook.shortfall.weighed == 0) return has_work_fallen(last, seen);
  const double level = last.generation == seen.generation - 1 ? seen.previous : seen.first;
  return level >= 0 && level - even < last.peak / 2;
}

// An imbalance begins when domains that were calm are no longer so and their level above a fresh
// cut reaches the price. It has passed when this level is less than half of its greatest value. So
// the imbalance that a bad cut leaves does not count. If the level more than doubles, another
// imbalance has begun.
void follow_imbalance(Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) noexcept {
  Imbalances& last = outlook.imbalances;
  const double above = seen.level - prospect.fresh;
  const double middle = static_cast<double>(seen.step) - steps_of(seen) / 2;
  const bool is_in_use = last.generation == seen.generation;
  if (last.began < 0) {
    if (above < prospect.price / 2) {
      const double before = is_in_use ? last.calm_work : 0;
      last.generation = seen.generation;
      last.calm_level = seen.level;
      if (seen.generation == outlook.first.generation) outlook.first.calm_level = seen.level;
      last.calm_work = last.work = std::max(before, seen.work);
    } else if (is_in_use && above >= prospect.price) {
      last.began = middle;
      last.peak = above;
    }
  }
  if (last.began < 0) return;
  if (is_in_use) {
    if (above > 2 * last.peak) last.began = middle;
    last.peak = std::max(last.peak, above);
    last.work = std::max(last.work, seen.work);
  }
  const bool is_lost = !is_in_use && !can_be_seen(outlook, seen);
  const bool has_passed =
      is_in_use ? above < last.peak / 2 : has_passed_since(outlook, seen, prospect.fresh);
  if (has_passed && !is_lost) put_first(last.lengths, middle - last.began);
  if (has_passed || is_lost) last.began = -1;
}

// The steps for which a rebalance now is expected to be of use. The present imbalance is expected
// to last as long as the median of those that have lasted longer. If it has lasted longer than all
// of them, it is expected to last as long again.
// When it has passed, the next look sees this, and the rebalance back takes as long as this one.
// With weights, the account shows whether rebalances lose, so that lengths only count in debt.
double use_of(const Outlook& outlook, const LoadSeen& seen) noexcept {
  const Imbalances& last = outlook.imbalances;
  const bool is_open = last.began >= 0 && last.generation == seen.generation;
  const bool is_safe = outlook.shortfall.weighed > 0 && seen.debt <= most_debt;
  if (!is_open || is_safe || last.lengths[0] >= not_known) return endless;
  const double age = static_cast<double>(seen.step) - last.began;
  auto longer = none_known<8>();
  std::size_t count = 0;
  for (const double length : last.lengths)
    if (length > age && length < not_known) longer[count++] = length;
  std::ranges::sort(longer);
  const double remaining = count > 0 ? longer[(count - 1) / 2] - age : age;
  return remaining - 2 * static_cast<double>(seen.latency) - 1.5 * steps_of(seen);
}

// If the time of use is known, another rebalance will be needed after it.
double cost_of_use(double use, double cost) noexcept { return use < endless ? 2 * cost : cost; }

// --- The price -----------------------------------------------------------------------------------

// Finds g and T, and the gain in T steps. T is at least the time from one rebalance to the next,
// and at most `use`.
void find_price(const Outlook& outlook, const LoadSeen& seen, double use,
                Prospect& prospect) noexcept {
  constexpr double finer = 1.25;
  const double most = std::min({std::max(1.0, use), trust * outlook.measured, left_of(seen)});
  const double cost = cost_of_use(use, seen.cost);
  prospect.price = endless;
  for (double steps = static_cast<double>(seen.latency + seen.steps); most > 0; steps *= finer) {
    const double until = std::min(steps, most);
    const double lost = aged(outlook.ageing, until).sum;
    const double price = (cost + lost) / until;
    if (price < prospect.price) {
      prospect.price = price;
      prospect.lasts = until;
      prospect.gain = prospect.curable * until - lost - cost;
    }
    if (until >= most) break;
  }
}

// Steps of the next epoch; more if a rebalance is unlikely soon. An even load can become uneven at
// any step, but a load that has been even for long is likely to stay even for a while.
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

struct EarlierDomains {
  double level = endless;
  std::int64_t generation = -1;
  bool was_measured = false;  // this level, before an imbalance that has passed
};

bool is_kept(std::int64_t generation, const LoadSeen& seen) noexcept {
  return seen.kept_from >= 0 && generation >= seen.kept_from && generation != seen.generation;
}

bool may_go_back_to(std::int64_t generation, const Outlook& outlook,
                    const LoadSeen& seen) noexcept {
  return outlook.is_return_vain == 0 && is_kept(generation, seen);
}

// True if a reduction of the level by `taken_off` pays for a return before the run ends, while it
// is of use, and within as many steps as have been measured so far. A fresh cut may move less than
// a return.
bool pays_for_itself(double taken_off, const Outlook& outlook, const LoadSeen& seen) noexcept {
  const double use = use_of(outlook, seen), cost = std::max(seen.cost, seen.usual_cost);
  return taken_off * std::min({outlook.measured, left_of(seen), use}) >= cost_of_use(use, cost);
}

// If costs are only estimated, they are wrong after an imbalance that has passed. Then a measured
// level counts more than those of the survey.
EarlierDomains best_earlier(const Outlook& outlook, const LoadSeen& seen) noexcept {
  const Imbalances& last = outlook.imbalances;
  if (outlook.shortfall.weighed == 0 && has_work_fallen(last, seen)) {
    if (are_kept(outlook, seen) && is_kept(last.generation, seen))
      return {last.calm_level, last.generation, true};
    if (outlook.first.calm_level < not_known && is_kept(outlook.first.generation, seen))
      return {outlook.first.calm_level, outlook.first.generation, true};
  }
  EarlierDomains best;
  const auto consider = [&](double level, std::int64_t generation) {
    if (level >= 0 && level < best.level && may_go_back_to(generation, outlook, seen))
      best = {level, generation};
  };
  consider(seen.first, outlook.first.generation);
  consider(seen.previous, seen.generation - 1);
  return best;
}

// True if cuts at the best moments would lose more per step than the first domains have lost
// lately. This happens if the load moves to and fro. False if the run cannot return to the first
// domains.
bool is_outrun(const Outlook& outlook, const LoadSeen& seen, const Prospect& prospect) noexcept {
  const bool can_return = seen.kept_from >= 0 && outlook.first.generation >= seen.kept_from &&
                          (outlook.is_return_vain == 0 || outlook.shortfall.weighed > 0);
  return can_return && prospect.price > outlook.first.above;
}

// True if a return to the first domains pays, and if the loss against the first domains since the
// last rebalance has reached the cost of this return. With weights, the shortfall shows which part
// of the level no domains can cure, even after a return that was in vain.
bool is_first_worth_it(const Outlook& outlook, const LoadSeen& seen) noexcept {
  const bool has_weights = outlook.shortfall.weighed > 0;
  const double incurable = has_weights ? std::max(0.0, outlook.shortfall.expected) : 0;
  const double taken_off = seen.level - incurable - seen.first;
  const std::int64_t first = outlook.first.generation;
  return seen.first >= 0 &&
         (has_weights ? is_kept(first, seen) : may_go_back_to(first, outlook, seen)) &&
         outlook.first.behind >= seen.cost && pays_for_itself(taken_off, outlook, seen);
}

// The loss to curable imbalance, in mean steps, that a rebalance needs in debt. With weights, the
// debt is known, and the loss grows with the debt that there was at the last rebalance.
double proof_needed(const Outlook& outlook, const LoadSeen& seen) noexcept {
  const double before = (seen.debt - outlook.first.behind / seen.cost) / most_debt;
  return proof * seen.cost * (outlook.shortfall.weighed > 0 ? std::clamp(before, 1.0, 3.0) : 1);
}

}  // namespace

Prospect observe(Outlook& outlook, const LoadSeen& seen) noexcept {
  outlook.measured += steps_of(seen);
  learn_variance(outlook.scatter, seen);
  if (seen.fresh >= 0) outlook.fresh = seen.fresh;
  const double floor = scatter_of(outlook, seen) * greatest_of_normals(seen.ranks);
  learn_misfit(outlook.shortfall, seen, floor);
  judge_last(outlook, seen, floor);
  follow_first(outlook.first, seen);

  Prospect prospect;
  prospect.noise = floor;
  const double above = seen.level - foreseen(outlook) - floor;
  prospect.fresh = foreseen(outlook) + floor + shortfall_now(outlook.shortfall, seen, above);
  follow_ageing(outlook, seen, prospect.fresh);
  take_in(outlook, seen.level - prospect.fresh, steps_of(seen));
  prospect.growth = growth_ahead(outlook, seen);
  prospect.curable = lower_bound_of(outlook, seen, noise_of(outlook, seen)) + prospect.growth;
  find_price(outlook, seen, endless, prospect);
  outlook.next_epoch = next_epoch_of(outlook, seen, prospect);
  follow_imbalance(outlook, seen, prospect);
  if (const double use = use_of(outlook, seen); use < endless)
    find_price(outlook, seen, use, prospect);
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
  const EarlierDomains earlier = best_earlier(outlook, seen);
  const double taken_off =
      (earlier.was_measured ? seen.level - prospect.noise
                            : prospect.curable - prospect.growth + prospect.fresh) -
      earlier.level;
  const bool is_in_debt = seen.debt > most_debt, knows_debt = outlook.shortfall.weighed > 0;
  const bool lacks_proof = is_in_debt && outlook.curable.lost < proof_needed(outlook, seen);
  const bool may_try =
      !lacks_proof || !knows_debt || earlier.generation == outlook.first.generation;
  if ((earlier.was_measured || (earlier.level < prospect.fresh && may_try)) && taken_off > 0 &&
      pays_for_itself(taken_off, outlook, seen))
    return go_back(earlier.generation, taken_off);
  const bool is_ahead = is_in_debt && is_outrun(outlook, seen, prospect);
  if ((is_ahead || (is_in_debt && knows_debt)) && is_first_worth_it(outlook, seen))
    return go_back(outlook.first.generation, seen.level - seen.first);
  if (is_ahead) return hold(Reason::in_debt);
  if (prospect.curable <= 0)
    return hold(seen.level > 2 * prospect.fresh ? Reason::below_noise : Reason::not_curable);
  if (prospect.curable < prospect.price)
    return hold(prospect.curable * left_of(seen) < seen.cost ? Reason::near_end
                                                             : Reason::below_cost);
  if (is_in_debt && (prospect.curable < caution * prospect.price || lacks_proof))
    return hold(Reason::in_debt);
  outlook.left_from = seen.level;
  return {Action::rebalance, Reason::curable, prospect.curable, prospect.price};
}

void take_new_speeds(Outlook& outlook) noexcept {
  if (outlook.left < 0) outlook.left = Outlook::no_cut;
  outlook.shortfall = {};
  outlook.curable = {};
  outlook.is_return_vain = 0;
}

void rebalanced(Outlook& outlook, std::int64_t generation, RebalanceKind kind) noexcept {
  const std::int64_t wanted = std::exchange(outlook.wanted_generation, -1);
  // Domains to which the run returns get a new generation.
  const bool is_return = kind == RebalanceKind::earlier;
  if (is_return && wanted == outlook.first.generation) outlook.first.generation = generation;
  if (is_return && wanted == outlook.imbalances.generation)
    outlook.imbalances.generation = generation;
  const bool is_cut = kind == RebalanceKind::fresh || kind == RebalanceKind::application;
  outlook.left = is_cut ? Outlook::new_cut : is_return ? Outlook::new_return : Outlook::no_cut;
  outlook.calm_looks = 0;
  outlook.curable = {};
  outlook.first.behind = 0;
  outlook.next_epoch = 6;
}

}  // namespace evenkeel
