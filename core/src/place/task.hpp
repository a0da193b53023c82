#pragma once

// The input and the result of a method. A method is a function from a PlaceTask to a Found.
// method.cpp has the table of all methods.

#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <utility>

namespace evenkeel {

// Weights that a stage has made: an array for each set, and spans of these arrays for other stages.
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
  const Status& status;  // of the caller; the first vote takes it in
  const Prepared& prepared;
  Weights weights;
  const Goal& goal;
  const Domains& last;
  const FreshGoal* fresh = nullptr;     // if not null, the last domains are not kept, and part p is
                                        // rank p
  std::span<const double> shares = {};  // of ranks, instead of their speeds; empty if not given

  double target_lambda() const { return target_lambda_of(goal); }
  int parts() const {
    return fresh != nullptr && fresh->parts > 0 ? fresh->parts : communicator.size();
  }
  // The speeds of ranks; empty if all are equally fast.
  std::span<const double> speeds() const {
    return unless_equal(shares.empty() ? prepared.options.speeds : shares);
  }
  std::int64_t generation() const {
    return fresh == nullptr ? generation_of(last) + 1 : fresh->generation;
  }
};

struct Found {
  Domains domains;
  bool is_kept = false;
  bool is_shifted = false;
  double lambda = -1;   // by the weights; below 0 if it was not computed
  double heaviest = 0;  // heaviest object / average part; 0 if it is not known
  // If parts are ranges of each set's order: for each set, the first place of each part, then the
  // number of objects.
  std::vector<std::vector<std::int64_t>> offsets;
  // If parts are not ranges of the orders: for each set, the part of each object. It is empty if it
  // was not computed.
  std::vector<exec::Array<int>> parts;
  OwnWeights weights;  // used by the search; empty if the search used those of the task
  Status status;       // of this rank, for the next vote
};

// Collective. Finds the domains that a task asks for.
Found find_domains(const PlaceTask& task);

// Returns the last domains if they divide the same box, along the curve of the method, into `parts`
// ranges. Otherwise returns null.
const CurveDomains* ranges_to_keep(const Prepared& prepared, int parts, const Domains& last);

// Returns the part of each object, by set.
std::vector<exec::Array<int>> parts_in(const Prepared& prepared, const Domains& domains);

// Collective. Completes the work of a method: returns the assignment of objects to ranks, with
// loads by `weights`. `counts_objects` has the meaning that it has for place().
Assignment assignment_of(const PlaceTask& task, Found found, Weights weights, bool counts_objects);

}  // namespace evenkeel
