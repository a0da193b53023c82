#include <evenkeel/monitor/balancer.hpp>

#include "placement.hpp"
#include "surveyor.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/order.hpp>
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

// What a set holds, for statistics: a set that makes no sense is refused elsewhere, by a vote.
std::int64_t objects_in(std::span<const Set> sets) {
  std::int64_t objects = 0;
  static_cast<void>(attempt(stage_name, [&] {
    for (const Set& set : sets) objects += std::max<std::int64_t>(0, set.count());
  }));
  return objects;
}

double weight_of(const Set& set) {
  if (!set.options().weight.given()) return static_cast<double>(set.count());
  const std::vector<double> weights = given_weights(space_of_positions(set), set);
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

// What the ranks bring to a rebalance.
struct Arrival {
  std::int64_t step_least = 0, step_greatest = 0;
  std::int64_t generation_least = 0, generation_greatest = 0;
  std::uint64_t weighted_by_all = 0, weighted_by_any = 0;  // a bit for each set
  std::uint64_t bound = 0;                                 // not 0: there are groups or pins
  std::uint64_t hooked = 0;                                // not 0: hooks wait for a move
  std::int64_t load = 0;                                   // nanoseconds per step
  std::int64_t expected = 0;                               // by what objects were found to cost
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

void add_arrival(Arrival& into, const Arrival& from) noexcept {
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

void require_alike(const Arrival& all) {
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

// What has been measured, in nanoseconds per step.
struct Load {
  double mine = 0;  // 0: nothing was measured here
  std::int64_t my_objects = 0;
  std::int64_t objects = 0;         // over all ranks
  bool bound = false;               // there are groups or pins
  bool hooked = false;              // hooks wait for a move
  double mean_per_object = 0;       // over all ranks; 0: nothing was measured anywhere
  double last_mean_per_object = 0;  // when something last was
  double expected = 0;              // here, by what objects were found to cost: of the same sum
};

// How much of what objects were found to cost still holds: all of it where it foretold this rank's
// load, half where it was far off.
double share_followed(const Load& load) {
  constexpr double least = 0.5, far_off = 0.2;
  if (load.expected <= 0 || load.mine <= 0) return least;
  const double off = std::abs(load.mine / load.expected - 1);
  return std::max(least, 1 - (1 - least) * off / far_off);
}

// What each of `count` objects of one set costs, so far as anybody knows; all 0 when nobody does.
std::vector<double> costs_of(std::int64_t count, const Load& load,
                             const std::vector<double>& earlier) {
  const bool known = std::accumulate(earlier.begin(), earlier.end(), 0.0) > 0;
  if (load.mean_per_object > 0) {
    const double mean =
        load.mine > 0 ? load.mine / static_cast<double>(load.my_objects) : load.mean_per_object;
    return measured_weights(count, mean * static_cast<double>(count), load.mean_per_object, earlier,
                            share_followed(load));
  }
  if (known) return earlier;
  return std::vector<double>(static_cast<std::size_t>(count), load.last_mean_per_object);
}

// --- When a rank would be left with too few objects ----------------------------------------------

// How evenly to cut.
struct Strictness {
  double target_lambda;  // 0: as evenly as can be
  double counts;         // from 0, weights as they are, to 1, all objects alike
};

// A tighter target first, which is nearest to what was asked for; where heavy objects are the
// cause, weights that differ less and less.
std::vector<Strictness> ever_stricter(double target) {
  std::vector<Strictness> all = {{target, 0}};
  if (target > 1) {
    all.push_back({1 + (target - 1) / 2, 0});
    all.push_back({1 + (target - 1) / 4, 0});
  }
  if (target > 0) all.push_back({0, 0});
  for (const double counts : {0.25, 0.5, 0.75, 1.0}) all.push_back({0, counts});
  return all;
}

double weight_in(const Placing& placing, std::size_t set) {
  const std::vector<double>& weights = placing.weights[set];
  if (weights.empty()) return static_cast<double>(placing.sets[set].count());
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

// Collective.
double mean_weight(const Communicator& communicator, const Placing& placing, std::int64_t objects) {
  double sum = 0;
  for (std::size_t s = 0; s < placing.weights.size(); ++s) sum += weight_in(placing, s);
  sum = communicator.all_reduce(sum, Reduction::sum);
  return objects > 0 ? sum / static_cast<double>(objects) : 0;
}

std::vector<std::vector<double>> blend(const Placing& placing, double mean, double counts) {
  std::vector<std::vector<double>> weights(placing.weights.begin(), placing.weights.end());
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (weights[s].empty()) weights[s].assign(static_cast<std::size_t>(placing.sets[s].count()), 1);
    for (double& weight : weights[s]) weight += counts * (mean - weight);
  }
  return weights;
}

// Collective. Of what a plan leads to, by the weights as they are.
double lambda_of(const Communicator& communicator, const Placing& placing, const Plan& plan) {
  std::vector<double> loads(static_cast<std::size_t>(communicator.size()));
  const auto add = [&](int rank, std::size_t s, std::int64_t first, std::int64_t objects) {
    const std::vector<double>& weights = placing.weights[s];
    const auto all = plan.sets[s].objects_of({rank, first, objects});
    double& load = loads[static_cast<std::size_t>(rank)];
    for (const std::int64_t object : all)
      load += weights.empty() ? 1 : weights[static_cast<std::size_t>(object)];
  };
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    const SetPlan& set = plan.sets[s];
    for (const Parcel& parcel : set.exports) add(parcel.rank, s, parcel.first, parcel.objects);
    add(communicator.rank(), s, set.first_staying, set.staying);
  }
  communicator.all_reduce(std::span<double>(loads), Reduction::sum);
  communicator.broadcast(std::span<double>(loads), 0);
  const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
  const double most = *std::max_element(loads.begin(), loads.end());
  return sum > 0 ? most * static_cast<double>(loads.size()) / sum : 1;
}

Error too_few(int needed, std::int64_t objects, int ranks, const Plan& last) {
  const std::string each = std::to_string(needed);
  if (objects < std::int64_t{needed} * ranks)
    return Error(ErrorKind::bad_input, Where{stage_name},
                 "There are " + std::to_string(objects) + " objects for " + std::to_string(ranks) +
                     " ranks, and least_objects is " + each + '.',
                 "Use fewer ranks, or ask for fewer objects on each.");
  return Error(ErrorKind::bad_input, Where{stage_name},
               "Rank " + std::to_string(last.emptiest_rank) + " would be left with " +
                   std::to_string(last.fewest_objects) +
                   " objects however evenly they are cut, and least_objects is " + each + '.',
               "Objects at one place cannot be parted: use fewer ranks, or another method.");
}

}  // namespace

struct Balancer::Impl {
  Impl(Communicator for_epochs, Communicator for_rebalances, const Options& options)
      : monitor_(std::move(for_epochs), options), ranks_(std::move(for_rebalances)) {
    constexpr std::int64_t first = 1;  // before it objects are where the application has put them
    monitor_.keep_from(first);
    surveyor_ = std::make_unique<Surveyor>(ranks_);
  }

  MoveReport step(std::span<const Set> sets);
  // `back_to`: the generation to take again, where it is known; -1: none.
  MoveReport rebalance(std::span<const Set> sets, std::int64_t back_to = -1);

  // The stages of a rebalance that need more than their arguments.
  std::vector<Set> with_costs(std::span<const Set> sets);
  Load arrive(const Status& status, std::span<const Set> sets);
  Box box_around(std::span<const Set> sets) const;
  struct Allowed {
    Placed where;
    Plan who;
    int refused;
  };
  Plan plan_of(const Placing& placing, Placed& where);
  Allowed find_allowed(const Status& status, const Placing& placing, std::int64_t objects);
  std::optional<Allowed> find_earlier(const Status& status, const Placing& placing,
                                      std::int64_t back_to);
  void weigh(std::span<const Set> sets, const Load& load, std::vector<std::vector<double>>& into);

  void run_before() const {
    for (const auto& hook : before_) hook();
  }
  void run_after(const MoveReport& report) const;

  std::vector<std::function<void()>> before_;
  std::vector<std::function<void(const MoveReport&)>> after_;
  Monitor monitor_;
  Communicator ranks_;
  Domains domains_;
  std::unique_ptr<Surveyor> surveyor_;
  // By set: what each object has been found to cost. Travels with the objects.
  std::vector<std::vector<double>> costs_;
  double mean_per_object_ = 0;  // over all ranks, when last measured
  bool learns_ = false;         // what objects cost: nobody has said so
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
  const auto find_out = [this, &sets](std::int64_t load) {
    const std::int64_t first = monitor_.first_generation();
    return surveyor_->survey({sets, costs_, monitor_.options(), domains_, monitor_.steps(), load,
                              first >= 0 && first != generation_of(domains_),
                              [this] { return monitor_.now(); }});
  };
  Advice advice;
  {
    const SurveyedBy surveyed(monitor_,
                              looks && ranks_.size() > 1 ? find_out : Monitor::Surveyor());
    advice = monitor_.step(looks ? objects_in(sets) : 0);
  }
  if (monitor_.take_advised()) surveyor_->advise();
  if (advice) return rebalance(sets, advice.back_to);
  MoveReport nothing;
  nothing.generation = generation_of(domains_);
  return nothing;
}

// The sets, each with what its objects cost where that is measured.
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
  costs_.resize(all.size());
  surveyor_->begin_rebalance(domains_, all.size(), monitor_.steps() == 0);
  if (monitor_.steps() > 0 && ranks_.size() > 1)
    for (std::size_t s = 0; s < all.size(); ++s)
      all[s].accompany(field_of(surveyor_->record_of(s, all[s].count())));
  learns_ = !given && !monitor_.options().deterministic;
  if (!learns_) return all;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, all[s].count()));
    if (costs_[s].size() != count) costs_[s].assign(count, 0);
    all[s].accompany(field_of(costs_[s]));
  }
  return all;
}

