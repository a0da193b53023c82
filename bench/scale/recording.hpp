#pragma once

// Records the calls of MPI that this process makes. recording.cpp is between the library and MPI: a
// program that links it intercepts every call, at nearly no cost while it does not record.

#include "calls.hpp"

#include <functional>

namespace evenkeel::scale {

// The calls of MPI of function(), which must not call recorded() itself.
Calls recorded(const std::function<void()>& function);

}  // namespace evenkeel::scale
