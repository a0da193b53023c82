#pragma once

// Space-filling curves, on host and device. HilbertCurve, MortonCurve and SnakeCurve are function
// objects from a cell to its key and back, in 2-D and 3-D, with keys of 32 and 64 bits. A Lattice
// runs one of them through the cells of a box.

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/curve/key.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <cmath>
#include <cstdint>

namespace evenkeel::stages {

// --- Cells ---------------------------------------------------------------------------------------

// A cell of a lattice, by its coordinates. Device code may not call the members of std::array, so
// they are a plain array.
template <int dimensions>
struct Cell {
  std::uint32_t at[dimensions] = {};
  friend constexpr bool operator==(const Cell&, const Cell&) = default;
};

// --- The Hilbert curve ---------------------------------------------------------------------------
// The Hilbert curve, on host and device: cell -> key and back.
//
// The curve enters each orthant at a corner and leaves it along an axis. This corner and axis
// depend only on the orthants that contain the orthant (C. Hamilton, Compact Hilbert Indices,
// Dalhousie University CS-2006-07, sections 2 and 3). So the curve is an automaton. Its state is
// the pair of corner and axis, and each level translates an orthant to its place among its
// siblings. Hosts take three levels per step (four in 2-D) from tables. Devices take one level per
// step, or use the same tables if they are in fast memory.

namespace hilbert {

// The number of a state is (entry corner) * n + direction.
template <int n>
inline constexpr std::uint32_t state_count = static_cast<std::uint32_t>(n) << n;

// Rotates the lowest n bits by at most n places.
template <int n>
KOKKOS_FUNCTION constexpr std::uint32_t rotate_right(std::uint32_t bits, std::uint32_t by) {
  constexpr std::uint32_t mask = (1U << n) - 1;
  const std::uint32_t shift = by < n ? by : by - n;
  return ((bits >> shift) | (bits << (n - shift))) & mask;
}
template <int n>
KOKKOS_FUNCTION constexpr std::uint32_t rotate_left(std::uint32_t bits, std::uint32_t by) {
  constexpr std::uint32_t mask = (1U << n) - 1;
  const std::uint32_t shift = by < n ? by : by - n;
  return ((bits << shift) | (bits >> (n - shift))) & mask;
}
// The Gray code of a number, its inverse, and the number of trailing ones of a number. Numbers have
// up to three bits.
KOKKOS_FUNCTION constexpr std::uint32_t gray(std::uint32_t number) {
  return number ^ (number >> 1);
}
KOKKOS_FUNCTION constexpr std::uint32_t inverse_gray(std::uint32_t code) {
  return code ^ (code >> 1) ^ (code >> 2);
}
KOKKOS_FUNCTION constexpr std::uint32_t trailing_ones(std::uint32_t number) {
  return (number & 1U) == 0 ? 0 : (number & 2U) == 0 ? 1 : (number & 4U) == 0 ? 2 : 3;
}

// The state of the automaton: the corner at which the curve enters, and the axis along which it
// leaves.
template <int n>
struct State {
  std::uint32_t entry = 0, direction = 0;

