#pragma once

// The cost of a refined patch by its size: a ((mx + B)(my + C) + D) seconds in 2-D and
// a ((mx + B)(my + C)(mz + E) + D) in 3-D. B, C and E act as ghost cells along each axis, since a
// solver works on these, too. D is the overhead of a patch, in cells. All four are at least 0 and a
// is positive, so costs are positive and grow with the size.
//
// A general form with a term for each face and each edge would have 8 numbers in 3-D. This product
// needs only 5: a patch with ghost layers is a box of mx + B by my + C by mz + E cells, so these 5
// numbers determine all 8.
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

// The cells of a patch along each axis. Numbers of axes beyond the dimensions are ignored.
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
  none,     // timings determine the number
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
  double value = 0;        // its value in the model
  double uncertainty = 0;  // one standard error; infinite if timings do not determine the number
  PatchDoubt doubt = PatchDoubt::few;
  bool is_told() const noexcept { return doubt == PatchDoubt::none; }
};

// The result of a fit.
struct PatchFit {
  // A valid model, even if the timings do not determine a number; such a number is as near to 0 as
  // the timings allow.
  PatchModel model;
  std::vector<PatchNumber> numbers;  // a, B, C, in 3-D E, and D
  // The constant part of the cost: a (B C + D) in 2-D, a (B C E + D) in 3-D. Timings determine it
  // far better than D, which is a small difference of large numbers.
  double fixed_seconds = 0, fixed_uncertainty = 0;
  double timings = 0;   // their number; a timing that is partly forgotten counts less than 1
  double outliers = 0;  // timings that differ from the model by more than 5 times the noise
  double noise = 0;     // relative standard error of one timing, without outliers
  EVENKEEL_API bool is_told() const noexcept;  // true if timings determine all numbers
};

// Fits a model to timings of patches, each of one step. Weighs timings by their relative errors,
// because the noise of a timing is proportional to it, and bounds the influence of outliers (Huber,
// Ann. Math. Stat. 35, 1964). A number counts as determined if its standard error is at most a
// quarter of its value, or if this error changes the cost of no patch in the range of timed sizes
// by more than 2 %.
//
// Throws an Error if there are not 2 or 3 dimensions, if there are no timings, if a patch has no
// cells, or if seconds are zero, negative, NaN or infinite.
EVENKEEL_API PatchFit fit_patches(int dimensions, std::span<const PatchTiming> timings);

// Returns `count` sizes of patches to time, between `least` and `greatest` cells along each axis,
// that determine the model best. Three in four are at the corners of this range, which makes the
// standard errors least. The others are inside the range; there a cost that does not follow the
// model shows as noise.
EVENKEEL_API std::vector<PatchSize> patch_sizes_to_time(int dimensions, std::int64_t least,
                                                        std::int64_t greatest, int count);

// Fits a model during a run. It keeps the first 32 timings and fits them like fit_patches(). From
// then on it keeps only sums, weighs a timing by the present model, and slowly forgets old timings.
// The weight of the first 32 never falls below a tenth; so a run does not forget the cost of other
// sizes after all its patches have become similar. If most timings of an epoch differ from the
// model by the same factor, the speed of the machine has changed, and all earlier timings are
// scaled to the new speed.
class EVENKEEL_API PatchFitter {
 public:
  // The end of an epoch multiplies the weights of earlier timings by `memory`, which is above 0 and
  // at most 1.
  explicit PatchFitter(int dimensions, double memory = 0.9);
  ~PatchFitter();
  PatchFitter(PatchFitter&&) noexcept;
  PatchFitter& operator=(PatchFitter&&) noexcept;

  // add() adds a timing. end_epoch() ends an epoch; after that all timings so far count less.
  void add(const PatchTiming& timing);
  void end_epoch();

