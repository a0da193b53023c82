#include <evenkeel/core/box/bounds.hpp>

#include "box/axes.hpp"
#include "field/places.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <cstdint>

namespace evenkeel {

namespace {

constexpr const char* wrap_label = "evenkeel::wrap";

template <class Real>
struct WrapAlong {
  Coordinate<Real> along;
  GridAxis axis;
  Real first,
      last;  // least number at or above the lower face; greatest number below the upper face

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double place = along(i);
    if (axis.is_inside(place) || place - place != 0) return;
    const auto inside = static_cast<Real>(axis.inside(place));
    *reinterpret_cast<Real*>(const_cast<char*>(along.data) + i * along.stride_bytes) =
        inside < first  ? first
        : inside < last ? inside
                        : last;
  }
};

template <class Real>
Real greatest_below(double face) {
  const auto rounded = static_cast<Real>(face);
  if (static_cast<double>(rounded) < face) return rounded;
  return std::nextafter(rounded, -std::numeric_limits<Real>::infinity());
}

template <class Real>
Real least_from(double face) {
  const auto rounded = static_cast<Real>(face);
  if (static_cast<double>(rounded) >= face) return rounded;
  return std::nextafter(rounded, std::numeric_limits<Real>::infinity());
}

template <class Real>
void wrap_along(const Space& space, const Places<Real>& places, int axis, const Box& box,
                const std::array<bool, 3>& periodic) {
  const auto d = static_cast<std::size_t>(axis);
  exec::for_each(
      space, wrap_label, places.count,
      WrapAlong<Real>{places.along(axis), axis_of(box, periodic, axis),
                      least_from<Real>(box.lower[d]), greatest_below<Real>(box.upper[d])});
}

}  // namespace

void stages::wrap(const Space& space, const Set& set, const Box& box,
                  const std::array<bool, 3>& periodic) {
  check(set);
  const FieldLayout at = set.position();
  check_axes(at.components, box, periodic);
  if (at.count == 0) return;
  for (int axis = 0; axis < at.components; ++axis)
    if (periodic[static_cast<std::size_t>(axis)])
      with_places(at, [&](const auto& places) { wrap_along(space, places, axis, box, periodic); });
  space.fence(wrap_label);
  set.fields().front().changed();
}

void stages::wrap(std::span<const Set> sets, const Box& box, const std::array<bool, 3>& periodic) {
  for (const Set& set : sets) wrap(Space::where(set.position().memory), set, box, periodic);
}

}  // namespace evenkeel