  // The place of an orthant along the curve, the orthant at a place, and the state inside an
  // orthant.
  KOKKOS_FUNCTION constexpr std::uint32_t place_of(std::uint32_t orthant) const {
    return inverse_gray(rotate_right<n>(orthant ^ entry, direction + 1));
  }
  KOKKOS_FUNCTION constexpr std::uint32_t orthant_at(std::uint32_t place) const {
    return rotate_left<n>(gray(place), direction + 1) ^ entry;
  }
  KOKKOS_FUNCTION constexpr void descend(std::uint32_t place) {
    const std::uint32_t first = place == 0 ? 0 : gray((place - 1) & ~1U);
    const std::uint32_t turn =
        place == 0 ? 0 : trailing_ones((place & 1U) != 0 ? place : place - 1);
    entry ^= rotate_left<n>(first, direction + 1);
    const std::uint32_t sum = direction + turn + 1;
    direction = sum >= 2 * n ? sum - 2 * n : sum >= n ? sum - n : sum;
  }
};

// Translates several levels at once. A digit of a cell is the bits of its coordinates on these
// levels, one coordinate after the other, the first axis highest. A digit of a key is the places of
// the cell's orthants on these levels. Entry row(state) | digit holds the translated digit and the
// row of the next digit. These two are in separate arrays: each look-up of a row waits for the
// previous one, and this chain must contain nothing else. A table takes 48 KiB in 3-D and 8 KiB in
// 2-D.
template <int n>
struct Table {
  static constexpr int levels = n == 3 ? 3 : 4;
  static constexpr int digit_bits = n * levels;
  static constexpr std::uint32_t digits = 1U << digit_bits;
  static constexpr std::uint32_t size = state_count<n> * digits;
  std::uint16_t digit[size], row_below[size];

