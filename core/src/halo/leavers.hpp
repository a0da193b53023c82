#pragma once

// Finds the objects of this rank of which other ranks need copies.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/set.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

// The periods from an object to an image of it.
struct Image {
  int periods[3];  // plain: device code may not call the members of std::array
};

// The copies that leave, sorted by rank. The copies for one rank are sorted by object, and those of
// one object are in a fixed order of images.
struct Leavers {
  exec::Array<std::int64_t> objects;
  exec::Array<Image> images;
  std::vector<std::int64_t> offsets;  // the begin of each rank, then the number of all
};

struct LeaversTask {
  const Domains& domains;
  double width;
  int rank, ranks;
};

// Local. Throws an Error for arguments that are not valid; see Halo.
Leavers find_leavers(const Space& space, const LeaversTask& task, const Set& set);

}  // namespace evenkeel
