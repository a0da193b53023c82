#pragma once

// The work of `evenkeel partition`: from points in memory to the part of every object.

#include "partition/objects.hpp"
#include "partition/options.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/key.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace evenkeel::tool {

// From barrier to barrier, on the slowest rank.
struct PartitionSeconds {
  double keys = 0;   // from measuring the box to the keys of all objects, if there are keys
  double order = 0;  // sorting; always 0, since no cut sorts
  double cut = 0;
  double total = 0;
};

struct Partition {
  Domains domains;
  std::vector<double> work;         // of each part, by the objects in it
  double heaviest_object = 0;       // its work
  std::vector<LoadSummary> rounds;  // of each grid that was tried, if rounds were asked for
  PartitionSeconds seconds;

  // Of this rank's objects, in their order.
  exec::Array<CurveKey> keys;  // if there is a curve
  std::vector<std::int32_t> parts;
};

// Collective. Everything but the seconds, keys and parts is the same on all ranks, and for any
// number of ranks. `progress`: told the share of the rounds that is done; may be empty.
Partition partition(const Communicator& communicator, const Objects& objects,
                    const PartitionOptions& options,
                    const std::function<void(double done)>& progress = {});

}  // namespace evenkeel::tool