  // row() is the first entry of a state. The other functions fill an entry and read its two halves.
  static constexpr std::uint32_t row(const State<n>& state) {
    return (state.entry * n + state.direction) << digit_bits;
  }
  constexpr void set(std::uint32_t at, std::uint32_t becomes, const State<n>& below) {
    digit[at] = static_cast<std::uint16_t>(becomes);
    row_below[at] = static_cast<std::uint16_t>(row(below));
  }
  KOKKOS_FUNCTION constexpr std::uint32_t digit_at(std::uint32_t at) const { return digit[at]; }
  KOKKOS_FUNCTION constexpr std::uint32_t row_at(std::uint32_t at) const { return row_below[at]; }
};

// The same table in half the memory, which belongs to the caller: an entry is row | digit. It is
// for devices, whose fast memory is small.
template <int n>
struct PackedTable {
  static constexpr std::uint32_t digit_mask = Table<n>::digits - 1;
  const std::uint16_t* entries;
  // These functions read the two halves of an entry.
  KOKKOS_FUNCTION constexpr std::uint32_t digit_at(std::uint32_t at) const {
    return entries[at] & digit_mask;
  }
  KOKKOS_FUNCTION constexpr std::uint32_t row_at(std::uint32_t at) const {
    return entries[at] & ~digit_mask;
  }
};

// The tables from cells to keys, and back.
template <int n>
struct Tables {
  Table<n> places, coordinates;
};

// Fills all entries of row `from` whose digit begins with `places`; these places lead to `state`.
// Compilers limit the steps of a constant evaluation, so the recursion computes each level once for
// all entries below it.
template <int n>
constexpr void fill_row(Tables<n>& tables, std::uint32_t from, const State<n>& state, int levels,
                        std::uint32_t places, std::uint32_t coordinates) {
  if (levels == 0) {
    tables.places.set(from | coordinates, places, state);
    tables.coordinates.set(from | places, coordinates, state);
    return;
  }
  for (std::uint32_t place = 0; place < 1U << n; ++place) {
    const std::uint32_t orthant = state.orthant_at(place);
    std::uint32_t along = 0;
    for (int axis = 0; axis < n; ++axis)
      along |= ((orthant >> axis) & 1U) << (Table<n>::levels * (n - 1 - axis));
    State<n> below = state;
    below.descend(place);
    fill_row(tables, from, below, levels - 1, places << n | place, coordinates << 1 | along);
  }
}

// Makes both tables, at compile time.
template <int n>
constexpr Tables<n> make_tables() {
  Tables<n> tables = {};
  for (std::uint32_t s = 0; s < state_count<n>; ++s) {
    const State<n> state{s / n, s % n};
    fill_row(tables, Table<n>::row(state), state, Table<n>::levels, 0, 0);
  }
  return tables;
}

// Both tables, as constants.
template <int n>
inline constexpr Tables<n> tables = make_tables<n>();

// The number of digits of a key. The last digit may be padded with zeros, for `padding` levels.
template <int n, class Bits>
inline constexpr int digit_count =
    (curve_levels<n, Bits> + Table<n>::levels - 1) / Table<n>::levels;
template <int n, class Bits>
inline constexpr int padding = digit_count<n, Bits>* Table<n>::levels - curve_levels<n, Bits>;

// Moves the bits of one coordinate to their places in the digits of a cell, one group of bits for
// each digit. A Morton code does the same with single bits. gather_digits() is the inverse.
template <int n>
KOKKOS_FUNCTION constexpr std::uint64_t spread_digits(std::uint64_t bits) {
  if constexpr (n == 3) {  // 7 groups of 3
    bits = (bits | bits << 24) & 0x0000'1FF0'0000'0FFF;
    bits = (bits | bits << 12) & 0x01C0'03F0'00FC'003F;
    return (bits | bits << 6) & 0x01C0'E070'381C'0E07;
  } else {  // 8 groups of 4
    bits = (bits | bits << 16) & 0x0000'FFFF'0000'FFFF;
    bits = (bits | bits << 8) & 0x00FF'00FF'00FF'00FF;
    return (bits | bits << 4) & 0x0F0F'0F0F'0F0F'0F0F;
  }
}
template <int n>
KOKKOS_FUNCTION constexpr std::uint64_t gather_digits(std::uint64_t bits) {
  if constexpr (n == 3) {
    bits &= 0x01C0'E070'381C'0E07;
    bits = (bits | bits >> 6) & 0x01C0'03F0'00FC'003F;
    bits = (bits | bits >> 12) & 0x0000'1FF0'0000'0FFF;
    return (bits | bits >> 24) & 0x0000'0000'001F'FFFF;
  } else {
    bits &= 0x0F0F'0F0F'0F0F'0F0F;
    bits = (bits | bits >> 4) & 0x00FF'00FF'00FF'00FF;
    bits = (bits | bits >> 8) & 0x0000'FFFF'0000'FFFF;
    return (bits | bits >> 16) & 0x0000'0000'FFFF'FFFF;
  }
}

// The bits of one coordinate, at their places in the digits of a cell.
template <int n, class Bits>
KOKKOS_FUNCTION constexpr std::uint64_t digits_along(int axis, std::uint32_t coordinate) {
  return spread_digits<n>(std::uint64_t{coordinate} << padding<n, Bits>)
         << (Table<n>::levels * (n - 1 - axis));
}

// The digits of a cell, from all its coordinates.
template <int n, class Bits>
KOKKOS_FUNCTION constexpr std::uint64_t digits_of(const Cell<n>& cell) {
  std::uint64_t digits = 0;
  for (int axis = 0; axis < n; ++axis) digits |= digits_along<n, Bits>(axis, cell.at[axis]);
  return digits;
}

// The inverse of digits_of().
template <int n, class Bits>
KOKKOS_FUNCTION constexpr Cell<n> cell_of_digits(std::uint64_t digits) {
  Cell<n> cell;
  for (int axis = 0; axis < n; ++axis)
    cell.at[axis] = static_cast<std::uint32_t>(
        gather_digits<n>(digits >> (Table<n>::levels * (n - 1 - axis))) >> padding<n, Bits>);
  return cell;
}

// Translates the digits of a cell to those of its key by the table of places, and back by the table
// of coordinates.
template <int n, class Bits, class AnyTable>
KOKKOS_FUNCTION constexpr std::uint64_t translated(const AnyTable& table, std::uint64_t digits) {
  constexpr int digit_bits = Table<n>::digit_bits;
  std::uint32_t row = 0;
  std::uint64_t others = 0;
  for (int d = digit_count<n, Bits> - 1; d >= 0; --d) {
    const auto digit = static_cast<std::uint32_t>(digits >> (d * digit_bits));
    const std::uint32_t at = row | (digit & (Table<n>::digits - 1));
    others = others << digit_bits | table.digit_at(at);
    row = table.row_at(at);
  }
  return others;
}

// The key of the cell that has these digits.
template <int n, class Bits, class AnyTable>
KOKKOS_FUNCTION constexpr Bits key_of_digits(const AnyTable& places, std::uint64_t digits) {
  return static_cast<Bits>(translated<n, Bits>(places, digits) >> (n * padding<n, Bits>));
}

// The key of a cell, by a few look-ups in a table.
template <int n, class Bits, class AnyTable>
KOKKOS_FUNCTION constexpr Bits key_by_table(const AnyTable& places, const Cell<n>& cell) {
  return key_of_digits<n, Bits>(places, digits_of<n, Bits>(cell));
}

// The inverse of key_by_table().
template <int n, class Bits, class AnyTable>
KOKKOS_FUNCTION constexpr Cell<n> cell_by_table(const AnyTable& coordinates, Bits key) {
  return cell_of_digits<n, Bits>(
      translated<n, Bits>(coordinates, std::uint64_t{key} << (n * padding<n, Bits>)));
}

// The key of a cell, level by level, without a table. Devices and tests use it.
template <int n, class Bits>
KOKKOS_FUNCTION constexpr Bits key_by_levels(const Cell<n>& cell) {
  State<n> state;
  Bits key = 0;
  for (int level = curve_levels<n, Bits> - 1; level >= 0; --level) {
    std::uint32_t orthant = 0;
    for (int axis = 0; axis < n; ++axis) orthant |= ((cell.at[axis] >> level) & 1U) << axis;
    const std::uint32_t place = state.place_of(orthant);
    key = static_cast<Bits>(key << n | place);
    state.descend(place);
  }
  return key;
}

// The inverse of key_by_levels().
template <int n, class Bits>
KOKKOS_FUNCTION constexpr Cell<n> cell_by_levels(Bits key) {
  State<n> state;
  Cell<n> cell;
  for (int level = curve_levels<n, Bits> - 1; level >= 0; --level) {
    const auto place = static_cast<std::uint32_t>(key >> (n * level)) & ((1U << n) - 1);
    const std::uint32_t orthant = state.orthant_at(place);
    for (int axis = 0; axis < n; ++axis)
      cell.at[axis] = cell.at[axis] << 1 | ((orthant >> axis) & 1U);
    state.descend(place);
  }
  return cell;
}

}  // namespace hilbert

// The curve as a function object: from a cell to its key, and from a key to its cell.
template <int dimensions, class Bits = std::uint64_t>
struct HilbertCurve {
  using Key = KeyAlong<CurveKind::hilbert, dimensions, Bits>;
  static constexpr int levels = curve_levels<dimensions, Bits>;

