#include <evenkeel/monitor/balancer.hpp>

#include "drive/agreement.hpp"
#include "drive/learned_costs.hpp"
#include "drive/place_options.hpp"
#include "drive/surveyor.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/monitor/monitor.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/balancer";

Space space_of_positions(const Set& set) { return Space::where(set.position().memory); }

double weight_of(const Set& set) {
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
  // Ends a stage that began when the last one ended.
  void end(const char* stage) { seconds_.emplace_back(stage, stopwatch_.restart()); }
  const Seconds& seconds() const { return seconds_; }

 private:
  Stopwatch stopwatch_;
  Seconds seconds_;
};

MoveOptions move_options_of(const Options& options) {
  MoveOptions moving;
  moving.staging_bytes = options.staging_bytes;
  moving.messages_in_flight = options.messages_in_flight;
  moving.origins = options.origins;
  return moving;
}

}  // namespace

template <class Hooks, class... Arguments>
void run(const Hooks& hooks, const Arguments&... arguments) {
  const std::size_t count = hooks.size();
  for (std::size_t i = 0; i < count; ++i) hooks[i](arguments...);
}

struct Balancer::Impl {
  Impl(Communicator for_epochs, Communicator for_rebalances, const Options& options,
       std::optional<Space> space)
      : monitor_(std::move(for_epochs), options),
        ranks_(std::move(for_rebalances)),
        space_(std::move(space)) {
    constexpr std::int64_t first = 1;  // before it, objects are where the application has put them
    monitor_.keep_from(first);
    surveyor_ = std::make_unique<Surveyor>(ranks_);
  }

  MoveReport step(std::span<const Set> sets, const StepOptions& how);
  // `back_to`: the generation to take again, if it is still kept; -1: none.
  MoveReport rebalance(std::span<const Set> sets, std::int64_t back_to = -1);

  // The stages of a rebalance that need more than their arguments.
  std::vector<Set> with_costs(std::span<const Set> sets);
  Agreed agree(const Status& status, std::span<const Set> sets);
  Box box_around(std::span<const Set> sets) const;
  std::optional<Assignment> find_earlier(const Prepared& prepared, Weights weights,
                                         std::int64_t back_to);
  // `of_sets` refers to what is given, or learned.
  struct Weighed {
    std::vector<exec::Array<double>> given;
    std::vector<std::span<const double>> of_sets;
  };
  Weighed weigh(std::span<const Set> sets, const Agreed& agreed);
  // What was decided on, by a new cut or by the domains of an earlier generation.
  struct Placed {
    Domains domains;
    bool is_changed;
    double lambda;
    int refused;
    std::int64_t back_to;  // that generation; -1: none
  };
  MoveReport nothing_moved() const;
  MoveReport carry_out(const Plan& who, std::span<const Set> sets, std::span<const SetShape> shapes,
                       Seconds before);
  void adopt(Placed placed, std::int64_t began, MoveReport& report);

  void run_before() const { run(before_); }
  void run_after(const MoveReport& report) const;

  // A hook may add others, which run from the next move on; those that run stay where they are.
  std::deque<std::function<void()>> before_;
  std::deque<std::function<void(const MoveReport&)>> after_;
  Monitor monitor_;
  Communicator ranks_;
  std::optional<Space> space_;  // on which the application wants the work
  Domains domains_;
  std::unique_ptr<Surveyor> surveyor_;
  LearnedCosts costs_;
  bool learns_ = false;  // costs of objects; never with weights or in a deterministic run
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
    const bool has_moved = first >= 0 && first != generation_of(domains_);
    return Surveyor::Question{sets,
                              costs_.of_sets(),
                              monitor_.options(),
                              domains_,
                              monitor_.steps(),
                              load,
                              has_moved,
                              [this] { return monitor_.now(); }};
  };
  const auto find_out = [&](std::int64_t load) { return surveyor_->survey(question(load)); };
  Advice advice;
  {
    const SurveyedBy surveyed(monitor_,
                              looks && ranks_.size() > 1 ? find_out : Monitor::Surveyor());
    advice = monitor_.step(looks ? objects_in(sets) : 0, how);
  }
  if (monitor_.take_advised()) surveyor_->advise(question(0));
  return advice ? rebalance(sets, advice.back_to) : nothing_moved();
}

