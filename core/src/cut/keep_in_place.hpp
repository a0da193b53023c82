#pragma once

// The function keep_in_place of core/cut.hpp, for a caller that has counted its objects already.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/cut.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel {

// Collective. `objects_of_part` are the numbers of objects on this rank.
std::vector<int> keep_in_place(const Voters& voters, std::span<const std::int64_t> objects_of_part);

}  // namespace evenkeel
