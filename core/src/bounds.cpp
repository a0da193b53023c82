#include "field/places.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/bounds.hpp>

#include <algorithm>
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

// The result of one pass over one component, on a host.
struct Extent {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  bool finite = true;
};

// One block of objects per index. Several comparisons run at a time, because each would otherwise
// wait for the one before.
template <class Real>
struct ExtentOfBlock {
  static constexpr std::int64_t length = 4096, lanes = 8;
  Coordinate<Real> coordinate;
  std::int64_t count;
  Extent* extents;

  void operator()(std::int64_t block) const {
    const Coordinate<Real> at = coordinate;
    const std::int64_t begin = block * length, end = std::min(count, begin + length);
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
    extents[block] = {*std::min_element(least, least + lanes),
                      *std::max_element(greatest, greatest + lanes), not_finite == 0};
  }
};

template <class Real, class Instance>
Extent extent_of(const Instance& instance, const Coordinate<Real>& coordinate, std::int64_t count) {
  using Block = ExtentOfBlock<Real>;
  const std::int64_t blocks = (count + Block::length - 1) / Block::length;
  std::vector<Extent> extents(static_cast<std::size_t>(blocks));
  constexpr const char* label = "evenkeel::bounds::extents";
  exec::for_each(instance, label, blocks, Block{coordinate, count, extents.data()});
  exec::fence(instance, label);
  Extent all;
  for (const Extent& extent : extents) {
    all.least = std::min(all.least, extent.least);
    all.greatest = std::max(all.greatest, extent.greatest);
    all.finite = all.finite && extent.finite;
  }
  return all;
}

template <class Real, class Instance>
void add_component(const Instance& instance, const FieldLayout& at, int component, Bounds& box) {
  const Coordinate<Real> coordinate = Places<Real>(at).along(component);
  const auto d = static_cast<std::size_t>(component);
  if constexpr (is_device<Instance>) {
    require_finite(instance, coordinate, at.count, component);
    const auto extent = exec::extremes<double>(instance, at.count, coordinate);
    box.lower[d] = extent.least;
    box.upper[d] = extent.greatest;
  } else {
    const Extent extent = extent_of(instance, coordinate, at.count);
    if (!extent.finite) require_finite(instance, coordinate, at.count, component);
    box.lower[d] = extent.least;
    box.upper[d] = extent.greatest;
  }
}

template <class Instance>
Bounds local_bounds(const Instance& instance, const FieldLayout& at) {
  Bounds box;
  box.dimensions = at.components;
  if (at.count == 0) return box;
  for (int d = 0; d < at.components; ++d) {
    if (at.scalar == ScalarType::float32)
      add_component<float>(instance, at, d, box);
    else
      add_component<double>(instance, at, d, box);
  }
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
