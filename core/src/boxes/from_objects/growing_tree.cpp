#include "boxes/from_objects/growing_tree.hpp"

#include "boxes/rows/grid_rules.hpp"

#include <evenkeel/backends/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

[[noreturn]] void refuse_to_halve() {
  throw Error(ErrorKind::internal, Where{grid_stage}, "A box that has room cannot be halved.",
              "Nothing has changed. Please report it.");
}

}  // namespace

GrowingTree::GrowingTree(const BisectionOptions& options)
    : options_(options), room_(options), speed_below_({0}) {
  for (int part = 0; part < options.parts; ++part)
    speed_below_.push_back(
        speed_below_.back() +
        (options.speeds.empty() ? 1 : options.speeds[static_cast<std::size_t>(part)]));
  nodes_.resize(static_cast<std::size_t>(options.parts) - 1);
  branches_ = {{{0, 0, options.parts}, options.box, room_.of_box()}};
  const TreeDomains* earlier = options.earlier;
  if (earlier != nullptr && earlier->parts() == options.parts &&
      earlier->dimensions() == options.dimensions)
    earlier_ = earlier->nodes();
  split_all();
}

SectionLevel GrowingTree::next_level() const {
  SectionLevel level;
  auto split = splits_.begin();
  for (const GrowingBranch& branch : branches_) {
    if (branch.is_leaf()) {
      level.add_group({0, branch.box.lower[0], branch.box.upper[0]});
      continue;
    }
    const auto a = static_cast<std::size_t>(split->axis);
    const double lower = branch.box.lower[a], upper = branch.box.upper[a];
    const double share =
        speed(branch.range.begin, split->middle) / speed(branch.range.begin, branch.range.end);
    level.add_group({split->axis, lower, upper});
    level.add_place(share, inside(*split, std::lerp(lower, upper, share)));
    ++split;
  }
  return level;
}

double GrowingTree::tolerance(std::span<const double> weights) const {
  // Between cells, borders are next to places, so places need not be exact.
  const double least = room_.has_cells() ? 1e-3 : 0;
  const bool has_target = options_.target_lambda > 1;
  if (!has_target && least == 0) return 0;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double tolerance = 1;
  auto split = splits_.begin();
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    const BisectionRange& range = branches_[b].range;
    if (branches_[b].is_leaf()) continue;
    const double half =
        std::min(speed(range.begin, split->middle), speed(split->middle, range.end)) /
        speed(range.begin, range.end);
    const double share = speed(range.begin, range.end) / speed_below_.back();
    const double weight = all > 0 ? weights[b] / all : share;
    const double error = has_target ? excess(range.parts(), weight / share) : 0;
    tolerance = std::min(tolerance, std::max(error, least) * share * half);
    ++split;
  }
  return tolerance;
}

// Returns the relative error that a level may make in the weight of a half. `lambda` is the weight
// of the branch / its wanted weight. The result is above 0 even if the target is used up.
double GrowingTree::excess(int parts, double lambda) const {
  const auto levels_of = [](int leaves) {
    return std::bit_width(static_cast<unsigned>(leaves) - 1);
  };
  const double target = options_.target_lambda, now = std::max(lambda, 1.0);
  const double least = std::pow(target, 0.25 / levels_of(options_.parts)) - 1;
  const double left = now * std::pow(target / now, 1.0 / levels_of(parts)) - lambda;
  return std::min(std::max(least, left), 0.25);
}

std::vector<double> GrowingTree::kept() const {
  std::vector<double> borders;
  if (earlier_.empty()) return borders;
  auto split = splits_.begin();
  for (const GrowingBranch& branch : branches_) {
    if (branch.is_leaf()) continue;
    const double before = earlier_[static_cast<std::size_t>(branch.range.node)].border;
    borders.push_back(split->as_earlier ? inside(*split, before)
                                        : std::numeric_limits<double>::quiet_NaN());
    ++split;
  }
  return borders;
}

