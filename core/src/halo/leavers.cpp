// There are three passes over the objects. The first pass finds the box around each block of
// objects. The second pass counts the copies that each block sends, and the third pass writes them.
// The latter two skip a block if its box, widened by the width of the halo, meets no other domain.
// On devices a block is one object.

#include "halo/leavers.hpp"
#include "halo/stage.hpp"

#include "domains/answers.hpp"
#include "domains/checks.hpp"
#include "halo/copies.hpp"
#include "order/sort_by_number.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* leavers_label = "evenkeel::halo::leavers";

// --- Checks --------------------------------------------------------------------------------------

void check_periods(const LeaversTask& task) {
  constexpr double most_periods = 100;
  check_width(stage_name, task.width);
  const Decomposition& domains = decomposition_of(task.domains);
  for (std::size_t d = 0; d < static_cast<std::size_t>(domains.dimensions()); ++d) {
    const double quarter = domains.box().upper[d] * 0.25 - domains.box().lower[d] * 0.25;
    if (domains.periodic()[d] && task.width * 0.25 > most_periods * quarter)
      refuse("A halo of width " + text_of(task.width) + " reaches beyond 100 periods along " +
                 "xyz"[d] + '.',
             "Choose a smaller width, or a larger box.");
  }
}

void check_task(const Space& space, const LeaversTask& task, const Set& set) {
  check(set);
  const FieldLayout at = set.position();
  check_has_parts(stage_name, parts_of(task.domains));
  if (parts_of(task.domains) != task.ranks)
    refuse("There are " + std::to_string(parts_of(task.domains)) + " domains for " +
               std::to_string(task.ranks) + " ranks.",
           "Give domains with one part for each rank of the communicator.");
  check_periods(task);
  if (at.count == 0) return;
  if (at.components != dimensions_of(task.domains))
    refuse("Positions have " + std::to_string(at.components) + " components and the domains " +
               std::to_string(dimensions_of(task.domains)) + " dimensions.",
           "Give positions with one component for each dimension of the domains.");
  if (!space.can_access(at.memory))
    refuse("The positions are in " + std::string(name_of(at.memory)) + " memory, which " +
               std::string(space.name()) + " does not reach.",
           "Use Space::where(the memory kind of the positions).");
}

// --- Boxes around objects ------------------------------------------------------------------------

template <class Instance>
constexpr std::int64_t block_length = is_device<Instance> ? 1 : 64;

template <class Real>
struct BoxOfBlock {
  Places<Real> places;
  std::int64_t length;
  int dimensions;
  PlaceBox* boxes;

  void operator()(std::int64_t block) const {
    const std::int64_t begin = block * length, end = std::min(places.count, begin + length);
    PlaceBox box;
    for (int d = 0; d < dimensions; ++d) {
      const Coordinate<Real> at = places.along(d);
      double least = PlaceBox::far, greatest = -PlaceBox::far;
      int not_finite = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        const double place = at(i);
        least = place < least ? place : least;
        greatest = place > greatest ? place : greatest;
        not_finite |= exec::is_finite(place) ? 0 : 1;
      }
      box.lower[d] = least;
      box.upper[d] = greatest;
      box.is_finite = box.is_finite && not_finite == 0;
    }
    boxes[block] = box;
  }
};

template <class Real>
void require_finite(const Space& space, const Places<Real>& places, int dimensions) {
  for (int d = 0; d < dimensions; ++d) {
    const std::int64_t first =
        exec::first_that(space, places.count, IsNotFinite<Real>{places.along(d)});
    if (first < places.count)
      refuse("Component " + std::to_string(d) + " of the position of object " +
                 std::to_string(first) + " is not finite.",
             "Give finite positions before making a halo.");
  }
}

// Returns the box around all objects. On hosts, also finds the boxes of all blocks.
template <class Real, class Instance>
PlaceBox box_around(const Instance& instance, const Space& space, const Places<Real>& places,
                    int dimensions, exec::Array<PlaceBox>& blocks) {
  PlaceBox all;
  if constexpr (is_device<Instance>) {
    require_finite(space, places, dimensions);
    for (int d = 0; d < dimensions; ++d) {
      const auto extent = exec::extremes<double>(instance, places.count, places.along(d));
      all.lower[d] = extent.least;
      all.upper[d] = extent.greatest;
    }
  } else {
    constexpr std::int64_t length = block_length<Instance>;
    blocks = {space, leavers_label, (places.count + length - 1) / length};
    exec::for_each(instance, leavers_label, blocks.size(),
                   BoxOfBlock<Real>{places, length, dimensions, blocks.data()});
    exec::fence(instance, leavers_label);
    for (const PlaceBox& block : blocks.span()) {
      all.is_finite = all.is_finite && block.is_finite;
      for (int d = 0; d < dimensions; ++d) {
        all.lower[d] = std::min(all.lower[d], block.lower[d]);
        all.upper[d] = std::max(all.upper[d], block.upper[d]);
      }
    }
    if (!all.is_finite) require_finite(space, places, dimensions);
  }
  return all;
}

// Returns the reach of all objects of this rank along each axis.
template <class Frame>
Reaches reaches_of(const Frame& frame, int dimensions, const PlaceBox& around, double width) {
  constexpr double many = 1 << 30;
  Box box;
  for (int axis = 0; axis < dimensions; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    box.lower[d] = around.lower[d];
    box.upper[d] = around.upper[d];
    for (const double end : {box.lower[d] - width, box.upper[d] + width})
      if (!(std::abs(frame.image(axis, end).turn) < many))
        refuse(std::string("Objects are more than 2^30 periods away from the box along ") +
                   "xyz"[d] + '.',
               "Bring them back into the box.");
  }
  return reaches_of(frame, dimensions, box, width);
}

