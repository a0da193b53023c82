#pragma once

// Records the calls of MPI that this process makes. recording.cpp intercepts every call of a
// program that links it. While it does not record, this costs nearly nothing.

#include "calls.hpp"

#include <functional>

namespace evenkeel::scale {

// The calls of MPI of function(), which must not call recorded() itself.
Calls recorded(const std::function<void()>& function);

}  // namespace evenkeel::scale
