#pragma once

// The output of `evenkeel partition` on stdout.

#include "partition/objects.hpp"
#include "partition/options.hpp"
#include "partition/partitioning.hpp"

#include <string>

namespace evenkeel::tool {

// ", in a grid of 2 x 3", where there is one.
std::string grid_of(const Partition& partition);

// One JSON object, or a table for people.
std::string report_of(const PartitionOptions& options, const Objects& objects,
                      const Partition& partition);

}  // namespace evenkeel::tool
