#pragma once

// The relative speeds of the parts of `evenkeel partition`.

#include <evenkeel/backends/comm/communicator.hpp>

#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tool {

// Collective. Reads one positive number for each part from a file. Without a file, returns nothing.
// A failure on one rank is an Error on all.
std::vector<double> read_speeds(const Communicator& communicator,
                                const std::optional<std::string>& file, int parts);

}  // namespace evenkeel::tool
