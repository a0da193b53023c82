#pragma once

// The memory that a call takes from the heap: heap.cpp replaces operator new for a whole program.

#include <cstdint>
#include <functional>

namespace evenkeel::scale {

// The most bytes that were in use at a time while function() ran, beyond those before.
std::int64_t most_bytes_during(const std::function<void()>& function);

}  // namespace evenkeel::scale
