#pragma once

// The cost of a refined patch by its size: a ((mx + B)(my + C) + D) seconds in 2-D and
// a ((mx + B)(my + C)(mz + E) + D) in 3-D. B, C and E act as ghost cells along each axis, since a
// solver works on these, too. D is the overhead of a patch, in cells. All four are at least 0 and a
// is positive, so costs are positive and grow with the size.
//
// The product in 3-D has 5 numbers where the general form, with a term for each face and edge, has
// 8: ghost layers make a box of mx + B by my + C by mz + E cells, so the other three follow.
//
// Local: no communication, no Kokkos.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/core/box.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace evenkeel {

// The cells of a patch along each axis. Axes beyond the dimensions do not count.
using PatchSize = std::array<std::int64_t, 3>;

// The numbers of the model.
struct PatchModel {
  int dimensions = 2;
  double seconds_per_cell = 1;               // a: positive
  std::array<double, 3> ghosts = {0, 0, 0};  // B, C, E
  double overhead_cells = 0;                 // D

  // Seconds of one step of a patch. Throws an Error for a patch without cells, and if a number of
  // the model is invalid.
  EVENKEEL_API double seconds_of(const PatchSize& size) const;
};

// The time that a step of a patch has taken.
struct PatchTiming {
  PatchSize size = {1, 1, 1};
  double seconds = 0;  // positive
};

// The reason why timings do not determine a number.
enum class PatchDoubt : int {
  none,     // they do
  few,      // there are too few timings
  alike,    // sizes vary too little, for example not along this axis
  squares,  // all patches are squares or cubes, so the axes cannot be distinguished
  noise     // timings scatter too widely: the number is hardly more than a guess
};
// The reason in words.
EVENKEEL_API const char* text_of(PatchDoubt doubt) noexcept;

// One number of the model, with its uncertainty.
struct PatchNumber {
  const char* name = "";   // "a", "B", "C", "E", "D"
  double value = 0;        // that of the model
  double uncertainty = 0;  // one standard error; infinite if timings do not determine the number
  PatchDoubt doubt = PatchDoubt::few;
  bool is_told() const noexcept { return doubt == PatchDoubt::none; }
};

// The result of a fit.
struct PatchFit {
  // Always fit for use: a number that timings do not determine is as near to 0 as they allow.
  PatchModel model;
  std::vector<PatchNumber> numbers;  // a, B, C, in 3-D E, and D
  // The part of the cost that does not grow with the size: a (B C + D), in 3-D a (B C E + D).
  // Timings determine it far better than D, which is a small difference of such costs.
  double fixed_seconds = 0, fixed_uncertainty = 0;
  double timings = 0;   // their number; those that are partly forgotten count less
  double outliers = 0;  // of these, off by more than 5 times the noise
  double noise = 0;     // relative standard error of one timing, without outliers
  EVENKEEL_API bool is_told() const noexcept;  // true if timings determine all numbers
};

// Fits a model to timings of patches, each of one step. Weighs timings by their relative errors,
// because the noise of a timing is proportional to it, and bounds the influence of outliers (Huber,
// Ann. Math. Stat. 35, 1964). A number counts as determined if its standard error is at most a
// quarter of it, or changes the cost of no patch in the range of timed sizes by more than 2 %.
//
// Throws an Error for dimensions other than 2 and 3, no timings, patches without cells, and seconds
// that are zero, negative, NaN or infinite.
EVENKEEL_API PatchFit fit_patches(int dimensions, std::span<const PatchTiming> timings);

// Sizes between two sizes that determine the model best, if `count` patches can be timed. Three in
// four are at the corners of the range, where the standard errors of all numbers together are
// least. The others are in between, so that a cost that does not follow the model shows as noise.
EVENKEEL_API std::vector<PatchSize> patch_sizes_to_time(int dimensions, std::int64_t least,
                                                        std::int64_t greatest, int count);

// Fits a model during a run. It keeps the first 32 timings and fits them as above. From then on it
// keeps sums, weighs a timing by the present model, and forgets old timings. The first ones never
// count less than a tenth, so that a run whose patches have all become similar does not forget the
// other sizes. If most timings of an epoch are off by the same factor, the speed of the machine has
// changed, and all earlier timings are scaled to the new speed.
class EVENKEEL_API PatchFitter {
 public:
  // `memory` is the factor, above 0 and up to 1, by which an epoch reduces the weight of earlier
  // timings.
  explicit PatchFitter(int dimensions, double memory = 0.9);
  ~PatchFitter();
  PatchFitter(PatchFitter&&) noexcept;
  PatchFitter& operator=(PatchFitter&&) noexcept;

  // Adds a timing, and ends an epoch, after which all timings so far count less.
  void add(const PatchTiming& timing);
  void end_epoch();