void GrowingTree::allow(std::span<double> borders) const {
  for (std::size_t i = 0; i < borders.size(); ++i) borders[i] = inside(splits_[i], borders[i]);
}

// The nearest allowed border.
double GrowingTree::inside(const BranchSplit& split, double border) const {
  return std::clamp(border, room_.place(split.axis, split.least),
                    room_.place(split.axis, split.most));
}

void GrowingTree::divide(std::vector<double> borders) {
  allow(borders);
  std::vector<GrowingBranch> next;
  std::size_t s = 0;
  for (const GrowingBranch& branch : branches_) {
    if (branch.is_leaf()) {
      next.push_back(branch);
      continue;
    }
    const BranchSplit& split = splits_[s];
    const double border = borders[s++];
    nodes_[static_cast<std::size_t>(branch.range.node)] = {border, split.axis, split.middle};
    GrowingBranch below = branch, above = branch;
    below.range = branch.range.below(split.middle);
    above.range = branch.range.above(split.middle);
    below.as_earlier = above.as_earlier = split.as_earlier;
    const auto a = static_cast<std::size_t>(split.axis);
    below.box.upper[a] = above.box.lower[a] = border;
    below.room.upper[a] = above.room.lower[a] = room_.has_cells(split.axis) ? split.least : border;
    next.push_back(below);
    next.push_back(above);
  }
  branches_ = std::move(next);
  ++depth_;
  split_all();
}

// --- The next splits -----------------------------------------------------------------------------

// Returns all axes, sorted by preference. If the box has no room for two domains along one axis,
// the next axis is tried.
std::vector<int> GrowingTree::axes_for(const GrowingBranch& branch) const {
  std::vector<int> axes(static_cast<std::size_t>(options_.dimensions));
  std::iota(axes.begin(), axes.end(), 0);
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) {
    return branch.side(static_cast<std::size_t>(a)) > branch.side(static_cast<std::size_t>(b));
  });
  if (!options_.axes.empty()) {
    const int turn = options_.axes[static_cast<std::size_t>(depth_) % options_.axes.size()];
    std::stable_partition(axes.begin(), axes.end(), [=](int axis) { return axis == turn; });
  }
  return axes;
}

void GrowingTree::split_all() {
  splits_.clear();
  for (const GrowingBranch& branch : branches_)
    if (!branch.is_leaf()) splits_.push_back(split_of(branch));
}

GrowingTree::BranchSplit GrowingTree::split_of(const GrowingBranch& branch) const {
  const int parts = branch.range.parts();
  if (!earlier_.empty() && branch.as_earlier) {
    const Bisection& node = earlier_[static_cast<std::size_t>(branch.range.node)];
    if (const auto halves = halves_along(branch, node.axis, node.middle - branch.range.begin, true))
      return {node.axis, node.middle, halves->least, halves->most, true};
  }
  const std::vector<int> axes = axes_for(branch);
  for (const bool exact : {true, false})
    for (const int axis : axes)
      if (const auto halves = halves_along(branch, axis, parts / 2, exact))
        return {axis, branch.range.begin + halves->below, halves->least, halves->most, false};
  refuse_to_halve();
}

std::optional<Halves> GrowingTree::halves_along(const GrowingBranch& branch, int axis, int below,
                                                bool exact) const {
  if (has_rules())
    return halves_of(room_.capacity(), branch.room, axis, branch.range.parts(), below, exact);
  const auto a = static_cast<std::size_t>(axis);
  return Halves{below, branch.box.lower[a], branch.box.upper[a]};
}

// --- Borders between cells -----------------------------------------------------------------------

void GrowingTree::begin_search(std::span<const double> weights) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  searches_.clear();
  auto split = splits_.begin();
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    std::optional<HalvingSearch>& search = searches_.emplace_back();
    if (branches_[b].is_leaf()) continue;
    const BisectionRange& range = branches_[b].range;
    const double share = speed(range.begin, range.end) / speed_below_.back();
    const double lambda = all > 0 ? weights[b] / all / share : 1;
    search.emplace(room_, terms_of(branches_[b], *split++, lambda));
  }
}

