#pragma once

// Finds the copies that other ranks need of one object, or of a block of objects. For kernels.

#include "domains/frame.hpp"
#include "domains/owner_tree.hpp"
#include "field/places.hpp"
#include "halo/leavers.hpp"

#include <Kokkos_Macros.hpp>

#include <limits>
#include <type_traits>

namespace evenkeel {

// The box around some objects.
struct PlaceBox {
  static constexpr double far = std::numeric_limits<double>::infinity();
  double lower[3] = {far, far, far}, upper[3] = {-far, -far, -far};
  bool is_finite = true;
};

// A reach is the range of places near an object; it may extend over several periods. Calls
// visit(image, is_here, from, to) for each period, until visit returns false. `from` and `to` are
// the ends of the reach in that period, moved into the box. `is_here` is true for the period of the
// box itself.
template <class Frame, class Visit>
KOKKOS_FUNCTION void for_each_image(const Frame& frame, int dimensions, const AxisReach* reach,
                                    const Visit& visit) {
  int turn[3] = {};
  double from[3] = {}, to[3] = {};
  const auto set_ends = [&](int axis) {
    if (axis >= dimensions) return;
    const AxisReach& along = reach[axis];
    from[axis] = turn[axis] == along.first_turn ? along.first : frame.lowest(axis);
    to[axis] = turn[axis] == along.last_turn ? along.last : frame.highest(axis);
  };
  for (turn[2] = reach[2].first_turn; turn[2] <= reach[2].last_turn; ++turn[2]) {
    set_ends(2);
    for (turn[1] = reach[1].first_turn; turn[1] <= reach[1].last_turn; ++turn[1]) {
      set_ends(1);
      for (turn[0] = reach[0].first_turn; turn[0] <= reach[0].last_turn; ++turn[0]) {
        set_ends(0);
        const bool is_here = turn[0] == 0 && turn[1] == 0 && turn[2] == 0;
        if (!visit(Image{{-turn[0], -turn[1], -turn[2]}}, is_here, from, to)) return;
      }
    }
  }
}

// The places at most a width away from a place in a straight line, in one period of the box: a
// region for OwnersAround. They are in the box from the ends of a reach.
template <class Frame>
struct PlacesInBall {
  PlacesInBox box;
  const Frame& frame;
  double center[3] = {}, width, square;  // in quarters of lengths

  KOKKOS_FUNCTION PlacesInBall(const PlacesInBox& around, const Frame& all, const double* place,
                               const Image& image, double in_lengths)
      : box(around), frame(all), width(0.25 * in_lengths), square(width * width) {
    for (int d = 0; d < box.dimensions; ++d)
      center[d] = frame.distance(d, place[d]) + image.periods[d] * frame.period(d);
  }
  KOKKOS_FUNCTION bool meets(const double* from, const double* to) const {
    return box.meets(from, to) && !(square_to(from, to, false) > square);
  }
  KOKKOS_FUNCTION bool holds(const double* from, const double* to) const {
    return box.holds(from, to) && square_to(from, to, true) <= square;
  }
  template <class Cells>
  KOKKOS_FUNCTION bool meets_domain(const Cells& cells, int owner) const {
    if constexpr (std::is_same_v<Cells, LeavesAreDomains>) {
      return true;
    } else {
      LatticeBall ball;
      for (int d = 0; d < box.dimensions; ++d) {
        ball.center[d] = center[d] * frame.lattice.cells_per_length(d);
        ball.radius[d] = width * frame.lattice.cells_per_length(d);
      }
      return cells(owner, box.lower, box.upper, &ball);
    }
  }

