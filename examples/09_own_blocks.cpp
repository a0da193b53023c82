// A code with block AMR that moves its blocks itself, as miniAMR does. A sphere moves through a
// cube of blocks. Every 5 steps, blocks at its surface are divided into eight, and others are
// merged. evenkeel learns the cost of each block and proposes its rank, and the code moves it. At
// the end the program checks all blocks and their contents.
//
//   mpirun -n 4 09_own_blocks

#include <evenkeel/evenkeel.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace ek = evenkeel;

constexpr int side = 6, roots = side * side * side;  // the cube before blocks are divided
constexpr int steps = 100, refined_every = 5;

// --- The code's own blocks -----------------------------------------------------------------------

std::int64_t id_of(int root, int part) { return std::int64_t{9} * root + part; }

struct Block {
  int root;
  int part;  // 0 is the whole root, and 1 to 8 are its eighths
  std::array<double, 512> cells;

  std::int64_t id() const { return id_of(root, part); }
  int substeps() const { return part > 0 ? 128 : 64; }
  std::array<double, 3> centre() const {
    const std::array<int, 3> place = {root / (side * side), root / side % side, root % side};
    std::array<double, 3> at{};
    for (std::size_t d = 0; d < 3; ++d) {
      const double of_eighth = ((part - 1) >> d) % 2 == 0 ? 0.25 : 0.75;
      at[d] = place[d] + (part == 0 ? 0.5 : of_eighth);
    }
    return at;
  }
};

bool is_at_surface(int root, int step) {
  const std::array<double, 3> at = Block{root, 0, {}}.centre();
  return std::abs(std::hypot(at[0] - 5.0 * step / steps, at[1] - 2, at[2] - 2) - 1.8) < 0.8;
}

// New blocks begin on the rank of the old one. The first of eight blocks replaces all when they
// merge.
std::vector<Block> refined(const std::vector<Block>& old, int step) {
  std::vector<Block> fresh;
  for (const Block& block : old) {
    const bool fine = is_at_surface(block.root, step);
    if (!fine && block.part > 1) continue;
    fresh.push_back(block);
    fresh.back().part = fine ? std::max(1, block.part) : 0;
    while (block.part == 0 && fine && fresh.back().part < 8) {
      fresh.push_back(fresh.back());
      ++fresh.back().part;
    }
  }
  return fresh;
}

// Adds 1 to each cell; small blocks take more sub-steps.
void advance(Block& block) {
  for (int s = 0; s < block.substeps(); ++s)
    for (double& cell : block.cells) cell += 1.0 / block.substeps();
}

// --- Balancing -----------------------------------------------------------------------------------

// Describes the blocks of this rank. A whole root replaces its eighths, and an eighth replaces the
// root.
std::vector<ek::BlockInfo> described(const std::vector<Block>& blocks) {
  std::vector<ek::BlockInfo> list;
  for (const Block& block : blocks) {
    ek::BlockInfo& info = list.emplace_back();
    info.id = block.id();
    info.bytes = sizeof(Block);
    info.weight = block.substeps();
    info.centre = block.centre();
    if (block.part > 0) info.made_from = {id_of(block.root, 0)};
    for (int part = 1; block.part == 0 && part <= 8; ++part)
      info.made_from.push_back(id_of(block.root, part));
  }
  return list;
}

// Sends and receives blocks as proposed. Both ranks have the blocks between them in the same order.
void move(std::vector<Block>& blocks, const ek::BlockProposal& wanted) {
  std::vector<Block> arriving(wanted.arriving.size());
  std::vector<MPI_Request> requests;
  for (std::size_t i = 0; i < arriving.size(); ++i)
    MPI_Irecv(&arriving[i], sizeof(Block), MPI_BYTE, wanted.arriving[i].from, 0, MPI_COMM_WORLD,
              &requests.emplace_back());
  for (const ek::BlockMove& leaver : wanted.leaving)
    MPI_Isend(&*std::ranges::find(blocks, leaver.id, &Block::id), sizeof(Block), MPI_BYTE,
              leaver.to, 0, MPI_COMM_WORLD, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (const ek::BlockMove& leaver : wanted.leaving)
    std::erase_if(blocks, [&](const Block& block) { return block.id() == leaver.id; });
  blocks.insert(blocks.end(), arriving.begin(), arriving.end());
}

// --- The run -------------------------------------------------------------------------------------

// Collective. Returns true if the blocks fill the cube and all cells are right.
bool is_right(const std::vector<Block>& blocks) {
  std::array<std::int64_t, roots + 1> found{};  // the eighths of each root, and wrong cells
  for (const Block& block : blocks) {
    found[static_cast<std::size_t>(block.root)] += block.part == 0 ? 8 : 1;
    for (const double cell : block.cells) found[roots] += cell != block.root + steps;
  }
  MPI_Allreduce(MPI_IN_PLACE, found.data(), roots + 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return std::ranges::count(found, 8) == roots && found[roots] == 0;
}

bool simulate() {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<Block> blocks;  // at the start, the code itself divides the cube into slices
  for (int root = roots * rank / ranks; root < roots * (rank + 1) / ranks; ++root)
    blocks.emplace_back(Block{root, 0, {}}).cells.fill(root);

  ek::BlockBalancer balancer(MPI_COMM_WORLD);
  balancer.describe(described(blocks));
  int moves = 0;
  for (int step = 1; step <= steps; ++step) {
    for (Block& block : blocks) {
      const auto timing = balancer.time_block(block.id());
      advance(block);
    }
    const bool refines = step % refined_every == 0;
    if (refines) {
      blocks = refined(blocks, step);
      balancer.describe(described(blocks));
    }
    if (const auto wanted = balancer.step({.may_move = refines, .changed = refines})) {
      move(blocks, *wanted);
      balancer.accept();
      ++moves;
    }
  }
  balancer.finish();
  const bool right = is_right(blocks);
  if (rank == 0) std::printf("%d moves; the blocks are %s\n", moves, right ? "right" : "wrong");
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool right = simulate();
  MPI_Finalize();
  return right ? 0 : 1;
}