  // The fit to all timings so far. Throws an Error before the first timing.
  PatchFit fit() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// --- A map of costs ------------------------------------------------------------------------------
// The costs of refined patches, by place. The children of a patch are the patches that refine it,
// and its descendants are its children, their children, and so on. Each patch has a map of its own
// cells, with the seconds that children and further descendants spend in each cell. By this map a
// patch predicts the cost of a new child and its descendants, before the descendants exist. So it
// can give processors to its children without communication.
//
// All seconds are for one step of the patch that has the map. A child makes one step in this time,
// or several (sub-cycling).
//
// Local: no communication, no Kokkos.

// The cells of the map over which the costs of children are spread evenly:
enum class CostSpread : int {
  own_cells,      // the cost of each child is spread over the cells that it covers
  covered_cells,  // the sum of all children is spread over all cells that they cover
  all_cells       // the sum of all children is spread over the whole map
};

// The way in which one level refines the level above.
struct Refinement {
  int ratio = 2;  // cells of a child, along each axis, in a cell of its parent; 2 or more
  int steps = 1;  // steps of a child in one step of its parent
};

// A child: a patch that is one level finer, inside the patch of the map.
struct ChildPatch {
  CellRange cells;     // cells of the map that the child covers
  double seconds = 0;  // of one of its own steps, without those of its descendants
};

// The costs of the patches that refine one patch, by place.
class EVENKEEL_API CostMap {
 public:
  // Makes the map of a patch that has these cells of its level. All costs are 0 at first.
  CostMap(int dimensions, const CellRange& cells);

  const CellRange& cells() const noexcept { return cells_; }

  // Replaces the costs of the children. Throws an Error if a child is empty or is partly outside of
  // the patch, if children overlap, if seconds are negative, NaN or infinite, if the ratio is less
  // than 2, or if the steps are fewer than 1.
  void set_children(std::span<const ChildPatch> children, CostSpread spread,
                    const Refinement& refinement);

  // Adds the costs in the map of a child to the costs of descendants below the children. The map of
  // the child has cells of its own level, which must fill whole cells of this map; otherwise this
  // throws an Error.
  void add_descendants(const CostMap& child, const Refinement& refinement);

  // Copies costs from an earlier map of the same level, for the cells that both maps have.
  void take_over(const CostMap& before);

  // The seconds of all children, or of all descendants below them, in these cells of the map. Cells
  // outside of the patch cost nothing.
  double children_in(const CellRange& cells) const noexcept;
  double descendants_in(const CellRange& cells) const noexcept;

  // Predicts the cost of a new child that covers these cells, plus the cost of all its descendants.
  // The model gives the cost of the child from its size, and the map gives that of the descendants.
  // Throws an Error as set_children() does.
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
// processors, with a share of the time of each. It takes the time that it needs itself, and divides
// the rest among its children, in proportion to the predicted cost of each child with its
// descendants. The children do the same. A patch needs to know only its own list and its own
// children, so nothing is communicated. The list of a child is a contiguous piece of the parent's
// list. The same input gives the same lists on all ranks.
//
// Local: no communication, no Kokkos.

// A share of the time of one processor. The whole time can be any number, for example 1.
struct TimeShare {
  int rank = 0;
  double share = 0;
  friend bool operator==(const TimeShare&, const TimeShare&) = default;
};

// Returns one list per child: a contiguous piece of the list whose time is in proportion to the
// cost of the child. Two children may share a processor. A child of cost 0 gets a processor without
// any time, so no list is empty; but if all costs are 0, the children get equal times. If a border
// between children is near a border between processors, within a billionth of the whole time, it is
// moved to the border between processors.
//
// Throws an Error if the list is empty, or if shares or costs are negative, NaN or infinite.
EVENKEEL_API std::vector<std::vector<TimeShare>> divide_time(std::span<const TimeShare> time,
                                                             std::span<const double> costs);

// The cells of a patch on which one processor works.
struct PatchPiece {
  int rank = 0;
  CellRange cells;
  friend bool operator==(const PatchPiece&, const PatchPiece&) = default;
};

// Splits a patch across its longest axis, one piece for each processor of the list, in its order.
// The costs of the pieces are in proportion to the times, as nearly as whole layers of cells allow;
// the model counts the ghost cells of each piece. A processor whose piece would have fewer than
// `least_layers` layers gets no piece, and the others get its layers.
EVENKEEL_API std::vector<PatchPiece> split_patch(const CellRange& patch, const PatchModel& model,
                                                 std::span<const TimeShare> time,
                                                 std::int64_t least_layers = 2);

// The result of hand_down().
struct HandedDown {
  std::vector<PatchPiece> pieces;                // pieces of the patch itself
  std::vector<std::vector<TimeShare>> children;  // the list of each child
};

// Divides the list of a patch. The patch takes time for itself from the front of the list, and is
// split if it needs more time than one processor has left. Its children get the rest. A piece of a
// split patch may need more time than planned, because of its ghost cells and whole layers; then
// its processor gives less time to the children.
EVENKEEL_API HandedDown hand_down(const CellRange& patch, const PatchModel& model,
                                  std::span<const TimeShare> time,
                                  std::span<const double> child_costs,
                                  std::int64_t least_layers = 2);

}  // namespace evenkeel
