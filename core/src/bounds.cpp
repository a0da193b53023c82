#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/bounds.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/bounds";

template <class Real>
struct Coordinate {
  const char* data;
  std::int64_t stride;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return static_cast<double>(*reinterpret_cast<const Real*>(data + i * stride));
  }
};

// i where a coordinate is not finite, a number above all indices elsewhere.
template <class Real>
struct IndexIfNotFinite {
  Coordinate<Real> coordinate;
  std::int64_t above;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return exec::is_finite(coordinate(i)) ? above : i;
  }
};

template <class Real, class Instance>
void add_component(const Instance& instance, const FieldLayout& at, int component, Bounds& box) {
  const Coordinate<Real> coordinate{
      static_cast<const char*>(at.data) + component * at.component_stride_bytes,
      at.object_stride_bytes};
  const auto first = exec::extremes<std::int64_t>(instance, at.count,
                                                  IndexIfNotFinite<Real>{coordinate, at.count});
  if (first.least < at.count)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "Component " + std::to_string(component) + " of the position of object " +
                    std::to_string(first.least) + " is not finite.",
                "Mend the positions before balancing: a NaN has no place.");
  const auto extent = exec::extremes<double>(instance, at.count, coordinate);
  const auto d = static_cast<std::size_t>(component);
  box.lower[d] = extent.least;
  box.upper[d] = extent.greatest;
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

Bounds checked_local_bounds(const Space& space, const Set& set) {
  check(set);
  const FieldLayout at = set.position();
  if (!space.can_access(at.memory))
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "The positions are in " + std::string(name_of(at.memory)) + " memory, which " +
                    std::string(space.name()) + " does not reach.",
                "Use Space::where(the memory kind of the positions).");
  return with_space(space, [&](const auto& instance) { return local_bounds(instance, at); });
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

Bounds bounds(const Space& space, const Communicator& communicator, const Set& set) {
  Tally mine{};
  const Status status = attempt(stage_name, [&] { mine.box = checked_local_bounds(space, set); });
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
