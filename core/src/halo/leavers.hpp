#pragma once

// Which objects of this rank others need copies of.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/set.hpp>

#include <cstdint>
#include <vector>

namespace evenkeel {

// Periods from an object to an image of it.
struct Image {
  int periods[3];  // plain: device code may not call the members of std::array
};

// Sorted by rank; those of one rank by object, and those of one object in a fixed order of images.
struct Leavers {
  exec::Array<std::int64_t> objects;
  exec::Array<Image> images;
  std::vector<std::int64_t> offsets;  // where each rank begins, and the number of all
};

struct LeaversTask {
  const Domains& domains;
  double width;
  int rank, ranks;
};

// Local. Throws an Error for arguments that make no sense; see Halo.
Leavers find_leavers(const Space& space, const LeaversTask& task, const Set& set);

}  // namespace evenkeel
