#include <evenkeel/core/wrap.hpp>

#include "domains/reaches.hpp"
#include "field/places.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/launch.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::wrap";

template <class Real>
struct WrapAlong {
  Coordinate<Real> along;
  GridAxis axis;
  Real first,
      last;  // the least number that is not below the lower face; the greatest below the upper

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
void wrap_along(const Space& space, const FieldLayout& at, int axis, const Box& box,
                const std::array<bool, 3>& periodic) {
  const auto d = static_cast<std::size_t>(axis);
  exec::for_each(
      space, label, at.count,
      WrapAlong<Real>{Places<Real>(at).along(axis), axis_of(box, periodic, axis),
                      least_from<Real>(box.lower[d]), greatest_below<Real>(box.upper[d])});
}

}  // namespace

void wrap(const Space& space, const Set& set, const Box& box, const std::array<bool, 3>& periodic) {
  check(set);
  const FieldLayout at = set.position();
  check_axes(at.components, box, periodic);
  for (int axis = 0; axis < at.components && at.count > 0; ++axis) {
    if (!periodic[static_cast<std::size_t>(axis)]) continue;
    if (at.scalar == ScalarType::float32)
      wrap_along<float>(space, at, axis, box, periodic);
    else
      wrap_along<double>(space, at, axis, box, periodic);
  }
  if (at.count == 0) return;
  space.fence(label);
  set.fields().front().changed();
}

}  // namespace evenkeel
