#include "cut/in_order.hpp"
#include "cut/marks.hpp"
#include "cut/optimal.hpp"
#include "cut/shift_targets.hpp"
#include "cut/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace evenkeel {

namespace {

void check(const CutOptions& options) {
  if (options.parts < 1)
    refuse("A cut into " + std::to_string(options.parts) + " parts was asked for.",
           "Ask for 1 or more.");
  if (options.dimensions != 2 && options.dimensions != 3)
    refuse("A curve in " + std::to_string(options.dimensions) + " dimensions was asked for.",
           "Use 2 or 3 dimensions.");
  const auto kept_parts = std::ssize(options.kept) - 1;
  if (kept_parts >= 0 && kept_parts != options.parts)
    refuse("The kept splitters make " + std::to_string(kept_parts) + " parts, but " +
               std::to_string(options.parts) + " were asked for.",
           "Set `kept` to the splitters of a cut into this many parts, or leave it empty.");
  if (options.target_lambda != 0 && !is_target_lambda(options.target_lambda))
    refuse("target_lambda is " + text_of(options.target_lambda) + '.',
           std::string("Give 0, or ") + target_lambdas + '.');
  check_speeds(refuse, options.speeds, options.parts);
  if (options.shift_penalty == 0) return;
  require_penalty(options.shift_penalty);
  if (options.kept.empty() || options.aim != Aim::nearest)
    refuse("A shift was asked for without splitters to shift, or with an aim other than nearest.",
           "Give the splitters to shift in `kept`, and set Aim::nearest.");
}

// All memory of a cut, allocated before the vote. So after the vote no rank can run out of memory
// while others wait for it, except in functions that vote again.
struct Workspace {
  Workspace(const Communicator& communicator, std::span<const WeightedKeys> sets,
            const CutOptions& options)
      : objects(objects_of(sets, Search::most_bins(options.parts, options.most_objects))),
        search(communicator, *objects, options.parts, options.most_objects),
        in_order(sets, options.parts),
        speeds(unless_equal(options.speeds)),
        shares(static_cast<std::size_t>(options.parts) - 1),
        kept(options.kept.empty() ? 0 : static_cast<std::size_t>(options.parts)) {}

  std::unique_ptr<CutObjects> objects;
  Search search;
  InOrder in_order;
  SpeedsBefore speeds;               // empty if all parts are equally fast
  std::vector<std::int64_t> shares;  // the weight that is sought before each inner splitter
  std::vector<std::int64_t> kept;    // the weight of each part between the splitters to keep
};

// The weight before inner splitter p if all parts take the same time.
std::int64_t even_share(const SpeedsBefore& speeds, std::int64_t p, std::int64_t parts,
                        std::int64_t total) {
  if (!(speeds.all() > 0)) return share_before(p, parts, total);
  return std::llround(static_cast<double>(total) *
                      (speeds[static_cast<std::size_t>(p)] / speeds.all()));
}

// Sets the weight that is sought before each inner splitter. Without marks, all parts should take
// the same time. A shift penalty moves each sought weight towards the weight before the kept
// splitter.
void set_shares(Workspace& work, std::int64_t total, const Marks& marks, double shift_penalty) {
  const auto parts = std::ssize(work.shares) + 1;
  std::int64_t before = 0, least = 1;
  for (std::int64_t p = 1; p < parts; ++p) {
    const auto splitter = static_cast<std::size_t>(p) - 1;
    std::int64_t sought = marks.before.empty()
                              ? even_share(work.speeds, p, parts, total)
                              : share_before(marks.before[splitter], marks.pieces, total);
    if (shift_penalty > 0) {
      before += work.kept[splitter];
      sought = shifted_target(before, sought, shift_penalty);
    }
    least = work.shares[splitter] = std::clamp(sought, least, std::max(least, total));
  }
}

// Returns how far the weight before a splitter may be from the sought weight. Even if both
// splitters of the slowest part are this far off, the part does not exceed the target, and
// neighbouring splitters keep their order.
std::int64_t tolerance_of(const CutOptions& options, const SpeedsBefore& before,
                          std::span<const double> speeds, std::int64_t total) {
  if (options.aim != Aim::target) return 0;
  double least = static_cast<double>(total) / options.parts;  // share of a part
  if (!speeds.empty())
    least = static_cast<double>(total) * (std::ranges::min(speeds) / before.all());
  const double half = std::clamp((options.target_lambda - 1) / 2, 0.0, 0.25);
  return static_cast<std::int64_t>(half * least);
}

// Writes the splitters and the weights of parts, given the places between parts.
void write_places(Cut& cut, std::span<const Search::Place> places, std::int64_t total,
                  const Units& units) {
  std::int64_t before = 0;
  for (std::size_t p = 0; p <= places.size(); ++p) {
    const std::int64_t now = p < places.size() ? places[p].before : total;
    cut.weights[p] = units.weight_of(now - before);
    before = now;
    if (p < places.size())
      cut.splitters[p + 1] = std::max(cut.splitters[p], CurveKey{places[p].splitter});
  }
}

// Makes parts of equal length along the curve. This is for a cut without objects, because nothing
// is known about the places of the first objects.
void cut_evenly(Splitters& splitters, int dimensions) {
  const auto parts = splitters.size() - 1;
  const std::uint64_t end = end_of_curve(dimensions).value;
  for (std::size_t p = 0; p < parts; ++p)
    splitters[p] = {end / parts * p + end % parts * p / parts};
}

bool are_even_enough(std::span<const std::int64_t> weights, std::span<const double> speeds,
                     double target_lambda) {
  std::int64_t total = 0;
  double greatest = 0, speed = 0;  // speeds of 1 are exact
  for (std::size_t p = 0; p < weights.size(); ++p) {
    const double its_speed = speeds.empty() ? 1 : speeds[p];
    total += weights[p];
    speed += its_speed;
    greatest = std::max(greatest, static_cast<double>(weights[p]) / its_speed);
  }
  return greatest * speed <= target_lambda * static_cast<double>(total);
}

// Collective. If there are splitters to keep, counts their parts, and keeps them if these are even
// enough.
void keep_splitters(Cut& cut, Workspace& work, const Units& units, const CutOptions& options) {
  const bool is_wanted = options.target_lambda > 0 || options.shift_penalty > 0;
  if (options.kept.empty() || !is_wanted) return;
  const std::span<std::int64_t> counted = work.objects->count_parts(options.kept);
  work.search.reduce(counted);
  std::copy(counted.begin(), counted.end(), work.kept.begin());
  cut.kept =
      options.target_lambda > 0 && are_even_enough(work.kept, cut.speeds, options.target_lambda);
  if (!cut.kept) return;
  std::copy(options.kept.begin(), options.kept.end(), cut.splitters.begin());
  for (std::size_t p = 0; p < work.kept.size(); ++p) cut.weights[p] = units.weight_of(work.kept[p]);
}

// The ways to search that are cheapest for the present order of objects. For Aim::nearest all ways
// find the same places. For Aim::target they would accept different places, so it always uses the
// same way.
struct Ways {
  bool by_scan = false, by_sample = false;
};

Ways ways_for(const Communicator& communicator, const Census& mine, const Census& all,
              const CutOptions& options) {
  if (options.aim != Aim::nearest) return {};
  if (InOrder::holds(communicator, mine, all)) return {.by_scan = true};
  return {.by_sample = Search::suits_sample(all, options.parts)};
}

// Collective. There must be at least one object.
void find_splitters(Cut& cut, const Communicator& communicator, Workspace& work, const Units& units,
                    const Census& mine, const Census& all, const CutOptions& options,
                    const Marks& marks) {
  Search& search = work.search;
  const Ways ways = ways_for(communicator, mine, all, options);
  std::int64_t total = 0;
  std::span<const Search::Place> places;
  if (ways.by_scan) {
    total = work.in_order.weigh(communicator, units);
    set_shares(work, total, marks, options.shift_penalty);
    places = work.in_order.find(work.shares, search);
  } else if (ways.by_sample) {
    total = search.weigh_by_sample(all);
    set_shares(work, total, marks, options.shift_penalty);
    places = search.run_by_sample(work.shares);
  } else {
    total = search.weigh(all);
    set_shares(work, total, marks, options.shift_penalty);
    places = search.run(
        {work.shares, Rounding::nearest, tolerance_of(options, work.speeds, cut.speeds, total)});
  }
  std::vector<Search::Place> best;
  if (options.aim == Aim::optimal) {
    best = find_optimal(communicator, *work.objects, search, places, total, cut.speeds);
    places = best;
  }
  write_places(cut, places, total, units);
}

}  // namespace

