#pragma once

// For the fragments of docs/curves.md: a set, its keys, and what its objects weigh.

#include "any_page.hpp"

#include <span>

extern const ek::Communicator communicator;
extern const ek::Space space;
extern const ek::Set set;
extern const std::span<const ek::CurveKey> keys;
extern const std::span<const double> weights;