  // The fit to all timings so far. Throws an Error before the first timing.
  PatchFit fit() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// --- A map of costs ------------------------------------------------------------------------------
// The costs of refined patches, by place. Each patch has a map of its own cells: the seconds of the
// patches that refine a cell, and of all patches that refine these in turn. From the present
// patches it predicts the cost of a new child and its descendants, before the descendants exist. So
// a patch can pass processors on to its children without communication.
//
// All seconds are for one step of the patch that has the map. A child makes one step in this time,
// or several (sub-cycling).
//
// Local: no communication, no Kokkos.

// The cells of the map over which the costs of children are spread evenly.
enum class CostSpread : int {
  own_cells,      // the cost of each child over the cells that it covers
  covered_cells,  // the sum of all children over all cells that they cover
  all_cells       // the sum of all children over the whole map
};

// The way in which one level refines the level above.
struct Refinement {
  int ratio = 2;  // cells of a child along each axis of a cell of its parent; 2 or more
  int steps = 1;  // that a child makes in one step of its parent
};

// A patch one level finer, within the patch of the map.
struct ChildPatch {
  CellRange cells;     // that it covers, in cells of the level of the map
  double seconds = 0;  // of one of its own steps, without its descendants
};

// The costs of the patches that refine one patch, by place.
class EVENKEEL_API CostMap {
 public:
  // For a patch that has these cells of its level. All costs are 0 at first.
  CostMap(int dimensions, const CellRange& cells);

  const CellRange& cells() const noexcept { return cells_; }

  // Replaces the costs of the children. Throws an Error for a child that is empty or reaches beyond
  // the patch, for children that overlap, for seconds that are negative, NaN or infinite, and for a
  // ratio under 2 or steps under 1.
  void set_children(std::span<const ChildPatch> children, CostSpread spread,
                    const Refinement& refinement);

  // Adds the costs in the map of a child to those of the descendants below the children. Cells of
  // the child are those of its own level. Throws an Error if they do not fill cells of this map.
  void add_descendants(const CostMap& child, const Refinement& refinement);

  // Copies the costs of the cells that both this map and an earlier map of the same level have.
  void take_over(const CostMap& before);

  // The seconds of all children, or of all descendants below them, that the map has within these
  // cells. Cells outside of the patch cost nothing.
  double children_in(const CellRange& cells) const noexcept;
  double descendants_in(const CellRange& cells) const noexcept;

  // The future cost of a new child that covers these cells, by its size, and of all its
  // descendants, by the map. Throws an Error as set_children() does.
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

// --- Shares of a time ----------------------------------------------------------------------------
// Hands processors and their time down a tree of refined patches. Each patch has a list of
// processors with a share of the time of each. It takes the time that it needs itself, and divides
// the rest among its children in proportion to the predicted costs of each child and its
// descendants; the children do the same in turn. A patch needs only its own list and its own
// children, so nothing is communicated. Lists are contiguous pieces of the parent's list, and the
// same input gives the same lists on all ranks.
//
// Local: no communication, no Kokkos.

// A part of the time of one processor. The whole time of a processor is 1, or any other number.
struct TimeShare {
  int rank = 0;
  double share = 0;
  friend bool operator==(const TimeShare&, const TimeShare&) = default;
};

// One list per child, each a contiguous piece of the list with time in proportion to the cost of
// the child. Two children may share a processor. If some children cost something, a child that
// costs nothing gets a processor without any time, so that no list is empty. If all cost nothing,
// they get equal times. A border that is within a billionth of the whole time from a border between
// processors is moved there.
//
// Throws an Error for an empty list, and for shares or costs that are negative, NaN or infinite.
EVENKEEL_API std::vector<std::vector<TimeShare>> divide_time(std::span<const TimeShare> time,
                                                             std::span<const double> costs);

// The cells of a patch on which one processor works.
struct PatchPiece {
  int rank = 0;
  CellRange cells;
  friend bool operator==(const PatchPiece&, const PatchPiece&) = default;
};

// Splits a patch across its longest axis, so that the costs of the pieces by the model, with ghost
// cells of their own, are in proportion to the times, as nearly as whole layers of cells allow. The
// pieces are in the order of the list. A processor whose piece would have fewer than `least_layers`
// layers gets no piece, and its layers go to the others.
EVENKEEL_API std::vector<PatchPiece> split_patch(const CellRange& patch, const PatchModel& model,
                                                 std::span<const TimeShare> time,
                                                 std::int64_t least_layers = 2);

// The result of hand_down().
struct HandedDown {
  std::vector<PatchPiece> pieces;                // of the patch itself
  std::vector<std::vector<TimeShare>> children;  // the list of each
};

// Divides the list of a patch. The patch takes time for itself from the front of the list, and is
// split if it needs more than one processor has left; its children get the rest. If splits and
// whole layers make the piece of a processor too large, the processor gives less of its time to the
// children.
EVENKEEL_API HandedDown hand_down(const CellRange& patch, const PatchModel& model,
                                  std::span<const TimeShare> time,
                                  std::span<const double> child_costs,
                                  std::int64_t least_layers = 2);

}  // namespace evenkeel
