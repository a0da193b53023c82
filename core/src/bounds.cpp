#include "field/places.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/bounds.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/bounds";

// Returns i if the coordinate is not finite, otherwise a number above all indices.
template <class Real>
struct IndexIfNotFinite {
  Coordinate<Real> coordinate;
  std::int64_t above;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return exec::is_finite(coordinate(i)) ? above : i;
  }
};

// Throws an Error that names the first object whose coordinate is not finite, if there is one.
template <class Real, class Instance>
void require_finite(const Instance& instance, const Coordinate<Real>& coordinate,
                    std::int64_t count, int component) {
  const auto first =
      exec::extremes<std::int64_t>(instance, count, IndexIfNotFinite<Real>{coordinate, count});
  if (first.least < count)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "Component " + std::to_string(component) + " of the position of object " +
                    std::to_string(first.least) + " is not finite.",
                "Mend the positions before balancing: a NaN has no place.");
}

// The places of some objects along one axis.
struct Extent {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  bool finite = true;
};

// One block of objects per index. A block is so short that its places stay in the cache while one
// axis after the other is looked at. Several comparisons run at a time, because each would
// otherwise wait for the one before.
template <class Real>
struct ExtentsOfBlock {
  static constexpr std::int64_t length = 1024, lanes = 8;
  Places<Real> places;
  int dimensions;
  Extent* extents;  // of each block, of each axis

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

// On a host.
template <class Real, class Instance>
std::array<Extent, 3> extents_of(const Instance& instance, const FieldLayout& at) {
  using Block = ExtentsOfBlock<Real>;
  const std::int64_t blocks = (at.count + Block::length - 1) / Block::length;
  std::vector<Extent> extents(static_cast<std::size_t>(blocks * at.components));
  constexpr const char* label = "evenkeel::bounds::extents";
  exec::for_each(instance, label, blocks, Block{Places<Real>(at), at.components, extents.data()});
  exec::fence(instance, label);
  std::array<Extent, 3> all;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    Extent& of_axis = all[i % static_cast<std::size_t>(at.components)];
    of_axis.least = std::min(of_axis.least, extents[i].least);
    of_axis.greatest = std::max(of_axis.greatest, extents[i].greatest);
    of_axis.finite = of_axis.finite && extents[i].finite;
  }
  return all;
}

template <class Real, class Instance>
void find_bounds(const Instance& instance, const FieldLayout& at, Bounds& box) {
  std::array<Extent, 3> extents;
  if constexpr (!is_device<Instance>) extents = extents_of<Real>(instance, at);
  for (int axis = 0; axis < at.components; ++axis) {
    const Coordinate<Real> coordinate = Places<Real>(at).along(axis);
    const auto d = static_cast<std::size_t>(axis);
    if (is_device<Instance> || !extents[d].finite)
      require_finite(instance, coordinate, at.count, axis);
    if constexpr (is_device<Instance>) {
      const auto found = exec::extremes<double>(instance, at.count, coordinate);
      extents[d] = {found.least, found.greatest};
    }
    box.lower[d] = extents[d].least;
    box.upper[d] = extents[d].greatest;
  }
}

template <class Instance>
Bounds local_bounds(const Instance& instance, const FieldLayout& at) {
  Bounds box;
  box.dimensions = at.components;
  if (at.count == 0) return box;
  if (at.scalar == ScalarType::float32)
    find_bounds<float>(instance, at, box);
  else
    find_bounds<double>(instance, at, box);
  return box;
}

struct Tally {
  Bounds box;
  int fewest, most;  // dimensions
};

void combine(Tally& into, const Tally& from) noexcept {
  for (std::size_t d = 0; d < 3; ++d) {
    into.box.lower[d] = std::min(into.box.lower[d], from.box.lower[d]);
    into.box.upper[d] = std::max(into.box.upper[d], from.box.upper[d]);
  }
  into.fewest = std::min(into.fewest, from.fewest);
  into.most = std::max(into.most, from.most);
}

}  // namespace

Bounds bounds_here(const Space& space, const Set& set) {
  check(set);
  const FieldLayout at = set.position();
  if (!space.can_access(at.memory))
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "The positions are in " + std::string(name_of(at.memory)) + " memory, which " +
                    std::string(space.name()) + " does not reach.",
                "Use Space::where(the memory kind of the positions).");
  return with_space(space, [&](const auto& instance) { return local_bounds(instance, at); });
}

Bounds bounds(const Space& space, const Communicator& communicator, const Set& set) {
  Tally mine{};
  const Status status = attempt(stage_name, [&] { mine.box = bounds_here(space, set); });
  mine.most = mine.box.dimensions;
  mine.fewest = mine.most == 0 ? 3 : mine.most;  // a rank that has never had objects has no say
  Tally all = vote<&combine>(communicator, status, mine);
  if (all.most != 0 && all.fewest != all.most)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Some ranks have positions in " + std::to_string(all.fewest) +
                    " dimensions, others in " + std::to_string(all.most) + '.',
                "Use the same dimensions on all ranks, also where a rank has no objects.");
  all.box.dimensions = all.most;
  return all.box;
}

}  // namespace evenkeel
