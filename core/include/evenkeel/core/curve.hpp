#pragma once

// Space-filling curves, on host and device. HilbertCurve, MortonCurve and SnakeCurve are function
// objects from a cell to its key and back, in 2-D and 3-D, with keys of 32 and 64 bits; a Lattice
// lays one of them through a box.

#include <evenkeel/core/box.hpp>
#include <evenkeel/core/curve/key.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <cmath>
#include <cstdint>

namespace evenkeel {

// --- Cells ---------------------------------------------------------------------------------------
// A cell of a lattice, by its coordinates.

// A plain array inside: device code may not call the members of std::array.
template <int dimensions>
struct Cell {
  std::uint32_t at[dimensions] = {};
  friend constexpr bool operator==(const Cell&, const Cell&) = default;
};

// --- The Hilbert curve ---------------------------------------------------------------------------
// The Hilbert curve, on host and device: cell -> key and back.
//
// Each orthant's curve enters at a corner and leaves along an axis, and both depend on the orthants
// around it alone (C. Hamilton, Compact Hilbert Indices, Dalhousie University CS-2006-07, sections
// 2 and 3). So the curve is an automaton: its state is the pair of corner and axis, and a level
// turns an orthant into its place among its siblings. Hosts take three levels per step (four in
// 2-D) from tables; devices go level by level, or use the same tables where they have them at hand.

namespace hilbert {

// States are numbered entry corner * n + direction.
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
// The Gray code of a number and its inverse, for up to three bits; the number of ones at the end.
KOKKOS_FUNCTION constexpr std::uint32_t gray(std::uint32_t number) {
  return number ^ (number >> 1);
}
KOKKOS_FUNCTION constexpr std::uint32_t inverse_gray(std::uint32_t code) {
  return code ^ (code >> 1) ^ (code >> 2);  // of three bits
}
KOKKOS_FUNCTION constexpr std::uint32_t trailing_ones(std::uint32_t number) {
  return (number & 1U) == 0 ? 0 : (number & 2U) == 0 ? 1 : (number & 4U) == 0 ? 2 : 3;
}

// What one level knows of those above it.
template <int n>
struct State {
  std::uint32_t entry = 0, direction = 0;

  // The place of an orthant along the curve, the orthant at a place, and the step into it.
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

// Several levels at once: a digit of a cell is its coordinates on these levels, one after the other
// and the first axis highest; a digit of a key is its places. Entry row(state) | digit holds the
// translated digit and the row of the next digit. The two stand in arrays of their own, so that the
// chain of look-ups from row to row, in which each waits for the one before, contains nothing else.
// A table fits a first-level cache.
template <int n>
struct Table {
  static constexpr int levels = n == 3 ? 3 : 4;
  static constexpr int digit_bits = n * levels;
  static constexpr std::uint32_t digits = 1U << digit_bits;
  static constexpr std::uint32_t size = state_count<n> * digits;
  std::uint16_t digit[size], row_below[size];

  // Where the row of a state begins; filling one entry; reading its two halves.
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

// The same in half the space, in memory that the caller chooses: an entry is row | digit. For
// devices, whose fast memory is small.
template <int n>
struct PackedTable {
  static constexpr std::uint32_t digit_mask = Table<n>::digits - 1;
  const std::uint16_t* entries;
  // The two halves of an entry.
  KOKKOS_FUNCTION constexpr std::uint32_t digit_at(std::uint32_t at) const {
    return entries[at] & digit_mask;
  }
  KOKKOS_FUNCTION constexpr std::uint32_t row_at(std::uint32_t at) const {
    return entries[at] & ~digit_mask;
  }
};

// From cells to keys, and back.
template <int n>
struct Tables {
  Table<n> places, coordinates;
};

// Fills all entries of row `from` below a state that these places lead to. Each level is visited
// once for all below it, because compilers limit the steps of a constant evaluation.
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

// Makes both tables; for the compiler.
template <int n>
constexpr Tables<n> make_tables() {
  Tables<n> tables = {};
  for (std::uint32_t s = 0; s < state_count<n>; ++s) {
    const State<n> state{s / n, s % n};
    fill_row(tables, Table<n>::row(state), state, Table<n>::levels, 0, 0);
  }
  return tables;
}

// Both tables, as constants of the program.
template <int n>
inline constexpr Tables<n> tables = make_tables<n>();

// The number of whole digits of a key; the last may be padded with zeros.
template <int n, class Bits>
inline constexpr int digit_count =
    (curve_levels<n, Bits> + Table<n>::levels - 1) / Table<n>::levels;
template <int n, class Bits>
inline constexpr int padding = digit_count<n, Bits>* Table<n>::levels - curve_levels<n, Bits>;

// Moves the groups of bits that are one coordinate's share of each digit to their places. Groups
// are doubled apart, as a Morton code does with single bits.
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

// One coordinate's share of the digits of a cell, and the digits of all coordinates together.
template <int n, class Bits>
KOKKOS_FUNCTION constexpr std::uint64_t digits_along(int axis, std::uint32_t coordinate) {
  return spread_digits<n>(std::uint64_t{coordinate} << padding<n, Bits>)
         << (Table<n>::levels * (n - 1 - axis));
}
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

// Translates the digits of a cell to those of its key by a table of places, and back by one of
// coordinates.
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

// By tables: a few look-ups for each cell or key.
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

// Level by level, without a table: for the compiler, and to compare with.
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
// The Morton curve, on host and device: cell -> key and back. Bit b of axis a is bit n b + a of the
// key.

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
// The snake, on host and device: rows along the first axis, each walked against the one before it,
// and planes likewise, so that the curve never leaps. Its rows are as thick as cells: unlike the
// other curves it changes when the lattice gets coarser, and on a fine lattice its parts are slabs.

// Through the cells of a lattice of `used_levels` levels, at most `levels`.
template <int dimensions, class Bits = std::uint64_t>
struct SnakeCurve {
  using Key = KeyAlong<CurveKind::snake, dimensions, Bits>;
  static constexpr int levels = curve_levels<dimensions, Bits>;
  int used_levels = levels;

  KOKKOS_FUNCTION constexpr Key operator()(const Cell<dimensions>& cell) const {
    Bits key = cell.at[dimensions - 1];
    // A coordinate counts backwards where the row or plane around it is an odd one; rows and planes
    // have an even number of cells, so their parity is that of their own last digit.
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
  // last - coordinate within an odd row, without a branch; all bits of `last` are ones.
  KOKKOS_FUNCTION constexpr std::uint32_t turned(std::uint32_t coordinate,
                                                 std::uint32_t row) const {
    return coordinate ^ (last_coordinate() & (0U - (row & 1U)));
  }
  KOKKOS_FUNCTION constexpr std::uint32_t last_coordinate() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << used_levels) - 1);
  }
};

// --- Lattices ------------------------------------------------------------------------------------
// From places to keys: a lattice over the box, and a curve through its cells, on host and device.
// Cells are cubes, 2^levels along the box's longest side, so that a curve through them treats all
// axes alike.

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
