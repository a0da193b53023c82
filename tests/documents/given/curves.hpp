#pragma once

// Declares what the fragments of docs/curves.md use: a set, its keys, and the weights of its
// objects.

#include "any_page.hpp"

#include <evenkeel/extras/nodes.hpp>

extern const ek::Communicator communicator;
extern const ek::Space space;
extern const ek::Set set;
extern const std::span<const ek::stages::CurveKey> keys;
extern const std::span<const double> weights;
