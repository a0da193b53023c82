#pragma once

// Runs stages of the library on one process for the parts of many ranks. This is possible since the
// sums over all ranks do not depend on which rank owns an object, and all ranks make the same calls
// of MPI. The recorded calls are those of one rank; on_ranks() turns them into calls of many ranks.

#include "calls.hpp"
#include "cloud.hpp"

#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/place/method.hpp>

namespace evenkeel::scale {

// Seconds of the processor that this thread has used. Other programs do not count.
double cpu_seconds();
template <class Function>
double cpu_seconds_of(const Function& function) {
  const double began = cpu_seconds();
  function();
  return cpu_seconds() - began;
}

// The search for the splitters of a cut, without the vote that precedes it.
struct Searched {
  Calls calls;
  Splitters splitters;
  double seconds = 0;   // of the processor, without counting objects
  double counting = 0;  // of the processor, to count `mine`
};

// Searches a cloud. `mine` has the objects of one of the ranks, and counting them is timed. It may
// be empty. If target_lambda is 0, splitters are at the nearest places.
Searched search(const Cloud& cloud, std::int64_t parts, double target_lambda,
                std::span<const CurveKey> mine);
// Searches real objects. first_ranks has the first rank of each part, followed by the number of all
// ranks. The weight of a part is proportional to the number of its ranks. If first_ranks is empty,
// each part has one rank.
Searched search(std::span<const WeightedKeys> sets, std::int64_t parts,
                std::span<const int> first_ranks = {});

// A cut of the unit cube into boxes, with all its votes. `last` has the domains from which the
// library continues.
struct BoxesCut {
  Calls calls;
  double seconds = 0;  // of the processor
};
BoxesCut cut_boxes(const Method& method, std::span<std::array<double, 3>> positions,
                   std::span<const double> weights, int parts, double target_lambda,
                   const Domains& last = {});

}  // namespace evenkeel::scale
