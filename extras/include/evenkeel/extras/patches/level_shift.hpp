#pragma once

// Splits objects that are too heavy for a part, and joins them again when they are light. A cut
// cannot divide an object that represents much work, such as a cell with its subtree: lambda can
// exceed 1 by the weight of the heaviest object, in average parts. If an application can make
// several objects of such an object, its children, domains can be as even as the children allow.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace evenkeel {

// The limits of heavy and light objects; the same on all ranks.
struct LevelShiftOptions {
  int parts = 1;  // into which the objects will be cut
  // In average parts: a heavier object is split; siblings that weigh less together are joined.
  // join_below must be less than split_above. Then an object that was joined is not split again,
  // nor the reverse, until its weight has changed by their ratio.
  double split_above = 0.1;
  double join_below = 0.05;
  std::int64_t siblings = 8;  // children of an object; at least 2
};

// The objects of this rank. Siblings are adjacent and all on one rank: bind them by a group
// (SetOptions::group) until they are joined. If some of them are elsewhere, or have been split
// themselves, the siblings are not joined.
struct LevelShiftObjects {
  const exec::Array<double>& weights;        // finite and not negative
  const exec::Array<std::int64_t>& parents;  // the same for siblings; negative without a parent
};

// The splits and joins on this rank.
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
    double weight = 0;  // of the object that they become
  };
  std::vector<Split> splits;                         // by ascending object
  std::vector<Join> joins;                           // by ascending first sibling
  std::int64_t splits_of_all = 0, joins_of_all = 0;  // over all ranks
  double part = 0;                                   // the weight of an average part
};

// The functions of the application. Without `children` no object is split, and without `parent` no
// siblings are joined.
struct LevelShifter {
  // Returns the weights of the children that an object would become, 2 or more, which add up to its
  // own weight. Changes nothing.
  std::function<std::vector<double>(std::int64_t object)> children = {};
  // Returns the weight of the object that the siblings from `first` on would become. Changes
  // nothing.
  std::function<double(std::int64_t first, std::int64_t count)> parent = {};
  // Carries out all splits and joins of this rank. Called on each rank that has any, after all
  // ranks have agreed.
  std::function<void(const LevelShifts& shifts)> carry_out = {};
};

// Collective. Splits heavy objects by one level, and joins light siblings; call it until
// splits_of_all is 0. The same objects are split and joined on any number of ranks, as long as
// siblings stay together. A weight counts as conserved within 1e-9 of it. If a call-back throws or
// returns something invalid, all ranks throw the same Error before anything is carried out. If
// carry_out throws, all ranks throw the same Error, too, and objects stay as carry_out left them.
EVENKEEL_API LevelShifts shift_levels(const stages::Voters& voters,
                                      const LevelShiftObjects& objects,
                                      const LevelShiftOptions& options,
                                      const LevelShifter& shifter);

}  // namespace evenkeel
