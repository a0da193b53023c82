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

}  // namespace

// Positions are a set's, as for all other methods.
exec::Array<std::uint64_t> keys_along_curve(const Space& space, const Communicator& communicator,
                                            const Given& given) {
  const int dimensions = static_cast<int>(given.all.greatest_dimensions);
  exec::Array<double> places;
  RawField<double> field;
  const Status ready = attempt(stage_name, [&] {
    places = {space, label, given.owned * dimensions};
    for (int d = 0; d < dimensions && given.owned > 0; ++d) {
      const exec::Array<double> along =
          read_reals(space, component_of(given.position.layout(), d), given.owned);
      copy_bytes(space, places.data() + d * given.owned, places.memory(), along.data(),
                 along.memory(), along.bytes());
      space.fence(label);
    }
    field = raw_field(places.data(), {.count = given.owned,
                                      .components = dimensions,
                                      .memory = places.memory(),
                                      .object_stride = 1,
                                      .component_stride = std::max<std::int64_t>(given.owned, 1),
                                      .label = "positions"});
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
