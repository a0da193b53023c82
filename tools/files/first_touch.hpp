#pragma once

// The first touch of memory. A system gives pages to memory when it is touched; one request for
// many of them takes less time than a fault for each.

#include <cstddef>

namespace evenkeel::tool {

// Touches all pages of memory that will be written to as a whole, by this thread. No more than a
// hint: where the system knows no such request, the writes make the pages one by one.
void touch_first(void* memory, std::size_t bytes) noexcept;

}  // namespace evenkeel::tool
