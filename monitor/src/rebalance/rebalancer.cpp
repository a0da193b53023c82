#include "rebalance/rebalancer.hpp"
#include "rebalance/stage.hpp"

#include "options/place_options.hpp"
#include "rebalance/domain_sections.hpp"
#include "rebalance/method_choice.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/field/staging.hpp>
#include <evenkeel/core/weights.hpp>

#include <bit>
#include <limits>

namespace evenkeel {

namespace {

// Present domains with at most this lambda are kept. A rebalance may pay for itself below the
// target of the options, but a graph is not cut more evenly than its method says.
double kept_lambda(const Options& options, const Advice& advice) {
  if (!(advice.even_enough > 0)) return options.target_lambda;
  const auto* const graph = std::get_if<ByGraph>(&options.method);
  const double least = graph != nullptr ? graph->target_lambda : 1;
  return std::min(options.target_lambda, std::max(advice.even_enough, least));
}

// Owns the memory of data that moves with objects. At the end of the rebalance, also after an
// Error, the destructor frees memory that is no longer in use.
class Companions {
 public:
  explicit Companions(const BalancerParts& parts) : parts_(parts) {}
  Companions(const Companions&) = delete;
  Companions& operator=(const Companions&) = delete;
  ~Companions() {
    parts_.records.give_back();
    parts_.costs.give_back();
  }

