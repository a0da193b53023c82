#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/extras/patches/patch_model.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

constexpr Refusal refuse_map{"extras/patches"};

std::string cells_text(const CellRange& cells) {
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis)
    text += (axis > 0 ? " x [" : "[") + std::to_string(cells.begin[axis]) + ", " +
            std::to_string(cells.end[axis]) + ")";
  return text;
}

void check(const Refinement& refinement) {
  if (refinement.ratio < 2)
    refuse_map("A refinement by " + std::to_string(refinement.ratio) + " was given.",
               "Give a ratio of 2 or more.");
  if (refinement.steps < 1)
    refuse_map("A child makes " + std::to_string(refinement.steps) + " steps per parent step.",
               "Give 1 or more.");
}

template <class Function>
void for_each_cell(const CellRange& cells, const Function& function) {
  for (std::int64_t k = cells.begin[2]; k < cells.end[2]; ++k)
    for (std::int64_t j = cells.begin[1]; j < cells.end[1]; ++j)
      for (std::int64_t i = cells.begin[0]; i < cells.end[0]; ++i) function(i, j, k);
}

CellRange common(const CellRange& one, const CellRange& other) noexcept {
  CellRange both;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    both.begin[axis] = std::max(one.begin[axis], other.begin[axis]);
    both.end[axis] = std::max(both.begin[axis], std::min(one.end[axis], other.end[axis]));
  }
  return both;
}

}  // namespace

CostMap::CostMap(int dimensions, const CellRange& cells) : dimensions_(dimensions), cells_(cells) {
  if (dimensions != 2 && dimensions != 3)
    refuse_map("A cost map in " + std::to_string(dimensions) + " dimensions was asked for.",
               "Ask for 2 or 3.");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis >= static_cast<std::size_t>(dimensions)) {
      cells_.begin[axis] = 0;
      cells_.end[axis] = 1;
    }
    if (cells_.end[axis] <= cells_.begin[axis])
      refuse_map("A patch has no cells: " + cells_text(cells) + ".",
                 "Give 1 or more along each axis.");
  }
  children_.assign(static_cast<std::size_t>(cells_.count()), 0);
  descendants_ = children_;
}

std::size_t CostMap::index(std::int64_t i, std::int64_t j, std::int64_t k) const noexcept {
  const std::int64_t width = cells_.end[0] - cells_.begin[0];
  const std::int64_t height = cells_.end[1] - cells_.begin[1];
  return static_cast<std::size_t>(((k - cells_.begin[2]) * height + j - cells_.begin[1]) * width +
                                  i - cells_.begin[0]);
}

CellRange CostMap::within(const CellRange& cells) const noexcept {
  CellRange inside = cells;
  if (dimensions_ == 2) {
    inside.begin[2] = 0;
    inside.end[2] = 1;
  }
  return common(inside, cells_);
}

double CostMap::sum(const std::vector<double>& of, const CellRange& cells) const noexcept {
  double sum = 0;
  for_each_cell(within(cells), [&](auto i, auto j, auto k) { sum += of[index(i, j, k)]; });
  return sum;
}

void CostMap::check_child(const CellRange& cells) const {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions_); ++axis) {
    if (cells.end[axis] <= cells.begin[axis])
      refuse_map("A child has no cells: " + cells_text(cells) + ".",
                 "Give 1 or more along each axis.");
    if (cells.begin[axis] < cells_.begin[axis] || cells.end[axis] > cells_.end[axis])
      refuse_map("A child covers " + cells_text(cells) + ", which its parent " +
                     cells_text(cells_) + " does not contain entirely.",
                 "Give each parent the part of the child that is within it.");
  }
}

