#pragma once

// The shape of one domain, and who is next to it: the same questions for domains of any kind.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/domains.hpp>

#include <vector>

namespace evenkeel {

// Boxes that together are the domain of a rank, and share no place: one for domains that are boxes;
// for a range of a curve up to a few hundred, the cubes that the curve fills. None for a rank that
// owns no place. Along axes beyond the dimensions they have no meaning. Local.
EVENKEEL_API std::vector<Box> boxes_of(const Domains& domains, int rank);

// The box around the domain of a rank; throws an Error for a rank that owns no place.
EVENKEEL_API Box box_of(const Domains& domains, int rank);

// A rank whose domain touches another one.
struct Neighbour {
  int rank;
  // The area that both domains have in common, in two dimensions its length; 0 where they only
  // touch at an edge or a corner.
  double shared_face;
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

// The ranks whose domains touch that of a rank, in ascending order and without itself; periodic
// axes wrap around. Local.
EVENKEEL_API std::vector<Neighbour> neighbours_of(const Domains& domains, int rank);

}  // namespace evenkeel
