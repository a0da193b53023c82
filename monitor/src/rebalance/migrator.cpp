#include "rebalance/migrator.hpp"
#include "rebalance/stage.hpp"

#include "options/place_options.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/field/staging.hpp>

#include <limits>

namespace evenkeel {

namespace {

bool have_payloads(std::span<const Set> sets) {
  return std::any_of(sets.begin(), sets.end(),
                     [](const Set& set) { return !set.payloads().empty(); });
}

}  // namespace

// If there are groups, pins or payloads, the plan is made as in a rebalance.
MoveReport Migrator::migrate(std::span<const Set> given, std::int64_t step) {
  StageTimes times("evenkeel::migrate");
  Arrival here;
  const Status ready = arrive(given, step, times, here);
  const AgreedSets agreed = agreed_by(parts_.ranks, ready, here);
  times.end();
  // If domains own objects and not places, no object can stray.
  if (!own_places(parts_.domains.present())) return parts_.domains.nothing_moved();
  parts_.records.note_migration();
  const Plan who = agreed.bound || have_payloads(here.sets) ? plan_in_order(here.sets, agreed)
                                                            : plan_few(here.sets);
  times.end();
  MoveReport report;
  if (!who.empty())
    report = parts_.mover.carry_out(who, here.sets, agreed.shapes, times.take(), step);
  report.forgotten = agreed.costs.forgotten;
  parts_.costs.clear_forgotten();
  parts_.domains.report(parts_.domains.shared(), report);
  if (!who.empty() && agreed.hooked) parts_.mover.run_after(report);
  return report;
}

// Local. Makes the sets carry known costs, and prepares the statement of this rank. Returns the
// failure, if there is one.
Status Migrator::arrive(std::span<const Set> given, std::int64_t step, StageTimes& times,
                        Arrival& into) try {
  times.reserve({"agree", "plan"});
  require_use("migrate", given);
  const Domains& domains = parts_.domains.present();
  if (parts_of(domains) == 0)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "migrate was called before there were domains.",
                "Call rebalance first, which makes domains, or adopt.");
  check_each(given);  // this comes first, so that no memory is allocated for a wrong count
  into.sets.assign(given.begin(), given.end());
  parts_.records.begin_migration();
  parts_.costs.travel_with(into.sets, parts_.records);
  into.mine.costs.forgotten = parts_.costs.forgotten();
  state(into, step, generation_of(domains), parts_.mover.hooks().any_after());
  return {};
} catch (...) {
  return Status::from_current_exception(stage_name);
}

Plan Migrator::plan_few(std::span<const Set> sets) {
  const DomainHistory& domains = parts_.domains;
  std::vector<Strays> strays;
  const Status found = attempt(stage_name, [&] {
    if (parts_.options.wrap) wrap(sets, box_of(domains.present()), parts_.options.periodic);
    strays.reserve(sets.size());
    for (const Set& set : sets)
      strays.push_back(home_.domain(domains.shared(), parts_.ranks.rank(), set).strays_of(set));
  });
  return plan_strays({parts_.ranks, found}, strays, sets);
}

Plan Migrator::plan_in_order(std::span<const Set> sets, const AgreedSets& agreed) const {
  const Domains& domains = parts_.domains.present();
  static_cast<void>(bounds(parts_.ranks, sets));  // refuses NaNs
  const Region region = {dimensions_of(agreed.shapes, domains), box_of(domains), agreed.bound};
  std::vector<std::span<const double>> weights;
  PlaceOptions how = {.method = method_in_use(parts_.options.method, domains)};
  const Status wrapped = attempt(stage_name, [&] {
    weights.resize(sets.size());
    how = place_options_of(parts_.options, domains);
    if (parts_.options.wrap) wrap(sets, region.box, parts_.options.periodic);
  });
  Prepared prepared = prepare(parts_.ranks, wrapped, sets, region, how);
  constexpr double however_even = std::numeric_limits<double>::max();
  Assignment assignment =
      place(parts_.ranks, Status(), prepared, weights, EvenGoal{however_even}, domains);
  return plan(parts_.ranks, std::move(prepared), std::move(assignment));
}

}  // namespace evenkeel