// The shapes of cells in memory that a space can access.
struct ReachedShapes {
  exec::Reached<PowerRival> pieces, around;
  exec::Reached<int> first_piece, first_around;

  ReachedShapes(const Space& space, const PowerShapes::Pieces& all)
      : pieces(space, leavers_label, all.pieces),
        around(space, leavers_label, all.around),
        first_piece(space, leavers_label, all.first_piece),
        first_around(space, leavers_label, all.first_around) {}
  CellsMeeting meeting(int dimensions) const {
    return {pieces.data(), first_piece.data(), around.data(), first_around.data(), dimensions};
  }
};

// --- All together --------------------------------------------------------------------------------

// The copies that leave, in the order of their objects. Each array has one entry per copy.
struct Copies {
  exec::Array<std::int64_t> objects;
  exec::Array<Image> images;
  exec::Array<std::uint32_t> ranks;
};

template <class Instance, class Within, class Real, std::int64_t length>
Copies written_copies(const Instance& instance, const Space& space,
                      const CopiesOfBlock<Within, Real, length>& copies_of) {
  const std::int64_t blocks = (copies_of.places.count + length - 1) / length;
  const exec::Array<std::int64_t> firsts =
      exec::filled(space, leavers_label, blocks + 1, std::int64_t{0});
  exec::for_each(instance, leavers_label, blocks,
                 CountCopies<Within, Real, length>{copies_of, firsts.data()});
  const std::int64_t all = exec::sum_up(firsts);
  Copies copies = {
      {space, leavers_label, all}, {space, leavers_label, all}, {space, leavers_label, all}};
  if (all > 0)
    exec::for_each(
        instance, leavers_label, blocks,
        WriteCopies<Within, Real, length>{copies_of, firsts.data(), copies.objects.data(),
                                          copies.images.data(), copies.ranks.data()});
  exec::fence(instance, leavers_label);
  return copies;
}

template <class Real, class Instance, class Frame>
Copies copies_from(const Instance& instance, const Space& space, const LeaversTask& task,
                   const Frame& frame, const Places<Real>& places) {
  const int dimensions = dimensions_of(task.domains);
  exec::Array<PlaceBox> boxes;
  const PlaceBox around = box_around(instance, space, places, dimensions, boxes);
  const Reaches reaches = reaches_of(frame, dimensions, around, task.width);
  const OwnerTree tree = ask_places(stage_name, task.domains,
                                    [&](const auto& all) { return all.owner_tree(reaches); });
  const exec::Reached<OwnerNode> nodes(space, leavers_label, tree.nodes);
  const exec::Reached<int> ranks(space, leavers_label, tree.ranks);
  const auto copies_by = [&]<class Within>(const Within& within) {
    return written_copies(
        instance, space,
        CopiesOfBlock<Within, Real, block_length<Instance>>{within, places, boxes.data()});
  };
  const auto copies_with = [&]<class Cells>(const Cells& cells) {
    const OwnersAround<Cells> owners{nodes.data(), tree.begin, static_cast<int>(nodes.size()),
                                     ranks.data(), dimensions, cells};
    return task.is_straight
               ? copies_by(CopiesWithin<Frame, Cells, true>{frame, owners, task.width, task.rank})
               : copies_by(CopiesWithin<Frame, Cells, false>{frame, owners, task.width, task.rank});
  };
  if constexpr (std::is_same_v<Frame, CellFrame>)
    if (tree.power) {
      const ReachedShapes shapes(space, tree.power->pieces());
      return copies_with(shapes.meeting(dimensions));
    }
  if constexpr (std::is_same_v<Frame, CellFrame>)
    if (tree.mesh) {
      const exec::Reached<Tetrahedron> tetrahedra(space, leavers_label,
                                                  tree.mesh->cells().tetrahedra());
      return copies_with(HexahedraMeeting{tetrahedra.data(), dimensions});
    }
  return copies_with(LeavesAreDomains());
}

template <class Frame>
Copies copies_in(const Space& space, const LeaversTask& task, const Frame& frame,
                 const FieldLayout& at) {
  return with_space(space, [&](const auto& instance) {
    return with_places(
        at, [&](const auto& places) { return copies_from(instance, space, task, frame, places); });
  });
}

}  // namespace

Leavers find_leavers(const Space& space, const LeaversTask& task, const Set& set) {
  check_task(space, task, set);
  Leavers leavers;
  leavers.offsets.assign(static_cast<std::size_t>(task.ranks) + 1, 0);
  if (set.count() == 0) return leavers;
  const Copies copies = ask_places(stage_name, task.domains, [&](const auto& all) {
    return copies_in(space, task, all.frame(), set.position());
  });
  if (copies.ranks.empty()) return leavers;
  SortedByNumber sorted = sort_by_number(space, copies.ranks, task.ranks);
  leavers.offsets = std::move(sorted.offsets);
  leavers.objects = exec::chosen(space, leavers_label, copies.objects.data(), sorted.places);
  leavers.images = exec::chosen(space, leavers_label, copies.images.data(), sorted.places);
  return leavers;
}

}  // namespace evenkeel
