#pragma once

// The problem in integers. Costs and bytes are scaled by a power of two so that their total is
// about 2^60, and rounded up. Caps are rounded down, so a map that keeps the caps here keeps the
// given ones. Loads relative to a rank's share are in units of 2^-20.

#include <evenkeel/assign.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace evenkeel::assigning {

inline constexpr detail::Refusal refuse{"assign"};

__extension__ typedef unsigned __int128 Wide;

constexpr int share_bits = 20;
constexpr std::int64_t one_share = std::int64_t{1} << share_bits;
constexpr int face_bits = 12;  // an average face has weight 2^12
constexpr std::int64_t one_face = std::int64_t{1} << face_bits;
constexpr std::int64_t other_node = 4;  // the price of a face or move between nodes
constexpr std::int64_t no_cap = std::numeric_limits<std::int64_t>::max();

inline std::string text(std::int64_t number) { return std::to_string(number); }

template <class Container>
decltype(auto) at(Container& all, std::int64_t i) {
  return all[static_cast<std::size_t>(i)];
}

// Neighbours of each block: to[offsets[i]] .. to[offsets[i + 1] - 1]. Without weights, all faces
// are average.
struct Graph {
  std::vector<int> offsets, to;
  std::vector<std::int64_t> weights;

  int degree(int i) const { return at(offsets, i + 1) - at(offsets, i); }

  // Calls `visit` with the neighbour and the weight of each pair of block i.
  template <class Visit>
  void neighbours(int i, const Visit& visit) const {
    for (int e = at(offsets, i); e < at(offsets, i + 1); ++e)
      visit(at(to, e), weights.empty() ? one_face : at(weights, e));
  }
  // At least the sum of the weights of block i.
  std::int64_t strength(int i) const {
    std::int64_t sum = degree(i) * one_face;
    if (!weights.empty()) neighbours(i, [&](int, std::int64_t weight) { sum += weight; });
    return sum;
  }
};

struct Problem {
  int blocks = 0, ranks = 1, phases = 1;
  std::vector<std::int64_t> costs;   // by phase and block
  std::vector<std::int64_t> work;    // by block: the sum over phases
  std::vector<std::int64_t> totals;  // by phase
  std::int64_t total = 0;
  std::vector<double> speeds;  // one per rank
  double speed = 0;            // their sum
  bool same_speeds = true;
  std::vector<std::uint64_t> to_share;  // by phase and rank: load * to_share / 2^64 is in shares

  std::vector<std::int64_t> bytes;  // one per block
  std::int64_t total_bytes = 0, average_bytes = 1;
  double byte = 1;  // the given bytes of one unit
  std::int64_t most_blocks = no_cap;
  std::vector<std::int64_t> memory, capacity;  // one per rank if there is a cap, or else empty
  bool caps = false;

  std::vector<int> from, node;       // may be empty
  std::vector<std::int64_t> moving;  // with `from`: the price of moving each block within a node
  double target = 1.05;
  Graph graph;
  // An order of the blocks in which near blocks are near; empty if that is the order of the input.
  std::function<std::vector<int>(const Problem&)> near_order;

  std::int64_t cost(int phase, int i) const { return at(costs, std::int64_t{phase} * blocks + i); }
  std::int64_t memory_of(int r) const { return memory.empty() ? no_cap : at(memory, r); }
  std::int64_t capacity_of(int r) const { return capacity.empty() ? no_cap : at(capacity, r); }
  std::int64_t share(int phase, int r, std::int64_t load) const {
    const std::uint64_t factor = at(to_share, std::int64_t{phase} * ranks + r);
    return static_cast<std::int64_t>((Wide(static_cast<std::uint64_t>(load)) * factor) >> 64);
  }
  // The price of a face between blocks of ranks a and b, and of a move between them.
  std::int64_t distance(int a, int b) const {
    if (a == b) return 0;
    return node.empty() || at(node, a) == at(node, b) ? 1 : other_node;
  }
  std::int64_t price_of_move(int i, int to) const {
    if (from.empty() || at(from, i) < 0 || at(from, i) == to) return 0;
    return distance(at(from, i), to) * at(moving, i);
  }
};

// Checks the input and scales it. The graph and the order are left to set_place (faces.hpp).
Problem make_problem(std::span<const double> costs, const AssignOptions& options);

// Lambda of the given loads, by phase and rank.
double lambda_of(const Problem& problem, const std::vector<std::int64_t>& loads);

}  // namespace evenkeel::assigning