HalvingSearch::Terms GrowingTree::terms_of(const GrowingBranch& branch, const BranchSplit& split,
                                           double lambda) const {
  const BisectionRange& range = branch.range;
  HalvingSearch::Terms terms;
  terms.box = branch.room;
  terms.speed_below = std::span(speed_below_)
                          .subspan(static_cast<std::size_t>(range.begin),
                                   static_cast<std::size_t>(range.parts()) + 1);
  terms.axes = axes_for(branch);
  std::erase_if(terms.axes,
                [&](int axis) { return room_.capacity().along(branch.room, axis) < 2; });
  std::stable_partition(terms.axes.begin(), terms.axes.end(),
                        [&](int axis) { return axis == split.axis; });
  terms.wanted = split.middle - range.begin;
  terms.is_in_turn = !options_.axes.empty();
  if (options_.target_lambda > 1) terms.enough = 1 + excess(range.parts(), lambda);
  if (split.as_earlier) {
    const double border = earlier_[static_cast<std::size_t>(range.node)].border;
    const double at = room_.at(split.axis, inside(split, border));
    terms.earlier = {split.axis, terms.wanted, room_.has_cells(split.axis) ? std::round(at) : at};
  }
  return terms;
}

bool GrowingTree::searches(std::size_t nth) const {
  return std::any_of(searches_.begin(), searches_.end(),
                     [=](const auto& search) { return search && search->tries(nth); });
}

SectionLevel GrowingTree::search_level(std::size_t nth) const {
  SectionLevel level;
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    const Box& box = branches_[b].box;
    const auto& search = searches_[b];
    const bool is_tried = search && search->tries(nth);
    const int axis = is_tried ? search->axis(nth) : 0;
    const double lower = box.lower[static_cast<std::size_t>(axis)];
    const double upper = box.upper[static_cast<std::size_t>(axis)];
    level.add_group({axis, lower, upper});
    if (!is_tried) continue;
    const double share = search->wanted_share();
    level.add_place(share, std::lerp(lower, upper, share));
  }
  return level;
}

SectionTrials GrowingTree::trials(std::size_t nth, std::span<const double> located) const {
  SectionTrials trials{{0}, {}};
  for (const auto& search : searches_) {
    if (search && search->tries(nth)) {
      search->add_places(nth, located.front(), trials.places);
      located = located.subspan(1);
    }
    trials.first.push_back(static_cast<std::int32_t>(trials.places.size()));
  }
  return trials;
}

SectionTrials GrowingTree::placed(std::size_t nth, SectionTrials trials) const {
  trials.for_each([&](std::size_t branch, std::size_t i) {
    double& at = trials.places[i];
    at = room_.place(searches_[branch]->axis(nth), at);
  });
  return trials;
}

void GrowingTree::judge(std::size_t nth, const SectionTrials& trials,
                        std::span<const double> shares, std::span<const double> weights) {
  trials.for_each([&](std::size_t branch, std::size_t i) {
    const double at = trials.places[i];
    HalvingSearch& search = *searches_[branch];
    search.judge(nth, at, weights[branch] > 0 ? shares[i] : search.room_share(nth, at));
  });
}

std::vector<double> GrowingTree::end_search() {
  std::vector<double> borders;
  auto split = splits_.begin();
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    if (!searches_[b]) continue;
    const std::optional<Halving>& best = searches_[b]->best();
    if (!best) refuse_to_halve();
    const int middle = branches_[b].range.begin + best->below;
    const bool as_earlier =
        split->as_earlier && split->axis == best->axis && split->middle == middle;
    *split++ = {best->axis, middle, best->at, best->at, as_earlier};
    borders.push_back(room_.place(best->axis, best->at));
  }
  return borders;
}

}  // namespace evenkeel