double Cut::lambda() const noexcept { return lambda_of(weights, speeds); }

Cut stages::cut(const Voters& voters, std::span<const WeightedKeys> sets,
                const CutOptions& options) {
  return cut_at(voters, sets, options, {});
}

Cut cut_at(const Voters& voters, std::span<const WeightedKeys> sets, const CutOptions& options,
           const Marks& marks) {
  const Communicator& communicator = voters.communicator();
  const exec::Region shown("evenkeel::cut");
  Census mine;
  std::optional<Workspace> work;
  Cut result;
  const Status prepared = attempt(stage_name, [&] {
    voters.require_success();
    check(options);
    EVENKEEL_ASSERT(marks.before.empty() || (std::ssize(marks.before) == options.parts - 1 &&
                                             options.aim == Aim::nearest && options.speeds.empty()),
                    "There is a mark for each inner splitter, and the aim is Aim::nearest");
    mine = census(sets, options.dimensions);
    work.emplace(communicator, sets, options);
    result.weights.resize(static_cast<std::size_t>(options.parts));
    const std::span<const double> speeds = unless_equal(options.speeds);
    result.speeds.assign(speeds.begin(), speeds.end());
    result.splitters.resize(result.weights.size() + 1);
    result.splitters.back() = end_of_curve(options.dimensions);
  });
  const Census all = vote<&combine>(communicator, prepared, mine);
  // true on all ranks, or on no rank
  if (options.most_objects > 0 && all.objects > options.most_objects)
    refuse("There are " + std::to_string(all.objects) + " objects, more than the " +
               std::to_string(options.most_objects) + " that most_objects allows.",
           "Set most_objects to at least the number of objects on all ranks together, or to 0 if "
           "it is unknown.");
  const Units units(all);
  work->objects->weigh(units);
  result.heaviest_object = all.heaviest;
  keep_splitters(result, *work, units, options);
  if (!result.kept && all.objects == 0) cut_evenly(result.splitters, options.dimensions);
  if (!result.kept && all.objects > 0)
    find_splitters(result, communicator, *work, units, mine, all, options, marks);
  require_finite_sum(result.weights);
  result.reductions = work->search.reductions().count();
  result.bytes_reduced = work->search.reductions().bytes();
  return result;
}

}  // namespace evenkeel
