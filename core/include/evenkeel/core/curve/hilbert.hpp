#pragma once

// The Hilbert curve, on host and device: cell -> key and back.
//
// Each orthant's curve enters at a corner and leaves along an axis, and both depend on the orthants
// around it alone (C. Hamilton, Compact Hilbert Indices, Dalhousie University CS-2006-07, sections
// 2 and 3). So the curve is an automaton: its state is the pair of corner and axis, and a level
// turns an orthant into its place among its siblings. Hosts take three levels per step (four in
// 2-D) from tables; devices go level by level, or use the same tables where they have them at hand.

#include <evenkeel/core/curve/cell.hpp>
#include <evenkeel/core/key.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace evenkeel {

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

}  // namespace evenkeel
