// Domains from the work of domains.
//
//   home     samples go to the owners of their places under the present domains
//   refine   each rank makes its samples agree with what it has measured
//   find     the cut from objects, with samples for objects, makes the next domains
//
// The samples of an owner are in an order that does not depend on where they come from, and random
// numbers depend on the owner and the round alone. So the domains are the same on any number of
// ranks, as long as parts are not exchanged to keep objects in place.

#include "place/method.hpp"
#include "place/samples.hpp"
#include "place/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/boxes/rounds.hpp>
#include <evenkeel/core/migrate.hpp>
#include <evenkeel/core/weights/load.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

namespace evenkeel {

namespace {

using Measured = WorkRounds::Measured;

constexpr double least_share = 1e-4;    // of the mean work: each domain counts as having this much
constexpr double even_lambda = 1.3;     // below, good samples only change their weights
constexpr double near_lambda = 1.6;     // from this on, domains do not begin from the present ones
constexpr double worth_moving = 0.995;  // new domains must have less than this share of lambda
constexpr double other_lambda = 0.05;   // if lambda of the same domains rises by more, the work has
                                        // changed
constexpr int most_idle_rounds = 8;     // without better domains, until the best ones return

// The samples of this rank as a set.
class SampleSet {
 public:
  SampleSet(Samples& samples, int dimensions)
      : field_(raw_field(samples.places.empty() ? nullptr : samples.places.front().data(),
                         {.count = std::ssize(samples.places),
                          .components = dimensions,
                          .object_stride = 3,
                          .label = "samples"})),
        set_(evenkeel::set(field_)),
        weights_(samples.weights) {}
  SampleSet(const SampleSet&) = delete;
  SampleSet& operator=(const SampleSet&) = delete;

  std::span<const Set> set() const noexcept { return {&set_, 1}; }
  Weights weights() const noexcept { return {&weights_, 1}; }

 private:
  RawField<double> field_;  // the set refers to it
  Set set_;
  std::span<const double> weights_;
};

// A cut of samples into domains.
struct SampleCut {
  Samples samples;
  PlaceOptions options;
  Region region;
  Domains last;                    // to begin from, if they have parts
  std::optional<FreshGoal> fresh;  // if set, part p belongs to owner p
};

// Collective. `made` is the status of making the cut.
Found found_by(const Communicator& communicator, const Status& made, SampleCut& cut) {
  std::optional<SampleSet> set;
  std::optional<PreparedToCut> prepared;
  const Status ready = attempt(stage_name, [&] {
    if (!made.ok()) throw Error(*made.error());
    if (!exec::kokkos_is_running())
      refuse("Kokkos is not running.", "Call Kokkos::initialize before.");
    set.emplace(cut.samples, cut.region.dimensions);
    prepared.emplace(prepare_to_cut(Status(), set->set(), cut.region, cut.options));
  });
  vote(communicator, ready);
  const Goal goal = EvenGoal{};
  Found found = find_domains({communicator, prepared->sets.status, prepared->sets, set->weights(),
                              goal, cut.last, cut.fresh ? &*cut.fresh : nullptr});
  vote(communicator, found.status);
  return found;
}

void check_start(const Domains& start, const GridRoundsOptions& options) {
  if (parts_of(start) == 0 || !(std::holds_alternative<VoronoiDomains>(start) ||
                                std::holds_alternative<MeshDomains>(start)))
    refuse("Rounds were begun with domains that are neither cells nor hexahedra.",
           "Begin with those of WorkRounds::even().");
  check_speeds(refuse, options.speeds, parts_of(start));
  if (!(options.noise >= 0) || !std::isfinite(options.noise))
    refuse("noise must be finite and not negative.",
           "Give a standard deviation, or 0 if it is unknown.");
  if (options.rule != GridRule::model)
    refuse("Only grids have the rule of relaxation.", "Leave out .rule.");
}

// The owners whose domains a rank measures: first, first + 1, and so on up to before end.
using Owners = std::pair<int, int>;

void check_measured(std::span<const Measured> mine, const Owners& owners, const Domains& domains) {
  constexpr double rounding = 1e-6;  // of the box of all domains
  if (std::ssize(mine) != owners.second - owners.first)
    refuse("Work came for " + std::to_string(mine.size()) + " domains, but this rank measures " +
               std::to_string(owners.second - owners.first) + '.',
           "Give the work of the domain of each owner on this rank.");
  for (int owner = owners.first; owner < owners.second; ++owner) {
    const Measured& its = mine[static_cast<std::size_t>(owner - owners.first)];
    const std::string name = "rank " + std::to_string(owner);
    if (!(its.work >= 0) || !std::isfinite(its.work))
      refuse("The work of " + name + " is negative, NaN or infinite.",
             "Measure again, or give 0 where nothing was computed.");
    if (!its.centre || !(its.work > 0)) continue;
    const Box& whole = box_of(domains);
    const std::vector<Box> around = boxes_of(domains, owner);
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d) {
      const double at = (*its.centre)[d], margin = rounding * (whole.upper[d] - whole.lower[d]);
      const bool is_inside = !around.empty() && at >= around.front().lower[d] - margin &&
                             at <= around.front().upper[d] + margin;
      if (!is_inside)
        refuse("The centre of work of " + name + " is " + text_of(at) + " along " + "xyz"[d] +
                   ", which is outside of the box around its domain.",
               "Give the mean place of the work in the domain, or no centre.");
    }
  }
}

}  // namespace

