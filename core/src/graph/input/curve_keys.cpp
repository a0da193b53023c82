#include "graph/input/steps.hpp"
#include "graph/stage.hpp"

#include "field/numbers.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/order.hpp>

#include <optional>

namespace evenkeel::graphs {

namespace {

constexpr const char* curve_keys_label = "evenkeel::graph::keys";

// Returns positions as a field of doubles that the space can access. These are the application's
// own memory if possible, and copies in `places` otherwise.
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
  places = {space, curve_keys_label, count * dimensions};
  for (int d = 0; d < dimensions; ++d) {
    const exec::Array<double> along = read_reals(space, component_of(at, d), count);
    copy_bytes(space, places.data() + d * count, places.memory(), along.data(), along.memory(),
               along.bytes());
    space.fence(curve_keys_label);
  }
  return raw_field(places.data(), {.count = count,
                                   .components = dimensions,
                                   .memory = places.memory(),
                                   .object_stride = 1,
                                   .component_stride = count,
                                   .label = "positions"});
}

}  // namespace

// The stages of the curve take sets, so this makes a set of the positions.
exec::Array<std::uint64_t> keys_along_curve(const Space& space, const Communicator& communicator,
                                            const Given& given) {
  const int dimensions = static_cast<int>(given.all.dimensions.greatest);
  exec::Array<double> places;
  RawField<double> field;
  std::optional<Set> objects;
  const Status ready = attempt(stage_name, [&] {
    if (given.owned > 0) {
      field = reached_positions(space, given.places.position.layout(), given.owned, places);
    } else {  // without positions: an empty field that the space can access
      places = {space, curve_keys_label, 0};
      field =
          raw_field(places.data(),
                    {.components = dimensions, .memory = places.memory(), .label = "positions"});
    }
    objects = set(field);
  });
  vote(communicator, ready);
  // The box has no margin, so that a curve through a square cuts it into squares.
  const Bounds found = bounds(space, communicator, *objects);
  const Box box = found.empty() ? Box() : Box{found.lower, found.upper};
  exec::Array<std::uint64_t> keys;
  vote(communicator, attempt(stage_name, [&] {
         keys = {space, curve_keys_label, given.owned};
         const Lattice lattice(dimensions, box, {});
         static_assert(sizeof(CurveKey) == sizeof(std::uint64_t));
         write_keys(space, lattice, *objects, reinterpret_cast<CurveKey*>(keys.data()));
         space.fence(curve_keys_label);
       }));
  return keys;
}

}  // namespace evenkeel::graphs
