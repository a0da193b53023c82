#pragma once

// The facade for codes that own blocks and move them. It learns the cost of each block, decides
// when moving blocks pays, and proposes a rank for each block. A proposal moves nothing: the code
// carries it out, and accepts it.
//
//   ek::BlockBalancer balancer(MPI_COMM_WORLD);
//   balancer.describe(blocks);
//   while (simulation.advance()) {
//     for (auto& block : my_blocks) {
//       auto timing = balancer.time_block(block.id);
//       advance(block);
//     }
//     if (const auto wanted = balancer.step()) {
//       move(my_blocks, wanted->leaving, wanted->arriving);
//       balancer.accept();
//     }
//   }
//   balancer.finish();

#include <evenkeel/monitor/monitor.hpp>

#include <optional>
#include <span>

namespace evenkeel {

// --- Blocks and proposals ------------------------------------------------------------------------

// A block of this rank, as the application describes it. Only the id is necessary.
struct BlockInfo {
  std::int64_t id = 0;  // no other block of any rank has this id
  double bytes = 0;     // in memory, and in the message of a move; 0 if unknown
  // The expected cost of the block relative to that of other blocks, in any unit; 0 if unknown. It
  // counts until the block has been timed. In a deterministic run, it is the load of the block.
  double weight = 0;
  // The cells along each axis, without ghost cells; 0 if unknown. In 2-D, the third number is 1.
  // The cost of a new block without weight is expected from those of timed blocks by their cells.
  std::array<std::int64_t, 3> cells = {0, 0, 0};
  // The centre. If all blocks have one, neighbours are found from the centres.
  std::optional<std::array<double, 3>> centre = std::nullopt;
  // The ids of neighbours. If a block of any rank names neighbours, pairs of neighbours are those
  // in these lists, and it suffices if one of the two blocks names the other. Without neighbours
  // and centres, blocks are neighbours if no other id is between theirs.
  std::vector<std::int64_t> neighbours = {};
  // For a new block: the ids of the blocks that it replaces, on any rank. This is one block if it
  // was split, and several if they were merged. Then the new block takes over their cost and their
  // history. Ignored for a block that was known before.
  std::vector<std::int64_t> made_from = {};
};

// A block in a proposal. It stays where it is if both ranks are the same.
struct BlockMove {
  std::int64_t id = 0;
  int from = 0, to = 0;  // ranks
  double bytes = 0;      // as described

  friend bool operator==(const BlockMove&, const BlockMove&) = default;
};

// A map of blocks to ranks, and what it is worth.
struct BlockProposal {
  std::vector<BlockMove> map;       // all blocks of all ranks, by ascending id
  std::vector<BlockMove> leaving;   // those that this rank sends, by receiver and then id
  std::vector<BlockMove> arriving;  // those that this rank receives, by sender and then id
  std::int64_t blocks_moved = 0;    // over all ranks
  double bytes_moved = 0;           // over all ranks
  // The greatest load of a rank / the average load, by the costs of blocks: now, and if the
  // proposal is accepted. No map that keeps the caps has a lambda below `bound`.
  double lambda_before = 1, lambda = 1, bound = 1;
  std::string reason;  // in words: why lambda is not smaller