Load Balancer::Impl::arrive(const Status& status, std::span<const Set> sets) {
  Arrival mine;
  mine.step_least = mine.step_greatest = monitor_.steps();
  mine.generation_least = mine.generation_greatest = generation_of(domains_);
  mine.weighted_by_all = mine.weighted_by_any = weighted_among(sets);
  mine.bound = any_bound(sets) ? 1 : 0;
  mine.hooked = after_.empty() ? 0 : 1;
  mine.load = monitor_.load_nanoseconds();
  mine.objects = objects_in(sets);
  for (const auto& costs : costs_)
    mine.expected += std::llround(std::accumulate(costs.begin(), costs.end(), 0.0));
  const Arrival all = vote<&add_arrival>(ranks_, status, mine);
  require_alike(all);
  Load load;
  load.mine = static_cast<double>(mine.load);
  load.my_objects = mine.objects;
  load.objects = all.objects;
  if (all.expected > 0)
    load.expected = static_cast<double>(mine.expected) * static_cast<double>(all.load) /
                    static_cast<double>(all.expected);
  load.bound = all.bound != 0;
  load.hooked = all.hooked != 0;
  if (all.objects > 0)
    load.mean_per_object = static_cast<double>(all.load) / static_cast<double>(all.objects);
  if (load.mean_per_object > 0) mean_per_object_ = load.mean_per_object;
  load.last_mean_per_object = mean_per_object_;
  return load;
}

