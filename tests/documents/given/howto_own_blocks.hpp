#pragma once

// Declares what the fragments of docs/howto/own_blocks.md use: a code that has its own blocks.

#include <evenkeel/evenkeel.hpp>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ek = evenkeel;

struct Block {
  std::array<double, 512> cells;

  std::array<double, 3> centre() const;
  int substeps() const;
  std::int64_t number() const;
};

extern const int steps, refined_every, rank;
void advance(std::vector<Block>& blocks);
std::vector<Block> refined(const std::vector<Block>& old, int step);
void move(std::vector<Block>& blocks, const ek::Domains& domains, std::size_t count);
void send(int rank, Block block);
Block receive_from_any_rank();
void wait_for_sends();

struct Entries;
extern std::vector<Block> blocks;
extern Entries& entries;
extern const ek::Communicator ranks;
extern ek::Balancer balancer;
