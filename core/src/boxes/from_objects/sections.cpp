#include "boxes/from_objects/sections.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/boxes";

}  // namespace

void SectionLevel::add_group(const SectionStretch& stretch) {
  stretches.push_back(stretch);
  if (first.empty()) first.push_back(0);
  first.push_back(first.back());
}

void SectionLevel::add_place(double share, double otherwise_at) {
  shares.push_back(share);
  otherwise.push_back(otherwise_at);
  ++first.back();
}

Sections::Sections(const Communicator& communicator, std::span<const WeightedPoints> points,
                   const BoxCutOptions& options, int dimensions, std::int64_t most_pieces)
    : communicator_(communicator), points_(points, options, dimensions, most_pieces) {
  // Each group has one place less than it has pieces, so there is room.
  objects_ = objects_of(points_.keyed(), Search::most_bins(most_pieces));
  search_ = std::make_unique<Search>(communicator, *objects_, most_pieces);
}

Census Sections::census() const { return census_of_weights(points_.keyed()); }

void Sections::begin(const Census& all) {
  all_ = all;
  units_ = Units(all);
  objects_->weigh(units_);
}

std::vector<double> Sections::weights() const {
  std::vector<double> weights;
  weights.reserve(groups_.weights.size());
  for (const std::int64_t weight : groups_.weights) weights.push_back(units_.weight_of(weight));
  return weights;
}

void Sections::restart() noexcept {
  is_located_ = false;
  groups_.first.clear();
  groups_.splitters.clear();
}

void Sections::reserve(const SectionLevel& level) {
  const std::size_t groups = level.stretches.size(), places = level.shares.size();
  groups_.rulers.reserve(groups);
  groups_.first.reserve(level.first.size());
  groups_.splitters.reserve(places);
  groups_.weights.reserve(groups + places);
  memory_.weights.reserve(groups + places);
  groups_.before.reserve(groups + 1);
  places_.reserve(places);
  memory_.places.reserve(places);
  memory_.boundaries.reserve(places);
  memory_.wanted.reserve(places);
  at_.reserve(places);
}

// Returns true if locate() has already written the keys along the axes of this level.
bool Sections::has_keys_of(const SectionLevel& level) const noexcept {
  return is_located_ &&
         std::equal(level.stretches.begin(), level.stretches.end(), groups_.rulers.begin(),
                    groups_.rulers.end(),
                    [](const SectionLevel::SectionStretch& stretch, const SectionRuler& ruler) {
                      return stretch.axis == ruler.axis;
                    });
}

void Sections::write_keys(const SectionLevel& level) {
  if (has_keys_of(level)) return;
  groups_.rulers.clear();
  for (const auto& [axis, lower, upper] : level.stretches)
    groups_.rulers.push_back({Ruler(lower, upper, points_.bits()), axis});
  points_.write_keys(divided());
}

void Sections::note(int slot) {
  vote(communicator_,
       attempt(stage_name, [&] { points_.note(slot, divided(), std::ssize(groups_.weights)); }));
}

std::vector<double> Sections::weights_by(const SectionSums& sums) {
  restart();
  std::vector<double> weights;
  vote(communicator_, attempt(stage_name, [&] {
         weights.reserve(static_cast<std::size_t>(sums.count));
         points_.write_sums(sums.number);
       }));
  const auto width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(sums.count) - 1));
  const std::span<std::int64_t> counted = objects_->count_all(0, {width, width});
  search_->reduce(counted);
  for (const std::int64_t weight : counted.first(static_cast<std::size_t>(sums.count)))
    weights.push_back(units_.weight_of(weight));
  return weights;
}

// Weighs the objects in an interval of keys that contains the keys of all groups.
void Sections::weigh(const SectionLevel& level, const SectionAim& aim) {
  const bool all_given = !aim.kept.empty() && aim.tolerance >= SectionAim::wherever;
  if (all_.objects > 0 && !all_given) {
    Census range = all_;
    range.least_key = 0;
    range.greatest_key = key(level.groups(), 0).value - 1;
    total_ = search_->weigh(range);
  }
  if (groups_.first.empty()) groups_.weights.assign(1, total_);
  groups_.before.assign(1, 0);
  for (const std::int64_t weight : groups_.weights)
    groups_.before.push_back(groups_.before.back() + weight);
}

