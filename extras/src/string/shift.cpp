#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/extras/string.hpp>

#include "cut/shift_targets.hpp"
#include "cut/units.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/region.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* shift_stage = "extras/string";
constexpr const char* label = "evenkeel::cut::shift";
constexpr Refusal refuse_shift{shift_stage};

void require_load(double load) {
  if (!std::isfinite(load) || load < 0)
    refuse_shift("The load of a rank is " + std::to_string(load) + '.',
                 "Give the seconds that were measured: finite, and not negative.");
}

// --- One rank ------------------------------------------------------------------------------------

struct ToUnits {
  const double* weights;  // null if all weights are equal
  Units units;
  std::int64_t* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    values[i] = weights == nullptr ? units.one() : units.of(weights[i]);
  }
};

// Finds the place between two objects where the weight of all objects before it is nearest to the
// sought weight; of two equally near places, the left one. The result is the number of objects
// before the place.
struct NearestPlace {
  const std::int64_t* before;  // each object
  std::int64_t count, total;
  const std::int64_t* sought;
  std::int64_t* found;

  KOKKOS_FUNCTION std::int64_t weight_before(std::int64_t place) const {
    return place < count ? before[place] : total;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t place =  // the first place with at least the sought weight before it
        count_before(count, [&](std::int64_t at) { return weight_before(at) < sought[i]; });
    const bool left =
        place > 0 && sought[i] - weight_before(place - 1) <= weight_before(place) - sought[i];
    found[i] = left ? place - 1 : place;
  }
};

// The objects of this rank, with prefix sums of their weights in whole units.
class Walkable {
 public:
  Walkable() = default;
  explicit Walkable(const exec::Array<double>& weights) : space_(weights.space()) {
    const std::span<const double> all = weights.span();
    const Units units(census_of_weights(all, weights.memory()));
    before_ = exec::Array<std::int64_t>(space_, label, weights.size());
    exec::for_each(space_, label, weights.size(),
                   ToUnits{units.weightless() ? nullptr : all.data(), units, before_.data()});
    total_ = exec::sum_up(before_);
  }

  std::int64_t objects() const noexcept { return before_.size(); }
  std::int64_t total() const noexcept { return total_; }

  // Local. For each sought weight, the number of objects before the place nearest to it.
  std::vector<std::int64_t> places_of(const std::vector<std::int64_t>& sought) const {
    if (sought.empty()) return {};
    const exec::Reached<std::int64_t> there(space_, label, sought);
    const exec::Array<std::int64_t> found(space_, label, there.size());
    exec::for_each(
        space_, label, found.size(),
        NearestPlace{before_.data(), before_.size(), total_, there.data(), found.data()});
    return found.on_host();
  }

 private:
  Space space_ = Space::where(MemoryKind::host);
  exec::Array<std::int64_t> before_;
  std::int64_t total_ = 0;
};

// --- All ranks -----------------------------------------------------------------------------------

struct ShiftSums {
  double load = 0;
  std::int64_t objects = 0;
};
void add(ShiftSums& into, const ShiftSums& from) noexcept {
  into.load += from.load;
  into.objects += from.objects;
}

// An offset on its walk from rank to rank: the rank that sent it, and the place that it looks for.
struct Walk {
  std::int64_t target = 0;
  int rank = 0;
};

void add_walks(std::int64_t& into, const std::int64_t& from) noexcept { into += from; }

// The stretch of the curve that a rank owns: [before, before + load) in units of load. Adjacent
// ranks agree exactly on their border, so a walk cannot go back and forth between them.
struct RankStretch {
  static constexpr double units_per_average = 0x1p40;

  std::int64_t before = 0, load = 0, all = 0;
  std::int64_t first = 0;  // the number of the first object
  int rank = 0, ranks = 1;

  // Returns -1 if the target is to the left of the stretch, 1 if it is to the right, and 0 if it is
  // within.
  int side_of(std::int64_t target) const noexcept {
    if (target < before && rank > 0) return -1;
    return target >= before + load && rank + 1 < ranks ? 1 : 0;
  }
  std::int64_t weight_at(std::int64_t target, std::int64_t total) const noexcept {
    if (load <= 0) return 0;
    const double share = static_cast<double>(target - before) / static_cast<double>(load);
    return std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(total));
  }
};

using Numbers = std::vector<Note<std::int64_t>>;

// Ends the walks whose target is on this rank, and passes the others to a neighbour.
void go_on(const RankStretch& here, const Walkable& objects, std::span<const Walk> walks,
           std::vector<Note<Walk>>& onwards, Numbers& ended) {
  std::vector<std::int64_t> sought;
  std::vector<int> ranks;
  for (const Walk& walk : walks) {
    const int side = here.side_of(walk.target);
    if (side != 0) {
      onwards.push_back({here.rank + side, walk});
      continue;
    }
    sought.push_back(here.weight_at(walk.target, objects.total()));
    ranks.push_back(walk.rank);
  }
  const std::vector<std::int64_t> places = objects.places_of(sought);
  for (std::size_t i = 0; i < places.size(); ++i)
    ended.push_back({ranks[i], here.first + places[i]});
}

