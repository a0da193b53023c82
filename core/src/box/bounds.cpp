#include "field/places.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/box/bounds.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* bounds_stage = "core/bounds";
constexpr Refusal refuse_bounds{bounds_stage};

// Throws an Error that names the first object whose coordinate is not finite, if there is one.
template <class Real>
void require_finite(const Space& space, const Coordinate<Real>& coordinate, std::int64_t count,
                    int component) {
  const std::int64_t first = exec::first_that(space, count, IsNotFinite<Real>{coordinate});
  if (first < count)
    refuse_bounds("Component " + std::to_string(component) + " of the position of object " +
                      std::to_string(first) + " is not finite.",
                  "Give finite positions before balancing.");
}

// The least and the greatest place of some objects along one axis.
struct Extent {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  bool finite = true;
};

// Handles one block of objects per index. A block is so short that its positions stay in the cache
// while one axis after the other is read. Several lanes compare independently; in a single chain,
// each comparison would wait for the previous one.
template <class Real>
struct ExtentsOfBlock {
  static constexpr std::int64_t length = 1024, lanes = 8;
  Places<Real> places;
  int dimensions;
  Extent* extents;  // by block, then by axis

  void operator()(std::int64_t block) const {
    const std::int64_t begin = block * length, end = std::min(places.count, begin + length);
    for (int axis = 0; axis < dimensions; ++axis)
      extents[block * dimensions + axis] = extent_of(places.along(axis), begin, end);
  }

  static Extent extent_of(const Coordinate<Real>& at, std::int64_t begin, std::int64_t end) {
    double least[lanes], greatest[lanes];
    std::fill_n(least, lanes, at(begin));
    std::fill_n(greatest, lanes, at(begin));
    int not_finite = 0;
    const auto look = [&](std::int64_t i, std::int64_t lane) {
      const double place = at(i);
      least[lane] = place < least[lane] ? place : least[lane];
      greatest[lane] = place > greatest[lane] ? place : greatest[lane];
      not_finite |= exec::is_finite(place) ? 0 : 1;
    };
    std::int64_t i = begin;
    for (; i + lanes <= end; i += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane) look(i + lane, lane);
    for (; i < end; ++i) look(i, 0);
    return {*std::min_element(least, least + lanes), *std::max_element(greatest, greatest + lanes),
            not_finite == 0};
  }
};

// Returns the extent along each axis, on host spaces.
template <class Real, class Instance>
std::array<Extent, 3> extents_of(const Instance& instance, const Places<Real>& places,
                                 int dimensions) {
  using Block = ExtentsOfBlock<Real>;
  const std::int64_t blocks = (places.count + Block::length - 1) / Block::length;
  std::vector<Extent> extents(static_cast<std::size_t>(blocks * dimensions));
  constexpr const char* label = "evenkeel::bounds::extents";
  exec::for_each(instance, label, blocks, Block{places, dimensions, extents.data()});
  exec::fence(instance, label);
  std::array<Extent, 3> all;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    Extent& of_axis = all[i % static_cast<std::size_t>(dimensions)];
    of_axis.least = std::min(of_axis.least, extents[i].least);
    of_axis.greatest = std::max(of_axis.greatest, extents[i].greatest);
    of_axis.finite = of_axis.finite && extents[i].finite;
  }
  return all;
}

template <class Real, class Instance>
void find_bounds(const Instance& instance, const Places<Real>& places, Bounds& box) {
  std::array<Extent, 3> extents;
  if constexpr (!is_device<Instance>) extents = extents_of(instance, places, box.dimensions);
  for (int axis = 0; axis < box.dimensions; ++axis) {
    const Coordinate<Real> coordinate = places.along(axis);
    const auto d = static_cast<std::size_t>(axis);
    if (is_device<Instance> || !extents[d].finite)
      require_finite(space_of(instance), coordinate, places.count, axis);
    if constexpr (is_device<Instance>) {
      const auto found = exec::extremes<double>(instance, places.count, coordinate);
      extents[d] = {found.least, found.greatest};
    }
    box.lower[d] = extents[d].least;
    box.upper[d] = extents[d].greatest;
  }
}

struct BoxTally {
  Bounds box;
  int fewest = 3, most = 0;  // least and greatest number of dimensions of any rank
};

void combine(BoxTally& into, const BoxTally& from) noexcept {
  for (std::size_t d = 0; d < 3; ++d) {
    into.box.lower[d] = std::min(into.box.lower[d], from.box.lower[d]);
    into.box.upper[d] = std::max(into.box.upper[d], from.box.upper[d]);
  }
  into.fewest = std::min(into.fewest, from.fewest);
  into.most = std::max(into.most, from.most);
}

// A set that never had objects may have any number of dimensions.
BoxTally tally_of(const Bounds& found) noexcept {
  return {found, found.dimensions == 0 ? 3 : found.dimensions, found.dimensions};
}

// Local. Does not throw; returns the failure, if there is one.
Status add_each(std::span<const Set> sets, BoxTally& into) try {
  for (const Set& set : sets)
    combine(into, tally_of(bounds_here(Space::where(set.position().memory), set)));
  return {};
} catch (...) {
  return Status::from_current_exception(bounds_stage);
}

// Collective. `mine` is the tally of this rank; returns the bounds of all ranks.
Bounds bounds_from(const Communicator& communicator, const Status& status, const BoxTally& mine) {
  BoxTally all = vote<&combine>(communicator, status, mine);
  if (all.most != 0 && all.fewest != all.most)
    throw Error(ErrorKind::disagreement, Where{bounds_stage},
                "Some ranks have positions in " + std::to_string(all.fewest) +
                    " dimensions, others in " + std::to_string(all.most) + '.',
                "Use the same dimensions on all ranks, also where a rank has no objects.");
  all.box.dimensions = all.most;
  return all.box;
}

}  // namespace

Bounds stages::bounds_here(const Space& space, const Set& set) {
  check(set);
  const FieldLayout at = set.position();
  if (!space.can_access(at.memory))
    refuse_bounds("The positions are in " + std::string(name_of(at.memory)) + " memory, which " +
                      std::string(space.name()) + " does not reach.",
                  "Use Space::where(the memory kind of the positions).");
  Bounds box;
  box.dimensions = at.components;
  if (at.count == 0) return box;
  with_space(space, [&](const auto& instance) {
    with_places(at, [&](const auto& places) { find_bounds(instance, places, box); });
  });
  return box;
}

Bounds stages::bounds(const Space& space, const Communicator& communicator, const Set& set) {
  BoxTally mine;
  const Status status = attempt(bounds_stage, [&] { mine = tally_of(bounds_here(space, set)); });
  return bounds_from(communicator, status, mine);
}

Bounds stages::bounds(const Communicator& communicator, std::span<const Set> sets) {
  BoxTally mine;
  const Status status = add_each(sets, mine);
  return bounds_from(communicator, status, mine);
}

}  // namespace evenkeel
