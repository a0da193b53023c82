#pragma once

// A set can give its objects types and features (.type, .features). These functions find the amount
// of each type and feature on a rank, and the costs of objects from the cost of one unit of each.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field/set.hpp>

#include <array>

namespace evenkeel {

// One number for each type and each feature that a set may have. An amount is the number of objects
// of a type, or the sum of a feature. A cost is the cost of one object of a type, or of one unit of
// a feature.
struct PerColumn {
  std::array<double, most_types> types{};
  std::array<double, most_features> features{};

  friend bool operator==(const PerColumn&, const PerColumn&) = default;
};

// Returns the amounts of this rank. An object of several types counts in each of them, and an
// object of no_type in no type. Without SetOptions::type, all objects are of type 0. Throws an
// Error if a type is less than no_type or not less than most_types, or if a feature is negative or
// not finite. Local.
EVENKEEL_API PerColumn amounts_of(const Space& space, const Set& set);

// The cost of each object of the set, in the memory of the space. Throws like amounts_of(). Local.
EVENKEEL_API exec::Array<double> costs_of(const Space& space, const Set& set,
                                          const PerColumn& costs);

}  // namespace evenkeel
