#include <evenkeel/monitor/balancer.hpp>

#include "drive/place_options.hpp"
#include "drive/surveyor.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/monitor/monitor.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "monitor/balancer";

Space space_of_positions(const Set& set) { return Space::where(set.position().memory); }

// For statistics only: a set that makes no sense is refused elsewhere, by a vote.
std::int64_t objects_in(std::span<const Set> sets) {
  std::int64_t objects = 0;
  static_cast<void>(attempt(stage_name, [&] {
    for (const Set& set : sets) objects += std::max<std::int64_t>(0, set.count());
  }));
  return objects;
}

double weight_of(const Set& set) {
  if (!set.options().weight.given()) return static_cast<double>(set.count());
  return sum_of(given_weights(space_of_positions(set), set));
}

// What each rank states before a rebalance, for all to agree.
struct Statement {
  std::int64_t step_least = 0, step_greatest = 0;
  std::int64_t generation_least = 0, generation_greatest = 0;
  std::uint64_t weighted_by_all = 0, weighted_by_any = 0;  // a bit for each set
  std::uint64_t bound = 0;                                 // not 0: there are groups or pins
  std::uint64_t hooked = 0;                                // not 0: hooks wait for a move
  std::int64_t load = 0;                                   // nanoseconds per step
  std::int64_t expected = 0;                               // load, by the learned costs of objects
  std::int64_t objects = 0;
};

std::uint64_t weighted_among(std::span<const Set> sets) {
  std::uint64_t bits = 0;
  for (std::size_t s = 0; s < sets.size(); ++s)
    if (sets[s].options().weight.given()) bits |= std::uint64_t{1} << (s % 64);
  return bits;
}

bool any_bound(std::span<const Set> sets) {
  return std::any_of(sets.begin(), sets.end(), [](const Set& set) {
    return set.options().group.given() || set.options().pinned.given();
  });
}

void add_statement(Statement& into, const Statement& from) noexcept {
  into.step_least = std::min(into.step_least, from.step_least);
  into.step_greatest = std::max(into.step_greatest, from.step_greatest);
  into.generation_least = std::min(into.generation_least, from.generation_least);
  into.generation_greatest = std::max(into.generation_greatest, from.generation_greatest);
  into.weighted_by_all &= from.weighted_by_all;
  into.weighted_by_any |= from.weighted_by_any;
  into.bound |= from.bound;
  into.hooked |= from.hooked;
  into.load += from.load;
  into.expected += from.expected;
  into.objects += from.objects;
}

void require_alike(const Statement& all) {
  if (all.weighted_by_all != all.weighted_by_any)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Some ranks gave weights for a set, others none.",
                "Give .weight for the same sets on all ranks, also where a rank has no objects.");
  if (all.step_least == all.step_greatest && all.generation_least == all.generation_greatest)
    return;
  throw Error(ErrorKind::disagreement, Where{stage_name},
              "Ranks came to a rebalance at steps " + std::to_string(all.step_least) + " to " +
                  std::to_string(all.step_greatest) + " and generations " +
                  std::to_string(all.generation_least) + " to " +
                  std::to_string(all.generation_greatest) + '.',
              "Call step and rebalance equally often on all ranks.");
}

// The dimensions of all positions, now and at the last rebalance; 0 while no rank knows. The same
// on all ranks.
int dimensions_of(std::span<const SetShape> shapes, const Domains& last) {
  int dimensions = evenkeel::dimensions_of(last);
  for (const SetShape& shape : shapes) {
    if (dimensions != 0 && shape.dimensions != 0 && shape.dimensions != dimensions)
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "Sets in 2 and in 3 dimensions cannot share a decomposition.",
                  "Give them Balancers of their own.");
    dimensions = std::max(dimensions, shape.dimensions);
  }
  return dimensions;
}

void enlarge(Bounds& into, const Bounds& from) {
  into.dimensions = std::max(into.dimensions, from.dimensions);
  for (std::size_t d = 0; d < 3; ++d) {
    into.lower[d] = std::min(into.lower[d], from.lower[d]);
    into.upper[d] = std::max(into.upper[d], from.upper[d]);
  }
}

// What the ranks have agreed on before a rebalance. Times are in nanoseconds per step.
struct Agreed {
  double mine = 0;  // 0: nothing was measured here
  std::int64_t my_objects = 0;
  std::int64_t objects = 0;         // over all ranks
  bool bound = false;               // there are groups or pins
  bool hooked = false;              // hooks wait for a move
  double mean_per_object = 0;       // over all ranks; 0: nothing was measured anywhere
  double last_mean_per_object = 0;  // the same, when last measured
  double expected = 0;              // `mine` by learned costs, scaled to the same sum over ranks
};