 private:
  // The square of the distance to the nearest or farthest place of a closed box.
  KOKKOS_FUNCTION double square_to(const double* from, const double* to, bool farthest) const {
    double sum = 0;
    for (int d = 0; d < box.dimensions; ++d) {
      const double below = frame.distance_from(d, from[d]) - center[d];
      const double above = center[d] - frame.distance_to(d, to[d]);
      const double more = below > above ? below : above, less = below > above ? above : below;
      const double gap = farthest ? -less : more > 0 ? more : 0;
      sum += gap * gap;
    }
    return sum;
  }
};

// `is_straight` is true if distances are measured in a straight line, and not along each axis.
template <class Frame, class Cells, bool is_straight>
struct CopiesWithin {
  // if true, a place may be within reach of a leaf along the axes, but not of its domain
  static constexpr bool leaves_differ = is_straight || !std::is_same_v<Cells, LeavesAreDomains>;
  Frame frame;
  OwnersAround<Cells> owners;
  double width;
  int self;

  // Calls act(region) with the places within reach of a place, in the period of an image.
  template <class Act>
  KOKKOS_FUNCTION bool with_region(const double* place, const Image& image, const double* from,
                                   const double* to, const Act& act) const {
    const PlacesInBox box = {from, to, owners.dimensions};
    if constexpr (is_straight)
      return act(PlacesInBall<Frame>(box, frame, place, image, width));
    else
      return act(box);
  }

  KOKKOS_FUNCTION void write_reach(const double* lower, const double* upper,
                                   AxisReach* reach) const {
    for (int d = 0; d < owners.dimensions; ++d)
      reach[d] = reach_of(frame, d, lower[d] - width, upper[d] + width);
  }

  // Calls visit(rank, image) once for each pair of a rank and an image of this place that the rank
  // needs.
  template <class Visit>
  KOKKOS_FUNCTION void operator()(const double* place, const Visit& visit) const {
    AxisReach reach[3] = {};
    write_reach(place, place, reach);
    for_each_image(frame, owners.dimensions, reach,
                   [&](const Image& image, bool is_here, const double* from, const double* to) {
                     return with_region(place, image, from, to, [&](const auto& region) {
                       return owners.for_each(region, [&](int rank) {
                         if (!is_here || rank != self) visit(rank, image);
                         return true;
                       });
                     });
                   });
  }
};

// The pieces of other domains near a block of objects, if there are only a few such pieces. The
// objects of a block are often close to each other. Then each object is compared only with these
// pieces, without a walk through the whole tree. For hosts.
struct PiecesNear {
  static constexpr int most = 32;
  struct DomainPiece {
    double lower[3], upper[3];
    Image image;
    int rank;
    int owner;  // as in OwnerNode
    int copy;   // number of the owner and image; pieces with the same number are adjacent
  };
  DomainPiece pieces[most];
  int count = 0;
  bool are_all = true;  // false if there are too many pieces

  template <class Within>
  KOKKOS_FUNCTION PiecesNear(const Within& copies, const PlaceBox& box) {
    AxisReach reach[3] = {};
    copies.write_reach(box.lower, box.upper, reach);
    int images = 0, copy = -1, last_owner = -1, last_image = -1;
    for_each_image(copies.frame, copies.owners.dimensions, reach,
                   [&](const Image& image, bool is_here, const double* from, const double* to) {
                     const int number = images++;
                     return copies.owners.for_each_leaf(
                         PlacesInBox{from, to, copies.owners.dimensions},
                         [&](const OwnerNode& leaf, int rank) {
                           if (is_here && rank == copies.self) return true;
                           if (count == most) return are_all = false;
                           if (leaf.first != last_owner || number != last_image) ++copy;
                           last_owner = leaf.first;
                           last_image = number;
                           DomainPiece& piece = pieces[count++];
                           for (int d = 0; d < 3; ++d) {
                             piece.lower[d] = leaf.lower[d];
                             piece.upper[d] = leaf.upper[d];
                           }
                           piece.image = image;
                           piece.rank = rank;
                           piece.owner = leaf.first;
                           piece.copy = copy;
                           return true;
                         });
                   });
  }

