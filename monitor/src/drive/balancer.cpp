#include <evenkeel/monitor/balancer.hpp>

#include "drive/agreement.hpp"
#include "drive/crowding.hpp"
#include "drive/domain_sections.hpp"
#include "drive/home.hpp"
#include "drive/hooks.hpp"
#include "drive/inspection.hpp"
#include "drive/learned_costs.hpp"
#include "drive/moving_costs.hpp"
#include "drive/named_errors.hpp"
#include "drive/place_options.hpp"
#include "drive/surveyor.hpp"
#include "drive/work_costs.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/measured_box.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/place/crowd.hpp>
#include <evenkeel/core/place/phases.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/core/wrap.hpp>
#include <evenkeel/monitor/monitor.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/balancer";

Space space_of_positions(const Set& set) { return Space::where(set.position().memory); }

// What is thought of types is all that is known of objects where nothing is learned.
bool has_type_costs(const Set& set) {
  return !set.options().weight.given() && set.options().type.given() &&
         !set.options().type_costs.empty();
}

exec::Array<double> weights_of_types(const Space& space, const Set& set) {
  PerColumn costs;
  std::copy(set.options().type_costs.begin(), set.options().type_costs.end(), costs.types.begin());
  return costs_of(space, set, costs);
}

double weight_of(const Set& set) {
  if (has_type_costs(set)) return sum_of(weights_of_types(space_of_positions(set), set));
  if (!set.options().weight.given()) return static_cast<double>(set.count());
  return sum_of(given_weights(space_of_positions(set), set));
}

void enlarge(Bounds& into, const Bounds& from) {
  into.dimensions = std::max(into.dimensions, from.dimensions);
  for (std::size_t d = 0; d < 3; ++d) {
    into.lower[d] = std::min(into.lower[d], from.lower[d]);
    into.upper[d] = std::max(into.upper[d], from.upper[d]);
  }
}

using Seconds = std::vector<std::pair<std::string, double>>;

// Collective: sets the seconds of each stage to those of its slowest rank. Allocates nothing.
void set_to_slowest(const Communicator& ranks, Seconds& seconds) {
  std::array<double, 8> values{};
  const std::size_t count = std::min(values.size(), seconds.size());
  for (std::size_t i = 0; i < count; ++i) values[i] = seconds[i].second;
  ranks.all_reduce(std::span<double>(values), Reduction::greatest);
  for (std::size_t i = 0; i < count; ++i) seconds[i].second = values[i];
}

// The seconds of stages on this rank, one after the other.
class StageTimes {
 public:
  // Names the stages. Nothing is allocated afterwards.
  void reserve(std::initializer_list<const char*> stages) {
    seconds_.reserve(stages.size());
    for (const char* stage : stages) seconds_.emplace_back(stage, 0.0);
  }
  // Ends a stage that began when the last one ended.
  void end() noexcept { seconds_[ended_++].second = stopwatch_.restart(); }
  Seconds take() noexcept { return std::move(seconds_); }

 private:
  Stopwatch stopwatch_;
  Seconds seconds_;
  std::size_t ended_ = 0;
};

// When a rebalance ends, however it ends, memory that it has made for what travels with objects is
// given back, unless it is in use from then on.
class Companions {
 public:
  Companions(Surveyor& surveyor, LearnedCosts& costs) : surveyor_(surveyor), costs_(costs) {}
  Companions(const Companions&) = delete;
  Companions& operator=(const Companions&) = delete;
  ~Companions() {
    surveyor_.give_back();
    costs_.give_back();
  }

 private:
  Surveyor& surveyor_;
  LearnedCosts& costs_;
};

MoveOptions move_options_of(const Options& options) {
  MoveOptions moving;
  moving.staging_bytes = options.staging_bytes;
  moving.messages_in_flight = options.messages_in_flight;
  moving.origins = options.origins;
  return moving;
}

}  // namespace

struct Balancer::Impl {
  Impl(Communicator for_epochs, Communicator for_rebalances, const Options& options,
       std::optional<Space> space)
      : monitor_(std::move(for_epochs), options),
        ranks_(std::move(for_rebalances)),
        space_(std::move(space)),
        work_(monitor_.options().type_costs == TypeCosts::minimum_norm) {
    ranks_.set_on_mpi_error(monitor_.options().on_mpi_error);
    constexpr std::int64_t first = 1;  // before it, objects are where the application has put them
    monitor_.keep_from(first);
    surveyor_ = std::make_unique<Surveyor>(ranks_);
  }