void Sections::begin_places(const SectionLevel& level) {
  places_.clear();
  for (std::size_t g = 0; g < level.stretches.size(); ++g)
    for (std::int32_t i = level.first[g]; i < level.first[g + 1]; ++i)
      places_.push_back({static_cast<std::int64_t>(g)});
}

// Returns the wanted weight below a place, including the weight of all previous groups.
std::int64_t Sections::sought(const SectionLevel& level, std::size_t place) const noexcept {
  const auto group = static_cast<std::size_t>(places_[place].group);
  const std::int64_t weight = groups_.weights[group];
  const auto share =
      static_cast<std::int64_t>(std::llround(level.shares[place] * static_cast<double>(weight)));
  return groups_.before[group] + std::clamp<std::int64_t>(share, 0, weight);
}

// Along an axis on which the box has no extent, the first piece gets all objects. A group without
// weight is divided at the places in `otherwise`.
void Sections::place_without_weight(const SectionLevel& level) {
  for (std::size_t p = 0; p < places_.size(); ++p) {
    SectionPlace& place = places_[p];
    const Ruler& ruler = ruler_of(place.group);
    const auto group = static_cast<std::size_t>(place.group);
    place.found = ruler.is_flat() || groups_.weights[group] == 0;
    if (!place.found) continue;
    place.at = ruler.is_flat() ? ruler.place(ruler.marks()) : level.otherwise[p];
    place.splitter = key(place.group, ruler.is_flat() ? ruler.marks() : ruler.mark_above(place.at));
    place.below = groups_.before[group + 1];
  }
}

// Keeps those places of aim.kept that are within the tolerance.
void Sections::stay(const SectionLevel& level, const SectionAim& aim) {
  std::vector<SectionPlace>& found = memory_.places;
  found = places_;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (places_[p].found) continue;
    const Ruler& ruler = ruler_of(places_[p].group);
    const std::uint64_t mark = std::isnan(aim.kept[p]) ? 0 : ruler.mark_above(aim.kept[p]);
    places_[p].at = ruler.place(mark);
    places_[p].splitter = key(places_[p].group, mark);
  }
  count_below();
  const double near = aim.tolerance * static_cast<double>(total_);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const auto off = static_cast<double>(std::abs(places_[p].below - sought(level, p)));
    if (found[p].found || std::isnan(aim.kept[p]) || off > near)
      places_[p] = found[p];
    else
      places_[p].found = true;
  }
}

void Sections::find(const SectionLevel& level, const SectionAim& aim) {
  std::vector<std::int64_t>& wanted = memory_.wanted;
  wanted.clear();
  for (std::size_t p = 0; p < places_.size(); ++p)
    if (!places_[p].found) wanted.push_back(std::max<std::int64_t>(1, sought(level, p)));
  if (wanted.empty()) return;
  const auto near = static_cast<std::int64_t>(aim.tolerance * static_cast<double>(total_));
  const std::span<const Search::Place> found = search_->run({wanted, Rounding::nearest, near});
  std::size_t next = 0;
  for (SectionPlace& place : places_) {
    if (place.found) continue;
    const Search::Place& at = found[next++];
    // The search may find the end of a bin that is already in the next group.
    const auto group = static_cast<std::size_t>(place.group);
    place.splitter =
        std::clamp(CurveKey{at.splitter}, key(place.group, 0), key(place.group + 1, 0));
    place.below = std::clamp(at.before, groups_.before[group], groups_.before[group + 1]);
    place.at = ruler_of(place.group).place(place.splitter.value - key(place.group, 0).value);
  }
}

