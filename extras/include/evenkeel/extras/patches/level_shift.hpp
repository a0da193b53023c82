#pragma once

// Splits objects that are too heavy for a part, and joins them again when they are light. An object
// that stands for much work, as a cell with its subtree, cannot be divided by a cut: lambda can be
// as far above 1 as the heaviest object is above nothing, in parts. Where an application can make
// such an object into several (its children), domains can be as even as those allow.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace evenkeel {

// What is too heavy, and what is light; the same on all ranks.
struct LevelShiftOptions {
  int parts = 1;  // into which the objects are going to be cut
  // In average parts: what is heavier is split; siblings that weigh less together are joined.
  // join_below must be less than split_above: what has been joined is then not split again, nor
  // what has been split joined, until its weight has changed by their ratio.
  double split_above = 0.1;
  double join_below = 0.05;
  std::int64_t siblings = 8;  // children of an object; at least 2
};

// The objects of this rank. Siblings stand side by side, all of them on one rank: bind them by a
// group (SetOptions::group) until they are joined. Where some of them stand elsewhere, or have been
// split themselves, none is joined.
struct LevelShiftObjects {
  const exec::Array<double>& weights;        // finite and not negative
  const exec::Array<std::int64_t>& parents;  // the same for siblings; below 0: has none
};

// What is going to happen on this rank.
struct LevelShifts {
  // An object that becomes several.
  struct Split {
    std::int64_t object = 0;
    std::vector<double> children;  // their weights
  };
  // Siblings that become one.
  struct Join {
    std::int64_t first = 0;  // of the siblings
    std::int64_t count = 0;
    double weight = 0;  // of what they become
  };
  std::vector<Split> splits;                         // by ascending object
  std::vector<Join> joins;                           // likewise
  std::int64_t splits_of_all = 0, joins_of_all = 0;  // over all ranks
  double part = 0;                                   // the weight of an average part
};

// How the application does it, on each rank. An empty function: that is not done.
struct LevelShifter {
  // What an object would become: the weights of its children, 2 or more, which add up to its own.
  // Changes nothing.
  std::function<std::vector<double>(std::int64_t object)> children = {};
  // The weight of what the siblings from `first` on would become. Changes nothing.
  std::function<double(std::int64_t first, std::int64_t count)> parent = {};
  // Does all of it. Called on each rank with something to do, once all ranks have agreed.
  std::function<void(const LevelShifts& shifts)> carry_out = {};
};

// Collective. Splits what is too heavy, one level at a time: call it until splits_of_all is 0. The
// same objects are split and joined on any number of ranks, as long as siblings stay together.
// Weight counts as conserved within 1e-9 of it. If a call-back throws, or returns what it must not,
// all ranks throw the same Error before anything has been carried out. What carry_out throws
// becomes the same Error on all ranks too, and the application is left as it has left itself.
EVENKEEL_API LevelShifts shift_levels(const Communicator& communicator, const Status& status,
                                      const LevelShiftObjects& objects,
                                      const LevelShiftOptions& options,
                                      const LevelShifter& shifter);

}  // namespace evenkeel
