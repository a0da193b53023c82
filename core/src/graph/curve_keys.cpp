#include "graph/curve_keys.hpp"

#include "field/numbers.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/curve/lattice.hpp>
#include <evenkeel/core/field/raw.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/core/set.hpp>

#include <algorithm>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::keys";

// Positions as a field of doubles where the space can access them: the application's own, or copies
// of them in `places`.
RawField<double> reached_positions(const Space& space, const FieldLayout& at, std::int64_t count,
                                   exec::Array<double>& places) {
  constexpr auto each = static_cast<std::int64_t>(sizeof(double));
  const int dimensions = at.components;
  const bool is_as_wanted = at.scalar == ScalarType::float64 && space.can_access(at.memory) &&
                            at.object_stride_bytes > 0 && at.object_stride_bytes % each == 0 &&
                            at.component_stride_bytes > 0 && at.component_stride_bytes % each == 0;
  if (is_as_wanted)
    return raw_field(static_cast<double*>(at.data),
                     {.count = count,
                      .components = dimensions,
                      .memory = at.memory,
                      .object_stride = at.object_stride_bytes / each,
                      .component_stride = at.component_stride_bytes / each,
                      .label = "positions"});
  places = {space, label, count * dimensions};
  for (int d = 0; d < dimensions; ++d) {
    const exec::Array<double> along = read_reals(space, component_of(at, d), count);
    copy_bytes(space, places.data() + d * count, places.memory(), along.data(), along.memory(),
               along.bytes());
    space.fence(label);
  }
  return raw_field(places.data(), {.count = count,
                                   .components = dimensions,
                                   .memory = places.memory(),
                                   .object_stride = 1,
                                   .component_stride = count,
                                   .label = "positions"});
}

}  // namespace

// Positions are a set's, as for all other methods.
exec::Array<std::uint64_t> keys_along_curve(const Space& space, const Communicator& communicator,
                                            const Given& given) {
  const int dimensions = static_cast<int>(given.all.greatest_dimensions);
  exec::Array<double> places;
  RawField<double> field;
  const Status ready = attempt(stage_name, [&] {
    field = given.owned > 0
                ? reached_positions(space, given.position.layout(), given.owned, places)
                : raw_field(places.data(), {.components = dimensions, .label = "positions"});
  });
  vote(communicator, ready);
  const Set objects = set(field);
  // Without a margin: a curve through a square then cuts it into squares.
  const Bounds found = bounds(space, communicator, objects);
  const Box box = found.empty() ? Box() : Box{found.lower, found.upper};
  exec::Array<std::uint64_t> keys;
  vote(communicator, attempt(stage_name, [&] {
         keys = {space, label, given.owned};
         const Lattice lattice(dimensions, box, {});
         static_assert(sizeof(CurveKey) == sizeof(std::uint64_t));
         write_keys(space, lattice, objects, reinterpret_cast<CurveKey*>(keys.data()));
         space.fence(label);
       }));
  return keys;
}

}  // namespace evenkeel::graphs