class WorkRounds::Impl {
 public:
  Impl(Domains start, const GridRoundsOptions& options)
      : current_(std::move(start)), noise_(options.noise) {
    check_start(current_, options);
    best_ = current_;
    region_ = {dimensions_of(current_), box_of(current_)};
    placing_.method = method_of(current_);
    placing_.periodic = decomposition_of(current_).periodic();
    placing_.least_width = options.least_width;
    placing_.rank_of_part = rank_of_part(current_);
    placing_.speeds = options.speeds;
    for (std::size_t p = 0; p < options.speeds.size() && !placing_.rank_of_part.empty(); ++p)
      placing_.speeds[static_cast<std::size_t>(placing_.rank_of_part[p])] = options.speeds[p];
  }

  const Domains& current() const noexcept { return current_; }
  const Domains& best() const noexcept { return best_; }
  double best_lambda() const noexcept { return best_lambda_; }
  Owners owners_on(const Communicator& communicator) const noexcept {
    const auto first = [&](int rank) {
      return static_cast<int>(std::int64_t{parts()} * rank / communicator.size());
    };
    return {first(communicator.rank()), first(communicator.rank() + 1)};
  }

  void next(const Communicator& communicator, std::span<const Measured> mine);

 private:
  int parts() const noexcept { return parts_of(current_); }
  // The rank that measures the domain of an owner.
  int rank_of(int owner, int ranks) const noexcept {
    return static_cast<int>(((std::int64_t{owner} + 1) * ranks - 1) / parts());
  }

  void judge();
  void bring_home(const Communicator& communicator, const Owners& owners);
  void sort_in(Samples all, const Owners& owners);
  void refine(std::span<const Measured> mine, const Owners& owners, std::span<const double> work);
  SampleCut cut_for(int ranks) const;
  bool stays_with_best(const Communicator& communicator, const Status& made, SampleCut& cut);
  void take(const Domains& next) { current_ = renumbered(next, generation_of(current_) + 1); }

  Domains current_, best_;
  double best_lambda_ = 0, lambda_ = 0;  // lambda_ is that of the current domains
  int idle_rounds_ = 0, rounds_ = 0;
  double noise_;
  Region region_;
  PlaceOptions placing_;
  std::vector<Samples> samples_;  // of each owner on this rank; empty before the first round
  std::int64_t home_ = -1;        // the generation of the domains by which they were distributed
};

void WorkRounds::Impl::next(const Communicator& communicator, std::span<const Measured> mine) {
  const Owners owners = owners_on(communicator);
  std::vector<double> own;
  const Status valid = attempt(stage_name, [&] {
    check_measured(mine, owners, current_);
    for (const Measured& its : mine) own.push_back(its.work);
  });
  const std::vector<double> work =
      all_gather(communicator, valid, std::span<const double>(own)).values;
  if (!(*std::ranges::max_element(work) > 0)) return;
  lambda_ = evenkeel::lambda_of(work, placing_.speeds);
  vote(communicator, attempt(stage_name, [&] { judge(); }));
  if (lambda_ - 1 <= noise_ * std::sqrt(2 * std::log(parts()))) return;
  ++rounds_;
  bring_home(communicator, owners);
  SampleCut cut;
  const Status made = attempt(stage_name, [&] {
    refine(mine, owners, work);
    cut = cut_for(communicator.size());
  });
  if (stays_with_best(communicator, made, cut)) return;
  const Found found = found_by(communicator, made, cut);
  if (!(found.lambda < worth_moving * lambda_)) return;
  vote(communicator, attempt(stage_name, [&] { take(found.domains); }));
}

