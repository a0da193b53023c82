#include "boxes/from_objects/box_cut.hpp"
#include "boxes/from_objects/capacity.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

// Rounds down to nine digits. A number that is below nine digits only by a rounding error keeps
// them.
std::string rounded_down(double width) {
  if (!(width > 0)) return "0";
  const double digits = std::pow(10, 8 - std::floor(std::log10(width)));
  return text_of(std::floor(width * digits * (1 + 0x1p-41)) / digits);
}

void check(const BisectionOptions& options) {
  check_box_cut(options, options.parts, options.dimensions);
  for (const int axis : options.axes)
    if (axis < 0 || axis >= options.dimensions)
      refuse_grid("A bisection along axis " + std::to_string(axis) + " was asked for in " +
                      std::to_string(options.dimensions) + " dimensions.",
                  "Count axes from 0.");
  const Capacity capacity{options.least_width, options.dimensions};
  if (capacity.of(options.box) >= options.parts) return;
  const double scale = most_scale(capacity, options.box, options.parts);
  std::string widths;
  for (int axis = 0; axis < options.dimensions; ++axis)
    widths += (axis == 0 ? "" : ", ") +
              rounded_down(capacity.width[static_cast<std::size_t>(axis)] * scale);
  refuse_grid(
      "The box has no room for " + std::to_string(options.parts) +
          " domains of the given least widths. With the same proportions, widths of at most " +
          widths + " fit.",
      "Ask for fewer parts, or for smaller least widths.");
}

// A box of the growing tree.
struct GrowingBranch {
  BisectionRange range;
  Box box;
  bool as_earlier = true;  // true if the earlier tree has the same parts at the same node

  bool is_leaf() const { return range.parts() < 2; }
  double side(int axis) const {
    const auto a = static_cast<std::size_t>(axis);
    return box.upper[a] - box.lower[a];
  }
};

// How a branch is divided. The place of the border is not known yet.
struct BranchSplit {
  int axis;
  int middle;          // first part of the upper half
  double least, most;  // the border must be in this range
  bool as_earlier;
};

// Returns all axes, sorted by preference. If the box has no room for two domains along one axis,
// the next axis is tried.
std::vector<int> axes_for(const BisectionOptions& options, const GrowingBranch& branch, int depth) {
  std::vector<int> axes(static_cast<std::size_t>(options.dimensions));
  std::iota(axes.begin(), axes.end(), 0);
  std::stable_sort(axes.begin(), axes.end(),
                   [&](int a, int b) { return branch.side(a) > branch.side(b); });
  if (!options.axes.empty()) {
    const int turn = options.axes[static_cast<std::size_t>(depth) % options.axes.size()];
    std::stable_partition(axes.begin(), axes.end(), [=](int axis) { return axis == turn; });
  }
  return axes;
}

class Growth {
 public:
  explicit Growth(const BisectionOptions& options)
      : options_(options), capacity_{options.least_width, options.dimensions}, speed_below_({0}) {
    for (int part = 0; part < options.parts; ++part)
      speed_below_.push_back(
          speed_below_.back() +
          (options.speeds.empty() ? 1 : options.speeds[static_cast<std::size_t>(part)]));
    nodes_.resize(static_cast<std::size_t>(options.parts) - 1);
    branches_ = {{{0, 0, options.parts}, options.box}};
    const TreeDomains* earlier = options.earlier;
    if (earlier != nullptr && earlier->parts() == options.parts &&
        earlier->dimensions() == options.dimensions)
      earlier_ = earlier->nodes();
    split_all();
  }

  // There is always at least one level, because the first level also counts the work.
  bool is_done() const { return depth_ > 0 && splits_.empty(); }