  MoveReport step(std::span<const Set> sets, const StepOptions& how);
  // `advice`: of a look; an empty one asks for a new cut.
  MoveReport rebalance(std::span<const Set> sets, const Advice& advice = {});

  MoveReport migrate(std::span<const Set> sets);

  // The stages of both that need more than their arguments.
  void require_use(const char* name, std::span<const Set> sets) const;
  std::vector<Set> with_costs(std::span<const Set> sets);
  std::vector<Set> with_known_costs(std::span<const Set> sets);
  RankStatement statement_of_all(std::span<const Set> sets) const;
  Agreed agree(const Status& status, std::span<const Set> sets);
  bool learns_types(std::span<const Set> sets) const;
  void observe_types(std::span<const Set> sets, bool at_once);
  Status fit_types(std::span<const Set> sets, const Agreed& agreed);
  Box box_around(std::span<const Set> sets);
  std::optional<Assignment> find_earlier(const Prepared& prepared, Weights weights,
                                         std::int64_t back_to);
  // `of_sets` refers to what is given, or learned.
  struct Weighed {
    std::vector<exec::Array<double>> given;
    std::vector<std::span<const double>> of_sets;
  };
  Weighed weigh(std::span<const Set> sets, const Agreed& agreed);
  PlacedByPhases find_new(const Prepared& prepared, const Weighed& weights, std::uint32_t phases,
                          const std::optional<ShiftBy>& shift);
  PlaceOptions placing() const;
  std::optional<ShiftBy> shift_of(const Advice& advice, const Agreed& agreed) const;
  void look_for_crowds(const Prepared& prepared, const Assignment& assignment);
  // What was decided on, by a new cut or by the domains of an earlier generation.
  struct Placed {
    std::shared_ptr<const Domains> domains;
    bool is_changed;
    double lambda;
    int refused;
    std::int64_t back_to;  // that generation; -1: none
    bool is_shifted;       // or the present ones were shifted, or were even enough
    std::optional<PhaseLoads> phases;
  };
  void wrap_positions(std::span<const Set> sets, const Box& box) const;
  Plan plan_few(std::span<const Set> sets);
  Plan plan_in_order(std::span<const Set> sets, std::span<const SetShape> shapes, bool is_bound);
  // What cannot be told for want of memory is not told.
  template <class Text>
  void warn(const Text& text_of) {
    static_cast<void>(attempt(stage_name, [&] {
      if (const std::string text = text_of(); !text.empty()) monitor_.warn(text);
    }));
  }
  MoveReport nothing_moved() const;
  void set_domains(MoveReport& report, const std::shared_ptr<const Domains>& last) const;
  MoveReport carry_out(const Plan& who, std::span<const Set> sets, std::span<const SetShape> shapes,
                       Seconds before);
  void adopt(Placed placed, std::int64_t began, MoveReport& report);

  void run_after(const MoveReport& report) const;
  const Domains& domains() const noexcept { return *domains_; }

  Hooks hooks_;
  Monitor monitor_;
  Communicator ranks_;
  std::optional<Space> space_;  // on which the application wants the work
  std::shared_ptr<const Domains> domains_ = std::make_shared<const Domains>();
  std::shared_ptr<const Domains> best_;  // the most even ones since the last new cut; may be null
  Home home_;
  std::unique_ptr<Surveyor> surveyor_;
  LearnedCosts costs_;
  WorkCosts work_;
  MovingCosts moving_costs_;
  // When objects were last counted by type, how long that took, and whether a look since is owed.
  std::int64_t counted_at_ = 0, count_took_ = 0;
  bool owes_count_ = false;
  // Of the last cut, where it was made for several phases or by a graph.
  double best_lambda_ = 1;
  Inspection inspection_;
  Crowding crowding_;
  std::int64_t forgotten_ = 0;  // objects of this rank, at the last rebalance or migration
  bool learns_ = false;         // costs of objects; never with weights or in a deterministic run
  bool would_learn_ = false;    // the same of the rebalance under way, as this rank sees it
  bool can_fit_ = false;        // its costs, to what was measured before the last move
};

