#pragma once

// The names of kernels that this rank knows: its own, and those learned from other ranks. All ranks
// that know the same names have them in the same order. Ranks may register different kernels, for
// example because a rank has no objects. A kernel takes 0 seconds on a rank that has not registered
// it.

#include <evenkeel/backends/comm/communicator.hpp>

#include <string>

namespace evenkeel {

class KernelNames {
 public:
  // Local. Takes in the names of a clock, in the clock's order.
  void learn(std::span<const std::string> of_clock);

  const std::vector<std::string>& own() const noexcept { return own_; }  // in the clock's order
  const std::vector<std::string>& sorted() const noexcept { return sorted_; }
  std::uint64_t hash() const noexcept { return hash_; }

  // Takes one number for each kernel of the clock. Returns one number for each known name, in the
  // order of sorted(); it is 0 for a kernel that the clock does not have.
  std::vector<std::int64_t> in_order(std::span<const std::int64_t> of_clock) const;

  // Collective. Makes the names of all ranks known to all ranks. If `strict` is true and a rank has
  // not registered a kernel, throws the same Error on all ranks, which names the rank and the
  // kernel.
  void unite(const Communicator& communicator, bool strict);

 private:
  void add(const std::vector<std::string>& names);

  std::vector<std::string> own_;           // in the clock's order
  std::vector<std::string> sorted_;        // all known names
  std::vector<std::size_t> place_of_own_;  // in sorted_
  std::uint64_t hash_ = 0;
};

}  // namespace evenkeel