void CostMap::set_children(std::span<const ChildPatch> children, CostSpread spread,
                           const Refinement& refinement) {
  check(refinement);
  std::vector<bool> covered(children_.size());
  double all_seconds = 0;
  std::int64_t all_cells = 0;
  for (const ChildPatch& child : children) {
    check_child(child.cells);
    if (!(child.seconds >= 0) || !std::isfinite(child.seconds))
      refuse_map("A child costs " + text_of(child.seconds) + " seconds.",
                 "Give seconds that are finite and not negative.");
    const CellRange cells = within(child.cells);
    for_each_cell(cells, [&](auto i, auto j, auto k) {
      if (covered[index(i, j, k)])
        refuse_map("Two children cover the cell " + std::to_string(i) + ", " + std::to_string(j) +
                       ", " + std::to_string(k) + ".",
                   "Give children that do not overlap.");
      covered[index(i, j, k)] = true;
    });
    all_seconds += refinement.steps * child.seconds;
    all_cells += cells.count();
  }
  if (!std::isfinite(all_seconds))
    refuse_map("The costs of children add up to more than a number can hold.",
               "Give the costs in a greater unit.");
  const auto whole = static_cast<std::int64_t>(children_.size());
  const std::int64_t shared =
      spread == CostSpread::all_cells ? whole : std::max<std::int64_t>(all_cells, 1);
  const double mean = all_seconds / static_cast<double>(shared);
  std::fill(children_.begin(), children_.end(), spread == CostSpread::all_cells ? mean : 0);
  if (spread == CostSpread::all_cells) return;
  for (const ChildPatch& child : children) {
    const CellRange cells = within(child.cells);
    const double own = refinement.steps * child.seconds / static_cast<double>(cells.count());
    for_each_cell(cells, [&](auto i, auto j, auto k) {
      children_[index(i, j, k)] = spread == CostSpread::own_cells ? own : mean;
    });
  }
}

void CostMap::add_descendants(const CostMap& child, const Refinement& refinement) {
  check(refinement);
  if (child.dimensions_ != dimensions_)
    refuse_map("A child has " + std::to_string(child.dimensions_) + " dimensions and its parent " +
                   std::to_string(dimensions_) + ".",
               "Give maps with the same number of dimensions.");
  CellRange covered = child.cells_;
  const auto ratio = static_cast<std::int64_t>(refinement.ratio);
  // Rounds down, also for negative cell numbers.
  const auto coarse = [&](std::int64_t cell) {
    return cell >= 0 ? cell / ratio : -((ratio - 1 - cell) / ratio);
  };
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions_); ++axis) {
    covered.begin[axis] = coarse(child.cells_.begin[axis]);
    covered.end[axis] = coarse(child.cells_.end[axis]);
    if (covered.begin[axis] * ratio != child.cells_.begin[axis] ||
        covered.end[axis] * ratio != child.cells_.end[axis])
      refuse_map("A child has the cells " + cells_text(child.cells_) +
                     ", which do not fill cells that are " + std::to_string(ratio) +
                     " times as large.",
                 "Begin and end children where cells of their parents do.");
  }
  check_child(covered);
  for_each_cell(child.cells_, [&](auto i, auto j, auto k) {
    const std::size_t from = child.index(i, j, k);
    descendants_[index(coarse(i), coarse(j), dimensions_ == 3 ? coarse(k) : k)] +=
        refinement.steps * (child.children_[from] + child.descendants_[from]);
  });
}

void CostMap::take_over(const CostMap& before) {
  for_each_cell(within(before.cells_), [&](auto i, auto j, auto k) {
    children_[index(i, j, k)] = before.children_[before.index(i, j, k)];
    descendants_[index(i, j, k)] = before.descendants_[before.index(i, j, k)];
  });
}

double CostMap::children_in(const CellRange& cells) const noexcept { return sum(children_, cells); }

double CostMap::descendants_in(const CellRange& cells) const noexcept {
  return sum(descendants_, cells);
}

double CostMap::predict(const CellRange& covered, const PatchModel& model,
                        const Refinement& refinement) const {
  check(refinement);
  check_child(covered);
  PatchSize size = {1, 1, 1};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions_); ++axis)
    size[axis] = (covered.end[axis] - covered.begin[axis]) * refinement.ratio;
  return refinement.steps * model.seconds_of(size) + descendants_in(covered);
}

}  // namespace evenkeel
