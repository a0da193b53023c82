#pragma once

// What a set says of its objects (.type, .features): how much of each there is on a rank, and what
// objects cost by what a unit of each costs.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field/set.hpp>

#include <array>

namespace evenkeel {

// One number for each type and each feature that a set may have: of amounts, the number of objects
// of a type and the sum of a feature; of costs, that of one object and of a unit.
struct PerColumn {
  std::array<double, most_types> types{};
  std::array<double, most_features> features{};

  friend bool operator==(const PerColumn&, const PerColumn&) = default;
};

// An object of several types counts in each. Objects of a set that says nothing of types are of
// type 0. An Error for a type that is none, and for a feature that is negative or not finite.
// Local.
EVENKEEL_API PerColumn amounts_of(const Space& space, const Set& set);

// What each object of the set costs, in the memory of the space. Throws as amounts_of does. Local.
EVENKEEL_API exec::Array<double> costs_of(const Space& space, const Set& set,
                                          const PerColumn& costs);

}  // namespace evenkeel
