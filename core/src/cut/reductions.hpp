#pragma once

// Sums over all ranks, and the number of reductions and bytes that they took.

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdint>
#include <span>

namespace evenkeel {

class CountedReductions {
 public:
  explicit CountedReductions(const Communicator& communicator) : communicator_(communicator) {}

  // Collective.
  void sum(std::span<std::int64_t> values) {
    communicator_.all_reduce(values, Reduction::sum);
    note(1, static_cast<std::int64_t>(values.size_bytes()));
  }
  // Adds the reductions and bytes of collective calls that were made elsewhere.
  void note(int reductions, std::int64_t bytes) noexcept {
    count_ += reductions;
    bytes_ += bytes;
  }

  const Communicator& communicator() const noexcept { return communicator_; }
  int count() const noexcept { return count_; }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  const Communicator& communicator_;
  int count_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace evenkeel
