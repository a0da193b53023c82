#pragma once

// Radix sort of pairs by our own kernels, for devices without a library. It runs on every space.
//
// One pass sorts by a digit of four bits. The array is divided into tiles. Each tile has a counter
// for each value of the digit. The counters of one value are adjacent for all tiles. So the prefix
// sums of all counters are the positions where each tile writes the pairs of each value.

#include <evenkeel/backends/exec/scan.hpp>
#include <evenkeel/backends/exec/scratch.hpp>
#include <evenkeel/backends/exec/sort.hpp>

namespace evenkeel::exec::device_sort {

// Two copies of the pairs that a device sorts. Each pass moves the pairs from one copy to the
// other. After a sort, `keys` and `indices` point to the copy that has the result.
template <class Key, class Index>
struct PairCopies {
  Key *keys, *other_keys;
  Index *indices, *other_indices;

  void swap() {
    std::swap(keys, other_keys);
    std::swap(indices, other_indices);
  }
};

constexpr int tile_digit_bits = 4;
constexpr std::int64_t tile_digit_values = 1 << tile_digit_bits;

template <class Key>
struct Tiles {
  const Key* keys;
  std::int64_t count, tiles;
  int shift;
  Key mask;

  KOKKOS_FUNCTION std::int64_t begin_of(std::int64_t tile) const {
    const std::int64_t rest = count % tiles;
    return count / tiles * tile + (tile < rest ? tile : rest);
  }
  KOKKOS_FUNCTION std::int64_t digit_of(std::int64_t i) const {
    return static_cast<std::int64_t>((keys[i] >> shift) & mask);
  }
};

template <class Key, class Offsets>
struct CountInTiles {
  Tiles<Key> tiles;
  Offsets offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t tile) const {
    std::int64_t counts[tile_digit_values] = {};
    for (std::int64_t i = tiles.begin_of(tile); i < tiles.begin_of(tile + 1); ++i)
      ++counts[tiles.digit_of(i)];
    for (std::int64_t value = 0; value < tile_digit_values; ++value)
      offsets(value * tiles.tiles + tile) = counts[value];
  }
};

template <class Key, class Index, class Offsets>
struct ScatterTiles {
  Tiles<Key> tiles;
  Offsets offsets;
  const Index* indices;
  Key* to_keys;
  Index* to_indices;
  KOKKOS_FUNCTION void operator()(std::int64_t tile) const {
    std::int64_t next[tile_digit_values];
    for (std::int64_t value = 0; value < tile_digit_values; ++value)
      next[value] = offsets(value * tiles.tiles + tile);
    for (std::int64_t i = tiles.begin_of(tile); i < tiles.begin_of(tile + 1); ++i) {
      const std::int64_t at = next[tiles.digit_of(i)]++;
      to_keys[at] = tiles.keys[i];
      to_indices[at] = indices[i];
    }
  }
};

// Leaves the sorted pairs in copies.keys and copies.indices. Blocks.
template <class Instance, class Key, class Index>
void sort_in_kernels(const Instance& instance, PairCopies<Key, Index>& copies, std::int64_t count,
                     KeyBits bits) {
  using Offsets = Kokkos::View<std::int64_t*, typename Instance::memory_space>;
  constexpr std::int64_t pairs_per_tile = 256;
  const std::int64_t tiles = count / pairs_per_tile + 1;
  const auto offsets = scratch<Offsets>("evenkeel::exec::sort_offsets", tiles * tile_digit_values);
  for (int low = bits.begin; low < bits.end; low += tile_digit_bits) {
    const int width = bits.end - low < tile_digit_bits ? bits.end - low : tile_digit_bits;
    const Tiles<Key> in_tiles{copies.keys, count, tiles, low, static_cast<Key>((1 << width) - 1)};
    exec::for_each(instance, "evenkeel::exec::sort_count", tiles,
                   CountInTiles<Key, Offsets>{in_tiles, offsets});
    exclusive_scan(instance, offsets, offsets);
    exec::for_each(instance, "evenkeel::exec::sort_scatter", tiles,
                   ScatterTiles<Key, Index, Offsets>{in_tiles, offsets, copies.indices,
                                                     copies.other_keys, copies.other_indices});
    copies.swap();
  }
  fence(instance, "evenkeel::exec::sort_pairs");
}

struct InKernels {
  template <class Instance, class Key, class Index>
  void operator()(const Instance& instance, PairCopies<Key, Index>& copies, std::int64_t count,
                  KeyBits bits) const {
    sort_in_kernels(instance, copies, count, bits);
  }
};

}  // namespace evenkeel::exec::device_sort
