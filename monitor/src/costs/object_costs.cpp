#include "costs/object_costs.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/field/staging.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights.hpp>

#include <cmath>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/balancer";

bool is_weighted(const Set& set) { return set.options().weight.given(); }

bool any_weighted(std::span<const Set> sets) {
  return std::any_of(sets.begin(), sets.end(), &is_weighted);
}

// True if the set has no weights, but the application has given costs of types. If nothing is
// learned, these are the weights.
bool has_type_costs(const Set& set) {
  return !is_weighted(set) && set.options().type.given() && !set.options().type_costs.empty();
}

exec::Array<double> weights_of_types(const Space& space, const Set& set) {
  PerColumn costs;
  std::copy(set.options().type_costs.begin(), set.options().type_costs.end(), costs.types.begin());
  return costs_of(space, set, costs);
}

// True if costs can be fitted to the load of this rank. The times of chunks are better than a fit.
bool can_be_fitted(std::span<const Set> sets, const RankMeasurements& measured) {
  return measured.stretches.empty() && (measured.first > 0 || objects_in(sets) == 0);
}

// Kokkos may have ended. So this does not use Kokkos for a set without weights and without costs of
// types.
double weight_of(const Set& set) {
  if (!has_type_costs(set) && !is_weighted(set)) return static_cast<double>(set.count());
  const Space space = Space::where(set.position().memory);
  if (has_type_costs(set)) return sum_of(weights_of_types(space, set));
  return sum_of(given_weights(space, set));
}

}  // namespace

void CostStatement::add(const CostStatement& other) noexcept {
  load += other.load;
  expected += other.expected;
  objects += other.objects;
  forgotten += other.forgotten;
  fits += other.fits;
  work.add(other.work);
}

AgreedCosts agreed_from(const CostStatement& mine, const CostStatement& all, int ranks) {
  AgreedCosts agreed;
  agreed.mine = static_cast<double>(mine.load);
  if (all.objects > 0)
    agreed.mean_per_object = static_cast<double>(all.load) / static_cast<double>(all.objects);
  if (all.expected > 0)
    agreed.expected = static_cast<double>(mine.expected) * static_cast<double>(all.load) /
                      static_cast<double>(all.expected);
  agreed.forgotten = all.forgotten;
  agreed.fits = all.fits == ranks;
  agreed.work = all.work;
  return agreed;
}

std::int64_t objects_in(std::span<const Set> sets) {
  std::int64_t objects = 0;
  try {
    for (const Set& set : sets) objects += std::max<std::int64_t>(0, set.count());
  } catch (...) {  // the rest does not count
  }
  return objects;
}

double weight_of(std::span<const Set> sets) {
  double weight = 0;
  try {
    for (const Set& set : sets) weight += weight_of(set);
  } catch (...) {  // the rest does not count
  }
  return weight;
}

bool has_amounts(std::span<const Set> sets) {
  return std::any_of(sets.begin(), sets.end(),
                     [](const Set& set) { return has_type_costs(set) || is_weighted(set); });
}

bool ObjectCosts::learns_types(std::span<const Set> sets) const {
  return may_learn_types_ && WorkCosts::are_told(sets) && !any_weighted(sets);
}

// --- At looks ------------------------------------------------------------------------------------

// Skips the count if it would take too much time. If the last look before a rebalance has skipped
// it, the rebalance counts.
void ObjectCosts::observe(std::span<const Set> sets, const RankMeasurements& measured,
                          const Now& now) {
  constexpr std::int64_t share = 1000;
  if (!learns_types(sets)) return;
  counting_.is_owed = (now() - counting_.ended_at) / share < counting_.took;
  if (counting_.is_owed) return;
  static_cast<void>(attempt(stage_name, [&] { count(sets, measured, now); }));
}

void ObjectCosts::count(std::span<const Set> sets, const RankMeasurements& measured,
                        const Now& now) {
  const std::int64_t began = now();
  counting_.is_owed = false;
  check_each(sets);
  work_.observe(space_for(sets), sets, measured.kernels, measured.kernel_options, measured.speed);
  counting_.ended_at = now();
  counting_.took = counting_.ended_at - began;
}