  KOKKOS_FUNCTION Key operator()(const Cell<dimensions>& cell) const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
    return {hilbert::key_by_levels<dimensions, Bits>(cell)};
#else
    constexpr auto& tables = hilbert::tables<dimensions>;
    return {hilbert::key_by_table<dimensions, Bits>(tables.places, cell)};
#endif
  }

  KOKKOS_FUNCTION Cell<dimensions> operator()(Key key) const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
    return hilbert::cell_by_levels<dimensions, Bits>(key.value);
#else
    constexpr auto& tables = hilbert::tables<dimensions>;
    return hilbert::cell_by_table<dimensions, Bits>(tables.coordinates, key.value);
#endif
  }
};

// --- The Morton curve ----------------------------------------------------------------------------
// The Morton curve, on host and device: cell -> key and back. In n dimensions, bit b of axis a is
// bit n b + a of the key.

namespace morton {

// Moves bit b to bit n b; the number has 21 bits in 3-D and 32 in 2-D.
template <int n>
KOKKOS_FUNCTION constexpr std::uint64_t spread(std::uint64_t bits) {
  if constexpr (n == 3) {
    bits = (bits | bits << 32) & 0x001F00000000FFFF;
    bits = (bits | bits << 16) & 0x001F0000FF0000FF;
    bits = (bits | bits << 8) & 0x100F00F00F00F00F;
    bits = (bits | bits << 4) & 0x10C30C30C30C30C3;
    return (bits | bits << 2) & 0x1249249249249249;
  } else {
    bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
    bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
    bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
  }
}

// Moves bit n b to bit b and drops the others.
template <int n>
KOKKOS_FUNCTION constexpr std::uint64_t gather(std::uint64_t bits) {
  if constexpr (n == 3) {
    bits &= 0x1249249249249249;
    bits = (bits | bits >> 2) & 0x10C30C30C30C30C3;
    bits = (bits | bits >> 4) & 0x100F00F00F00F00F;
    bits = (bits | bits >> 8) & 0x001F0000FF0000FF;
    bits = (bits | bits >> 16) & 0x001F00000000FFFF;
    return (bits | bits >> 32) & 0x00000000001FFFFF;
  } else {
    bits &= 0x5555555555555555;
    bits = (bits | bits >> 1) & 0x3333333333333333;
    bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0F;
    bits = (bits | bits >> 4) & 0x00FF00FF00FF00FF;
    bits = (bits | bits >> 8) & 0x0000FFFF0000FFFF;
    return (bits | bits >> 16) & 0x00000000FFFFFFFF;
  }
}

}  // namespace morton

