#pragma once

// Splits objects that are too heavy for a part, and joins them again when they are light. A cut
// cannot divide an object. If an object represents much work, such as a cell with its subtree,
// lambda can be as large as 1 + the weight of this object / the average weight of a part. If the
// application can split such an object into several objects, its children, domains can be more
// even.

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
  int parts = 1;  // the number of parts of the next cut
  // Both limits are in units of the average weight of a part. A heavier object than split_above is
  // split. Siblings are joined if their sum is less than join_below, which must be less than
  // split_above. So after a join, an object is split again only if its weight has changed by the
  // ratio of both limits. A join after a split needs the same change.
  double split_above = 0.1;
  double join_below = 0.05;
  std::int64_t siblings = 8;  // children of an object; at least 2
};

// The objects of this rank. Siblings must be adjacent and all on one rank to be joined; a group
// (SetOptions::group) keeps them together. If some siblings are elsewhere, or have been split
// themselves, they are not joined.
struct LevelShiftObjects {
  const exec::Array<double>& weights;        // finite and not negative
  const exec::Array<std::int64_t>& parents;  // the same number for siblings; negative if there is
                                             // no parent
};

// The splits and joins on this rank.
struct LevelShifts {
  // An object that becomes several.
  struct Split {
    std::int64_t object = 0;
    std::vector<double> children;  // the weights of the children
  };
  // Siblings that become one object.
  struct Join {
    std::int64_t first = 0;  // the first of the siblings
    std::int64_t count = 0;
    double weight = 0;  // of the joined object
  };
  std::vector<Split> splits;                         // by ascending object
  std::vector<Join> joins;                           // by ascending first sibling
  std::int64_t splits_of_all = 0, joins_of_all = 0;  // sums over all ranks
  double part = 0;                                   // the weight of an average part
};

// The functions of the application. If `children` is not set, no object is split. If `parent` is
// not set, no siblings are joined.
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
// siblings stay together. The sum of weights must be conserved, with a relative error of at most
// 1e-9. If a call-back throws or returns invalid weights, all ranks throw the same Error before
// anything is carried out. If carry_out throws, all ranks throw the same Error, too, but objects
// are not restored.
EVENKEEL_API LevelShifts shift_levels(const stages::Voters& voters,
                                      const LevelShiftObjects& objects,
                                      const LevelShiftOptions& options,
                                      const LevelShifter& shifter);

}  // namespace evenkeel
