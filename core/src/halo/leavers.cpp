// Three passes over the objects: the box around each block of them; how many copies each block
// sends; these copies. A block whose box, widened, is in no other domain is passed over in the
// second and the third. On devices a block is one object.

#include "halo/leavers.hpp"

#include "by_number.hpp"
#include "domains/checks.hpp"
#include "domains/reaches.hpp"
#include "field/places.hpp"
#include "halo/copies.hpp"
#include "halo/owner_tree.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/curve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/halo";
constexpr const char* label = "evenkeel::halo::leavers";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

// --- What is asked -------------------------------------------------------------------------------

const std::array<bool, 3>& periodic_of(const Domains& domains) {
  return std::visit([](const auto& all) -> const std::array<bool, 3>& { return all.periodic(); },
                    domains);
}

void check_width(const LeaversTask& task) {
  constexpr double most_periods = 100;
  check_halo(stage_name, 0, {}, task.width);
  const Box& box = box_of(task.domains);
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(task.domains)); ++d) {
    const double quarter = box.upper[d] * 0.25 - box.lower[d] * 0.25;
    if (periodic_of(task.domains)[d] && task.width * 0.25 > most_periods * quarter)
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
  check_width(task);
  if (at.count == 0) return;
  if (at.components != dimensions_of(task.domains))
    refuse("Positions have " + std::to_string(at.components) + " components and the domains " +
               std::to_string(dimensions_of(task.domains)) + " dimensions.",
           "Give positions of the dimensions of the domains.");
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
struct IsNotFinite {
  Coordinate<Real> coordinate;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return !exec::is_finite(coordinate(i)); }
};

template <class Real>
void require_finite(const Space& space, const Places<Real>& places, int dimensions) {
  for (int d = 0; d < dimensions; ++d) {
    const std::int64_t first =
        exec::first_that(space, places.count, IsNotFinite<Real>{places.along(d)});
    if (first < places.count)
      refuse("Component " + std::to_string(d) + " of the position of object " +
                 std::to_string(first) + " is not finite.",
             "Mend the positions first: a NaN has no neighbours.");
  }
}

// The box around all; of each block too on hosts.
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
    blocks = {space, label, (places.count + length - 1) / length};
    exec::for_each(instance, label, blocks.size(),
                   BoxOfBlock<Real>{places, length, dimensions, blocks.data()});
    exec::fence(instance, label);
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

// --- Frames --------------------------------------------------------------------------------------

CellFrame frame_of(const CurveDomains& domains) {
  CellFrame frame{lattice_of(domains)};
  for (int d = 0; d < domains.dimensions(); ++d) {
    const auto axis = static_cast<std::size_t>(d);
    frame.periods[d] = domains.box().upper[axis] * 0.25 - domains.box().lower[axis] * 0.25;
  }
  return frame;
}

template <class Boxes>
BoxFrame frame_of(const Boxes& domains) {
  BoxFrame frame;
  for (int d = 0; d < domains.dimensions(); ++d)
    frame.axes[d] = axis_of(domains.box(), domains.periodic(), d);
  return frame;
}

// What the objects of this rank reach, along each axis.
template <class Frame>
Region region_of(const Frame& frame, int dimensions, const PlaceBox& around, double width) {
  constexpr double many = 1 << 30;
  Region region;
  for (int d = 0; d < dimensions; ++d) {
    const double from = around.lower[d] - width, to = around.upper[d] + width;
    const ImageInside first = frame.image(d, from), last = frame.image(d, to);
    if (!(std::abs(first.turn) < many && std::abs(last.turn) < many))
      refuse(std::string("Objects lie more than 2^30 periods away from the box along ") + "xyz"[d] +
                 '.',
             "Bring them back into the box.");
    const double lowest = frame.lowest(d), highest = frame.highest(d);
    auto& along = region[static_cast<std::size_t>(d)];
    if (first.turn == last.turn)
      along = {{first.at, last.at}};
    else if (first.turn + 1 == last.turn)
      along = {{lowest, last.at}, {first.at, highest}};
    else
      along = {{lowest, highest}};
  }
  return region;
}

