#pragma once

// Finds the objects of this rank of which other ranks need copies.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/set.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

// The image of an object: the number of periods from the object to the image, along each axis.
struct Image {
  int periods[3];  // no std::array: device code may not call its members
};

// The copies that leave, sorted by rank. The copies for one rank are sorted by object, and several
// copies of one object are in a fixed order of images.
struct Leavers {
  exec::Array<std::int64_t> objects;
  exec::Array<Image> images;
  std::vector<std::int64_t> offsets;  // the first copy for each rank, then the number of all copies
};

struct LeaversTask {
  const Domains& domains;
  double width;
  bool is_straight;  // distances are measured in a straight line, not along each axis
  int rank, ranks;
};

// Local. Throws an Error if an argument is not valid; see Halo.
Leavers find_leavers(const Space& space, const LeaversTask& task, const Set& set);

}  // namespace evenkeel
