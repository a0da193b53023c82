#include <evenkeel/core/place/choice.hpp>

#include "halo/leavers.hpp"
#include "place/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/region.hpp>
#include <evenkeel/core/weights/extract.hpp>
#include <evenkeel/core/weights/load.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* choice_label = "evenkeel::place::choice";

constexpr double sampled_per_rank = 1024;  // at least, on average

struct SampleCounts {
  std::int64_t objects = 0, sampled = 0;
  static void add(SampleCounts& into, const SampleCounts& from) noexcept {
    into.objects += from.objects;
    into.sampled += from.sampled;
  }
};

std::int64_t objects_of(std::span<const Set> sets) {
  std::int64_t objects = 0;
  for (const Set& set : sets) objects += set.count();
  return objects;
}

}  // namespace

// The sampled objects of all sets, in host memory. Each represents the same number of objects, on
// all ranks.
struct MethodTrial::Sample {
  std::vector<double> places;   // object by object
  std::vector<double> weights;  // that each object represents
  RawField<double> field;
  std::vector<Set> sets;  // one, of all sampled objects
  SampleCounts all;

  void add(const Space& space, const Set& set, std::span<const double> weights_of_set,
           double share) {
    const auto most =
        static_cast<std::int64_t>(std::ceil(share * static_cast<double>(set.count())));
    const Extract extract = extract_of(set.count(), {}, most);
    const std::vector<double> found = places_of(space, set, extract.objects);
    places.insert(places.end(), found.begin(), found.end());
    std::vector<double> heavy = extract.weights;
    if (!weights_of_set.empty()) {
      const exec::Reached<std::int64_t> objects(space, choice_label, extract.objects);
      const std::span<const std::int64_t> chosen(objects.data(),
                                                 static_cast<std::size_t>(objects.size()));
      const std::vector<double> picked =
          exec::chosen(space, choice_label, weights_of_set.data(), chosen).on_host();
      for (std::size_t i = 0; i < heavy.size(); ++i) heavy[i] *= picked[i];
    }
    weights.insert(weights.end(), heavy.begin(), heavy.end());
  }
  std::int64_t count() const noexcept { return std::ssize(weights); }
  // The number of objects that a sampled object represents.
  double scale() const noexcept {
    return static_cast<double>(all.objects) /
           static_cast<double>(std::max<std::int64_t>(1, all.sampled));
  }
};

MethodTrial::MethodTrial(const Communicator& communicator, const Status& status,
                         std::span<const Set> sets, const Region& region,
                         const PlaceOptions& options, Weights weights, int parts,
                         double sampled_per_part)
    : communicator_(communicator),
      region_(region),
      parts_(parts > 0 ? parts : communicator.size()) {
  const exec::Region shown("evenkeel::choice");
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    sample_ = std::make_unique<Sample>();
    options_ = options;
    options_.rank_of_part = {};
  });
  const SampleCounts there =
      vote<&SampleCounts::add>(communicator_, ready, SampleCounts{objects_of(sets), 0});
  const double sought =
      std::max(sampled_per_rank * communicator_.size(), sampled_per_part * parts_);
  const double share =
      std::min(1.0, sought / static_cast<double>(std::max<std::int64_t>(1, there.objects)));
  const Status taken = attempt(stage_name, [&] {
    const Space space = space_for(sets);
    for (std::size_t s = 0; s < sets.size(); ++s) sample_->add(space, sets[s], weights[s], share);
    sample_->field = raw_field(sample_->places.data(),
                               {.count = sample_->count(), .components = region_.dimensions});
    sample_->sets.push_back(set(sample_->field));
  });
  sample_->all =
      vote<&SampleCounts::add>(communicator_, taken, SampleCounts{there.objects, sample_->count()});
  sample_->all.objects = there.objects;
}

MethodTrial::~MethodTrial() = default;

std::vector<HaloSize> MethodTrial::halos_under(const Domains& domains, double width) const {
  const auto parts = static_cast<std::size_t>(parts_);
  std::vector<HaloSize> halos;
  std::vector<std::int64_t> counts;  // of ghosts by part, then of neighbours
  vote(communicator_, attempt(stage_name, [&] {
         halos.resize(parts);
         counts.resize(2 * parts);
         if (width > 0) count_halos(domains, width, counts);
       }));
  if (!(width > 0)) return halos;
  communicator_.all_reduce(std::span<std::int64_t>(counts), Reduction::sum);
  for (std::size_t part = 0; part < parts; ++part)
    halos[part] = {sample_->scale() * static_cast<double>(counts[part]),
                   static_cast<double>(counts[parts + part])};
  return halos;
}