// --- All together --------------------------------------------------------------------------------

// In the order of objects.
struct Copies {
  exec::Array<std::int64_t> objects;
  exec::Array<Image> images;
  exec::Array<std::uint32_t> ranks;
};

template <class Real, class Instance, class Frame>
Copies copies_from(const Instance& instance, const Space& space, const LeaversTask& task,
                   const Frame& frame, const FieldLayout& at) {
  constexpr std::int64_t length = block_length<Instance>;
  const Places<Real> places(at);
  exec::Array<PlaceBox> boxes;
  const PlaceBox around = box_around(instance, space, places, at.components, boxes);
  const OwnerTree tree =
      owner_tree(task.domains, region_of(frame, at.components, around, task.width));
  const exec::Reached<OwnerNode> nodes(space, label, tree.nodes);
  const exec::Reached<int> ranks(space, label, tree.ranks);
  const OwnersAround owners{nodes.data(), tree.begin, static_cast<int>(nodes.size()), ranks.data(),
                            at.components};
  const CopiesOfBlock<Frame, Real, length> copies_of{
      {frame, owners, task.width, task.rank}, places, boxes.data()};

  const std::int64_t blocks = (places.count + length - 1) / length;
  const exec::Array<std::int64_t> firsts = exec::filled(space, label, blocks + 1, std::int64_t{0});
  exec::for_each(instance, label, blocks,
                 CountCopies<Frame, Real, length>{copies_of, firsts.data()});
  const std::int64_t all = exec::sum_up(firsts);
  Copies copies = {{space, label, all}, {space, label, all}, {space, label, all}};
  if (all > 0)
    exec::for_each(instance, label, blocks,
                   WriteCopies<Frame, Real, length>{copies_of, firsts.data(), copies.objects.data(),
                                                    copies.images.data(), copies.ranks.data()});
  exec::fence(instance, label);
  return copies;
}

template <class Frame, class Instance>
Copies copies_on(const Instance& instance, const Space& space, const LeaversTask& task,
                 const Frame& frame, const FieldLayout& at) {
  return at.scalar == ScalarType::float32 ? copies_from<float>(instance, space, task, frame, at)
                                          : copies_from<double>(instance, space, task, frame, at);
}

template <class Frame>
Copies copies_in(const Space& space, const LeaversTask& task, const Frame& frame,
                 const FieldLayout& at) {
  return with_space(
      space, [&](const auto& instance) { return copies_on(instance, space, task, frame, at); });
}

Copies find_copies(const Space& space, const LeaversTask& task, const FieldLayout& at) {
  if (!own_places(task.domains)) refuse_places("core/halo");
  if (const auto* curve = std::get_if<CurveDomains>(&task.domains))
    return copies_in(space, task, frame_of(*curve), at);
  if (const auto* grid = std::get_if<GridDomains>(&task.domains))
    return copies_in(space, task, frame_of(*grid), at);
  return copies_in(space, task, frame_of(std::get<TreeDomains>(task.domains)), at);
}

}  // namespace

Leavers find_leavers(const Space& space, const LeaversTask& task, const Set& set) {
  check_task(space, task, set);
  Leavers leavers;
  leavers.offsets.assign(static_cast<std::size_t>(task.ranks) + 1, 0);
  if (set.count() == 0) return leavers;
  const Copies copies = find_copies(space, task, set.position());
  if (copies.ranks.empty()) return leavers;
  ByNumber sorted = by_number(space, copies.ranks, task.ranks);
  leavers.offsets = std::move(sorted.offsets);
  leavers.objects = exec::chosen(space, label, copies.objects.data(), sorted.places);
  leavers.images = exec::chosen(space, label, copies.images.data(), sorted.places);
  return leavers;
}

}  // namespace evenkeel
