#pragma once

// Costs of objects, from the loads measured under two decompositions of the same objects.
//
// Each rank has a load before the last move and a load after it. Each object belongs to one load
// before the move and to one load after it. The fit finds costs of objects that add up to all these
// loads. It is an iterative proportional fitting (Deming and Stephan, Ann. Math. Stat. 11, 1940) of
// a sparse matrix: entry (g, r) is the cost of the objects that were on rank g before the move and
// are on rank r after it. No rank holds the matrix: each rank has its own column.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

class EVENKEEL_API CostFit {
 public:
  // Allocates all memory that fit() needs for a number of ranks.
  explicit CostFit(int ranks);
  int ranks() const noexcept { return static_cast<int>(costs_.size()); }

  // Adds objects of this rank: the present estimate of the cost of each, and a record, whose bits
  // from 32 on are the rank of the object before the move. Throws an Error if there is no such
  // rank. Local. Blocks.
  void add(const exec::Array<double>& costs, const exec::Array<std::int64_t>& records);

  // Collective. `before` and `now` are the loads of this rank before and after the move, in the
  // same unit; a rank without objects has the load 0. The costs then add up exactly to the present
  // loads. They add up to the earlier loads only roughly: loads are noisy, so each sweep applies
  // only the square root of the factor that an earlier load requires. Allocates nothing. Makes at
  // most 10 reductions, and fewer if there are many ranks. The first reduction has two numbers per
  // rank, and each of the others has one.
  void fit(const Communicator& ranks, double before, double now);

  // Call this after fit(). Multiplies each cost by two fitted factors: that of this rank, and that
  // of the object's rank before the move. The product is limited to between a quarter and 4 times
  // the factor that the load of this rank alone requires. Local. Blocks.
  void apply(const exec::Array<double>& costs, const exec::Array<std::int64_t>& records) const;

 private:
  double cost_of_column() const noexcept;

  std::vector<double> costs_;    // of the objects that are here now, by rank before the move
  std::vector<double> factors_;  // by rank before the move; the same on all ranks
  std::vector<double> sums_;     // by rank before the move: costs over all ranks, then loads
  double own_factor_ = 1, plain_factor_ = 1;  // of this rank: the fitted factor, and the one by its
                                              // load alone
};

}  // namespace evenkeel
