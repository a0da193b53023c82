#pragma once

// From places to keys: a lattice over the box, and a curve through its cells, on host and device.
// Cells are cubes, 2^levels along the box's longest side, so that a curve through them treats all
// axes alike.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/curve/cell.hpp>
#include <evenkeel/core/curve/hilbert.hpp>
#include <evenkeel/core/curve/morton.hpp>
#include <evenkeel/core/curve/snake.hpp>
#include <evenkeel/core/key.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <cmath>
#include <cstdint>

namespace evenkeel {

class CurveDomains;

// The number of levels that tells objects apart: cells at most half as wide as the objects' mean
// distance if they filled the box, and at most as wide as `smallest_spacing`, when that is known
// (0: unknown; then all levels are used, since objects may be clustered at will). Fewer levels make
// shorter keys, which sort faster.
EVENKEEL_API int levels_for(int dimensions, std::int64_t objects, double longest_side,
                            double smallest_spacing);

// Points on an upper face and outside the box belong to the nearest cell of the box; periodic axes
// wrap around. The same numbers give the same cell on host and device.
class Lattice {
 public:
  Lattice() = default;
  // `levels` of 0: as many as a 64-bit key holds.
  EVENKEEL_API Lattice(int dimensions, const Box& box, const std::array<bool, 3>& periodic,
                       CurveKind curve = CurveKind::hilbert, int levels = 0);

  KOKKOS_FUNCTION int dimensions() const { return dimensions_; }
  KOKKOS_FUNCTION int levels() const { return levels_; }
  KOKKOS_FUNCTION CurveKind curve() const { return curve_; }

  // The lowest bits of a key, which are zero.
  KOKKOS_FUNCTION int unused_bits() const { return dimensions_ * (all_levels() - levels_); }

  // The number of finer levels for which a key has bits that the lattice does not use.
  template <int n>
  KOKKOS_FUNCTION int spare_levels() const {
    return curve_levels<n, std::uint64_t> - levels_;
  }

  // The coordinate along one axis of the cell that contains a place, which must be finite.
  KOKKOS_FUNCTION std::uint32_t coordinate(int axis, double place) const {
    return coordinate_at(axis, wrapped(axis, distance(axis, place)));
  }

  // The steps of coordinate(), for loops over many places that are to become vector instructions.
  // Distances are from the lower face, in quarters of the user's lengths: differences of the
  // greatest numbers stay finite.
  KOKKOS_FUNCTION double distance(int axis, double place) const {
    return place * quarter - axes_[axis].lower;
  }
  KOKKOS_FUNCTION bool wraps(int axis) const { return axes_[axis].period > 0; }
  KOKKOS_FUNCTION double wrapped(int axis, double distance) const {
    const double period = axes_[axis].period;
    if (!(period > 0) || (distance >= 0 && distance < period)) return distance;
    const double rest = std::fmod(distance, period);  // exact, on devices too
    return rest < 0 ? rest + period : rest;
  }
  KOKKOS_FUNCTION std::uint32_t coordinate_at(int axis, double distance) const {
    const double cell = distance * axes_[axis].cells_per_length;
    const double above = cell > 0 ? cell : 0;
    const double inside = above < axes_[axis].last ? above : axes_[axis].last;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(inside));  // vectors convert int32
  }

  // Of an axis, as distance() counts: the length after which places repeat (0: never), and the
  // number of cells in a unit of length.
  KOKKOS_FUNCTION double period(int axis) const { return axes_[axis].period; }
  KOKKOS_FUNCTION double cells_per_length(int axis) const { return axes_[axis].cells_per_length; }

  // The place in the middle of a cell along one axis.
  KOKKOS_FUNCTION double middle(int axis, std::uint32_t coordinate) const {
    const double cells = axes_[axis].cells_per_length;
    const double distance = cells > 0 ? (coordinate + 0.5) / cells : 0;
    return (axes_[axis].lower + distance) / quarter;
  }

  // The lower face of a cell along one axis.
  KOKKOS_FUNCTION double face(int axis, std::uint32_t coordinate) const {
    const double cells = axes_[axis].cells_per_length;
    const double distance = cells > 0 ? coordinate / cells : 0;
    return (axes_[axis].lower + distance) / quarter;
  }

  // The greatest coordinate that a point of the box has along an axis.
  KOKKOS_FUNCTION std::uint32_t last_coordinate(int axis) const {
    return static_cast<std::uint32_t>(axes_[axis].last);
  }

  // The key of a cell along the curve of this lattice.
  template <int n>
  KOKKOS_FUNCTION CurveKey key(const Cell<n>& cell) const {
    switch (curve_) {
      case CurveKind::hilbert: return key_along<CurveKind::hilbert>(cell);
      case CurveKind::morton: return key_along<CurveKind::morton>(cell);
      case CurveKind::snake: break;
    }
    return key_along<CurveKind::snake>(cell);
  }

  // The cell of a key of this lattice.
  template <int n>
  KOKKOS_FUNCTION Cell<n> cell(CurveKey key) const {
    const int spare = spare_levels<n>();
    if (curve_ == CurveKind::snake)
      return SnakeCurve<n>{levels_}(typename SnakeCurve<n>::Key{key.value >> (n * spare)});
    Cell<n> fine = curve_ == CurveKind::hilbert
                       ? HilbertCurve<n>()(typename HilbertCurve<n>::Key{key.value})
                       : MortonCurve<n>()(typename MortonCurve<n>::Key{key.value});
    for (int axis = 0; axis < n; ++axis) fine.at[axis] >>= spare;
    return fine;
  }

  // For kernels that are compiled for one kind of curve.
  template <CurveKind kind, int n>
  KOKKOS_FUNCTION CurveKey key_along(const Cell<n>& cell) const {
    if constexpr (kind == CurveKind::snake)
      return {SnakeCurve<n>{levels_}(cell).value << (n * spare_levels<n>())};
    else if constexpr (kind == CurveKind::hilbert)
      return shortened<n>(HilbertCurve<n>()(finest(cell)).value);
    else
      return {MortonCurve<n>()(finest(cell)).value};
  }

  // The lowest of the finest cells in a cell. Hilbert and Morton curves visit all finest cells of a
  // coarser cell one after the other, so these curves are walked on the finest levels only.
  template <int n>
  KOKKOS_FUNCTION Cell<n> finest(const Cell<n>& cell) const {
    Cell<n> fine;
    for (int axis = 0; axis < n; ++axis) fine.at[axis] = cell.at[axis] << spare_levels<n>();
    return fine;
  }

  // Clears the bits of a key below the lattice's levels.
  template <int n>
  KOKKOS_FUNCTION CurveKey shortened(std::uint64_t key) const {
    const int unused = n * spare_levels<n>();
    return {key >> unused << unused};
  }

 private:
  static constexpr double quarter = 0.25;
  struct Axis {
    double lower = 0, cells_per_length = 0, period = 0;
    double last = 0;  // the last cell
  };

  KOKKOS_FUNCTION int all_levels() const {
    return dimensions_ == 3 ? curve_levels<3, std::uint64_t> : curve_levels<2, std::uint64_t>;
  }

  int dimensions_ = 0, levels_ = 0;
  CurveKind curve_ = CurveKind::hilbert;
  Axis axes_[3];  // plain arrays: device code may not call the members of std::array
};

// The lattice in which a decomposition counts places.
EVENKEEL_API Lattice lattice_of(const CurveDomains& decomposition);

}  // namespace evenkeel