// The sets, which carry their records and, where these are learned, their costs.
std::vector<Set> Balancer::Impl::with_costs(std::span<const Set> sets) {
  if (monitor_.is_finished())
    throw Error(ErrorKind::bad_input, Where{stage_name}, "rebalance was called after finish.",
                "Call finish once, at the end.");
  if (!exec::kokkos_is_running())
    throw Error(ErrorKind::bad_input, Where{stage_name}, "Kokkos is not running.",
                "Rebalance between Kokkos::initialize and Kokkos::finalize.");
  if (sets.size() > RankStatement::most_sets)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                std::to_string(sets.size()) + " sets were given, and at most " +
                    std::to_string(RankStatement::most_sets) + " can move at once.",
                "Give some of them a Balancer of their own.");
  std::vector<Set> all(sets.begin(), sets.end());
  const bool given = std::any_of(all.begin(), all.end(),
                                 [](const Set& set) { return set.options().weight.given(); });
  const Space space = space_for(all);
  costs_.resize(all.size());
  surveyor_->begin_rebalance(domains_, all.size(), monitor_.steps() == 0);
  if (monitor_.steps() > 0 && ranks_.size() > 1)
    for (std::size_t s = 0; s < all.size(); ++s)
      all[s].accompany(field_of(surveyor_->record_of(space, s, all[s].count())));
  learns_ = !given && !monitor_.options().deterministic;
  if (learns_) costs_.travel_with(space, all);
  return all;
}

Agreed Balancer::Impl::agree(const Status& status, std::span<const Set> sets) {
  const exec::Region shown("evenkeel::agree");
  RankStatement mine = statement_of(sets);
  mine.step_least = mine.step_greatest = monitor_.steps();
  mine.generation_least = mine.generation_greatest = generation_of(domains_);
  mine.hooked = after_.empty() ? 0 : 1;
  mine.load = monitor_.load_nanoseconds();
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    mine.expected = costs_.expected();
  });
  const Agreed agreed = agreed_by(ranks_, ready, mine);
  costs_.note(agreed);
  return agreed;
}

Box Balancer::Impl::box_around(std::span<const Set> sets) const {
  const exec::Region shown("evenkeel::box");
  Bounds found;
  for (const Set& set : sets) enlarge(found, bounds(space_of_positions(set), ranks_, set));
  const Options& options = monitor_.options();
  if (options.box) {
    require_inside(*options.box, options.periodic, found);
    return *options.box;
  }
  std::optional<Box> kept;
  if (parts_of(domains_) > 0) kept = box_of(domains_);
  return enclose(kept, found);
}

// By set: the weights that the application gives, the learned costs, or nothing.
Balancer::Impl::Weighed Balancer::Impl::weigh(std::span<const Set> sets, const Agreed& agreed) {
  const exec::Region shown("evenkeel::weigh");
  const Space space = space_for(sets);
  Weighed all;
  all.given.resize(sets.size());
  if (learns_) costs_.learn(space, sets, agreed);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (sets[s].options().weight.given()) all.given[s] = given_weights(space, sets[s]);
    all.of_sets.push_back(learns_ ? costs_.of_sets()[s].span() : all.given[s].span());
  }
  return all;
}

// The assignment by the domains of an earlier generation; nothing if those are no longer kept, lie
// in another box, or would leave a rank with too few objects. The same on all ranks.
std::optional<Assignment> Balancer::Impl::find_earlier(const Prepared& prepared, Weights weights,
                                                       std::int64_t back_to) {
  const Options& options = monitor_.options();
  const Domains* const kept = back_to >= 0 ? surveyor_->find(back_to) : nullptr;
  if (kept == nullptr || !(box_of(*kept) == prepared.region.box)) return std::nullopt;
  constexpr double however_even = std::numeric_limits<double>::max();
  const Domains earlier = renumbered(*kept, generation_of(domains_));
  Assignment assignment = place(ranks_, Status(), prepared, weights, {however_even, 0}, earlier,
                                options.least_objects > 0);
  if (options.least_objects > 0 && assignment.fewest_objects < options.least_objects)
    return std::nullopt;
  assignment.is_changed = true;
  return assignment;
}