std::int64_t ObjectCosts::refresh(const Communicator& ranks, std::span<const Set> sets,
                                  const RankMeasurements& measured, RankRecords& records,
                                  const Now& now) {
  const bool is_typed = learns_ && work_.is_built();
  if (is_typed) static_cast<void>(work_.fit(ranks));
  const std::int64_t began = now();
  const bool are_known = of_sets().size() == sets.size();
  const bool may_know_better = learned_.has_keys() || !measured.stretches.empty() || is_typed;
  if (are_known && may_know_better)
    static_cast<void>(
        attempt(stage_name, [&] { bring_up_to_date(sets, measured, records, ranks.size()); }));
  const std::int64_t took = now() - began;
  if (learns_ && !is_typed && refit_.is_due()) fit_last_move(ranks, sets, measured, records);
  return took;
}

void ObjectCosts::bring_up_to_date(std::span<const Set> sets, const RankMeasurements& measured,
                                   RankRecords& records, int ranks) {
  check_each(sets);
  const Space space = space_for(sets);
  if (!learns_) return learned_.follow_records(space, sets, records);
  if (learned_.has_keys()) forgotten_ += learned_.follow(space, sets, records);
  if (work_.is_built() && work_.are_known()) {
    tell_(work_.table(ranks));
    learned_.renew(space, sets, work_);
  }
  const double cost = static_cast<double>(measured.load) * measured.speed;
  learned_.refresh(sets, cost, {measured.stretches, measured.speed});
}

// Collective. If all ranks can, fits the costs of objects to the loads before and after the last
// move.
void ObjectCosts::fit_last_move(const Communicator& ranks, std::span<const Set> sets,
                                const RankMeasurements& measured, const RankRecords& records) {
  bool fits = false;
  static_cast<void>(attempt(stage_name, [&] {
    check_each(sets);
    fits = can_be_fitted(sets, measured) && prepare_fit(ranks.size(), sets, records);
  }));
  const bool all_fit = ranks.all_reduce(std::int64_t{fits ? 1 : 0}, Reduction::least) != 0;
  if (all_fit) {
    refit_.fit(ranks, measured.first * measured.speed);
    static_cast<void>(attempt(stage_name, [&] { refit_.apply(of_sets()); }));
  }
  refit_.give_back();
  refit_.note_done();
}

// Returns false if the costs or the records of some objects are not known.
bool ObjectCosts::prepare_fit(int ranks, std::span<const Set> sets, const RankRecords& records) {
  if (forgotten_ != 0 || of_sets().size() != sets.size()) return false;
  CostRefit::Records known;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (of_sets()[s].size() != sets[s].count()) return false;
    known.push_back(records.of_last_rebalance(s, sets[s].count()));
  }
  return refit_.prepare(ranks, std::move(known), of_sets());
}

// --- In a rebalance ------------------------------------------------------------------------------

CostStatement ObjectCosts::arrive(const Space& space, std::span<Set> sets, RankRecords& records,
                                  const RankMeasurements& measured, int ranks, const Now& now) {
  can_fit_ = false;
  would_learn_ = may_learn_ && !any_weighted(sets);
  learned_.resize(sets.size());
  if (!would_learn_) {
    learned_.follow_records(space, sets, records);
    return statement(space, sets, measured);
  }
  forgotten_ += learned_.follow(space, sets, records);
  if (learns_types(sets)) {
    if (counting_.is_owed) count(sets, measured, now);
    if (work_.are_known()) learned_.renew(space, sets, work_);
  }
  can_fit_ = prepare_fit(ranks, sets, records);
  learned_.travel_with(sets);
  return statement(space, sets, measured);
}

CostStatement ObjectCosts::statement(const Space& space, std::span<const Set> sets,
                                     const RankMeasurements& measured) const {
  CostStatement mine;
  mine.objects = objects_in(sets);
  mine.load = measured.speed == 1
                  ? measured.load
                  : std::llround(static_cast<double>(measured.load) * measured.speed);
  mine.expected = learned_.expected();
  mine.forgotten = forgotten_;
  mine.fits = can_fit_ && can_be_fitted(sets, measured) ? 1 : 0;
  if (would_learn_ && learns_types(sets))
    mine.work = work_.known(space, sets, measured.kernel_options);
  return mine;
}

