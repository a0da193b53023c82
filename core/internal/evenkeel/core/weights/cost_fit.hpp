#pragma once

// Costs of objects, from the loads measured under two decompositions of the same objects.
//
// Each rank had a load before the last move, and has one after it. An object is part of one load
// before and of one after, so each pair of ranks shares a few objects. Loads that were measured at
// about the same time constrain the costs of these objects, and the fit finds costs that satisfy
// both. It is an iterative proportional fitting (Deming and Stephan, Ann. Math. Stat. 11, 1940) of
// a sparse matrix whose entry (g, r) is the cost of the objects that moved from rank g to rank r,
// or stayed. No rank holds the matrix: each one has its own column.

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

  // Adds objects of this rank: the cost of each as far as it is known, and a record, whose bits
  // from 32 on are the rank that the object was on before. Throws an Error if there is no such
  // rank. Local. Blocks.
  void add(const exec::Array<double>& costs, const exec::Array<std::int64_t>& records);

  // Collective. `before` and `now` are the loads of this rank before and after the move, in one
  // unit; the load is 0 if the rank had no objects. Each sweep applies only the square root of the
  // factor that an earlier load asks for, because loads are noisy; the present loads fit exactly.
  // Allocates nothing. At most 10 reductions, and fewer if there are many ranks: the first one of
  // two numbers per rank, the others of one.
  void fit(const Communicator& ranks, double before, double now);

  // After fit(): changes the costs to those that fit. Each changes by a factor that is within 4
  // times and a quarter of the one that the load of this rank alone asks for. Local. Blocks.
  void apply(const exec::Array<double>& costs, const exec::Array<std::int64_t>& records) const;

 private:
  double cost_of_column() const noexcept;

  std::vector<double> costs_;    // of the objects that are here now, by the rank before
  std::vector<double> factors_;  // by the rank before, the same on all ranks
  std::vector<double> sums_;     // costs over all ranks, by the rank before; then the loads before
  double own_factor_ = 1, plain_factor_ = 1;  // of this rank: fitted, and by its load alone
};

}  // namespace evenkeel