// Decides if the present domains are the best. If they were the best before, and are now clearly
// less even, the work has changed.
void WorkRounds::Impl::judge() {
  ++idle_rounds_;
  if (lambda_ - best_lambda_ > other_lambda && is_same_division(best_, current_)) best_lambda_ = 0;
  if (best_lambda_ > 0 && !(lambda_ < best_lambda_)) return;
  if (best_lambda_ == 0 || lambda_ < worth_moving * best_lambda_) idle_rounds_ = 0;
  best_lambda_ = lambda_;
  best_ = current_;
}

// Collective. Samples go to the owners of their places under the current domains.
void WorkRounds::Impl::bring_home(const Communicator& communicator, const Owners& owners) {
  const std::int64_t generation = generation_of(current_);
  if (std::exchange(home_, generation) == generation) return;
  Samples all;
  std::vector<int> ranks;
  std::optional<Set> moving;
  const Status ready = attempt(stage_name, [&] {
    for (const Samples& its : samples_) all.add(its);
    ranks.resize(all.size());
    write_owners_of_places(current_, all.places, ranks.data());
    for (int& owner : ranks) owner = rank_of(owner, communicator.size());
    moving.emplace(set(all.places, carry(all.weights)));
  });
  const std::span<const int> destinations(ranks);
  const Plan plan = plan_to({communicator, ready}, {&destinations, 1});
  if (!plan.empty()) {
    const std::span<const Set> sets(&*moving, 1);
    move(communicator, sets, agree_on_sets(communicator, sets), plan);
  }
  vote(communicator, attempt(stage_name, [&] { sort_in(std::move(all), owners); }));
}

// Distributes samples over the owners on this rank, and sorts those of each owner along a curve.
void WorkRounds::Impl::sort_in(Samples all, const Owners& owners) {
  struct Key {
    int owner;
    CurveKey key;
    std::size_t index;
  };
  std::vector<int> owner_of(all.size());
  std::vector<CurveKey> keys(all.size());
  write_owners_of_places(current_, all.places, owner_of.data());
  const Space space = Space::where(MemoryKind::host);
  const SampleSet set(all, region_.dimensions);
  write_keys(space, Lattice(region_.dimensions, region_.box, placing_.periodic), set.set().front(),
             keys.data());
  space.fence("evenkeel::place::samples");
  std::vector<Key> order;
  for (std::size_t i = 0; i < all.size(); ++i) order.push_back({owner_of[i], keys[i], i});
  const auto rank_in_order = [&](const Key& of) {
    return std::tuple(of.owner, of.key.value, all.places[of.index], all.weights[of.index]);
  };
  std::ranges::sort(order, {}, rank_in_order);
  samples_.assign(static_cast<std::size_t>(owners.second - owners.first), {});
  for (const Key& of : order)
    samples_[static_cast<std::size_t>(of.owner - owners.first)].add(all.places[of.index],
                                                                    all.weights[of.index]);
}

// Makes the samples of each owner agree with what was measured. `work` is that of all owners.
void WorkRounds::Impl::refine(std::span<const Measured> mine, const Owners& owners,
                              std::span<const double> work) {
  double mean = 0;
  for (const double its : work) mean += its / static_cast<double>(work.size());
  for (int owner = owners.first; owner < owners.second; ++owner) {
    const auto i = static_cast<std::size_t>(owner - owners.first);
    const std::vector<Box> around = boxes_of(current_, owner);
    if (around.empty()) continue;  // an owner of no place
    SampledWork known{.share = std::max(mine[i].work / mean, least_share),
                      .are_even = lambda_ < even_lambda};
    if (mine[i].work > 0) known.centre = mine[i].centre;
    samples_[i] = refined(std::move(samples_[i]), {current_, owner, around.front()}, known,
                          SampleRandom(owner, rounds_));
  }
}

SampleCut WorkRounds::Impl::cut_for(int ranks) const {
  SampleCut cut{{}, placing_, region_, {}, {}};
  for (const Samples& its : samples_) cut.samples.add(its);
  if (lambda_ < near_lambda) cut.last = current_;
  const bool may_exchange = std::holds_alternative<VoronoiDomains>(current_);
  const bool is_named = !placing_.rank_of_part.empty();
  if (is_named && parts() != ranks)
    refuse("Ranks were named for " + std::to_string(parts()) + " parts on " +
               std::to_string(ranks) + " ranks.",
           "Leave out rank_of_part.");
  if (parts() != ranks || !(may_exchange || is_named))
    cut.fresh = {.parts = parts(), .generation = generation_of(current_) + 1};
  return cut;
}

