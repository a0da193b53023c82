#pragma once

// The blocks of this rank: their descriptions, their costs, and the ranks that they would be on
// under other maps. Work is the time of a block on a rank of speed 1, in nanoseconds per step.
//
// Nothing here communicates.

#include "observe/clock.hpp"

#include <evenkeel/monitor/block_balancer.hpp>
#include <evenkeel/monitor/counterfactual.hpp>

namespace evenkeel {

// The ranks of a block under other maps. The children of a block take them over.
struct BlockRanks {
  static constexpr int unknown = -1;
  static constexpr std::size_t columns = Counterfactual::earlier_cuts + 1;

  int first = 0;          // without any rebalance
  int previous = 0;       // before the last rebalance
  int advised = unknown;  // if advice had been followed
  // Under maps that were made at earlier looks, each of which has a column.
  std::array<int, columns> earlier = {};
};

// A block without its lists. Records of all blocks are gathered.
struct BlockRecord {
  std::int64_t id = 0;
  double work = -1;          // negative if unknown
  bool is_measured = false;  // false if the work is unknown or expected
  bool has_centre = false;
  int owner = 0;
  double bytes = 0, weight = 0;
  std::array<double, 3> centre = {};
  std::array<std::int64_t, 3> cells = {};
  BlockRanks ranks = {};

  bool has_cells() const noexcept { return cells[0] > 0; }
};

// The products of the sides of a block: 1, x, y, x y, z, x z, y z, x y z. The model of refined
// patches, a ((x + B) (y + C) (z + E) + D), is a sum of these products with factors that are not
// negative.
using SideProducts = std::array<double, 8>;
SideProducts products_of(const std::array<std::int64_t, 3>& cells) noexcept;

// The heritage of a new block from the blocks that it replaces. A block that is replaced by several
// gives each of them an equal share.
struct BlockSource {
  double work = -1;  // negative if unknown
  double weight = 0;
  bool has_cells = false;
  SideProducts products = {};
};

// The times of a block in the steps of an epoch, in nanoseconds. If the block was timed in all of
// several steps, the mean leaves out the greatest times: if another program has used the core, they
// show no work.
struct BlockTimes {
  std::int64_t since = 0;  // the end of this step
  std::int64_t timed = 0;  // number of steps with a time
  double sum = 0;
  std::array<double, 2> greatest{};  // in descending order

  void add(double nanoseconds) noexcept;
  // Per step, up to the end of this step, which is after `since`.
  double mean(std::int64_t step) const noexcept;
};

struct OwnBlock {
  BlockRecord record = {};
  std::vector<std::int64_t> neighbours = {};
  BlockSource source = {};
  std::size_t part = 0;  // of the kernel; an index of OwnBlocks::parts_
  BlockTimes times = {};
};

// Blocks in ascending order of their ids.
class OwnBlocks {
 public:
  using List = std::vector<OwnBlock>;
  // The time of a weight in a deterministic run.
  static constexpr double nanoseconds_per_weight = 1e6;

  // `speed` is that of this rank, whose number is `here`.
  OwnBlocks(Clock& clock, Kernel kernel, int here, double speed)
      : clock_(clock), kernel_(std::move(kernel)), here_(here), speed_(speed) {}

  const List& all() const noexcept { return blocks_; }
  List& all() noexcept { return blocks_; }
  const OwnBlock* find(std::int64_t id) const noexcept;
  const Kernel& kernel_of(const OwnBlock& block) const noexcept {
    return parts_[block.part].kernel;
  }
  void add_cost(const OwnBlock& block, double seconds) noexcept;
  std::vector<std::int64_t> ids() const;

  // --- Other blocks ------------------------------------------------------------------------------

  // A list with these blocks, for set(). Those that are here keep their times. `step` is the number
  // of steps so far.
  List with_parts(List blocks, std::int64_t step);
  // Replaces the list by one that with_parts() has made. `step` is the same.
  void set(List blocks, std::int64_t step) noexcept;

  // --- Times -------------------------------------------------------------------------------------

  // Takes the times of the last step. Call it at the end of each step.
  void end_step() noexcept;
  // Forgets the times of all steps up to this one.
  void forget_times(std::int64_t step) noexcept;
  // Ends an epoch: blocks cost what they took since the last one. `kernel` is the load of their
  // kernel in nanoseconds per step, without disturbed steps, and as several threads share it.
  // `others` is the load of other kernels. Call it after end_step().
  void end_epoch(std::int64_t step, double kernel, double others) noexcept;
  // Sets the work of blocks that have been timed, but not yet in an epoch.
  void measure_new(std::int64_t step) noexcept;
  // The same for all blocks that have been timed, before some of them are replaced.
  void measure_all(std::int64_t step) noexcept;
  // Each block takes as long as its weight says, or as the weight 1 if it has no weight.
  void measure_by_weights() noexcept;

  // Call set_speed() if this rank has had another speed during the last epoch.
  void set_speed(double speed) noexcept;
  double speed() const noexcept { return speed_; }
  double bytes() const noexcept;  // of all blocks
  double work() const noexcept;   // of all blocks, in nanoseconds per step at speed 1
  // The load of this rank in nanoseconds per step: of its blocks, and that of other kernels.
  double load_of_blocks() const noexcept { return work() / speed_; }
  double load_of_others() const noexcept { return others_; }

 private:
  struct Part {
    Kernel kernel;
    std::int64_t free_from = 0;  // the step after which no time of an earlier block can come
  };

  void measure(OwnBlock& block, std::int64_t step) const noexcept;

  Clock& clock_;
  Kernel kernel_;
  int here_;
  double speed_;
  List blocks_;
  std::vector<Part> parts_;  // by their number in the clock
  double scale_ = 1;         // the load of the kernel / the sum of the times of blocks
  double gone_ = 0;          // the times in this epoch of blocks that are no longer here
  std::int64_t since_ = 0;   // the end of the last epoch
  double others_ = 0;
};

}  // namespace evenkeel