void Sections::allow(const SectionAim& aim) {
  std::vector<double>& at = at_;
  at.clear();
  for (const SectionPlace& place : places_) at.push_back(place.at);
  aim.allow(at);
  bool moved = false;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    SectionPlace& place = places_[p];
    if (at[p] == place.at) continue;
    const Ruler& ruler = ruler_of(place.group);
    moved = true;
    place.at = at[p];
    if (!ruler.is_flat()) place.splitter = key(place.group, ruler.mark_above(place.at));
  }
  if (moved) count_below();
}

// Collective. Sets the weight below each place.
void Sections::count_below() {
  std::vector<CurveKey>& splitters = memory_.boundaries;
  splitters.clear();
  for (const SectionPlace& place : places_)
    splitters.push_back(splitters.empty() ? place.splitter
                                          : std::max(splitters.back(), place.splitter));
  const std::span<std::int64_t> between = objects_->count_between(splitters);
  search_->reduce(between);
  std::int64_t below = 0;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    below += between[p];
    places_[p].below = below;
    places_[p].splitter = splitters[p];
  }
}

void Sections::make_groups(const SectionLevel& level) {
  groups_.first = level.first;
  groups_.splitters.clear();
  std::vector<std::int64_t>& weights = memory_.weights;
  weights.clear();
  std::size_t p = 0;
  for (std::size_t g = 0; g < level.stretches.size(); ++g) {
    std::int64_t below = groups_.before[g];
    for (; p < static_cast<std::size_t>(level.first[g + 1]); ++p) {
      // Two places may be in the wrong order, because each may be off by the tolerance.
      if (!groups_.splitters.empty() && places_[p].splitter < groups_.splitters.back())
        places_[p] = places_[p - 1];
      weights.push_back(places_[p].below - below);
      below = places_[p].below;
      groups_.splitters.push_back(places_[p].splitter);
    }
    weights.push_back(groups_.before[g + 1] - below);
  }
  std::swap(groups_.weights, weights);
}

void Sections::find_places(const SectionLevel& level, const SectionAim& aim) {
  vote(communicator_, attempt(stage_name, [&] {
         reserve(level);
         write_keys(level);
       }));
  weigh(level, aim);
  begin_places(level);
  place_without_weight(level);
  if (!aim.kept.empty()) stay(level, aim);
  find(level, aim);
  if (aim.allow) allow(aim);
}

const std::vector<double>& Sections::found_places() {
  at_.clear();
  for (const SectionPlace& place : places_) at_.push_back(place.at);
  return at_;
}

const std::vector<double>& Sections::divide(const SectionLevel& level, const SectionAim& aim) {
  find_places(level, aim);
  make_groups(level);
  is_located_ = false;
  return found_places();
}

const std::vector<double>& Sections::locate(const SectionLevel& level, const SectionAim& aim) {
  find_places(level, aim);
  groups_.first.assign(level.first.size(), 0);  // each group is its own only piece
  groups_.splitters.clear();
  is_located_ = true;
  return found_places();
}

std::vector<double> Sections::shares_below(const SectionTrials& trials) {
  std::vector<double> shares;
  std::vector<CurveKey>& splitters = memory_.boundaries;
  vote(communicator_, attempt(stage_name, [&] {
         shares.reserve(trials.places.size());
         splitters.clear();
         trials.for_each([&](std::size_t g, std::size_t i) {
           const auto group = static_cast<std::int64_t>(g);
           const Ruler& ruler = ruler_of(group);
           splitters.push_back(
               key(group, ruler.is_flat() ? ruler.marks() : ruler.mark_above(trials.places[i])));
         });
       }));
  const std::span<std::int64_t> between = objects_->count_between(splitters);
  search_->reduce(between);
  std::int64_t below = 0;
  trials.for_each([&](std::size_t g, std::size_t i) {
    below += between[i];
    const auto weight = static_cast<double>(groups_.weights[g]);
    const auto of_group = static_cast<double>(below - groups_.before[g]);
    shares.push_back(weight > 0 ? of_group / weight : 0);
  });
  return shares;
}

}  // namespace evenkeel