 private:
  const BalancerParts& parts_;
};

// The shift by the load of this rank, if a shift was advised.
std::optional<ShiftBy> shift_of(const Occasion& occasion, double mine) {
  const Advice& advice = occasion.advice;
  if (!(advice.shift_penalty > 0)) return std::nullopt;
  const RankMeasurements& measured = occasion.measured;
  return ShiftBy{advice.shift_penalty,
                 advice.shifts_by_last_epoch ? measured.last * measured.speed : mine};
}

}  // namespace

Rebalanced Rebalancer::rebalance(std::span<const Set> given, const Occasion& occasion) {
  StageTimes times("evenkeel::rebalance");
  const Companions companions(parts_);
  Arrival here;
  const Status ready = arrive(given, occasion, times, here);
  const AgreedSets agreed = agreed_by(parts_.ranks, ready, here);
  parts_.costs.fit(parts_.ranks, here.sets, agreed.costs, occasion.measured,
                   occasion.earlier_costs);
  // All ranks have arrived. The cost is measured from here, so it does not include the wait for the
  // slowest rank.
  const std::int64_t began = now_();
  const int dimensions = dimensions_of(agreed.shapes, parts_.domains.present());
  if (dimensions == 0) return {parts_.domains.nothing_moved()};
  const Region region = {dimensions, box_around(here.sets), agreed.bound};
  times.end();
  ObjectWeights weights, bytes;
  PlaceOptions how;
  const Status weighed = attempt(stage_name, [&] {
    if (parts_.options.wrap) wrap(here.sets, region.box, parts_.options.periodic);
    weights = parts_.costs.weigh(here.sets, agreed.costs, occasion.measured);
    bytes = bytes_of(here.sets);
    how = place_options_of(parts_.options, parts_.domains.present());
  });
  how.method = method_now(weighed, here.sets, region, weights, agreed.costs, occasion);
  times.end();
  Prepared prepared = prepare(parts_.ranks, weighed, here.sets, region, how);
  times.end();
  Assignment assignment;
  const PlaceLimits within = limits(bytes, occasion.advice.frees_memory);
  Choice chosen = choose(prepared, weights, agreed.costs, occasion, within, assignment);
  times.end();
  const Plan who = plan(parts_.ranks, std::move(prepared), std::move(assignment));
  times.end();
  Rebalanced done;
  done.report = parts_.mover.carry_out(who, here.sets, agreed.shapes, times.take(), occasion.step);
  done.report.forgotten = agreed.costs.forgotten;
  parts_.memory.rebalanced(occasion.step, done.report.moved);
  done.outcome = adopt(std::move(chosen), occasion, began, done.report);
  done.is_whole = !agreed.states_bytes;
  done.runs_hooks = agreed.hooked && (done.report.moved || done.report.has_new_domains());
  return done;
}

// Local. Makes the sets carry records and costs, and prepares the statement of this rank. Returns
// the failure, if there is one.
Status Rebalancer::arrive(std::span<const Set> given, const Occasion& occasion, StageTimes& times,
                          Arrival& into) try {
  const exec::Region shown("evenkeel::agree");
  times.reserve({"agree", "weigh", "order", "cut", "plan"});
  require_use("rebalance", given);
  // This comes first, so that no memory is allocated for a wrong count.
  Status checked = attempt("core/migrate", [&] { check_each(given); });
  if (!checked.ok()) return checked;
  into.sets.assign(given.begin(), given.end());
  std::vector<Set>& sets = into.sets;
  const Space space = space_for(sets);
  const int ranks = parts_.ranks.size();
  parts_.records.begin_rebalance(parts_.domains.shared(), sets.size(), !occasion.has_begun);
  into.mine.costs =
      parts_.costs.arrive(space, sets, parts_.records, occasion.measured, ranks, now_);
  if (occasion.has_begun && ranks > 1) parts_.records.travel_with(space, sets);
  state(into, occasion.step, parts_.domains.generation(), parts_.mover.hooks().any_after());
  return {};
} catch (...) {
  return Status::from_current_exception(stage_name);
}

// Collective.
Box Rebalancer::box_around(std::span<const Set> sets) {
  const exec::Region shown("evenkeel::box");
  const Bounds found = bounds(parts_.ranks, sets);
  const Options& options = parts_.options;
  if (options.box) {
    require_inside(*options.box, options.periodic, found);
    return *options.box;
  }
  std::optional<Box> kept;
  const Domains& present = parts_.domains.present();
  if (parts_of(present) > 0 && !crowding_.takes_new_box()) kept = box_of(present);
  const MeasuredBox measured = measure_box(parts_.ranks, sets, kept, found);
  warn([&] { return crowding_.of_box(measured, found.dimensions); });
  return measured.box;
}

// Collective if the method is to be chosen.
Method Rebalancer::method_now(const Status& status, std::span<const Set> sets, const Region& region,
                              const ObjectWeights& weights, const AgreedCosts& agreed,
                              const Occasion& occasion) {
  const Options& options = parts_.options;
  const Domains& present = parts_.domains.present();
  const MovingCosts& moves = parts_.mover.costs_of_moves();
  Method method = method_in_use(options.method, present);
  const std::int64_t next = parts_.domains.generation() + 1;
  if (occasion.advice.back_to < 0 && next != chosen_for_ && is_choice_due(options, next)) {
    ChosenMethod chosen = choose_method({parts_.ranks, options, sets, region, weights.of_sets,
                                         present, agreed, occasion.measured, moves, occasion.step},
                                        status);
    method = chosen.method;
    chosen_for_ = next;
    if (!chosen.told.empty()) log_.note(chosen.told);
  }
  auto* const graph = std::get_if<ByGraph>(&method);
  if (graph != nullptr && !options.deterministic) *graph = moves.priced(*graph);
  return method;
}

// Collective.
Rebalancer::Choice Rebalancer::choose(const Prepared& prepared, const ObjectWeights& weights,
                                      const AgreedCosts& agreed, const Occasion& occasion,
                                      const PlaceLimits& limits, Assignment& into) {
  const std::int64_t back_to = occasion.advice.back_to;
  const std::optional<ShiftBy> shift = shift_of(occasion, agreed.mine);
  std::optional<Allowed> earlier = take_again(prepared, weights.of_sets, limits, back_to);
  Choice chosen;
  if (earlier) chosen.back_to = back_to;
  PlacedByPhases found =
      earlier ? PlacedByPhases{std::move(*earlier), {}}
              : place_anew(prepared, weights, parts_.costs.phases(agreed),
                           {kept_lambda(parts_.options, occasion.advice), shift}, limits);
  into = std::move(found.allowed.assignment);
  if (parts_.memory.is_limited()) {
    chosen.is_held_back = found.allowed.is_held_back;
    parts_.memory.judge(parts_.ranks.rank(), found.allowed.bytes,
                        parts_of(parts_.domains.present()) == 0);
  }
  // With several phases, crowded cells need not be the cause of an uneven cut.
  if (found.loads.phases.empty())
    look_for_crowds(prepared, into);
  else
    chosen.phases = std::move(found.loads);
  chosen.is_changed = into.is_changed;
  chosen.lambda = into.lambda;
  chosen.refused = found.allowed.refused;
  chosen.is_shifted = shift && (into.is_shifted || !into.is_changed);
  const Status copied =
      attempt(stage_name, [&] { chosen.domains = std::make_shared<const Domains>(into.domains); });
  if (into.status.ok()) into.status = copied;
  return chosen;
}

// Collective. Returns the assignment by the domains of an earlier generation. It is empty, on all
// ranks, if these domains are no longer kept, have another box, or would leave a rank with too few
// objects or too little memory.
std::optional<Allowed> Rebalancer::take_again(const Prepared& prepared, Weights weights,
                                              const PlaceLimits& limits, std::int64_t generation) {
  const std::int64_t least = limits.least_objects;
  const Domains* const kept = parts_.domains.find(generation, parts_.records);
  if (kept == nullptr || !own_places(*kept) || !(box_of(*kept) == prepared.region.box))
    return std::nullopt;
  constexpr double however_even = std::numeric_limits<double>::max();
  Domains earlier;
  vote(parts_.ranks,
       attempt(stage_name, [&] { earlier = renumbered(*kept, parts_.domains.generation()); }));
  Allowed found{
      place(parts_.ranks, Status(), prepared, weights, EvenGoal{however_even}, earlier, least > 0)};
  if (least > 0 && found.assignment.fewest_objects < least) return std::nullopt;
  if (!limits.memory.empty()) measure_bytes(parts_.ranks, prepared, limits, found);
  if (found.fullest.share() > limits.most_share) return std::nullopt;
  found.assignment.is_changed = true;
  return found;
}

// Collective. Cuts for several phases at once if the costs of objects are known for at least two
// phases, and if the method cuts along a curve or by a graph. Otherwise, and along a curve for
// ranks of different speeds, cuts by one weight. With several phases, a new cut replaces a shift,
// which would use the load summed over phases.
PlacedByPhases Rebalancer::place_anew(const Prepared& prepared, const ObjectWeights& weights,
                                      std::uint32_t phases, const CurveGoal& goal,
                                      const PlaceLimits& limits) {
  const Options& options = parts_.options;
  const Domains& last = parts_.domains.present();
  const Method& method = prepared.options.method;
  const bool are_equal = unless_equal(options.speeds).empty();
  const bool takes_phases = (places_along_curve(method) && are_equal) || places_by_graph(method);
  if (std::popcount(phases) < 2 || !takes_phases)
    return {place_allowed(parts_.ranks, Status(), prepared, weights.of_sets, goal, limits, last),
            {}};
  LearnedCosts::ByPhase arrays;
  std::vector<std::vector<std::span<const double>>> costs;
  const Status listed = attempt(stage_name, [&] {
    arrays = parts_.costs.by_phase(prepared.space, prepared.sets);
    costs.resize(prepared.sets.size());
    for (std::size_t s = 0; s < costs.size(); ++s)
      for (const exec::Array<double>& of_phase : arrays[s]) costs[s].push_back(of_phase.span());
  });
  return place_phases(parts_.ranks, listed, prepared, costs, std::popcount(phases),
                      goal.target_lambda, limits, last);
}

ObjectWeights Rebalancer::bytes_of(std::span<const Set> sets) const {
  ObjectWeights bytes;
  if (!parts_.memory.is_limited()) return bytes;
  const Space space = space_for(sets);
  for (const Set& set : sets) {
    bytes.given.push_back(bytes_of_objects(space, set));
    bytes.of_sets.push_back(bytes.given.back().span());
  }
  return bytes;
}

// Collective if memory is limited. The result refers to `bytes`.
PlaceLimits Rebalancer::limits(const ObjectWeights& bytes, bool frees_memory) const {
  PlaceLimits limits{.least_objects = parts_.options.least_objects};
  if (!parts_.memory.is_limited()) return limits;
  limits.memory = parts_.memory.limits();
  limits.bytes = bytes.of_sets;
  double here = 0;
  vote(parts_.ranks, attempt(stage_name, [&] {
         for (const exec::Array<double>& of_set : bytes.given) here += sum_of(of_set);
       }));
  limits.most_share = parts_.memory.most_share(parts_.ranks, here, frees_memory);
  return limits;
}

// Communicates only if the cut is less even than it should be; this is the same on all ranks.
void Rebalancer::look_for_crowds(const Prepared& prepared, const Assignment& assignment) {
  const double target = parts_.options.target_lambda;
  const bool is_along_curve = places_along_curve(prepared.options.method);
  warn([&] { return crowding_.of_mesh(assignment, target); });
  if (!crowding_.is_suspected(is_along_curve, assignment.lambda, target)) return;
  const CrowdedCell crowd = most_crowded_cell(parts_.ranks, assignment.status, prepared);
  warn([&] { return crowding_.of_cells(crowd, assignment); });
}

// If memory runs out, the warning is lost.
template <class Text>
void Rebalancer::warn(const Text& text_of) {
  static_cast<void>(attempt(stage_name, [&] {
    if (const std::string text = text_of(); !text.empty()) log_.warn(text);
  }));
}

// Makes the chosen domains the present ones, and reports the outcome. If all objects are already on
// the ranks that own them under a new cut, the domains change but nothing moves.
Outcome Rebalancer::adopt(Choice chosen, const Occasion& occasion, std::int64_t began,
                          MoveReport& report) {
  DomainHistory& domains = parts_.domains;
  Outcome outcome;
  outcome.moved = report.moved || chosen.is_changed;
  const std::shared_ptr<const Domains> last = domains.shared();
  if (outcome.moved) {
    parts_.records.end_rebalance(chosen.back_to, generation_of(*chosen.domains));
    domains.adopt(std::move(chosen.domains), occasion.best_generation);
  }
  parts_.costs.keep(outcome.moved);
  domains.note_lambda(chosen.lambda, chosen.phases.has_value() || chosen.is_held_back);
  domains.report(last, report);
  report.lambda = chosen.lambda;
  report.refused = chosen.refused;
  outcome.objects_moved = report.objects;
  outcome.bytes_moved = report.bytes;
  outcome.seconds = static_cast<double>(now_() - began) * 1e-9;
  outcome.lambda = chosen.lambda;
  outcome.earlier = chosen.back_to >= 0;
  outcome.shifted = chosen.is_shifted;
  outcome.forgotten = report.forgotten;
  static_cast<void>(attempt(stage_name, [&] {
    outcome.stages = report.seconds;
    if (!chosen.phases) return;
    for (const PhaseLoad& phase : chosen.phases->phases)
      outcome.phase_lambdas.push_back(phase.lambda);
    outcome.shortfall_percent = chosen.phases->shortfall_percent;
  }));
  report.phases = std::move(chosen.phases);
  if (outcome.moved)
    outcome.domains = recorded_sections(parts_.ranks, parts_.options, domains.present());
  return outcome;
}

}  // namespace evenkeel
