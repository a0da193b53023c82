// A code with block AMR that moves its blocks itself, as miniAMR does. A sphere moves through a
// cube of blocks. Every 5 steps, blocks at its surface are divided into eight, and others are
// merged. evenkeel gets one entry for each block: centre, weight and number. It moves the entries,
// and the code moves the blocks. At the end the program checks all blocks and their contents.
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

struct Block {
  int root;
  int part;  // 0 is the whole root, and 1 to 8 are its eighths
  std::array<double, 512> cells;

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
void advance(std::vector<Block>& blocks) {
  for (Block& block : blocks)
    for (int s = 0; s < block.substeps(); ++s)
      for (double& cell : block.cells) cell += 1.0 / block.substeps();
}

// --- Balancing -----------------------------------------------------------------------------------

// Small entries for the blocks of this rank, which evenkeel moves.
struct Entries {
  std::vector<std::array<double, 3>> centre;
  std::vector<double> weight;
  std::vector<std::int64_t> number;

  explicit Entries(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      centre.push_back(block.centre());
      weight.push_back(block.substeps());
      number.push_back(9 * block.root + block.part);
    }
  }
  ek::Set as_set() {
    return ek::set(centre, ek::carry(weight, number),
                   {.weight = weight, .key = number, .bytes_per_object = sizeof(Block)});
  }
};

// Sends blocks to their owners, and receives blocks until this rank has `count`.
void move(std::vector<Block>& blocks, const ek::Domains& domains, std::size_t count, int rank) {
  const auto leave = std::partition(blocks.begin(), blocks.end(), [&](const Block& block) {
    return ek::owner_of(domains, block.centre()) == rank;
  });
  const std::vector<Block> leavers(leave, blocks.end());
  blocks.erase(leave, blocks.end());
  std::vector<MPI_Request> requests;
  for (const Block& block : leavers)
    MPI_Isend(&block, sizeof(Block), MPI_BYTE, ek::owner_of(domains, block.centre()), 0,
              MPI_COMM_WORLD, &requests.emplace_back());
  while (blocks.size() < count)
    MPI_Recv(&blocks.emplace_back(), sizeof(Block), MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
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

  ek::Balancer balancer(MPI_COMM_WORLD);
  const ek::Kernel stencil = balancer.kernel("stencil");
  int moves = 0;
  for (int step = 1; step <= steps; ++step) {
    {
      const auto timing = stencil.time();
      advance(blocks);
    }
    const bool refines = step % refined_every == 0;
    if (refines) blocks = refined(blocks, step);
    Entries entries(blocks);
    if (balancer.step(entries.as_set(), {.may_move = refines, .changed = refines})) {
      const double began = MPI_Wtime();
      move(blocks, balancer.domains(), entries.number.size(), rank);
      balancer.note_cost(MPI_Wtime() - began);
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
  bool right = false;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    right = simulate();
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