MoveReport Balancer::Impl::step(std::span<const Set> sets, const StepOptions& how) {
  const bool looks = monitor_.next_step_looks();
  if (monitor_.options().deterministic) {  // every step counts in the account
    double weight = 0;
    static_cast<void>(attempt(stage_name, [&] {
      for (const Set& set : sets) weight += weight_of(set);
    }));
    monitor_.set_load(weight);
  }
  const auto question = [this, &sets](std::int64_t load) {
    const std::int64_t first = monitor_.first_generation();
    const bool has_moved = first >= 0 && first != generation_of(domains());
    return Surveyor::Question{sets,
                              costs_.of_sets(),
                              monitor_.options(),
                              domains(),
                              monitor_.steps(),
                              load,
                              has_moved,
                              [this] { return monitor_.now(); },
                              best_lambda_};
  };
  const auto find_out = [&](std::int64_t load) {
    const auto& stretches = monitor_.of_stretches();
    const bool is_typed = learns_ && work_.is_built();
    if (is_typed) static_cast<void>(work_.fit(ranks_));
    const bool may_know_better = costs_.has_keys() || !stretches.empty() || is_typed;
    if (learns_ && may_know_better && costs_.of_sets().size() == sets.size())
      static_cast<void>(attempt(stage_name, [&] {
        for (const Set& set : sets) check(set);
        if (costs_.has_keys()) forgotten_ += costs_.follow(space_for(sets), sets, *surveyor_);
        if (is_typed && work_.are_known()) {
          monitor_.set_costs(work_.table(ranks_.size()));
          costs_.renew(space_for(sets), sets, work_);
        }
        costs_.refresh(sets, static_cast<double>(monitor_.load_nanoseconds()), stretches);
      }));
    return surveyor_->survey(question(load));
  };
  const auto inspect = [&] {
    return inspection_.inspect(sets, Inspection::demands_of(monitor_.options()),
                               generation_of(domains()));
  };
  const bool inspects = looks && Inspection::is_needed(monitor_.options());
  Advice advice;
  {
    const SurveyedBy surveyed(monitor_, looks && ranks_.size() > 1
                                            ? Monitor::Surveyor(std::cref(find_out))
                                            : Monitor::Surveyor());
    advice =
        monitor_.step(looks ? objects_in(sets) : 0, how,
                      inspects ? Monitor::Inspector(std::cref(inspect)) : Monitor::Inspector());
  }
  if (looks && learns_types(sets))
    static_cast<void>(attempt(stage_name, [&] { observe_types(sets, false); }));
  if (monitor_.take_advised()) {
    monitor_.meet_for_survey();
    surveyor_->advise(question(0));
  }
  return advice ? rebalance(sets, advice) : nothing_moved();
}

void Balancer::Impl::require_use(const char* name, std::span<const Set> sets) const {
  if (monitor_.is_finished())
    throw Error(ErrorKind::bad_input, Where{stage_name},
                std::string(name) + " was called after finish.", "Call finish once, at the end.");
  if (!exec::kokkos_is_running())
    throw Error(ErrorKind::bad_input, Where{stage_name}, "Kokkos is not running.",
                std::string("Call ") + name + " between Kokkos::initialize and Kokkos::finalize.");
  if (sets.size() > RankStatement::most_sets)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                std::to_string(sets.size()) + " sets were given, and at most " +
                    std::to_string(RankStatement::most_sets) + " can move at once.",
                "Give some of them a Balancer of their own.");
}

// The sets, which carry their records and, where these are learned, their costs.
std::vector<Set> Balancer::Impl::with_costs(std::span<const Set> sets) {
  require_use("rebalance", sets);
  std::vector<Set> all(sets.begin(), sets.end());
  const bool given = std::any_of(all.begin(), all.end(),
                                 [](const Set& set) { return set.options().weight.given(); });
  can_fit_ = false;
  would_learn_ = !given && !monitor_.options().deterministic;
  costs_.resize(all.size());
  // Memory by counts is made only for counts that fit; the others are refused when the ranks agree
  // on the sets.
  if (!attempt(stage_name, [&] {
         for (const Set& set : all) check(set);
       }).ok())
    return all;
  const Space space = space_for(all);
  if (would_learn_) forgotten_ += costs_.follow(space, sets, *surveyor_);
  surveyor_->begin_rebalance(domains_, all.size(), !monitor_.has_begun());
  if (monitor_.has_begun() && ranks_.size() > 1)
    for (std::size_t s = 0; s < all.size(); ++s)
      all[s].accompany(field_of(surveyor_->record_of(space, s, all[s].count())));
  if (would_learn_) {
    LearnedCosts::Records records;
    for (std::size_t s = 0; s < all.size(); ++s)
      records.push_back(surveyor_->known_records(s, all[s].count()));
    if (learns_types(sets)) observe_types(sets, true);
    if (learns_types(sets) && work_.are_known()) costs_.renew(space, sets, work_);
    can_fit_ = forgotten_ == 0 && costs_.prepare_fit(ranks_.size(), std::move(records));
    costs_.travel_with(all);
  }
  return all;
}