// How much the learned costs of objects still count: fully where they foretold this rank's load,
// half where they were far off.
double share_followed(const Agreed& agreed) {
  constexpr double least = 0.5, far_off = 0.2;
  if (agreed.expected <= 0 || agreed.mine <= 0) return least;
  const double off = std::abs(agreed.mine / agreed.expected - 1);
  return std::max(least, 1 - (1 - least) * off / far_off);
}

// The cost of each of `count` objects of one set, as far as known; all 0 when nothing is known.
exec::Array<double> costs_of(const Space& space, std::int64_t count, const Agreed& agreed,
                             exec::Array<double> earlier) {
  if (agreed.mean_per_object > 0) {
    const double mean = agreed.mine > 0 ? agreed.mine / static_cast<double>(agreed.my_objects)
                                        : agreed.mean_per_object;
    return measured_weights(
        space, count,
        {mean * static_cast<double>(count), agreed.mean_per_object, share_followed(agreed)},
        earlier);
  }
  if (sum_of(earlier) > 0) return earlier;
  return exec::filled(space, "evenkeel::balancer::costs", count, agreed.last_mean_per_object);
}

}  // namespace

namespace {

// The seconds of stages on this rank, one after the other.
class StageTimes {
 public:
  // Ends a stage that began when the last one ended.
  void end(const char* stage) { seconds_.emplace_back(stage, stopwatch_.restart()); }
  const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }

 private:
  Stopwatch stopwatch_;
  std::vector<std::pair<std::string, double>> seconds_;
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
        space_(std::move(space)) {
    constexpr std::int64_t first = 1;  // before it, objects are where the application has put them
    monitor_.keep_from(first);
    surveyor_ = std::make_unique<Surveyor>(ranks_);
  }

  MoveReport step(std::span<const Set> sets);
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

  void run_before() const {
    for (const auto& hook : before_) hook();
  }
  void run_after(const MoveReport& report) const;

  std::vector<std::function<void()>> before_;
  std::vector<std::function<void(const MoveReport&)>> after_;
  Monitor monitor_;
  Communicator ranks_;
  std::optional<Space> space_;  // on which the application wants the work
  Domains domains_;
  std::unique_ptr<Surveyor> surveyor_;
  // By set: the learned cost of each object. Travels with the objects.
  std::vector<exec::Array<double>> costs_;
  double mean_per_object_ = 0;  // over all ranks, when last measured
  bool learns_ = false;         // costs of objects; never with weights or in a deterministic run
};

MoveReport Balancer::Impl::step(std::span<const Set> sets) {
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
    return Surveyor::Question{
        sets, costs_, monitor_.options(), domains_, monitor_.steps(), load, has_moved, [this] {
          return monitor_.now();
        }};
  };
  const auto find_out = [&](std::int64_t load) { return surveyor_->survey(question(load)); };
  Advice advice;
  {
    const SurveyedBy surveyed(monitor_,
                              looks && ranks_.size() > 1 ? find_out : Monitor::Surveyor());
    advice = monitor_.step(looks ? objects_in(sets) : 0);
  }
  if (monitor_.take_advised()) surveyor_->advise(question(0));
  if (advice) return rebalance(sets, advice.back_to);
  MoveReport nothing;
  nothing.generation = generation_of(domains_);
  return nothing;
}

// The sets, which carry their records and, where these are learned, their costs.
std::vector<Set> Balancer::Impl::with_costs(std::span<const Set> sets) {
  if (monitor_.is_finished())
    throw Error(ErrorKind::bad_input, Where{stage_name}, "rebalance was called after finish.",
                "Call finish once, at the end.");
  if (!exec::kokkos_is_running())
    throw Error(ErrorKind::bad_input, Where{stage_name}, "Kokkos is not running.",
                "Rebalance between Kokkos::initialize and Kokkos::finalize.");
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
  if (!learns_) return all;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const std::int64_t count = std::max<std::int64_t>(0, all[s].count());
    if (costs_[s].size() != count || costs_[s].empty())
      costs_[s] = exec::filled(space, "evenkeel::balancer::costs", count, 0.0);
    all[s].accompany(field_of(costs_[s]));
  }
  return all;
}

