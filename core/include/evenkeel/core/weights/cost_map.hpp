#pragma once

// What refined patches will cost, by place. Each patch has a map of its own cells: how many seconds
// the patches that refine a cell take, and all that refine these in turn. From the patches of now
// it predicts what a new child and its descendants will cost, before the descendants exist: a patch
// can then hand on processors to its children and need not ask anybody.
//
// All seconds are for one step of the patch that has the map. A child makes several steps in it
// (sub-cycling), or one.
//
// Local: no communication, no Kokkos.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/domains/cell_range.hpp>
#include <evenkeel/core/weights/patch_model.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Over which cells of the map the costs of children are spread evenly.
enum class CostSpread : int {
  own_cells,      // each child's over the cells that it covers
  covered_cells,  // all children's together over all cells that any covers
  all_cells       // all children's together over the whole map
};

// How one level refines the level above.
struct Refinement {
  int ratio = 2;  // cells of a child along each axis of a cell of its parent; 2 or more
  int steps = 1;  // that a child makes in one step of its parent
};

// A patch one level finer, within the patch of the map.
struct ChildPatch {
  CellRange cells;     // that it covers, in cells of the level of the map
  double seconds = 0;  // of its own in one of its own steps, without its descendants
};

class EVENKEEL_API CostMap {
 public:
  // For a patch that has these cells of its level. Nothing costs anything yet.
  CostMap(int dimensions, const CellRange& cells);

  const CellRange& cells() const noexcept { return cells_; }

  // What the children cost, instead of what was said before. Throws an Error for a child that is
  // empty or reaches beyond the patch, for children that overlap, for seconds that are negative,
  // NaN or infinite, and for a ratio under 2 or steps under 1.
  void set_children(std::span<const ChildPatch> children, CostSpread spread,
                    const Refinement& refinement);

  // Adds the map of a child to what descendants below the children cost. Cells of the child are
  // those of its own level; they fill cells of this map, or an Error is thrown.
  void add_descendants(const CostMap& child, const Refinement& refinement);

  // Takes over what an earlier map of the same level says of the cells that both have.
  void take_over(const CostMap& before);

  // Seconds by the map, of all that is within these cells. Cells beyond the patch cost nothing.
  double children_in(const CellRange& cells) const noexcept;
  double descendants_in(const CellRange& cells) const noexcept;  // without the children

  // What a new child that covers these cells will cost, by its size, and all its descendants, by
  // the map. Throws an Error as set_children() does.
  double predict(const CellRange& covered, const PatchModel& model,
                 const Refinement& refinement) const;

 private:
  std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const noexcept;
  CellRange within(const CellRange& cells) const noexcept;
  double sum(const std::vector<double>& of, const CellRange& cells) const noexcept;
  void check_child(const CellRange& cells) const;

  int dimensions_;
  CellRange cells_;
  std::vector<double> children_, descendants_;
};

}  // namespace evenkeel