// The sets, which carry their costs, if any have been learned.
std::vector<Set> Balancer::Impl::with_known_costs(std::span<const Set> sets) {
  require_use("migrate", sets);
  if (parts_of(domains()) == 0)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "migrate was called before anybody owned anything.",
                "Call rebalance first: it makes the first domains.");
  for (const Set& set : sets) check(set);  // before memory is made for what a wrong count says
  std::vector<Set> all(sets.begin(), sets.end());
  if (learns_ && costs_.of_sets().size() == all.size()) {
    forgotten_ += costs_.follow(space_for(all), sets, *surveyor_);
    costs_.travel_with(all);
  }
  return all;
}

RankStatement Balancer::Impl::statement_of_all(std::span<const Set> sets) const {
  RankStatement mine = statement_of(sets);
  mine.step_least = mine.step_greatest = monitor_.steps();
  mine.generation_least = mine.generation_greatest = generation_of(domains());
  mine.hooked = hooks_.any_after() ? 1 : 0;
  mine.forgotten = forgotten_;
  return mine;
}

Agreed Balancer::Impl::agree(const Status& status, std::span<const Set> sets) {
  const exec::Region shown("evenkeel::agree");
  RankStatement mine = statement_of_all(sets);
  mine.load = monitor_.load_nanoseconds();
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    mine.expected = costs_.expected();
    if (would_learn_ && learns_types(sets))
      work_.state(space_for(sets), sets, monitor_.kernel_options(), mine);
    const bool has_load = mine.objects == 0 || monitor_.epoch_loads().first > 0;
    mine.fits = can_fit_ && has_load && monitor_.of_stretches().empty() ? 1 : 0;
  });
  const Agreed agreed = agreed_by(ranks_, ready, mine);
  costs_.note(agreed);
  return agreed;
}

bool Balancer::Impl::learns_types(std::span<const Set> sets) const {
  return WorkCosts::are_told(sets) && !monitor_.options().deterministic &&
         monitor_.options().type_costs != TypeCosts::off &&
         std::none_of(sets.begin(), sets.end(),
                      [](const Set& set) { return set.options().weight.given(); });
}

// What this rank had and how long that took in the epoch that has just ended. To count objects
// takes a thousandth of the time at most; a look for which that is not enough is made up for when a
// rebalance comes, `at_once`, if it is the last one.
void Balancer::Impl::observe_types(std::span<const Set> sets, bool at_once) {
  constexpr std::int64_t share = 1000;
  const std::int64_t began = monitor_.now();
  const bool is_due = (began - counted_at_) / share >= count_took_;
  if (at_once ? !owes_count_ : !is_due) {
    owes_count_ = owes_count_ || !at_once;
    return;
  }
  owes_count_ = false;
  for (const Set& set : sets) check(set);
  work_.observe(space_for(sets), sets, monitor_.epoch_kernels(), monitor_.kernel_options());
  counted_at_ = monitor_.now();
  count_took_ = counted_at_ - began;
}

// Collective, where all ranks have types. Returns what has failed on this rank.
Status Balancer::Impl::fit_types(std::span<const Set> sets, const Agreed& agreed) {
  const exec::Region shown("evenkeel::fit_types");
  const Status built = attempt(stage_name, [&] {
    work_.expect(monitor_.restored_costs());
    work_.build(sets, agreed.work);
  });
  try {
    vote(ranks_, built);
  } catch (...) {  // a survey fits the models that there are: all ranks have them, or none
    work_.forget();
    throw;
  }
  Status fitted = work_.fit(ranks_);
  if (!fitted.ok()) return fitted;
  return attempt(stage_name, [&] {
    if (!work_.are_known()) return;
    monitor_.set_costs(work_.table(ranks_.size()));
    costs_.renew(space_for(sets), sets, work_);
  });
}

Box Balancer::Impl::box_around(std::span<const Set> sets) {
  const exec::Region shown("evenkeel::box");
  Bounds found;
  for (const Set& set : sets) enlarge(found, bounds(space_of_positions(set), ranks_, set));
  const Options& options = monitor_.options();
  if (options.box) {
    require_inside(*options.box, options.periodic, found);
    return *options.box;
  }
  std::optional<Box> kept;
  if (parts_of(domains()) > 0 && !crowding_.takes_new_box()) kept = box_of(domains());
  const MeasuredBox measured = measure_box(ranks_, sets, kept, found);
  warn([&] { return crowding_.of_box(measured, found.dimensions); });
  return measured.box;
}

