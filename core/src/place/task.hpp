#pragma once

// The task of a method, and its result. A method is a function from one to the other; method.cpp
// has the table of all methods.

#include <evenkeel/core/place.hpp>

#include <utility>

namespace evenkeel {

// Weights that a stage has made: an array for each set, and the spans that stages take.
class OwnWeights {
 public:
  void add(exec::Array<double> of_set) {
    arrays_.push_back(std::move(of_set));
    spans_.push_back(arrays_.back().span());
  }
  bool empty() const noexcept { return arrays_.empty(); }
  Weights of_sets() const noexcept { return spans_; }

 private:
  std::vector<exec::Array<double>> arrays_;
  std::vector<std::span<const double>> spans_;
};

struct PlaceTask {
  const Communicator& communicator;
  const Status& status;  // for the first vote
  const Prepared& prepared;
  Weights weights;
  const Goal& goal;
  const Domains& last;
  const FreshGoal* fresh = nullptr;  // if not null, nothing is kept, and part p is rank p

  double target_lambda() const { return target_lambda_of(goal); }
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
  bool is_shifted = false;
  double lambda = -1;   // by the weights; below 0 if the search has not computed it
  double heaviest = 0;  // object, relative to the average part; 0 if it is not known
  // If parts are stretches of each set's order: the begin of each, then the number of all.
  std::vector<std::vector<std::int64_t>> offsets;
  std::vector<exec::Array<int>> parts;  // otherwise, of each object of each set, if computed
  OwnWeights weights;                   // of the search, if they are not those of the task
  Status status;                        // of this rank, for the next vote
};

// Collective. Finds the domains that a task asks for.
Found find_domains(const PlaceTask& task);

// Returns the last domains if they are `parts` ranges of the curve that the method cuts, through
// the same box; otherwise null.
const CurveDomains* ranges_to_keep(const Prepared& prepared, int parts, const Domains& last);

// The part of each object of each set.
std::vector<exec::Array<int>> parts_in(const Prepared& prepared, const Domains& domains);

// Collective, after a method has found domains. Returns the assignment of objects to ranks, with
// loads by `weights`. `counts_objects` has the meaning that it has for place().
Assignment assignment_of(const PlaceTask& task, Found found, Weights weights, bool counts_objects);

}  // namespace evenkeel