MoveReport Balancer::Impl::rebalance(std::span<const Set> given, std::int64_t back_to) {
  const exec::Region shown("evenkeel::rebalance");
  const Options& options = monitor_.options();
  StageTimes times;
  std::vector<Set> sets;
  const Status arrived = attempt(stage_name, [&] { sets = with_costs(given); });
  const Agreed agreed = agree(arrived, sets);
  // All ranks have arrived: waiting for the slowest does not count as cost.
  const std::int64_t began = monitor_.now();
  const std::vector<SetShape> shapes = agree_on_sets(ranks_, sets);
  const int dimensions = dimensions_of(shapes, domains_);
  if (dimensions == 0) return nothing_moved();  // no rank has ever had an object
  const Region region = {dimensions, box_around(sets), agreed.bound};
  times.end("agree");

  Weighed weights;
  const Status weighed = attempt(stage_name, [&] { weights = weigh(sets, agreed); });
  times.end("weigh");
  Prepared prepared = prepare(ranks_, weighed, sets, region, place_options_of(options));
  times.end("order");
  std::optional<Assignment> earlier = find_earlier(prepared, weights.of_sets, back_to);
  if (!earlier) back_to = -1;
  Allowed found = earlier ? Allowed{std::move(*earlier)}
                          : place_allowed(ranks_, Status(), prepared, weights.of_sets,
                                          options.target_lambda, options.least_objects, domains_);
  Placed placed = {found.assignment.domains, found.assignment.is_changed, found.assignment.lambda,
                   found.refused, back_to};
  times.end("cut");
  const Plan who = plan(ranks_, std::move(prepared), std::move(found.assignment));
  times.end("plan");
  MoveReport report = carry_out(who, sets, shapes, times.seconds());
  adopt(std::move(placed), began, report);
  if (report.moved && agreed.hooked) run_after(report);
  return report;
}

MoveReport Balancer::Impl::nothing_moved() const {
  MoveReport nothing;
  nothing.generation = generation_of(domains_);
  return nothing;
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
    if (now == MoveStage::reserve) run_before();
  };
  return move(ranks_, sets, shapes, who, moving);
}

// Takes new domains as those that objects are in, and tells the monitor and the caller.
void Balancer::Impl::adopt(Placed placed, std::int64_t began, MoveReport& report) {
  Outcome outcome;
  // Objects may have wandered to where a new cut wants them: then domains change, and nothing
  // moves.
  outcome.moved = report.moved || placed.is_changed;
  if (outcome.moved) {
    surveyor_->end_rebalance(placed.back_to, generation_of(placed.domains));
    domains_ = std::move(placed.domains);
  }
  report.generation = generation_of(domains_);
  report.lambda = placed.lambda;
  report.refused = placed.refused;
  outcome.objects_moved = report.objects;
  outcome.bytes_moved = report.bytes;
  outcome.stages = report.seconds;
  outcome.seconds = static_cast<double>(monitor_.now() - began) * 1e-9;
  outcome.lambda = placed.lambda;
  outcome.earlier = placed.back_to >= 0;
  monitor_.rebalanced(outcome);
}

// Collective.
void Balancer::Impl::run_after(const MoveReport& report) const {
  Status status = attempt(
      stage_name, [&] { run(after_, report); }, ErrorKind::application);
  if (!status.ok())
    status = Status(Error(status.error()->kind(), Where{status.error()->where()},
                          status.error()->problem(),
                          "The objects have moved, and all fields are complete."));
  vote(ranks_, status);
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
  return impl_->step(sets, how);
}
MoveReport Balancer::rebalance(std::span<const Set> sets) {
  const InUse in_use(impl_->space_);
  return impl_->rebalance(sets);
}
void Balancer::before_move(std::function<void()> hook) {
  impl_->before_.push_back(std::move(hook));
}
void Balancer::after_move(std::function<void(const MoveReport&)> hook) {
  impl_->after_.push_back(std::move(hook));
}
void Balancer::restore(const std::string& saved) { impl_->monitor_.restore(saved); }
std::string Balancer::saved_state() const { return impl_->monitor_.saved_state(); }
Metrics Balancer::metrics() const { return impl_->monitor_.metrics(); }
Account Balancer::account() const { return impl_->monitor_.account(); }
void Balancer::finish() { impl_->monitor_.finish(); }

const Domains& Balancer::domains() const noexcept { return impl_->domains_; }
const Options& Balancer::options() const noexcept { return impl_->monitor_.options(); }
std::int64_t Balancer::steps() const noexcept { return impl_->monitor_.steps(); }

}  // namespace evenkeel