Box Balancer::Impl::box_around(std::span<const Set> sets) const {
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

void Balancer::Impl::weigh(std::span<const Set> sets, const Load& load,
                           std::vector<std::vector<double>>& into) {
  into.resize(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Set& set = sets[s];
    const std::int64_t count = set.count();
    if (set.options().weight.given()) {
      into[s] = given_weights(space_of_positions(set), set);
    } else if (learns_) {
      into[s] = costs_[s] = costs_of(count, load, costs_[s]);
    }
  }
}

Plan Balancer::Impl::plan_of(const Placing& placing, Placed& where) {
  Plan who = plan(ranks_, Status(), where.splitters, std::move(where.orders),
                  {.rank_of_part = rank_of_part(where.domains),
                   .held = where.bonds.held,
                   .sets = placing.sets});
  placing.lap("plan");
  return who;
}

// Places and plans until no rank is left with fewer objects than it must have. All ranks see the
// same, so all try alike.
Balancer::Impl::Allowed Balancer::Impl::find_allowed(const Status& status, const Placing& placing,
                                                     std::int64_t objects) {
  const Options& options = monitor_.options();
  const std::int64_t needed = std::int64_t{options.least_objects} * ranks_.size();
  Plan last;
  const std::vector<Strictness> all = ever_stricter(options.target_lambda);
  for (std::size_t tried = 0; objects >= needed && tried < all.size(); ++tried) {
    Options stricter = options;
    stricter.target_lambda = all[tried].target_lambda;
    std::vector<std::vector<double>> weights;
    Placing again = placing;
    Status ready = status;
    if (all[tried].counts > 0) {
      const double mean = mean_weight(ranks_, placing, objects);
      ready = attempt(stage_name, [&] { weights = blend(placing, mean, all[tried].counts); });
      again.weights = weights;
    }
    Placed where = Placer(ranks_, stricter, domains_).place(ready, again);
    Plan who = plan_of(placing, where);
    if (who.fewest_objects >= options.least_objects) {
      if (all[tried].counts > 0 || placing.bound) where.lambda = lambda_of(ranks_, placing, who);
      return {std::move(where), std::move(who), static_cast<int>(tried)};
    }
    last = std::move(who);
  }
  vote(ranks_, status);
  throw too_few(options.least_objects, objects, ranks_.size(), last);
}

// What was there in an earlier generation, unless that is known no more, or lies in another box, or
// would leave a rank with too few objects. The same on all ranks.
std::optional<Balancer::Impl::Allowed> Balancer::Impl::find_earlier(const Status& status,
                                                                    const Placing& placing,
                                                                    std::int64_t back_to) {
  const Domains* const kept = back_to >= 0 ? surveyor_->find(back_to) : nullptr;
  if (kept == nullptr || !(box_of(*kept) == placing.box)) return std::nullopt;
  Options any = monitor_.options();
  any.target_lambda = std::numeric_limits<double>::max();  // however even it is now
  const Domains earlier = renumbered(*kept, generation_of(domains_));
  Placed where = Placer(ranks_, any, earlier).place(status, placing);
  where.changed = true;
  Plan who = plan_of(placing, where);
  if (who.fewest_objects < any.least_objects) return std::nullopt;
  if (placing.bound) where.lambda = lambda_of(ranks_, placing, who);
  return Allowed{std::move(where), std::move(who), 0};
}

MoveReport Balancer::Impl::rebalance(std::span<const Set> given, std::int64_t back_to) {
  Stopwatch stage;
  MoveOptions move_options;
  move_options.staging_bytes = monitor_.options().staging_bytes;
  move_options.messages_in_flight = monitor_.options().messages_in_flight;
  move_options.origins = monitor_.options().origins;
  move_options.on_stage = [this](MoveStage now) {
    if (now == MoveStage::reserve) run_before();
  };
  const auto lap = [&](const char* name) {
    auto& all = move_options.seconds_before;
    auto at = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.first == name; });
    if (at == all.end()) at = all.insert(all.end(), {name, 0.0});
    at->second += stage.lap();
  };

  std::vector<Set> sets;
  const Status arrived = attempt(stage_name, [&] { sets = with_costs(given); });
  const Load load = arrive(arrived, sets);
  // From here on all ranks are here: waiting for the slowest is no cost.
  const std::int64_t began = monitor_.now();
  const std::vector<SetShape> shapes = agree_on_sets(ranks_, sets);
  const int dimensions = dimensions_of(shapes, domains_);
  MoveReport report;
  report.generation = generation_of(domains_);
  if (dimensions == 0) return report;  // no rank has ever had an object
  const Box box = box_around(sets);
  lap("agree");

  std::vector<std::vector<double>> weights;
  const Status weighed = attempt(stage_name, [&] { weigh(sets, load, weights); });
  const Placing placing{sets, weights, dimensions, box, load.bound, lap};
  std::optional<Allowed> found = find_earlier(weighed, placing, back_to);
  if (!found) {
    back_to = -1;
    found = find_allowed(weighed, placing, load.objects);
  }
  auto& [where, who, refused] = *found;

  Outcome outcome;
  if (!who.empty()) report = move(ranks_, sets, shapes, who, move_options);
  // Objects that have wandered can be where a new cut wants them: then it changes, and none moves.
  outcome.moved = report.moved || where.changed;
  if (outcome.moved) {
    surveyor_->end_rebalance(back_to, generation_of(where.domains));
    domains_ = std::move(where.domains);
  }
  report.generation = generation_of(domains_);
  report.lambda = where.lambda;
  report.refused = refused;
  outcome.objects_moved = report.objects;
  outcome.bytes_moved = report.bytes;
  outcome.stages = report.seconds;
  outcome.seconds = static_cast<double>(monitor_.now() - began) * 1e-9;
  outcome.lambda = where.lambda;
  outcome.earlier = back_to >= 0;
  monitor_.rebalanced(outcome);
  if (report.moved && load.hooked) run_after(report);
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

