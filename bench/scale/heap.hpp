#pragma once

// Measures the memory that a call takes from the heap: heap.cpp replaces operator new for a whole
// program.

#include <cstdint>
#include <functional>

namespace evenkeel::scale {

// The greatest number of bytes that function() used at a time, beyond those in use before it.
std::int64_t most_bytes_during(const std::function<void()>& function);

}  // namespace evenkeel::scale
