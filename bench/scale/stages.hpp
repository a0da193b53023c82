#pragma once

// Stages of the library, run on one process for the parts of many ranks: sums over all ranks are
// the same wherever the objects are, so many ranks make the same calls of MPI. What is recorded
// here is of one rank; on_ranks() turns it into calls of many.

#include "calls.hpp"
#include "cloud.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/place/method.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::scale {

// Seconds of the processor that this thread has used; other programs do not count.
double cpu_seconds();

// The search for the splitters of a cut, without the vote that precedes it.
struct Searched {
  Calls calls;
  Splitters splitters;
  double seconds = 0;   // of the processor, for all but counting objects
  double counting = 0;  // of the processor, to count `mine`
};

// Over a cloud. `mine`: objects of one of the ranks, whose counting is timed; may be empty.
// target_lambda: 0 for the nearest places.
Searched search(const Cloud& cloud, std::int64_t parts, double target_lambda,
                std::span<const CurveKey> mine);
// Over objects that exist. first_ranks: of each part, and the number of all ranks; parts weigh in
// proportion to their ranks. Empty: all alike.
Searched search(std::span<const WeightedKeys> sets, std::int64_t parts,
                std::span<const int> first_ranks = {});

// A cut into boxes, with all its votes. `last`: where the library would go on from.
struct BoxesCut {
  Calls calls;
  double lambda = 1;
  double seconds = 0;  // of the processor
};
BoxesCut cut_boxes(const Method& method, std::span<std::array<double, 3>> positions,
                   std::span<const double> weights, const Box& box, int parts, double target_lambda,
                   const Domains& last = {});

}  // namespace evenkeel::scale
