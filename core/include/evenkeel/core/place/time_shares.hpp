#pragma once

// Processors and their time, handed down a tree of refined patches. Each patch has a list of
// processors with a share of the time of each. It takes what it needs itself, and divides the rest
// among its children in proportion to what they and their descendants are thought to cost; they do
// the same in turn. A patch needs its own list and its own children alone, so nothing is
// communicated. Lists are contiguous pieces of the parent's, and the same input gives the same
// lists everywhere.
//
// Local: no communication, no Kokkos.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/domains/cell_range.hpp>
#include <evenkeel/core/weights/patch_model.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

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