  // Does the same as CopiesWithin, for one object of the block.
  template <class Within, class Visit>
  KOKKOS_FUNCTION void for_each(const Within& copies, const double* place,
                                const Visit& visit) const {
    AxisReach reach[3] = {};
    copies.write_reach(place, place, reach);
    int last = -1;
    for (int p = 0; p < count; ++p) {
      const DomainPiece& piece = pieces[p];
      bool meets = piece.copy != last;
      for (int d = 0; d < copies.owners.dimensions; ++d) {
        const int turn = -piece.image.periods[d];
        const AxisReach& along = reach[d];
        meets = meets && along.first_turn <= turn && turn <= along.last_turn &&
                (turn != along.first_turn || along.first <= piece.upper[d]) &&
                (turn != along.last_turn || piece.lower[d] <= along.last);
      }
      if (!meets) continue;
      if constexpr (Within::leaves_differ)
        if (!has_places(copies, place, reach, piece)) continue;
      last = piece.copy;
      visit(piece.rank, piece.image);
    }
  }

 private:
  // Returns true if the domain of a piece has places within reach, in the period of its image.
  template <class Within>
  KOKKOS_FUNCTION static bool has_places(const Within& copies, const double* place,
                                         const AxisReach* reach, const DomainPiece& piece) {
    double from[3] = {}, to[3] = {};
    for (int d = 0; d < copies.owners.dimensions; ++d) {
      const int turn = -piece.image.periods[d];
      from[d] = turn == reach[d].first_turn ? reach[d].first : copies.frame.lowest(d);
      to[d] = turn == reach[d].last_turn ? reach[d].last : copies.frame.highest(d);
    }
    return copies.with_region(place, piece.image, from, to, [&](const auto& region) {
      return region.meets(piece.lower, piece.upper) &&
             region.meets_domain(copies.owners.cells, piece.owner);
    });
  }
};

// Finds the copies of a block of `length` objects. Blocks of one object have no boxes.
template <class Within, class Real, std::int64_t length>
struct CopiesOfBlock {
  Within copies;
  Places<Real> places;
  const PlaceBox* boxes;

  // Calls visit(object, rank, image) for each copy.
  template <class Visit>
  KOKKOS_FUNCTION void operator()(std::int64_t block, const Visit& visit) const {
    if constexpr (length == 1) {
      search(block, visit);
    } else {
      const PiecesNear near(copies, boxes[block]);
      if (near.count == 0) return;
      const std::int64_t begin = block * length;
      const std::int64_t end = begin + length < places.count ? begin + length : places.count;
      for (std::int64_t i = begin; i < end; ++i) {
        if (!near.are_all) {
          search(i, visit);
          continue;
        }
        double place[3];
        read(i, place);
        near.for_each(copies, place, [&](int rank, const Image& image) { visit(i, rank, image); });
      }
    }
  }

 private:
  KOKKOS_FUNCTION void read(std::int64_t object, double* place) const {
    for (int d = 0; d < copies.owners.dimensions; ++d) place[d] = places.at(object, d);
  }
  template <class Visit>
  KOKKOS_FUNCTION void search(std::int64_t object, const Visit& visit) const {
    double place[3];
    read(object, place);
    copies(place, [&](int rank, const Image& image) { visit(object, rank, image); });
  }
};

template <class Within, class Real, std::int64_t length>
struct CountCopies {
  CopiesOfBlock<Within, Real, length> copies_of;
  std::int64_t* counts;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    std::int64_t count = 0;
    copies_of(block, [&](std::int64_t, int, const Image&) { ++count; });
    counts[block] = count;
  }
};

template <class Within, class Real, std::int64_t length>
struct WriteCopies {
  CopiesOfBlock<Within, Real, length> copies_of;
  // the index of each block's first copy, then the number of all copies
  const std::int64_t* firsts;
  std::int64_t* objects;
  Image* images;
  std::uint32_t* ranks;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    std::int64_t next = firsts[block];
    if (next == firsts[block + 1]) return;
    copies_of(block, [&](std::int64_t object, int rank, const Image& image) {
      objects[next] = object;
      images[next] = image;
      ranks[next] = static_cast<std::uint32_t>(rank);
      ++next;
    });
  }
};

}  // namespace evenkeel
