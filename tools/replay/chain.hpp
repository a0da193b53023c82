#pragma once

// What single bins cost, step by step, and what ranks that own ranges of them take. A step costs
// its slowest rank.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace evenkeel::tool {

// Ends of the ranges that hold bins, from 0 to the number of bins: ranks with nothing are left out,
// since they are never the slowest.
using Ranges = std::vector<std::int32_t>;

class CostChain {
 public:
  // By rows of so many bins: a row for each step. An Error for costs that are none.
  CostChain(std::vector<double> costs, std::uint64_t bins, const std::string& name);

  std::int64_t steps() const noexcept { return steps_; }
  std::int64_t bins() const noexcept { return bins_; }
  double sum(std::int64_t step) const { return prefix(step).back(); }

  // The optimal cut by the costs of a step.
  Ranges cut(std::int64_t step, int ranks) const;
  // ... by the sums of the costs of some steps, from `begin` to before `end`.
  Ranges cut(std::int64_t begin, std::int64_t end, int ranks) const;
  // As many bins for each rank as can be: range p begins at floor(p * bins / ranks).
  Ranges even(int ranks) const;

  double slowest(const Ranges& ranges, std::int64_t step) const noexcept;
  // The greatest that a range takes of the steps from `begin` to before `end` together.
  double slowest(const Ranges& ranges, std::int64_t begin, std::int64_t end) const;
  // What each range takes.
  void loads(const Ranges& ranges, std::int64_t step, std::vector<double>& into) const;

 private:
  std::span<const double> prefix(std::int64_t step) const noexcept;

  std::int64_t steps_, bins_;
  std::vector<double> prefixes_;  // bins + 1 for each step
};

// The file's rows are the steps.
CostChain read_chain(const std::string& path);

}  // namespace evenkeel::tool
