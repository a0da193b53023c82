#pragma once

// Measures the memory that a call takes from the heap: heap.cpp replaces operator new for a whole
// program.

#include <cstdint>
#include <functional>

namespace evenkeel::scale {

// The greatest number of bytes that were in use at a time during function(), beyond those before
// it.
std::int64_t most_bytes_during(const std::function<void()>& function);

}  // namespace evenkeel::scale
