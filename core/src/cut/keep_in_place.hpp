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

// Collective. `objects_of_part` has the number of this rank's objects in each part.
std::vector<int> keep_in_place(const Voters& voters, std::span<const std::int64_t> objects_of_part);

}  // namespace evenkeel
