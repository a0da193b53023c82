#pragma once

// The task of a method, and its result. A method is a function of this shape; the table of all is
// in method.cpp.

#include <evenkeel/core/place.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

struct PlaceTask {
  const Communicator& communicator;
  const Status& status;  // for the first vote
  const Prepared& prepared;
  Weights weights;
  double target_lambda;  // of domains that are kept; 0: none are
  const Domains& last;
  const FreshGoal* fresh = nullptr;  // not null: nothing is kept, and part p is rank p
  double shift_penalty = 0;          // not 0: the last domains, which can be, are shifted
  double tightened = 1;              // share of the method's own tolerance
  PhaseCosts phases = {};            // by ByGraph alone: of each set; empty: there is one

  int parts() const {
    return fresh != nullptr && fresh->parts > 0 ? fresh->parts : communicator.size();
  }
  std::int64_t generation() const {
    return fresh == nullptr ? generation_of(last) + 1 : fresh->generation;
  }
};

struct Found {
  Domains domains;
  bool is_kept = false;
  double lambda = -1;                   // by the weights; below 0: the search has not computed it
  double heaviest = 0;                  // object, relative to the average part; 0: not known
  std::vector<exec::Array<int>> parts;  // of each object of each set, if computed
  Status status;                        // of this rank, for the next vote
};

// Whether the last domains are ranges of the curve that the method cuts, through the same box.
bool are_on_curve(const Prepared& prepared, int parts, const Domains& last);

// Collective.
Found find_on_curve(const PlaceTask& task);
Found find_grid(const PlaceTask& task);
Found find_by_bisection(const PlaceTask& task);
Found find_by_graph(const PlaceTask& task);

}  // namespace evenkeel
