#pragma once

// What a cut of nets is like.

#include <cstdint>
#include <vector>

namespace evenkeel {

// The same on all ranks. All nets count, also those that no cut is sought for.
struct NetReport {
  int parts = 0;
  std::int64_t objects = 0, nets = 0;
  std::int64_t pins = 0;        // as they are told
  std::int64_t duplicates = 0;  // pins that a net has more than once, and that count once; not
                                // looked for in nets that are too large
  std::int64_t large = 0;       // nets of more than most_net_pins pins
  // For each net, its weight times the other parts that it is in: what has to be sent for it.
  double connectivity = 0;
  std::int64_t cut_nets = 0;      // nets in several parts
  std::int64_t most_parts = 0;    // that a net is in
  std::vector<double> lambda;     // of each constraint: heaviest part / average
  std::vector<double> bound;      // no cut has a lambda below this: objects cannot be divided
  double moved = 0;               // share of all objects that change their part
  double moved_weight = 0;        // share of the weight, of the first constraint
  double least_moved_weight = 0;  // what must move at least, for the tolerance
  int empty = 0;                  // parts without an object: 0 if there are enough objects
};

}  // namespace evenkeel