  SectionLevel next_level() const {
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
      level.add_place(share, std::clamp(std::lerp(lower, upper, share), split->least, split->most));
      ++split;
    }
    return level;
  }

  // Returns the tolerance of the next level, as a share of all weight, with which all levels
  // together stay within the target. The previous levels have used up a part of the target; the
  // rest is divided among the next levels. `weights` has the weight of each branch; it is empty
  // before the first level.
  double tolerance(std::span<const double> weights) const {
    if (!(options_.target_lambda > 1)) return 0;
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
      tolerance = std::min(tolerance, excess(range.parts(), weight / share) * share * half);
      ++split;
    }
    return tolerance;
  }

  // For each node where both trees agree, returns the border of the earlier tree, moved to where it
  // is allowed; for other nodes, returns NaN. The list is empty without an earlier tree.
  std::vector<double> kept() const {
    std::vector<double> borders;
    if (earlier_.empty()) return borders;
    auto split = splits_.begin();
    for (const GrowingBranch& branch : branches_) {
      if (branch.is_leaf()) continue;
      const double before = earlier_[static_cast<std::size_t>(branch.range.node)].border;
      borders.push_back(split->as_earlier ? std::clamp(before, split->least, split->most)
                                          : std::numeric_limits<double>::quiet_NaN());
      ++split;
    }
    return borders;
  }

  void allow(std::span<double> borders) const {
    for (std::size_t i = 0; i < borders.size(); ++i)
      borders[i] = std::clamp(borders[i], splits_[i].least, splits_[i].most);
  }
  bool has_rules() const { return capacity_.matters(); }

  void divide(std::vector<double> borders) {
    allow(borders);
    std::vector<GrowingBranch> next;
    std::size_t s = 0;
    for (const GrowingBranch& branch : branches_) {
      if (branch.is_leaf()) {
        next.push_back(branch);
        continue;
      }
      const BranchSplit& split = splits_[s];
      nodes_[static_cast<std::size_t>(branch.range.node)] = {borders[s], split.axis, split.middle};
      GrowingBranch below = {branch.range.below(split.middle), branch.box, split.as_earlier};
      GrowingBranch above = {branch.range.above(split.middle), branch.box, split.as_earlier};
      const auto a = static_cast<std::size_t>(split.axis);
      below.box.upper[a] = above.box.lower[a] = borders[s++];
      next.push_back(below);
      next.push_back(above);
    }
    branches_ = std::move(next);
    ++depth_;
    split_all();
  }

  std::vector<Bisection> take_nodes() { return std::move(nodes_); }

 private:
  // Returns the relative error that a level may make in the weight of a half. `lambda` is the
  // weight of the branch / its wanted weight. The result is above 0 even if the target is used up.
  double excess(int parts, double lambda) const {
    const auto levels_of = [](int leaves) {
      return std::bit_width(static_cast<unsigned>(leaves) - 1);
    };
    const double target = options_.target_lambda, now = std::max(lambda, 1.0);
    const double least = std::pow(target, 0.25 / levels_of(options_.parts)) - 1;
    const double left = now * std::pow(target / now, 1.0 / levels_of(parts)) - lambda;
    return std::min(std::max(least, left), 0.25);
  }

  double speed(int begin, int end) const {
    return speed_below_[static_cast<std::size_t>(end)] -
           speed_below_[static_cast<std::size_t>(begin)];
  }

  void split_all() {
    splits_.clear();
    for (const GrowingBranch& branch : branches_)
      if (!branch.is_leaf()) splits_.push_back(split_of(branch));
  }

  BranchSplit split_of(const GrowingBranch& branch) const {
    const int parts = branch.range.parts();
    if (!earlier_.empty() && branch.as_earlier) {
      const Bisection& node = earlier_[static_cast<std::size_t>(branch.range.node)];
      if (const auto halves =
              halves_along(branch, node.axis, node.middle - branch.range.begin, true))
        return {node.axis, node.middle, halves->least, halves->most, true};
    }
    const std::vector<int> axes = axes_for(options_, branch, depth_);
    for (const bool exact : {true, false})
      for (const int axis : axes)
        if (const auto halves = halves_along(branch, axis, parts / 2, exact))
          return {axis, branch.range.begin + halves->below, halves->least, halves->most, false};
    throw Error(ErrorKind::internal, Where{grid_stage}, "A box that has room cannot be halved.",
                "Nothing has changed. Please report it.");
  }

  std::optional<Halves> halves_along(const GrowingBranch& branch, int axis, int below,
                                     bool exact) const {
    if (capacity_.matters())
      return halves_of(capacity_, branch.box, axis, branch.range.parts(), below, exact);
    const auto a = static_cast<std::size_t>(axis);
    return Halves{below, branch.box.lower[a], branch.box.upper[a]};
  }

  const BisectionOptions& options_;
  Capacity capacity_;
  std::vector<double> speed_below_;
  std::vector<Bisection> nodes_, earlier_;
  std::vector<GrowingBranch> branches_;
  std::vector<BranchSplit> splits_;  // one for each branch that is not a leaf
  int depth_ = 0;
};

}  // namespace

BisectionCut stages::bisect(const Voters& voters, std::span<const WeightedPoints> points,
                            const BisectionOptions& options) {
  const Communicator& communicator = voters.communicator();
  std::optional<Sections> sections;
  std::optional<Growth> growth;
  Census mine;
  const Status prepared = attempt(grid_stage, [&] {
    voters.require_success();
    check(options);
    check_points(points, options.dimensions);
    growth.emplace(options);
    sections.emplace(communicator, points, options, options.dimensions, options.parts);
    mine = sections->census();
  });
  const Census all = vote<&combine>(communicator, prepared, mine);
  sections->begin(all);
  while (!growth->is_done()) {
    SectionLevel level;
    SectionAim aim;
    std::vector<double> kept;
    sections->work([&] {
      kept = growth->kept();
      aim = {growth->tolerance(sections->weights()), kept, {}};
      if (growth->has_rules()) aim.allow = [&](std::span<double> places) { growth->allow(places); };
      level = growth->next_level();
    });
    const std::vector<double>& places = sections->divide(level, aim);
    sections->work([&] { growth->divide(places); });
  }
  BisectionCut cut;
  sections->work([&] { cut.weights = sections->weights(); });
  finish(cut, *sections, all);
  cut.nodes = growth->take_nodes();
  return cut;
}

}  // namespace evenkeel
