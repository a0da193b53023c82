#pragma once

// Declares what the fragments of docs/weights.md use: objects of several solvers.

#include "any_page.hpp"

#include <Kokkos_Core.hpp>

extern const int count;
extern Kokkos::View<double* [3]> x;
extern Kokkos::View<double*> state;