// By set: the weights that the application gives, the learned costs, or nothing.
Balancer::Impl::Weighed Balancer::Impl::weigh(std::span<const Set> sets, const Agreed& agreed) {
  const exec::Region shown("evenkeel::weigh");
  const Space space = space_for(sets);
  Weighed all;
  all.given.resize(sets.size());
  if (learns_)
    costs_.learn(space, sets, agreed,
                 {monitor_.epoch_loads().last, work_.are_measured(), work_.noise(),
                  monitor_.of_stretches()});
  const bool in_seconds = std::any_of(sets.begin(), sets.end(), [](const Set& set) {
    return set.options().weight.given() && set.options().weight.in_seconds();
  });
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (sets[s].options().weight.given())
      all.given[s] = given_weights(space, sets[s]);
    else if (has_type_costs(sets[s]) && !learns_)
      all.given[s] = weights_of_types(space, sets[s]);
    else if (in_seconds)
      all.given[s] = exec::filled(space, "evenkeel::balancer::mean", sets[s].count(),
                                  std::max(agreed.mean_per_object, 1.0) * 1e-9);
    all.of_sets.push_back(learns_ ? costs_.of_sets()[s].span() : all.given[s].span());
  }
  return all;
}

// The assignment by the domains of an earlier generation; nothing if those are no longer kept, lie
// in another box, or would leave a rank with too few objects. The same on all ranks.
std::optional<Assignment> Balancer::Impl::find_earlier(const Prepared& prepared, Weights weights,
                                                       std::int64_t back_to) {
  const Options& options = monitor_.options();
  const Domains* kept = back_to >= 0 ? surveyor_->find(back_to) : nullptr;
  if (kept == nullptr && back_to >= 0 && best_ != nullptr && generation_of(*best_) == back_to)
    kept = best_.get();
  if (kept == nullptr || !own_places(*kept) || !(box_of(*kept) == prepared.region.box))
    return std::nullopt;
  constexpr double however_even = std::numeric_limits<double>::max();
  Domains earlier;
  vote(ranks_, attempt(stage_name, [&] { earlier = renumbered(*kept, generation_of(domains())); }));
  Assignment assignment = place(ranks_, Status(), prepared, weights, {however_even, 0}, earlier,
                                options.least_objects > 0);
  if (options.least_objects > 0 && assignment.fewest_objects < options.least_objects)
    return std::nullopt;
  assignment.is_changed = true;
  return assignment;
}

// A cut for several phases, where it is known what objects cost in each; otherwise by one weight,
// as always for boxes. A shift goes by the sum over phases, which says little of each: then a new
// cut is made.
PlacedByPhases Balancer::Impl::find_new(const Prepared& prepared, const Weighed& weights,
                                        std::uint32_t phases, const std::optional<ShiftBy>& shift) {
  const Options& options = monitor_.options();
  const bool takes_phases = places_along_curve(options.method) || places_by_graph(options.method);
  if (std::popcount(phases) < 2 || !takes_phases)
    return {place_allowed(ranks_, Status(), prepared, weights.of_sets, options.target_lambda,
                          options.least_objects, domains(), shift),
            {}};
  LearnedCosts::ByPhase arrays;
  std::vector<std::vector<std::span<const double>>> costs(prepared.sets.size());
  const Status listed = attempt(stage_name, [&] {
    arrays = costs_.by_phase(prepared.space, prepared.sets, work_);
    for (std::size_t s = 0; s < costs.size(); ++s)
      for (const exec::Array<double>& of_phase : arrays[s]) costs[s].push_back(of_phase.span());
  });
  return place_phases(ranks_, listed, prepared, costs, std::popcount(phases), options.target_lambda,
                      options.least_objects, domains());
}

PlaceOptions Balancer::Impl::placing() const {
  PlaceOptions placing = place_options_of(monitor_.options());
  auto* const graph = std::get_if<ByGraph>(&placing.method);
  if (graph != nullptr && !monitor_.options().deterministic) *graph = moving_costs_.priced(*graph);
  return placing;
}

std::optional<ShiftBy> Balancer::Impl::shift_of(const Advice& advice, const Agreed& agreed) const {
  if (!(advice.shift_penalty > 0)) return std::nullopt;
  return ShiftBy{advice.shift_penalty,
                 advice.shifts_by_last_epoch ? monitor_.epoch_loads().last : agreed.mine};
}

