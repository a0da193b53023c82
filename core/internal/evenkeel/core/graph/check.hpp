#pragma once

// The check of a graph's method, wherever an application or a user gives one.

#include <evenkeel/core/graph/method.hpp>

namespace evenkeel {

// Throws an Error if a number of the method is not allowed.
EVENKEEL_API void check(const ByGraph& method);

}  // namespace evenkeel