  // The new rank of a block. Throws an Error for an unknown id.
  EVENKEEL_API int rank_of(std::int64_t id) const;
};

// --- The facade ----------------------------------------------------------------------------------

// The options of a BlockBalancer. <evenkeel/assign.hpp> describes the options of the map.
struct BlockBalancerOptions {
  std::int64_t most_blocks = 0;        // on a rank; 0 is no limit
  std::vector<int> node_of_rank = {};  // without nodes, all ranks are on one node
  double price_of_moving = 6;          // of a block of average size, in average faces
  // If true, each rank gets blocks with consecutive ids, and no such map is more even. If possible,
  // each rank gets at least one. Then there are no caps, and no price of moving.
  bool consecutive = false;
  // Decide when to look, and which looks lead to a proposal. target_lambda is the target of the
  // map, which also counts the speeds of ranks. The memory of ranks is a cap, too: it is an Error
  // if no map keeps it.
  Options monitor = {};
};

// Learns the costs of blocks, decides when a rebalance pays, and proposes a rank for each block.
// The time of other kernels is load that stays with its rank when blocks move. In the account,
// without rebalances each block would be where it was first described or, if it was made from
// others, where these would be. Costs of blocks are not part of the saved state.
class EVENKEEL_API BlockBalancer : public Facade {
 public:
  // Collective over the communicator, which is duplicated twice. Rank 0's monitor options count for
  // all ranks; the other options must be the same on all ranks.
  explicit BlockBalancer(const Communicator& communicator,
                         const BlockBalancerOptions& options = {});
#if EVENKEEL_HAS_MPI
  explicit BlockBalancer(MPI_Comm users, const BlockBalancerOptions& options = {});
#endif
  BlockBalancer(BlockBalancer&&) noexcept;
  BlockBalancer& operator=(BlockBalancer&&) noexcept;
  // Never waits. Without finish(), it abandons pending reductions and notifies the other ranks.
  ~BlockBalancer();

  // Collective. Describes all blocks that this rank has now. Call it at the start, and in each step
  // in which blocks of any rank are made or removed, before step(). An id that was known before,
  // on any rank, is the same block; its cost and its history are kept. It is not necessary after
  // accept().
  void describe(std::span<const BlockInfo> blocks);

  // Times work on a block until the returned Timer goes out of scope, in any order of blocks and
  // several times in a step. The time also counts for the kernel "blocks". Local, on any thread. An
  // unknown id is an Error on all ranks at the next look; then nothing is timed.
  [[nodiscard]] Timer time_block(std::int64_t id);
  // The same for work that is launched on an instance of a Kokkos space; see Kernel::time().
  template <detail::ExecutionInstance Instance>
  [[nodiscard]] Timer time_block(std::int64_t id, const Instance& instance) {
    const Kernel* const block = block_kernel(id);
    return block == nullptr ? Timer() : block->time(instance);
  }
  // Adds seconds that the application has measured itself to the cost of a block in this step. They
  // count like those of time_block(), so time the same work only once. Local, in the thread that
  // ends steps. An unknown id, and seconds that are negative, NaN or infinite, are an Error on all
  // ranks at the next look; then nothing is added.
  void add_cost(std::int64_t id, double seconds);

  // Collective; ends a step. Drops a proposal that is still open. If a rebalance pays, returns a
  // proposal. Otherwise, or if no block would move, returns nothing.
  std::optional<BlockProposal> step(const StepOptions& how = {});

  // Collective. Proposes a map now, by the latest costs, and replaces an open proposal. Returns
  // nothing if no block would move.
  std::optional<BlockProposal> propose();

  // Call one of these while a proposal is open, on all ranks or on no rank. accept() reports that
  // all blocks are on their proposed ranks; it is local. From then on they count as described.
  // drop() discards the proposal; it is local. In all cases the time since the proposal was
  // requested counts as cost of a rebalance.
  void accept();
  void drop();
  // Collective. The same as accept(), but first compares the ids of the blocks that this rank has
  // now with the proposal. If a block is missing on some rank, or is where it should not be, all
  // ranks throw the same Error, and the proposal stays open.
  void accept(std::span<const std::int64_t> ids);
  bool has_proposal() const noexcept;

  // --- Local -------------------------------------------------------------------------------------

  // The ids of the blocks that this rank has, in ascending order.
  std::vector<std::int64_t> ids() const;
  // The seconds per step of a block of this rank: measured, or expected by the last decision. It is
  // 0 if nothing is known, or if this rank does not have the block.
  double seconds_of(std::int64_t id) const;
  std::int64_t generation() const noexcept;  // the number of proposals that were accepted

 private:
  const Kernel* block_kernel(std::int64_t id);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