// Collective where a cut is less even than it should be.
void Balancer::Impl::look_for_crowds(const Prepared& prepared, const Assignment& assignment) {
  const Options& options = monitor_.options();
  const bool is_along_curve = places_along_curve(options.method);
  if (!crowding_.is_suspected(is_along_curve, assignment.lambda, options.target_lambda)) return;
  const Crowd crowd = crowd_of(ranks_, assignment.status, prepared);
  warn([&] { return crowding_.of_cells(crowd, assignment); });
}

MoveReport Balancer::Impl::rebalance(std::span<const Set> given, const Advice& advice) {
  const exec::Region shown("evenkeel::rebalance");
  monitor_.meet_for_rebalance("rebalance");
  StageTimes times;
  const Companions companions(*surveyor_, costs_);
  std::vector<Set> sets;
  const Status arrived = attempt(stage_name, [&] {
    times.reserve({"agree", "weigh", "order", "cut", "plan"});
    sets = with_costs(given);
  });
  const Agreed agreed = agree(arrived, sets);
  learns_ = would_learn_;  // on all ranks: they have weights for the same sets
  if (learns_ && agreed.is_typed && !agreed.work.empty()) vote(ranks_, fit_types(sets, agreed));
  if (agreed.fits) costs_.fit(ranks_, monitor_.epoch_loads().first);
  // All ranks have arrived: waiting for the slowest does not count as cost.
  const std::int64_t began = monitor_.now();
  const std::vector<SetShape> shapes = agree_on_sets(ranks_, sets);
  const int dimensions = dimensions_of(shapes, domains());
  if (dimensions == 0) return nothing_moved();  // no rank has ever had an object
  const Box box = box_around(sets);
  const Region region = {dimensions, box, agreed.bound};
  times.end();

  Weighed weights;
  const Status weighed = attempt(stage_name, [&] {
    wrap_positions(sets, box);
    weights = weigh(sets, agreed);
  });
  times.end();
  Prepared prepared = prepare(ranks_, weighed, sets, region, placing());
  times.end();
  const std::uint32_t phases = learns_ && agreed.is_typed ? work_.phases() : 0;
  std::optional<Assignment> earlier = find_earlier(prepared, weights.of_sets, advice.back_to);
  const std::int64_t back_to = earlier ? advice.back_to : -1;
  const std::optional<ShiftBy> shift = shift_of(advice, agreed);
  PlacedByPhases by_phases = earlier ? PlacedByPhases{{std::move(*earlier)}, {}}
                                     : find_new(prepared, weights, phases, shift);
  Allowed& found = by_phases.allowed;
  // Where phases lie apart, no cut is even, and crowded cells are not why.
  const bool is_composite = !by_phases.loads.phases.empty();
  if (!is_composite) look_for_crowds(prepared, found.assignment);
  Placed placed = {domains_,
                   found.assignment.is_changed,
                   found.assignment.lambda,
                   found.refused,
                   back_to,
                   shift && (found.assignment.is_shifted || !found.assignment.is_changed),
                   {}};
  if (is_composite) placed.phases = std::move(by_phases.loads);
  const Status copied = attempt(stage_name, [&] {
    placed.domains = std::make_shared<const Domains>(found.assignment.domains);
  });
  if (found.assignment.status.ok()) found.assignment.status = copied;
  times.end();
  const Plan who = plan(ranks_, std::move(prepared), std::move(found.assignment));
  times.end();
  MoveReport report = carry_out(who, sets, shapes, times.take());
  report.forgotten = agreed.forgotten;
  adopt(std::move(placed), began, report);
  if ((report.moved || report.has_new_domains()) && agreed.hooked) run_after(report);
  return report;
}

// Sends strays home. Objects that are bound to others, and payloads, go the way of a rebalance.
MoveReport Balancer::Impl::migrate(std::span<const Set> given) {
  const exec::Region shown("evenkeel::migrate");
  monitor_.meet_for_migration();
  StageTimes times;
  std::vector<Set> sets;
  const Status arrived = attempt(stage_name, [&] {
    times.reserve({"agree", "plan"});
    sets = with_known_costs(given);
  });
  const Agreed agreed = agreed_by(ranks_, arrived, statement_of_all(sets));
  const std::vector<SetShape> shapes = agree_on_sets(ranks_, sets);
  times.end();
  const bool has_payloads =
      std::any_of(sets.begin(), sets.end(), [](const Set& set) { return !set.payloads().empty(); });
  if (!own_places(domains())) return nothing_moved();  // objects that have owners cannot stray
  surveyor_->note_migration();
  const Plan who =
      agreed.bound || has_payloads ? plan_in_order(sets, shapes, agreed.bound) : plan_few(sets);
  times.end();
  MoveReport report;
  if (!who.empty()) report = carry_out(who, sets, shapes, times.take());
  report.forgotten = agreed.forgotten;
  forgotten_ = 0;
  set_domains(report, domains_);
  if (who.empty()) return report;
  if (agreed.hooked) run_after(report);
  return report;
}

