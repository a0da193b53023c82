#pragma once

// The cores that this process may run on.

#include <array>
#include <cstdint>

namespace evenkeel::detail {

// One bit for each core of the machine.
using CoreMask = std::array<std::uint64_t, 16>;

// All bits are 0 if the system does not report its cores.
CoreMask usable_cores() noexcept;
int count_of(const CoreMask& cores) noexcept;

}  // namespace evenkeel::detail
