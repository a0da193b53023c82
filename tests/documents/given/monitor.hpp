#pragma once

// Declares what the fragments of docs/monitor.md use: work that is timed.

#include "any_page.hpp"

#include <Kokkos_Core.hpp>

struct Forces {
  KOKKOS_FUNCTION void operator()(int i) const;
};
extern const Forces forces;
extern const Kokkos::DefaultExecutionSpace space;
extern const int n;
void add_forces(std::int64_t object);
