#pragma once

// A tree of boxes while it grows, level by level. The branches of a level are the groups of
// Sections. If borders must be between cells, each level is searched along one axis after the
// other before it is divided.

#include "boxes/from_objects/halving.hpp"
#include "boxes/from_objects/sections.hpp"

#include <evenkeel/core/domains/part_of_point.hpp>

#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

// The options must be valid, and the box must have room for the parts. All functions are local, and
// all that return lists may throw.
class GrowingTree {
 public:
  // Refers to the options.
  explicit GrowingTree(const BisectionOptions& options);

  // There is always at least one level, because the first level also counts the work.
  bool is_done() const noexcept { return depth_ > 0 && splits_.empty(); }
  std::vector<Bisection> take_nodes() { return std::move(nodes_); }

  SectionLevel next_level() const;
  // Returns the tolerance of the next level, as a share of all weight, with which all levels
  // together stay within the target. The previous levels have used up a part of the target; the
  // rest is divided among the next levels. `weights` has the weight of each branch; it is empty
  // before the first level.
  double tolerance(std::span<const double> weights) const;
  // For each node where both trees agree, returns the border of the earlier tree, moved to where it
  // is allowed; for other nodes, returns NaN. The list is empty without an earlier tree.
  std::vector<double> kept() const;
  // Moves the borders of the next level to where they are allowed.
  void allow(std::span<double> borders) const;
  bool has_rules() const noexcept { return room_.capacity().matters(); }
  void divide(std::vector<double> borders);

  // --- Borders between cells ---------------------------------------------------------------------

  // Returns true if the next borders must be searched.
  bool is_between_cells() const noexcept { return room_.has_cells() && !splits_.empty(); }

  void begin_search(std::span<const double> weights);  // of the branches, as in tolerance()
  // Returns true if the nth axis, in the order of some branch, may be the best.
  bool searches(std::size_t nth) const;
  // The level for Sections::locate(). Only those branches have places for which searches() holds.
  SectionLevel search_level(std::size_t nth) const;
  // The borders to try next to the places that were located: in the room of the branches, and in
  // the coordinates of the box.
  SectionTrials trials(std::size_t nth, std::span<const double> located) const;
  SectionTrials placed(std::size_t nth, SectionTrials trials) const;
  // Takes note of the shares of the work below these borders.
  void judge(std::size_t nth, const SectionTrials& trials, std::span<const double> shares,
             std::span<const double> weights);
  // Chooses the best borders for divide(), and returns them.
  std::vector<double> end_search();

 private:
  struct GrowingBranch {
    BisectionRange range;
    Box box, room;
    bool as_earlier = true;  // true if the earlier tree has the same parts at the same node

    bool is_leaf() const { return range.parts() < 2; }
    double side(std::size_t axis) const { return box.upper[axis] - box.lower[axis]; }
  };
  // How a branch is divided. The place of the border is not known yet.
  struct BranchSplit {
    int axis;
    int middle;          // first part of the upper half
    double least, most;  // in the room; the border must be in this range
    bool as_earlier;
  };

  double excess(int parts, double lambda) const;
  double speed(int begin, int end) const {
    return speed_below_[static_cast<std::size_t>(end)] -
           speed_below_[static_cast<std::size_t>(begin)];
  }
  double inside(const BranchSplit& split, double border) const;
  std::vector<int> axes_for(const GrowingBranch& branch) const;
  void split_all();
  BranchSplit split_of(const GrowingBranch& branch) const;
  std::optional<Halves> halves_along(const GrowingBranch& branch, int axis, int below,
                                     bool exact) const;
  HalvingSearch::Terms terms_of(const GrowingBranch& branch, const BranchSplit& split,
                                double share) const;

  const BisectionOptions& options_;
  BoxRoom room_;
  std::vector<double> speed_below_;
  std::vector<Bisection> nodes_, earlier_;
  std::vector<GrowingBranch> branches_;
  std::vector<BranchSplit> splits_;                     // one for each branch that is not a leaf
  std::vector<std::optional<HalvingSearch>> searches_;  // by branch; empty for leaves
  int depth_ = 0;
};

}  // namespace evenkeel
