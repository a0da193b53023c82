#pragma once

// The names of kernels that this rank knows: its own, and those learned from other ranks. All ranks
// that know the same names have them in the same order. Ranks may register different kernels (a
// rank without objects, optional physics); a kernel counts 0 seconds on a rank that lacks it.

#include <evenkeel/backends/comm/communicator.hpp>

#include <string>

namespace evenkeel {

class KernelNames {
 public:
  // Takes in the names that a clock knows, in its order. Local.
  void learn(std::span<const std::string> of_clock);

  const std::vector<std::string>& own() const noexcept { return own_; }  // in the clock's order
  const std::vector<std::string>& sorted() const noexcept { return sorted_; }
  std::uint64_t hash() const noexcept { return hash_; }

  // Numbers of the clock's kernels in the shared order.
  std::vector<std::int64_t> in_order(std::span<const std::int64_t> of_clock) const;

  // Collective. Makes the names of all ranks known to all. With `strict`, a difference throws the
  // same Error on all ranks, which names the kernel.
  void unite(const Communicator& communicator, bool strict);

 private:
  void add(const std::vector<std::string>& names);

  std::vector<std::string> own_;           // in the clock's order
  std::vector<std::string> sorted_;        // all known names
  std::vector<std::size_t> place_of_own_;  // in sorted_
  std::uint64_t hash_ = 0;
};

}  // namespace evenkeel