// Collective. Returns, for each walk that ended on this rank, the rank that began it and the number
// of the object at its end.
Numbers walk_all(const Communicator& communicator, const RankStretch& here, const Walkable& objects,
                 std::vector<Walk> walks, int& hops) {
  Numbers ended;
  for (hops = 0;; ++hops) {
    std::vector<Note<Walk>> onwards;
    const Status gone = attempt(shift_stage, [&] { go_on(here, objects, walks, onwards, ended); });
    const std::int64_t walking = std::ssize(onwards);
    if (vote<&add_walks>(communicator, gone, walking) == 0) return ended;
    std::vector<Note<Walk>> arrived;
    const Status sent = attempt(shift_stage, [&] {
      arrived = announce(communicator, std::span<const Note<Walk>>(onwards));
      walks.clear();
      for (const Note<Walk>& note : arrived) walks.push_back(note.content);
    });
    vote(communicator, sent);
  }
}

// Collective. Sends each rank the ends of two walks: of its own offset and of the next one.
void tell(const Communicator& communicator, const Numbers& ended, ShiftedOffset& into) {
  const int rank = communicator.rank();
  const Status told = attempt(shift_stage, [&] {
    struct WalkEnd {
      std::int64_t number, of_rank;
    };
    std::vector<Note<WalkEnd>> notes;
    for (const Note<std::int64_t>& walk : ended)
      for (const int to : {walk.rank - 1, walk.rank})
        notes.push_back({to, {walk.content, walk.rank}});
    for (const Note<WalkEnd>& note : announce(communicator, std::span<const Note<WalkEnd>>(notes)))
      (note.content.of_rank == rank ? into.first : into.end) = note.content.number;
  });
  vote(communicator, told);
}

}  // namespace

std::vector<double> cumulative_imbalances(std::span<const double> loads) {
  for (const double load : loads) require_load(load);
  std::vector<double> sums(loads.size() + 1);
  const double all = std::accumulate(loads.begin(), loads.end(), 0.0);
  if (!(all > 0)) return sums;
  const double average = all / static_cast<double>(loads.size());
  for (std::size_t i = 0; i + 1 < loads.size(); ++i) sums[i + 1] = sums[i] + loads[i] / average - 1;
  return sums;
}

std::int64_t objects_to_pass(double imbalance, double load, std::span<const double> shares,
                             double penalty) {
  require_penalty(penalty);
  require_load(load);
  require_load(imbalance);
  std::int64_t passed = 0;
  double rest = imbalance, least = imbalance;
  for (std::size_t k = 0; k < shares.size() && rest > 0; ++k) {
    require_load(shares[k]);
    rest -= penalty * load * shares[k];
    if (!(std::abs(rest) < least)) continue;  // the rest has not come nearer to 0
    least = std::abs(rest);
    passed = static_cast<std::int64_t>(k) + 1;
  }
  return passed;
}

ShiftedOffset shift_offsets(const Voters& voters, const exec::Array<double>& weights, double load,
                            double penalty) {
  const Communicator& communicator = voters.communicator();
  const exec::Region shown("evenkeel::shift");
  const int rank = communicator.rank(), ranks = communicator.size();
  Walkable objects;
  ShiftSums mine;
  const Status ready = attempt(shift_stage, [&] {
    voters.require_success();
    require_penalty(penalty);
    require_load(load);
    objects = Walkable(weights);
    mine = {objects.objects() > 0 ? load : 0.0, objects.objects()};
  });
  const ShiftSums all = vote<&add>(communicator, ready, mine);

  RankStretch here;
  here.rank = rank;
  here.ranks = ranks;
  here.first = communicator.exclusive_scan(mine.objects);
  if (all.load > 0)
    here.load = std::llround(mine.load / all.load * ranks * RankStretch::units_per_average);
  here.before = communicator.exclusive_scan(here.load);
  here.all = communicator.all_reduce(here.load, Reduction::sum);

  ShiftedOffset shifted;
  shifted.was_first = shifted.first = here.first;
  shifted.was_end = shifted.end = here.first + mine.objects;
  if (here.all == 0) return shifted;
  const std::int64_t share = share_before(rank, ranks, here.all);
  shifted.imbalance = static_cast<double>(here.before - share) / RankStretch::units_per_average;
  std::vector<Walk> walks;
  const Status begun = attempt(shift_stage, [&] {
    if (rank > 0) walks.push_back({shifted_target(here.before, share, penalty), rank});
  });
  vote(communicator, begun);
  const Numbers ended = walk_all(communicator, here, objects, std::move(walks), shifted.hops);
  tell(communicator, ended, shifted);
  if (rank == 0) shifted.first = 0;
  if (rank + 1 == ranks) shifted.end = all.objects;
  return shifted;
}

}  // namespace evenkeel
