#pragma once

// Memory of the host for the library's own arrays. The first access to a page can cost more than
// all work on its content. So large arrays begin at a large page and ask for large pages, and the
// memory of freed ones is kept for the next ones, up to a limit.

#include <cstddef>

namespace evenkeel::exec {

// Memory that is not initialised and begins at a cache line, or null if it was refused.
void* allocate_host(std::size_t bytes) noexcept;
// Frees what allocate_host() returned for this many bytes.
void free_host(void* data, std::size_t bytes) noexcept;

}  // namespace evenkeel::exec