Agreed Balancer::Impl::agree(const Status& status, std::span<const Set> sets) {
  const exec::Region shown("evenkeel::agree");
  Statement mine;
  mine.step_least = mine.step_greatest = monitor_.steps();
  mine.generation_least = mine.generation_greatest = generation_of(domains_);
  mine.weighted_by_all = mine.weighted_by_any = weighted_among(sets);
  mine.bound = any_bound(sets) ? 1 : 0;
  mine.hooked = after_.empty() ? 0 : 1;
  mine.load = monitor_.load_nanoseconds();
  mine.objects = objects_in(sets);
  for (const auto& costs : costs_) mine.expected += std::llround(sum_of(costs));
  const Statement all = vote<&add_statement>(ranks_, status, mine);
  require_alike(all);
  Agreed agreed;
  agreed.mine = static_cast<double>(mine.load);
  agreed.my_objects = mine.objects;
  agreed.objects = all.objects;
  if (all.expected > 0)
    agreed.expected = static_cast<double>(mine.expected) * static_cast<double>(all.load) /
                      static_cast<double>(all.expected);
  agreed.bound = all.bound != 0;
  agreed.hooked = all.hooked != 0;
  if (all.objects > 0)
    agreed.mean_per_object = static_cast<double>(all.load) / static_cast<double>(all.objects);
  if (agreed.mean_per_object > 0) mean_per_object_ = agreed.mean_per_object;
  agreed.last_mean_per_object = mean_per_object_;
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
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (learns_) costs_[s] = costs_of(space, sets[s].count(), agreed, std::move(costs_[s]));
    if (sets[s].options().weight.given()) all.given[s] = given_weights(space, sets[s]);
    all.of_sets.push_back(learns_ ? costs_[s].span() : all.given[s].span());
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
  MoveOptions moving = move_options_of(options);
  moving.on_stage = [this](MoveStage now) {
    if (now == MoveStage::reserve) run_before();
  };

  std::vector<Set> sets;
  const Status arrived = attempt(stage_name, [&] { sets = with_costs(given); });
  const Agreed agreed = agree(arrived, sets);
  // All ranks have arrived: waiting for the slowest does not count as cost.
  const std::int64_t began = monitor_.now();
  const std::vector<SetShape> shapes = agree_on_sets(ranks_, sets);
  const int dimensions = dimensions_of(shapes, domains_);
  MoveReport report;
  report.generation = generation_of(domains_);
  if (dimensions == 0) return report;  // no rank has ever had an object
  const Region region = {dimensions, box_around(sets), agreed.bound};
  times.end("agree");

  Weighed weights;
  const Status weighed = attempt(stage_name, [&] { weights = weigh(sets, agreed); });
  times.end("weigh");
  Prepared prepared = prepare(ranks_, weighed, sets, region, place_options_of(options));
  times.end("order");
  Allowed found;
  if (std::optional<Assignment> earlier = find_earlier(prepared, weights.of_sets, back_to)) {
    found.assignment = std::move(*earlier);
  } else {
    back_to = -1;
    found = place_allowed(ranks_, Status(), prepared, weights.of_sets, options.target_lambda,
                          options.least_objects, domains_);
  }
  const Domains domains = found.assignment.domains;
  const bool is_changed = found.assignment.is_changed;
  const double lambda = found.assignment.lambda;
  times.end("cut");
  const Plan who = plan(ranks_, std::move(prepared), std::move(found.assignment));
  times.end("plan");
  moving.seconds_before = times.seconds();
  if (!who.empty()) report = move(ranks_, sets, shapes, who, moving);

  Outcome outcome;
  // Objects may have wandered to where a new cut wants them: then domains change, and nothing
  // moves.
  outcome.moved = report.moved || is_changed;
  if (outcome.moved) {
    surveyor_->end_rebalance(back_to, generation_of(domains));
    domains_ = domains;
  }
  report.generation = generation_of(domains_);
  report.lambda = lambda;
  report.refused = found.refused;
  outcome.objects_moved = report.objects;
  outcome.bytes_moved = report.bytes;
  outcome.stages = report.seconds;
  outcome.seconds = static_cast<double>(monitor_.now() - began) * 1e-9;
  outcome.lambda = lambda;
  outcome.earlier = back_to >= 0;
  monitor_.rebalanced(outcome);
  if (report.moved && agreed.hooked) run_after(report);
  return report;
}

// Collective.
void Balancer::Impl::run_after(const MoveReport& report) const {
  Status status = attempt(
      stage_name,
      [&] {
        for (const auto& hook : after_) hook(report);
      },
      ErrorKind::application);
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
MoveReport Balancer::step(std::span<const Set> sets) {
  const InUse in_use(impl_->space_);
  return impl_->step(sets);
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