// The curve as a function object: from a cell to its key, and from a key to its cell.
template <int dimensions, class Bits = std::uint64_t>
struct MortonCurve {
  using Key = KeyAlong<CurveKind::morton, dimensions, Bits>;
  static constexpr int levels = curve_levels<dimensions, Bits>;

  KOKKOS_FUNCTION constexpr Key operator()(const Cell<dimensions>& cell) const {
    std::uint64_t key = 0;
    for (int axis = 0; axis < dimensions; ++axis)
      key |= morton::spread<dimensions>(cell.at[axis]) << axis;
    return {static_cast<Bits>(key)};
  }

  KOKKOS_FUNCTION constexpr Cell<dimensions> operator()(Key key) const {
    Cell<dimensions> cell;
    for (int axis = 0; axis < dimensions; ++axis)
      cell.at[axis] =
          static_cast<std::uint32_t>(morton::gather<dimensions>(std::uint64_t{key.value} >> axis));
    return cell;
  }
};

// --- The snake -----------------------------------------------------------------------------------
// The snake, on host and device, follows rows along the first axis. Each row runs in the opposite
// direction to the row before it, and so does each plane. So each cell touches the next one. Rows
// are one cell thick. So, unlike the other curves, the snake changes if the lattice gets coarser.
// On a fine lattice its parts are slabs.

// The curve through the cells of a lattice of `used_levels` levels, at most `levels`.
template <int dimensions, class Bits = std::uint64_t>
struct SnakeCurve {
  using Key = KeyAlong<CurveKind::snake, dimensions, Bits>;
  static constexpr int levels = curve_levels<dimensions, Bits>;
  int used_levels = levels;

  KOKKOS_FUNCTION constexpr Key operator()(const Cell<dimensions>& cell) const {
    Bits key = cell.at[dimensions - 1];
    // A coordinate counts backwards if the number of its row or plane is odd. Rows and planes have
    // an even number of cells, so the last digit of this number determines if it is odd.
    for (int axis = dimensions - 2; axis >= 0; --axis) {
      key = static_cast<Bits>(key << used_levels |
                              turned(cell.at[axis], static_cast<std::uint32_t>(key)));
    }
    return {key};
  }

  KOKKOS_FUNCTION constexpr Cell<dimensions> operator()(Key key) const {
    const auto digit = [&](int axis) {
      return static_cast<std::uint32_t>(key.value >> (axis * used_levels)) & last_coordinate();
    };
    Cell<dimensions> cell;
    cell.at[dimensions - 1] = digit(dimensions - 1);
    for (int axis = dimensions - 2; axis >= 0; --axis)
      cell.at[axis] = turned(digit(axis), digit(axis + 1));
    return cell;
  }