// Collective. After many rounds without better domains, the best ones return, and stay until the
// work changes. It has changed if they are not better by the samples.
bool WorkRounds::Impl::stays_with_best(const Communicator& communicator, const Status& made,
                                       SampleCut& cut) {
  if (idle_rounds_ <= most_idle_rounds) return false;
  constexpr int digits = 40;  // of a unit of all work, as integers, so that all ranks agree
  std::vector<std::int64_t> units;
  std::vector<double> loads;
  const Status counted = attempt(stage_name, [&] {
    if (!made.ok()) throw Error(*made.error());
    units.resize(static_cast<std::size_t>(parts()));
    loads.resize(units.size());
    std::vector<int> owners(cut.samples.size());
    write_owners_of_places(best_, cut.samples.places, owners.data());
    for (std::size_t i = 0; i < owners.size(); ++i)
      units[static_cast<std::size_t>(owners[i])] +=
          std::llround(std::ldexp(cut.samples.weights[i] / parts(), digits));
  });
  vote(communicator, counted);
  communicator.all_reduce(std::span(units), Reduction::sum);
  std::ranges::copy(units, loads.begin());
  bool stays = is_same_division(best_, current_);
  vote(communicator, attempt(stage_name, [&] {
         if (stays) return;
         stays = evenkeel::lambda_of(loads, placing_.speeds) < worth_moving * lambda_;
         if (stays) return take(best_);
         idle_rounds_ = 0;
         best_lambda_ = lambda_;
         best_ = current_;
       }));
  return stays;
}

// --- WorkRounds ----------------------------------------------------------------------------------

Domains WorkRounds::even(const Communicator& communicator, const Start& start,
                         const GridRoundsOptions& options) {
  SampleCut cut;
  const Status made = attempt(stage_name, [&] {
    check(start.box, start.periodic);
    if (start.dimensions != 2 && start.dimensions != 3)
      refuse("Cells in " + std::to_string(start.dimensions) + " dimensions were asked for.",
             "Use 2 or 3 dimensions.");
    if (start.parts < 1)
      refuse(std::to_string(start.parts) + " domains were asked for.", "Ask for 1 or more.");
    cut.options.method = start.mesh ? Method(Mesh{*start.mesh}) : Method(Voronoi{});
    cut.options.periodic = start.periodic;
    cut.options.least_width = options.least_width;
    cut.options.speeds = options.speeds;
    cut.region = {start.dimensions, start.box};
    cut.fresh = {.parts = start.parts};
  });
  Domains domains = found_by(communicator, made, cut).domains;
  if (start.rank_of_part.empty()) return domains;
  vote(communicator, attempt(stage_name, [&] {
         if (const auto* const mesh = std::get_if<MeshDomains>(&domains))
           domains = MeshDomains(1, mesh->shape(), start.box, start.periodic, mesh->vertices(),
                                 start.rank_of_part);
         else
           domains = VoronoiDomains(1, start.dimensions, start.box, start.periodic,
                                    std::get<VoronoiDomains>(domains).sites(), start.rank_of_part);
       }));
  return domains;
}

WorkRounds::WorkRounds(Domains start, const GridRoundsOptions& options)
    : impl_(std::make_unique<Impl>(std::move(start), options)) {}
WorkRounds::WorkRounds(const WorkRounds& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
WorkRounds::WorkRounds(WorkRounds&&) noexcept = default;
WorkRounds& WorkRounds::operator=(WorkRounds&&) noexcept = default;
WorkRounds::~WorkRounds() = default;

const Domains& WorkRounds::current() const noexcept { return impl_->current(); }
const Domains& WorkRounds::best() const noexcept { return impl_->best(); }
double WorkRounds::best_lambda() const noexcept { return impl_->best_lambda(); }
std::pair<int, int> WorkRounds::owners_on(const Communicator& communicator) const noexcept {
  return impl_->owners_on(communicator);
}

const Domains& WorkRounds::next(const Communicator& communicator, std::span<const Measured> mine) {
  impl_->next(communicator, mine);
  return current();
}

}  // namespace evenkeel
