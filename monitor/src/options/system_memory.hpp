#pragma once

// The memory that the system has for the ranks of a node.

#include <evenkeel/backends/config.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel {

// Returns the memory of this node in bytes, or the least limit of the control groups of this
// process if that is less. Empty if the system reports neither. Reads /proc and /sys below `root`.
// Local.
EVENKEEL_API std::optional<std::int64_t> memory_of_node(const std::string& root = "");

// A hash that is the same for processes of the same node, and almost surely differs between nodes.
EVENKEEL_API std::uint64_t node_hash();

}  // namespace evenkeel
