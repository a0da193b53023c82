#pragma once

// The messages in which the fields of objects travel from one rank to another.

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::scale {

// The bytes of each message, by the library's own rule.
std::vector<std::int64_t> bytes_of_messages(std::int64_t objects,
                                            std::span<const std::int64_t> bytes_of_fields);

}  // namespace evenkeel::scale