 private:
  // In an odd row, returns the last coordinate minus this one. All bits of the last coordinate are
  // ones, so this needs no branch.
  KOKKOS_FUNCTION constexpr std::uint32_t turned(std::uint32_t coordinate,
                                                 std::uint32_t row) const {
    return coordinate ^ (last_coordinate() & (0U - (row & 1U)));
  }
  KOKKOS_FUNCTION constexpr std::uint32_t last_coordinate() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << used_levels) - 1);
  }
};

// --- Lattices ------------------------------------------------------------------------------------
// A lattice over the box, and a curve through its cells, give each place a key, on host and device.
// Cells are cubes, so the curve treats all axes the same. There are 2^levels cells along the
// longest side of the box.

}  // namespace evenkeel::stages

namespace evenkeel {
class CurveDomains;
}

namespace evenkeel::stages {

// Returns the number of levels that puts different objects into different cells. Cells are at most
// half as wide as the mean distance of objects that fill the box, and at most as wide as
// `smallest_spacing`. If `smallest_spacing` is 0, objects may be close to each other, so all levels
// are used. Fewer levels make shorter keys, which sort faster.
EVENKEEL_API int levels_for(int dimensions, std::int64_t objects, double longest_side,
                            double smallest_spacing);

// A lattice over a box, with a curve through its cells. Points on an upper face and outside the box
// belong to the nearest cell of the box; periodic axes wrap around. The same numbers give the same
// cell on host and device.
class Lattice {
 public:
  Lattice() = default;
  // If `levels` is 0, the lattice has as many as a 64-bit key holds.
  EVENKEEL_API Lattice(int dimensions, const Box& box, const std::array<bool, 3>& periodic,
                       CurveKind curve = CurveKind::hilbert, int levels = 0);

  KOKKOS_FUNCTION int dimensions() const { return dimensions_; }
  KOKKOS_FUNCTION int levels() const { return levels_; }
  KOKKOS_FUNCTION CurveKind curve() const { return curve_; }

  // The number of lowest bits of a key that are always zero.
  KOKKOS_FUNCTION int unused_bits() const { return dimensions_ * (all_levels() - levels_); }

  // A 64-bit key has bits for this many levels more than the lattice has.
  template <int n>
  KOKKOS_FUNCTION int spare_levels() const {
    return curve_levels<n, std::uint64_t> - levels_;
  }

  // The coordinate, along one axis, of the cell that contains a place. The place must be finite.
  KOKKOS_FUNCTION std::uint32_t coordinate(int axis, double place) const {
    return coordinate_at(axis, wrapped(axis, distance(axis, place)));
  }

  // The steps of coordinate(), for loops over many places, which compilers turn into vector
  // instructions. Distances are counted from the lower face, in quarters of the user's lengths, so
  // that differences of the greatest numbers stay finite.
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

  // The period of an axis, or 0 if it has no period, and the cells per length, both in the unit of
  // distance().
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

  // The greatest coordinate along an axis that a cell of the box has.
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

  // The key of a cell, for kernels that are compiled for one kind of curve.
  template <CurveKind kind, int n>
  KOKKOS_FUNCTION CurveKey key_along(const Cell<n>& cell) const {
    if constexpr (kind == CurveKind::snake)
      return {SnakeCurve<n>{levels_}(cell).value << (n * spare_levels<n>())};
    else if constexpr (kind == CurveKind::hilbert)
      return shortened<n>(HilbertCurve<n>()(finest(cell)).value);
    else
      return {MortonCurve<n>()(finest(cell)).value};
  }

  // Returns the cell of the finest level that has the least coordinates in a cell. Hilbert and
  // Morton curves visit all finest cells of a coarser cell in one piece, so their keys are computed
  // on the finest level.
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

// The lattice of a decomposition.
EVENKEEL_API Lattice lattice_of(const CurveDomains& decomposition);

}  // namespace evenkeel::stages