Balancer::Balancer(const Communicator& communicator, const Options& options)
    : impl_(std::make_unique<Impl>(require_kokkos(communicator.duplicate()),
                                   communicator.duplicate(), options)) {}
#if EVENKEEL_HAS_MPI
Balancer::Balancer(MPI_Comm users, const Options& options)
    : impl_(std::make_unique<Impl>(require_kokkos(Communicator(users)), Communicator(users),
                                   options)) {}
#endif
Balancer::Balancer(Balancer&&) noexcept = default;
Balancer& Balancer::operator=(Balancer&&) noexcept = default;
Balancer::~Balancer() = default;

Kernel Balancer::kernel(const std::string& name, const KernelOptions& options) {
  return impl_->monitor_.kernel(name, options);
}
MoveReport Balancer::step(std::span<const Set> sets) { return impl_->step(sets); }
MoveReport Balancer::rebalance(std::span<const Set> sets) { return impl_->rebalance(sets); }
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

const Decomposition& Balancer::decomposition() const noexcept {
  static const Decomposition nobody;
  const auto* curve = std::get_if<Decomposition>(&impl_->domains_);
  return curve != nullptr ? *curve : nobody;
}
const Domains& Balancer::domains() const noexcept { return impl_->domains_; }
const Options& Balancer::options() const noexcept { return impl_->monitor_.options(); }
std::int64_t Balancer::steps() const noexcept { return impl_->monitor_.steps(); }

}  // namespace evenkeel
