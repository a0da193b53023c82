#pragma once

// What objects cost, by what two decompositions of the same objects have measured.
//
// Before the last move each rank had a load, and so has each rank after it. An object counts in one
// of the former and in one of the latter, so each pair of ranks shares a few objects, and loads
// that were measured at about the same time tell what those cost together. The costs that are
// found fit both: iterative proportional fitting (Deming and Stephan, Ann. Math. Stat. 11, 1940) of
// a sparse matrix whose entry (g, r) is the cost of the objects that moved from rank g to rank r,
// or stayed. Nobody holds the matrix: each rank has its own column.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

class EVENKEEL_API CostFit {
 public:
  // For a number of ranks; takes all memory that fit() needs.
  explicit CostFit(int ranks);
  int ranks() const noexcept { return static_cast<int>(costs_.size()); }

  // Adds objects of this rank: what each costs as far as is known, and the rank that each was on
  // before, in 32 bits from bit 32 on. An Error if there is no such rank. Local. Blocks.
  void add(const exec::Array<double>& costs, const exec::Array<std::int64_t>& records);

  // Collective. `before`: the load of this rank before the move; `now`: after it, in the same unit.
  // A rank without objects has none. Takes no memory, and a few reductions of a number per rank.
  void fit(const Communicator& ranks, double before, double now);

  // After fit(): makes the costs those that fit. No cost changes more than four times as much as
  // the load of this rank asks for. Local. Blocks.
  void apply(const exec::Array<double>& costs, const exec::Array<std::int64_t>& records) const;

 private:
  double cost_of_column() const noexcept;

  std::vector<double> costs_;    // by the rank before, of the objects that are here now
  std::vector<double> factors_;  // by the rank before, the same on all ranks
  std::vector<double> sums_;     // over ranks, by the rank before; then the loads before
  double own_factor_ = 1, plain_factor_ = 1;  // of the objects that are here now
};

}  // namespace evenkeel
