#pragma once

// The work of `evenkeel partition`: finds the part of every object, from points in memory.

#include "partition/objects.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/curve/key.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/place/choice.hpp>
#include <evenkeel/monitor/metrics.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace evenkeel::tool {

// Seconds from barrier to barrier, on the slowest rank.
struct PartitionSeconds {
  double keys = 0;    // from measuring the box to the keys of all objects, if there are keys
  double order = 0;   // for sorting; always 0, since no cut sorts
  double choice = 0;  // of the method
  double cut = 0;
  double total = 0;
};

struct Partition {
  Domains domains;
  std::vector<double> work;               // of each part, by the objects in it
  double heaviest_object = 0;             // the work of the heaviest object
  double greatest_bytes = 0;              // of a part; 0 if they were not given
  std::vector<LoadSummary> rounds;        // of each grid that was tried; empty without --rounds
  std::vector<MethodForecast> forecasts;  // of each method that was tried; empty if not auto
  PartitionSeconds seconds;

  // The keys and parts of this rank's objects, in their order.
  exec::Array<CurveKey> keys;  // if there is a curve
  std::vector<std::int32_t> parts;
};

// Collective. Everything but the seconds, keys and parts is the same on all ranks, and for any
// number of ranks. `progress` receives the share of the rounds that is done; it may be empty.
Partition partition(const Communicator& communicator, const FileObjects& objects,
                    const PartitionOptions& options,
                    const std::function<void(double done)>& progress = {});

// The text for stdout: one JSON object, or a table for people.
std::string report_of(const PartitionOptions& options, const FileObjects& objects,
                      const Partition& partition);

}  // namespace evenkeel::tool
