#pragma once

// Assigns blocks to ranks: even loads, few cut faces, few moved bytes, caps that hold, and a bound
// that says how good any map can be. For codes that move their own data and have a place for a
// vector of ranks.
//
// This module needs only the C++ standard library. All calls are local. Decisions use integers and
// a fixed seed, so the same input gives the same map on every rank and on every machine.

#include <evenkeel/backends/error.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace evenkeel {

// The input order follows a space-filling curve, and consecutive blocks are neighbours.
struct BlockOrder {};

// The centres of the blocks, one after the other: x, y, z or x, y. Neighbours are found from them.
// This is exact for meshes of equal blocks, and for blocks that are refined by halves so that
// neighbours differ by one level at most. Other centres give each block its nearest neighbours.
struct BlockCentres {
  std::span<const double> coordinates;
  int dimensions = 3;  // 2 or 3
};

// Pairs of neighbours, each pair once. The weight is the price of separating the pair; without
// weights each pair has weight 1.
struct BlockEdges {
  std::span<const std::array<int, 2>> pairs;
  std::span<const double> weights = {};
};

// The options of assign() and assess().
struct AssignOptions {
  int ranks = 1;
  // The present rank of each block, or -1 for a new block. The search then moves few bytes.
  std::span<const int> from = {};
  // The bytes of each block. Without them, each block has one byte.
  std::span<const double> bytes = {};
  // Hard caps. most_blocks limits the blocks of a rank; 0 sets no limit. memory limits the bytes of
  // a rank, and capacity its cost, summed over phases; each is one number for all ranks or one
  // number per rank. A rank of capacity 0 gets only blocks without cost.
  std::int64_t most_blocks = 0;
  std::vector<double> memory = {};
  std::vector<double> capacity = {};
  // One relative speed per rank; without speeds all ranks are equally fast.
  std::vector<double> speeds = {};
  std::variant<BlockOrder, BlockCentres, BlockEdges> place = BlockOrder{};
  // The node of each rank. A face between nodes, and a move between nodes, counts four times.
  std::vector<int> node_of_rank = {};
  // The costs hold one row of all blocks per phase. All ranks wait for each other between phases.
  int phases = 1;
  // Lambda up to this is even enough: below it, the search only avoids faces and moves.
  double target = 1.05;
  // The price of moving a block of average size, in average faces. Used with `from`.
  double price_of_moving = 6;
};

// A map from blocks to ranks, with its certificate. A step takes the sum over phases of the
// greatest load / speed of a rank. Lambda is this time / the time of a step with perfect balance.
struct BlockMap {
  std::vector<int> map;  // the rank of each block
  double lambda = 1;
  double bound = 1;              // no map that keeps the caps has a smaller lambda; proven
  double gap = 0;                // lambda / bound - 1
  double moved_bytes = 0;        // of blocks whose rank differs from `from`; new ones not counted
  double least_moved_bytes = 0;  // no map with this lambda, or the target, moves less; proven
  double faces = 0,
         faces_cut = 0;  // the sum of weights of all pairs of neighbours, and of cut ones
  std::string reason;    // in words: why lambda is not smaller
};

// Finds a map. `costs` holds phases * blocks finite numbers >= 0. Throws an Error for bad input,
// and for caps that the search cannot meet. This Error says whether they are proven to be
// impossible.
EVENKEEL_API BlockMap assign(std::span<const double> costs, const AssignOptions& options);

// Judges a map that another rule has made. Throws an Error if it breaks a cap.
EVENKEEL_API BlockMap assess(std::span<const double> costs, std::span<const int> map,
                             const AssignOptions& options);

}  // namespace evenkeel
