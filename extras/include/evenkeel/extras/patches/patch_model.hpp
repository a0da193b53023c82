#pragma once

// What a refined patch costs, by its size: a ((mx + B)(my + C) + D) seconds in 2-D and
// a ((mx + B)(my + C)(mz + E) + D) in 3-D. B, C and E act as ghost cells along each axis, since a
// solver works on them too, and D as cells that stand for the overhead of a patch. None of them is
// negative and a is positive, so costs are positive and grow with the size.
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

struct PatchModel {
  int dimensions = 2;
  double seconds_per_cell = 1;               // a: positive
  std::array<double, 3> ghosts = {0, 0, 0};  // B, C, E
  double overhead_cells = 0;                 // D

  // Seconds of one step of a patch. Throws an Error for a patch without cells, and for numbers that
  // are not as said above.
  EVENKEEL_API double seconds_of(const PatchSize& size) const;
};

// How long a step of a patch has taken.
struct PatchTiming {
  PatchSize size = {1, 1, 1};
  double seconds = 0;  // positive
};

// Why timings do not tell a number.
enum class PatchDoubt : int {
  none,     // they do
  few,      // there are fewer timings than it takes
  alike,    // sizes vary too little: along this axis they are all the same
  squares,  // all patches are squares or cubes, so the axes cannot be told apart
  noise     // timings scatter so much that the number is hardly more than a guess
};
EVENKEEL_API const char* text_of(PatchDoubt doubt) noexcept;

// One number of the model, and how sure it is.
struct PatchNumber {
  const char* name = "";   // "a", "B", "C", "E", "D"
  double value = 0;        // that of the model
  double uncertainty = 0;  // one standard error; infinite where timings say nothing
  PatchDoubt doubt = PatchDoubt::few;
  bool is_told() const noexcept { return doubt == PatchDoubt::none; }
};

// What timings tell.
struct PatchFit {
  // Fit for use whatever is told: a number that timings say nothing of is as near to 0 as they
  // allow.
  PatchModel model;
  std::vector<PatchNumber> numbers;  // a, B, C, in 3-D E, and D
  // What a patch costs beside what grows with its size: a (B C + D), in 3-D a (B C E + D). Timings
  // tell this far better than D, which is the small difference of such costs.
  double fixed_seconds = 0, fixed_uncertainty = 0;
  double timings = 0;   // how many count, less where earlier ones are half forgotten
  double outliers = 0;  // of them, off by more than 5 times the noise
  double noise = 0;     // relative standard error of one timing, outliers aside
  EVENKEEL_API bool is_told() const noexcept;  // all numbers are
};

// Fits a model to timings of patches, each of one step. Weighs timings by their relative errors,
// because the noise of timings is a share of them, and bounds what an outlier can do (Huber, Ann.
// Math. Stat. 35, 1964). A number counts as told when its standard error is at most a quarter of
// it, or when it changes the cost of no patch timed by more than 2 %.
//
// Throws an Error for dimensions other than 2 and 3, no timings, patches without cells, and seconds
// that are zero, negative, NaN or infinite.
EVENKEEL_API PatchFit fit_patches(int dimensions, std::span<const PatchTiming> timings);

// Sizes that tell most when `count` patches between two sizes may be timed: three in four stand at
// the corners of the range, where the standard errors of all numbers together are least; the others
// lie between, so that a cost that does not follow the model shows as noise.
EVENKEEL_API std::vector<PatchSize> patch_sizes_to_time(int dimensions, std::int64_t least,
                                                        std::int64_t greatest, int count);

// The same fit on the fly. The first 32 timings are kept and fitted as above; from then on it keeps
// sums, weighs a timing by the model as it is, and forgets. The first ones never count less than a
// tenth, so that a run whose patches have all become alike does not unlearn the rest; and where all
// timings of an epoch are off alike, the machine has another speed now, and only `a` changes.
class EVENKEEL_API PatchFitter {
 public:
  // `memory`: how much the timings so far count after an epoch, above 0 and up to 1.
  explicit PatchFitter(int dimensions, double memory = 0.9);
  ~PatchFitter();
  PatchFitter(PatchFitter&&) noexcept;
  PatchFitter& operator=(PatchFitter&&) noexcept;

  // Takes a timing into account, and ends an epoch, after which all timings so far count less.
  void add(const PatchTiming& timing);
  void end_epoch();

  // Throws an Error before the first timing.
  PatchFit fit() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// --- A map of costs ------------------------------------------------------------------------------
// What refined patches will cost, by place. Each patch has a map of its own cells: how many seconds
// the patches that refine a cell take, and all that refine these in turn. From the patches of now
// it predicts what a new child and its descendants will cost, before the descendants exist: a patch
// can then hand on processors to its children and need not ask anybody.
//
// All seconds are for one step of the patch that has the map. A child makes several steps in it
// (sub-cycling), or one.
//
// Local: no communication, no Kokkos.

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

// The costs of all patches, by place.
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

// --- Shares of a time ----------------------------------------------------------------------------
// Processors and their time, handed down a tree of refined patches. Each patch has a list of
// processors with a share of the time of each. It takes what it needs itself, and divides the rest
// among its children in proportion to what they and their descendants are thought to cost; they do
// the same in turn. A patch needs its own list and its own children alone, so nothing is
// communicated. Lists are contiguous pieces of the parent's, and the same input gives the same
// lists everywhere.
//
// Local: no communication, no Kokkos.

// A part of the time of one processor; the whole time of a processor is 1, or any other unit.
struct TimeShare {
  int rank = 0;
  double share = 0;
  friend bool operator==(const TimeShare&, const TimeShare&) = default;
};

// One list per child, each a contiguous piece of the list with time in proportion to the cost of
// the child. Two children may share a processor. A child that costs nothing, in a list where others
// do, gets a processor without any time, so no list is empty. Children get equal time where none
// costs anything. A border within a billionth of the whole time of a processor's is put there.
//
// Throws an Error for an empty list, and for shares or costs that are negative, NaN or infinite.
EVENKEEL_API std::vector<std::vector<TimeShare>> divide_time(std::span<const TimeShare> time,
                                                             std::span<const double> costs);

// Cells of a patch that one processor works on.
struct PatchPiece {
  int rank = 0;
  CellRange cells;
  friend bool operator==(const PatchPiece&, const PatchPiece&) = default;
};

// Splits a patch across its longest axis, so that what the pieces cost by the model, with ghost
// cells of their own, is in proportion to time, as nearly as whole layers of cells allow. Pieces
// come in the order of the list; a processor whose piece would have fewer than `least_layers`
// layers gets none, and the rest goes to the others.
EVENKEEL_API std::vector<PatchPiece> split_patch(const CellRange& patch, const PatchModel& model,
                                                 std::span<const TimeShare> time,
                                                 std::int64_t least_layers = 2);

// What becomes of the list of a patch.
struct HandedDown {
  std::vector<PatchPiece> pieces;                // of the patch itself
  std::vector<std::vector<TimeShare>> children;  // the list of each
};

// What a patch does with its list: it takes time for itself from the front, splitting itself where
// it needs more than one processor has left, and divides the rest among its children. What splits
// and whole layers have made one processor's piece too large, its part of the rest makes up for.
EVENKEEL_API HandedDown hand_down(const CellRange& patch, const PatchModel& model,
                                  std::span<const TimeShare> time,
                                  std::span<const double> child_costs,
                                  std::int64_t least_layers = 2);

}  // namespace evenkeel
