#pragma once

// The types and features that a set gives its objects (.type, .features): the amount of each on a
// rank, and the costs of objects from the cost of a unit of each.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field/set.hpp>

#include <array>

namespace evenkeel {

// One number for each type and each feature that a set may have. As amounts, these are the objects
// of a type and the sum of a feature; as costs, those of one object and of a unit.
struct PerColumn {
  std::array<double, most_types> types{};
  std::array<double, most_features> features{};

  friend bool operator==(const PerColumn&, const PerColumn&) = default;
};

// An object of several types counts in each of them, and an object of no_type in no type. Without
// SetOptions::type, all objects are of type 0. Throws an Error for a type that is less than no_type
// or not less than most_types, and for a feature that is negative or not finite. Local.
EVENKEEL_API PerColumn amounts_of(const Space& space, const Set& set);

// The cost of each object of the set, in the memory of the space. Throws like amounts_of(). Local.
EVENKEEL_API exec::Array<double> costs_of(const Space& space, const Set& set,
                                          const PerColumn& costs);

}  // namespace evenkeel