void ObjectCosts::fit(const Communicator& ranks, std::span<const Set> sets,
                      const AgreedCosts& agreed, const RankMeasurements& measured,
                      const CostTable& earlier) {
  learned_.note_mean(agreed.mean_per_object);
  learns_ = would_learn_;  // the same on all ranks, since they have weights for the same sets
  if (learns_ && agreed.is_typed && !agreed.work.empty())
    vote(ranks, fit_types(ranks, sets, agreed.work, earlier));
  if (agreed.fits) refit_.fit(ranks, measured.first * measured.speed);
}

// Collective, if all ranks have types. Returns the failure of this rank, if there is one.
Status ObjectCosts::fit_types(const Communicator& ranks, std::span<const Set> sets,
                              const AgreedWork& agreed, const CostTable& earlier) {
  const exec::Region shown("evenkeel::fit_types");
  const Status built = attempt(stage_name, [&] {
    work_.expect(earlier);
    work_.build(sets, agreed);
  });
  try {
    vote(ranks, built);
  } catch (...) {  // refresh() will fit these models, so all ranks need the same ones
    work_.forget();
    throw;
  }
  Status fitted = work_.fit(ranks);
  if (!fitted.ok()) return fitted;
  return attempt(stage_name, [&] {
    if (!work_.are_known()) return;
    tell_(work_.table(ranks.size()));
    learned_.renew(space_for(sets), sets, work_);
    refit_.restart(of_sets());
  });
}

ObjectWeights ObjectCosts::weigh(std::span<const Set> sets, const AgreedCosts& agreed,
                                 const RankMeasurements& measured) {
  const exec::Region shown("evenkeel::weigh");
  const Space space = space_for(sets);
  ObjectWeights all;
  all.given.resize(sets.size());
  if (learns_) {
    learn(space, sets, agreed, measured);
    for (const exec::Array<double>& costs : of_sets()) all.of_sets.push_back(costs.span());
    return all;
  }
  const bool in_seconds = std::any_of(sets.begin(), sets.end(), [](const Set& set) {
    return is_weighted(set) && set.options().weight.in_seconds();
  });
  for (std::size_t s = 0; s < sets.size(); ++s) {
    exec::Array<double>& weights = all.given[s];
    if (is_weighted(sets[s]))
      weights = given_weights(space, sets[s]);
    else if (has_type_costs(sets[s]))
      weights = weights_of_types(space, sets[s]);
    else if (in_seconds)
      weights = exec::filled(space, "evenkeel::balancer::mean", sets[s].count(),
                             std::max(agreed.mean_per_object, 1.0) * 1e-9);
    all.of_sets.push_back(weights.span());
  }
  return all;
}

void ObjectCosts::learn(const Space& space, std::span<const Set> sets, const AgreedCosts& agreed,
                        const RankMeasurements& measured) {
  const double last = measured.last * measured.speed;
  refit_.note_load(last, agreed.mean_per_object > 0);
  if (agreed.fits) refit_.apply(of_sets());
  const CostEvidence evidence = {
      agreed.mine, last, agreed.mean_per_object, {measured.stretches, measured.speed}};
  if (learned_.is_typed()) return learned_.learn_by_type(sets, evidence, work_);
  // Fitted costs explain the load of the first epoch. If they predict the load of the last epoch
  // well, the objects have changed little since then.
  const double followed = agreed.fits ? LearnedCosts::share_followed(last, refit_.first_load())
                                      : LearnedCosts::share_followed(agreed.mine, agreed.expected);
  learned_.learn(space, sets, evidence, followed);
}

// If the keys cannot be stored, costs cannot be matched to objects later, and will be forgotten.
void ObjectCosts::note_move(std::span<const Set> sets) {
  learned_.note_move();
  work_.note_move();
  if (of_sets().size() == sets.size())
    static_cast<void>(attempt(stage_name, [&] { learned_.note_keys(space_for(sets), sets); }));
}

void ObjectCosts::keep(bool moved) noexcept {
  learned_.keep();
  refit_.keep(moved);
  forgotten_ = 0;
}

void ObjectCosts::give_back() noexcept {
  learned_.give_back();
  refit_.give_back();
}

// --- In a migration ------------------------------------------------------------------------------

void ObjectCosts::travel_with(std::span<Set> sets, RankRecords& records) {
  if (!learns_ || of_sets().size() != sets.size()) return;
  forgotten_ += learned_.follow(space_for(sets), sets, records);
  learned_.travel_with(sets);
  if (refit_.is_due()) records.migrate_with(space_for(sets), sets);
}

}  // namespace evenkeel