// Counts the ghosts among the objects of this rank, and the neighbours of its share of the parts.
void MethodTrial::count_halos(const Domains& domains, double width,
                              std::span<std::int64_t> counts) const {
  const auto parts = static_cast<std::size_t>(parts_);
  const Space space = Space::where(MemoryKind::host);
  const Set& objects = sample_->sets.front();
  constexpr int nobody = -1;  // copies for all parts, also for the owner of an object
  const Leavers found = find_leavers(space, {domains, width, true, nobody, parts_}, objects);
  for (std::size_t part = 0; part < parts; ++part)
    counts[part] = found.offsets[part + 1] - found.offsets[part];
  std::vector<int> owners(sample_->weights.size());
  write_parts(space, domains, objects, owners.data());
  for (const int owner : owners) --counts[static_cast<std::size_t>(owner)];
  for (int part = communicator_.rank(); part < parts_; part += communicator_.size())
    counts[parts + static_cast<std::size_t>(part)] = std::ssize(neighbours_of(domains, part));
}

MethodForecast MethodTrial::forecast(const Method& method, const StepCosts& costs,
                                     const Domains& last) const {
  const exec::Region shown("evenkeel::choice");
  PlaceOptions placing;
  const std::span<const double> weights = sample_->weights;
  std::vector<double> loads;
  const Status ready = attempt(stage_name, [&] {
    placing = options_;
    placing.method = method;
    loads.resize(static_cast<std::size_t>(parts_));
  });
  const PreparedToCut prepared = prepare_to_cut(ready, sample_->sets, region_, placing);
  const FreshCut cut = cut_anew(communicator_, Status(), prepared, Weights(&weights, 1),
                                {.parts = parts_, .objects = sample_->all.sampled}, last);
  std::int64_t leaving = 0;
  vote(communicator_, attempt(stage_name, [&] {
         std::vector<int> owners(weights.size());
         write_parts(Space::where(MemoryKind::host), cut.domains, sample_->sets.front(),
                     owners.data());
         for (std::size_t i = 0; i < owners.size(); ++i) {
           loads[static_cast<std::size_t>(owners[i])] += weights[i];
           leaving += owners[i] != communicator_.rank() ? 1 : 0;
         }
       }));
  communicator_.all_reduce(std::span<double>(loads), Reduction::sum);
  leaving = communicator_.all_reduce(leaving, Reduction::sum);
  const std::vector<HaloSize> halos = halos_under(cut.domains, costs.halo);
  const std::span<const double> speeds = unless_equal(options_.speeds);
  const double mean_speed = std::accumulate(speeds.begin(), speeds.end(), 0.0) / parts_;
  const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / parts_;
  const double objects = static_cast<double>(sample_->all.objects) / parts_;  // of a part
  MethodForecast forecast;
  forecast.method = method;
  forecast.lambda = lambda_of(loads, speeds);
  forecast.moved_share = static_cast<double>(leaving) / static_cast<double>(sample_->all.sampled);
  forecast.step = 0;
  for (std::size_t part = 0; part < halos.size(); ++part) {
    const HaloSize& halo = halos[part];
    const double speed = speeds.empty() ? 1 : speeds[part] / mean_speed;
    const double work = mean > 0 ? loads[part] / mean : speed;
    forecast.step = std::max(forecast.step, work / speed + (costs.ghost * halo.ghosts / speed +
                                                            costs.neighbour * halo.neighbours) /
                                                               objects);
    forecast.greatest.ghosts = std::max(forecast.greatest.ghosts, halo.ghosts);
    forecast.greatest.neighbours = std::max(forecast.greatest.neighbours, halo.neighbours);
  }
  forecast.step += costs.move * forecast.moved_share;
  return forecast;
}

std::size_t best_of(std::span<const MethodForecast> forecasts, std::ptrdiff_t present) {
  constexpr double worth = 0.97;  // a change must make the step this much shorter
  const auto best = std::ranges::min_element(forecasts, {}, &MethodForecast::step);
  const auto index = static_cast<std::size_t>(best - forecasts.begin());
  if (present < 0) return index;
  const auto stay = static_cast<std::size_t>(present);
  return best->step < worth * forecasts[stay].step ? index : stay;
}

HaloCosts halo_costs(const Communicator& communicator, const HaloSize& mine, double time) {
  std::array<double, 5> sums = {mine.ghosts * mine.ghosts, mine.ghosts * mine.neighbours,
                                mine.neighbours * mine.neighbours, mine.ghosts * time,
                                mine.neighbours * time};
  communicator.all_reduce(std::span<double>(sums), Reduction::sum);
  const auto [gg, gn, nn, gt, nt] = sums;
  const double determinant = gg * nn - gn * gn;
  constexpr double distinct = 1e-2;  // ghosts and neighbours of ranks must differ by about a tenth
  if (determinant > distinct * gg * nn) {
    const HaloCosts both = {(nn * gt - gn * nt) / determinant, (gg * nt - gn * gt) / determinant};
    if (both.ghost >= 0 && both.neighbour >= 0) return both;
  }
  // Only one of the two costs: the one that explains more of the times.
  if (!(gg > 0) && !(nn > 0)) return {};
  return gt * gt * nn >= nt * nt * gg ? HaloCosts{gt / gg, 0} : HaloCosts{0, nt / nn};
}

}  // namespace evenkeel
