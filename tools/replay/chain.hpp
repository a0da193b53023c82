#pragma once

// The cost of each bin in each step. Ranks own ranges of bins. The load of a rank in a step is the
// cost of its bins, and the cost of a step is the load of its slowest rank.

#include "files/byte_source.hpp"

#include <vector>

namespace evenkeel::tool {

// The ends of the non-empty ranges, from 0 to the number of bins. Ranks without bins are left out,
// since they are never the slowest.
using Ranges = std::vector<std::int32_t>;

class CostChain {
 public:
  // `costs` has a row of `bins` values for each step. Throws an Error if a value is not a valid
  // cost.
  CostChain(std::vector<double> costs, std::uint64_t bins, const std::string& name);

  std::int64_t steps() const noexcept { return steps_; }
  std::int64_t bins() const noexcept { return bins_; }
  double sum(std::int64_t step) const { return prefix(step).back(); }

  // The optimal cut for the costs of one step.
  Ranges cut(std::int64_t step, int ranks) const;
  // The optimal cut for the summed costs of the steps in [begin, end).
  Ranges cut(std::int64_t begin, std::int64_t end, int ranks) const;
  // Gives each rank nearly the same number of bins: range p begins at floor(p * bins / ranks).
  Ranges even(int ranks) const;

  double slowest(const Ranges& ranges, std::int64_t step) const noexcept;
  // The greatest sum over the steps in [begin, end) of the load of one range.
  double slowest(const Ranges& ranges, std::int64_t begin, std::int64_t end) const;
  // The load of each range in a step.
  void loads(const Ranges& ranges, std::int64_t step, std::vector<double>& into) const;

 private:
  std::span<const double> prefix(std::int64_t step) const noexcept;

  std::int64_t steps_, bins_;
  std::vector<double> prefixes_;  // bins + 1 for each step
};

// Reads a chain from a file with a row for each step.
CostChain read_chain(const std::string& path, Progress progress = {});

}  // namespace evenkeel::tool