void Balancer::Impl::wrap_positions(std::span<const Set> sets, const Box& box) const {
  if (!monitor_.options().wrap) return;
  for (const Set& set : sets) wrap(space_of_positions(set), set, box, monitor_.options().periodic);
}

Plan Balancer::Impl::plan_few(std::span<const Set> sets) {
  std::vector<Strays> strays;
  const Status found = attempt(stage_name, [&] {
    wrap_positions(sets, box_of(domains()));
    strays.reserve(sets.size());
    for (const Set& set : sets)
      strays.push_back(home_.domain(domains_, ranks_.rank(), set).strays_of(set));
  });
  return plan_strays(ranks_, found, strays, sets);
}

Plan Balancer::Impl::plan_in_order(std::span<const Set> sets, std::span<const SetShape> shapes,
                                   bool is_bound) {
  for (const Set& set : sets) bounds(space_of_positions(set), ranks_, set);  // refuses NaNs
  const Region region = {dimensions_of(shapes, domains()), box_of(domains()), is_bound};
  std::vector<std::span<const double>> weights;
  const Status wrapped = attempt(stage_name, [&] {
    weights.resize(sets.size());
    wrap_positions(sets, region.box);
  });
  Prepared prepared = prepare(ranks_, wrapped, sets, region, place_options_of(monitor_.options()));
  constexpr double however_even = std::numeric_limits<double>::max();
  Assignment assignment = place(ranks_, Status(), prepared, weights, {however_even, 0}, domains());
  return plan(ranks_, std::move(prepared), std::move(assignment));
}

MoveReport Balancer::Impl::nothing_moved() const {
  MoveReport nothing;
  set_domains(nothing, domains_);
  return nothing;
}

void Balancer::Impl::set_domains(MoveReport& report,
                                 const std::shared_ptr<const Domains>& last) const {
  report.generation = generation_of(domains());
  report.last_domains = last;
  report.domains = domains_;
}

// Collective. Moves the objects, if any has to.
MoveReport Balancer::Impl::carry_out(const Plan& who, std::span<const Set> sets,
                                     std::span<const SetShape> shapes, Seconds before) {
  if (who.empty()) {
    MoveReport report = nothing_moved();
    set_to_slowest(ranks_, before);
    report.seconds = std::move(before);
    return report;
  }
  MoveOptions moving = move_options_of(monitor_.options());
  moving.seconds_before = std::move(before);
  moving.on_stage = [this](MoveStage now) {
    if (now == MoveStage::reserve) hooks_.run_before();
  };
  MoveReport report = move(ranks_, sets, shapes, who, moving);
  costs_.note_move();
  work_.note_move();
  moving_costs_.note(report, ranks_.size(), monitor_.steps());
  // Keys that cannot be noted leave costs whose objects are not known: they are forgotten.
  if (learns_ && costs_.of_sets().size() == sets.size())
    static_cast<void>(attempt(stage_name, [&] { costs_.note_keys(space_for(sets), sets); }));
  return report;
}

// Takes new domains as those that objects are in, and tells the monitor and the caller.
void Balancer::Impl::adopt(Placed placed, std::int64_t began, MoveReport& report) {
  Outcome outcome;
  // Objects may have wandered to where a new cut wants them: then domains change, and nothing
  // moves.
  outcome.moved = report.moved || placed.is_changed;
  const std::shared_ptr<const Domains> last = domains_;
  if (outcome.moved) {
    if (monitor_.best_generation() == generation_of(domains())) best_ = domains_;
    surveyor_->end_rebalance(placed.back_to, generation_of(*placed.domains));
    domains_ = std::move(placed.domains);
  }
  costs_.keep(outcome.moved);
  forgotten_ = 0;
  set_domains(report, last);
  report.lambda = placed.lambda;
  report.refused = placed.refused;
  outcome.objects_moved = report.objects;
  outcome.bytes_moved = report.bytes;
  static_cast<void>(attempt(stage_name, [&] { outcome.stages = report.seconds; }));
  outcome.seconds = static_cast<double>(monitor_.now() - began) * 1e-9;
  outcome.lambda = placed.lambda;
  if (placed.phases || !own_places(domains()))
    best_lambda_ = std::max(1.0, placed.lambda);
  else
    best_lambda_ = 1;
  if (placed.phases)
    static_cast<void>(attempt(stage_name, [&] {
      for (const PhaseLoad& phase : placed.phases->phases)
        outcome.phase_lambdas.push_back(phase.lambda);
      outcome.shortfall_percent = placed.phases->shortfall_percent;
    }));
  report.phases = std::move(placed.phases);
  outcome.earlier = placed.back_to >= 0;
  outcome.shifted = placed.is_shifted;
  outcome.forgotten = report.forgotten;
  if (outcome.moved) outcome.domains = recorded_sections(ranks_, monitor_.options(), domains());
  monitor_.rebalanced(outcome);
  if (monitor_.best_generation() < 0) best_.reset();
}

