#pragma once

// What a drawing shows of a partition: of objects by their places, and of a graph.

#include "partition/drawing/subject.hpp"
#include "partition/graph/cutting.hpp"
#include "partition/graph/input.hpp"
#include "partition/graph/options.hpp"
#include "partition/objects.hpp"
#include "partition/options.hpp"
#include "partition/partitioning.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

namespace evenkeel::tool {

// Collective. Refers to the objects and the partition.
Subject subject_of(const Communicator& communicator, const PartitionOptions& options,
                   const Objects& objects, const Partition& partition);

// Collective. Refers to the input, which must have places, and the partition. The work of a part is
// that by the first weight of its vertices.
Subject subject_of(const Communicator& communicator, const GraphPartitionOptions& options,
                   const GraphInput& input, const GraphPartition& partition);

}  // namespace evenkeel::tool
