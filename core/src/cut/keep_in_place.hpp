#pragma once

// The function keep_in_place() of core/cut.hpp, for callers that have counted their objects
// already.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/cut.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// The owners for which parts were made, the same on all ranks. Only ranks of the same speed can
// exchange their parts.
struct PlannedOwners {
  std::span<const double> speeds = {};     // of ranks; if it is empty, all are equally fast
  std::span<const int> rank_of_part = {};  // if it is empty, rank p owns part p

  double speed_of_part(std::size_t part) const noexcept {
    if (speeds.empty()) return 1;
    const auto rank = rank_of_part.empty() ? part : static_cast<std::size_t>(rank_of_part[part]);
    return speeds[rank];
  }
  bool may_own(int rank, std::size_t part) const noexcept {
    return speeds.empty() || speeds[static_cast<std::size_t>(rank)] == speed_of_part(part);
  }
};

// Collective. `objects_of_part` has the number of this rank's objects in each part. If the result
// is empty, parts keep the planned owners.
std::vector<int> keep_in_place(const Voters& voters, std::span<const std::int64_t> objects_of_part,
                               const PlannedOwners& planned = {});

}  // namespace evenkeel