// Collective.
void Balancer::Impl::run_after(const MoveReport& report) const {
  const Status status = attempt(
      stage_name, [&] { hooks_.run_after(report); }, ErrorKind::application);
  std::optional<Error> told;
  if (!status.ok())
    static_cast<void>(attempt(stage_name, [&] {
      const Error& error = *status.error();
      told.emplace(error.kind(), Where{error.where()}, error.problem(),
                   report.moved ? "The objects have moved, and all fields are complete."
                                : "No object has moved, but the domains are new.");
    }));
  vote(ranks_, told ? Status(*told) : status);
}

namespace {

Communicator require_kokkos(Communicator communicator) {
  const Status status = attempt(stage_name, [] {
    if (!exec::kokkos_is_running())
      throw Error(ErrorKind::bad_input, Where{stage_name}, "Kokkos is not running.",
                  "Make a Balancer after Kokkos::initialize.");
  });
  vote(communicator, status);
  return communicator;
}

}  // namespace

Balancer::Balancer(const Communicator& communicator, const Options& options,
                   const std::optional<Space>& space)
    : impl_(std::make_unique<Impl>(require_kokkos(communicator.duplicate()),
                                   communicator.duplicate(), options, space)) {}
#if EVENKEEL_HAS_MPI
Balancer::Balancer(MPI_Comm users, const Options& options, const std::optional<Space>& space)
    : impl_(std::make_unique<Impl>(require_kokkos(Communicator(users)), Communicator(users),
                                   options, space)) {}
#endif
Balancer::Balancer(Balancer&&) noexcept = default;
Balancer& Balancer::operator=(Balancer&&) noexcept = default;
Balancer::~Balancer() = default;

Kernel Balancer::kernel(const std::string& name, const KernelOptions& options) {
  return impl_->monitor_.kernel(name, options);
}
MoveReport Balancer::step(std::span<const Set> sets, const StepOptions& how) {
  const InUse in_use(impl_->space_);
  return with_name(options().name, [&] { return impl_->step(sets, how); });
}
MoveReport Balancer::rebalance(std::span<const Set> sets) {
  const InUse in_use(impl_->space_);
  return with_name(options().name, [&] { return impl_->rebalance(sets); });
}
MoveReport Balancer::migrate(std::span<const Set> sets) {
  const InUse in_use(impl_->space_);
  return with_name(options().name, [&] { return impl_->migrate(sets); });
}
void Balancer::before_move(std::function<void()> hook) {
  impl_->hooks_.before.push_back(std::move(hook));
}
void Balancer::after_move(std::function<void(const MoveReport&)> hook) {
  impl_->hooks_.after.push_back(std::move(hook));
}
void Balancer::on_new_domains(std::function<void(const Domains&, const Domains&)> hook) {
  impl_->hooks_.on_new_domains.push_back(std::move(hook));
}
void Balancer::restore(const std::string& saved) { impl_->monitor_.restore(saved); }
std::string Balancer::saved_state() const { return impl_->monitor_.saved_state(); }
Metrics Balancer::metrics() const { return impl_->monitor_.metrics(); }
Account Balancer::account() const { return impl_->monitor_.account(); }
const CostTable& Balancer::costs() const noexcept { return impl_->monitor_.costs(); }
void Balancer::finish() { impl_->monitor_.finish(); }

const Domains& Balancer::domains() const noexcept { return impl_->domains(); }
const Options& Balancer::options() const noexcept { return impl_->monitor_.options(); }
std::int64_t Balancer::steps() const noexcept { return impl_->monitor_.steps(); }

}  // namespace evenkeel
