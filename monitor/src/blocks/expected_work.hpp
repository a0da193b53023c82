#pragma once

// The expected work of blocks that were not timed yet. It is found, in this order:
//   - by the weight of the block, if it has one and timed blocks have weights;
//   - by its cells, if it has cells and timed blocks have cells. Their costs are fitted by the
//     model of refined patches, which counts ghost cells;
//   - from the work of the blocks that it replaces;
//   - as the mean work of timed blocks.
// If a block replaces others, and has a weight or cells like these, the work of these others says
// how much more it costs than usual.

#include "blocks/own_blocks.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

namespace evenkeel {

// The sums over blocks of all ranks that determine the work of those whose work is unknown.
struct WorkSums {
  double known = 0, known_work = 0;  // of blocks with a work: number and sum
  double unknown = 0;                // number of blocks without a work
  double measured = 0, work = 0;     // of timed blocks: number and work
  // For blocks without a work that replace others: number, and the work that they take over.
  double taken = 0, taken_over = 0;
  double weight = 0, weighed = 0;  // of timed blocks with weights: weight and work
  double weights = 0;              // number of all blocks with weights
  double sized = 0, to_fit = 0;    // numbers of blocks with cells: timed, and without a work

  void add(const OwnBlock& block) noexcept;
  void add(const WorkSums& other) noexcept;
};

// Collective. Sets the work of this rank's blocks whose work is unknown. `all` are the sums over
// all ranks. If nothing is known on any rank, works stay unknown.
void expect_work(const Communicator& ranks, OwnBlocks::List& blocks, const WorkSums& all);

// A measure of the work of a block if no block was timed on any rank.
double relative_work_of(const BlockRecord& block, const WorkSums& all) noexcept;

}  // namespace evenkeel
