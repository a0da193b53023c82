#pragma once

// Helpers of the methods whose domains are boxes.

#include "place/task.hpp"

#include <evenkeel/core/boxes/cut.hpp>

#include <functional>
#include <vector>

namespace evenkeel {

// The part of each object of each set.
std::vector<exec::Array<int>> parts_in(const Prepared& prepared, const Domains& domains);

// Positions and weights of all sets.
std::vector<WeightedPoints> points_of(const PlaceTask& task);

// Of domains that are made now; empty: part p is rank p.
std::vector<int> ranks_of_parts(const PlaceTask& task);

BoxCutOptions box_options_of(const PlaceTask& task);

// New boxes, and how even they are by the weights.
struct Boxes {
  Domains domains;
  double lambda;
  Status status = {};  // of this rank: whether it could make them
};

// Collective. Keeps the last domains if they are boxes that divide the objects as evenly as the
// task asks for; otherwise `cut` finds others, with a status for its first vote.
Found keep_or(const PlaceTask& task, const std::function<Boxes(const Status&)>& cut);

}  // namespace evenkeel
