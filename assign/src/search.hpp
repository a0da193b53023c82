#pragma once

// Improves a map by moves of one block and swaps of two. The energy of a map is the sum of
//   - the faces cut, times the distance of their ranks (Problem::distance),
//   - the price of blocks that are not on their present rank,
//   - for each rank and phase, slope (o + 1.6 o^2) average faces, where o is its load above the aim
//     in shares; the slope is 250, or more if ranks have many blocks, so that no face is worth the
//     overload by a block,
//   - a huge price for each broken cap, which falls with the excess.
// All of it is integer.

#include "problem.hpp"

namespace evenkeel::assigning {

// A small generator of random numbers (Marsaglia's xorshift); the same on all machines.
class Random {
 public:
  std::uint32_t below(std::uint32_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(((state_ >> 32) * limit) >> 32);
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15u;
};

class Search {
 public:
  // `aims` holds the greatest load of each phase that costs no energy, in 2^-20 shares.
  Search(const Problem& problem, std::vector<std::int64_t> aims, std::vector<int> map);

  // Visits all blocks `sweeps` times and tries a random move or swap of each. Accepts a change that
  // raises the energy with a probability that falls with the temperature, from `hot` average faces
  // / 2^12 to 1 / 50 of a face. If `soft`, overload is cheap at first and expensive at the end.
  // Keeps the best map that it has seen in the last sweeps.
  void anneal(int sweeps, std::int64_t hot, bool soft);

  // Removes overload first: makes the best move or swap of each overloaded rank, until no
  // rank is overloaded or no single move or swap helps.
  void repair();

  void set_aims(std::vector<std::int64_t> aims);
  // Multiplies the price of overload.
  void value_evenness(std::int64_t factor) { set_slope(factor * slope_, jump_); }
  const std::vector<int>& map() const { return map_; }
  const std::vector<std::int64_t>& loads() const { return loads_; }  // by rank and phase
  bool keeps_caps() const;
  // True if no rank is above its aim, and no cap is broken.
  bool is_even() const;
  std::int64_t energy_of_place() const;  // faces and moves

 private:
  using Change = std::int64_t;
  std::int64_t rank_energy(int r, int out, int in) const;
  Change place_change(int i, int to) const;
  Change least_place_change(int i) const;
  Change mark_near(int i);
  Change move_change(int i, int to, Change allowed) const;
  Change swap_change(int i, int k, Change allowed) const;
  std::int64_t share_of(int r) const;
  void move(int i, int to);
  void swap(int i, int k);
  bool try_one(int i, std::int64_t allowed);
  void repair_with(int others);
  bool relieve(int r, const std::vector<int>& targets, std::vector<int>& waiting);
  void set_slope(std::int64_t slope, std::int64_t jump);
  void rebuild();

  const Problem& problem_;
  std::vector<std::int64_t> aims_;
  std::int64_t slope_ = 250, jump_ = 0;  // jump is a price of any overload
  std::vector<int> map_;
  std::vector<std::vector<int>> blocks_;  // of each rank
  std::vector<int> slot_;                 // of each block in the list of its rank
  std::vector<int> near_;                 // of each rank: the last block that was marked near it
  std::vector<std::int64_t> loads_, bytes_, work_, energy_;
  std::int64_t swaps_left_ = 0;  // that repair may still try
  Random random_;
};

}  // namespace evenkeel::assigning
