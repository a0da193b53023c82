#pragma once

// Radix sort of pairs on a device: by the vendor's library on CUDA and HIP, by kernels of our own
// elsewhere. All of them work on the instance that they are given, between the caller's arrays and
// a second copy of them.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/exec/scan.hpp>
#include <evenkeel/backends/exec/scratch.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_radix_sort.cuh>
#elif defined(KOKKOS_ENABLE_HIP) && defined(__has_include)
#if __has_include(<rocprim/rocprim.hpp>)
#include <rocprim/rocprim.hpp>
#define EVENKEEL_HAS_ROCPRIM
#endif
#endif

namespace evenkeel::exec::device_sort {

// Two copies of the pairs: sorts go back and forth between them.
template <class Key, class Index>
struct Copies {
  Key *keys, *other_keys;
  Index *indices, *other_indices;

  void swap() {
    std::swap(keys, other_keys);
    std::swap(indices, other_indices);
  }
};

// --- The bits that matter ------------------------------------------------------------------------

template <class Key>
struct DifferingBits {
  const Key* keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Key& differing) const {
    differing = static_cast<Key>(differing | (keys[i] ^ keys[0]));
  }
};

struct Bits {
  int low, high;
};

// The bits of [low, high) outside of which all keys agree. A pass of the sort costs several times
// as much as this look at the keys; few keys are not worth the wait for its result.
template <class Instance, class Key>
Bits bits_to_sort(const Instance& instance, const Key* keys, std::int64_t count, Bits bits) {
  constexpr std::int64_t worth_it = std::int64_t{1} << 16;
  if (count < worth_it) return bits;
  Key differing = 0;
  Kokkos::parallel_reduce(
      "evenkeel::exec::differing_bits",
      Kokkos::RangePolicy<Instance, Kokkos::IndexType<std::int64_t>>(instance, 0, count),
      DifferingBits<Key>{keys}, Kokkos::BOr<Key>(differing));
  fence(instance, "evenkeel::exec::differing_bits");
  const std::uint64_t below_high = bits.high == 64 ? 0 : std::uint64_t{1} << bits.high;
  const std::uint64_t mask = below_high - (std::uint64_t{1} << bits.low);
  const std::uint64_t found = differing & mask;
  if (found == 0) return {bits.low, bits.low};
  return {std::countr_zero(found), 64 - std::countl_zero(found)};
}

// --- Kernels for every space ---------------------------------------------------------------------

// One pass sorts by a digit of four bits. The array is cut into tiles; each has one counter per
// value of the digit, and all tiles' counters of a value are adjacent, so that their prefix sums
// are where each tile writes.
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
void sort_in_kernels(const Instance& instance, Copies<Key, Index>& copies, std::int64_t count,
                     Bits bits) {
  using Range = Kokkos::RangePolicy<Instance, Kokkos::IndexType<std::int64_t>>;
  using Offsets = Kokkos::View<std::int64_t*, typename Instance::memory_space>;
  constexpr std::int64_t pairs_per_tile = 256;
  const std::int64_t tiles = count / pairs_per_tile + 1;
  const auto offsets = scratch<Offsets>("evenkeel::exec::sort_offsets", tiles * tile_digit_values);
  for (int low = bits.low; low < bits.high; low += tile_digit_bits) {
    const int width = bits.high - low < tile_digit_bits ? bits.high - low : tile_digit_bits;
    const Tiles<Key> in_tiles{copies.keys, count, tiles, low, static_cast<Key>((1 << width) - 1)};
    Kokkos::parallel_for("evenkeel::exec::sort_count", Range(instance, 0, tiles),
                         CountInTiles<Key, Offsets>{in_tiles, offsets});
    exclusive_scan(instance, offsets, offsets);
    Kokkos::parallel_for(
        "evenkeel::exec::sort_scatter", Range(instance, 0, tiles),
        ScatterTiles<Key, Index, Offsets>{in_tiles, offsets, copies.indices, copies.other_keys,
                                          copies.other_indices});
    copies.swap();
  }
  fence(instance, "evenkeel::exec::sort_pairs");
}

// --- The vendors' libraries ----------------------------------------------------------------------

[[noreturn]] inline void refuse(const char* library, const char* reason) {
  throw Error(ErrorKind::internal, Where{"backends/exec"},
              std::string("The radix sort of ") + library + " failed: " + reason + '.',
              "Please report it, with the number of objects.");
}

// Calls sort(memory, bytes) as these libraries want it: once without memory, to learn how much,
// and once to sort. Scratch is taken before anything changes.
template <class Sort>
void with_memory_for(const Sort& sort) {
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const Buffer memory("evenkeel::exec::sort_memory", MemoryKind::device,
                      static_cast<std::int64_t>(bytes) + 1);  // none would mean: how much?
  sort(memory.data(), bytes);
}

#if defined(KOKKOS_ENABLE_CUDA)

template <class Key, class Index>
void sort_by_library(const Kokkos::Cuda& instance, Copies<Key, Index>& copies, std::int64_t count,
                     Bits bits) {
  cub::DoubleBuffer<Key> keys(copies.keys, copies.other_keys);
  cub::DoubleBuffer<Index> indices(copies.indices, copies.other_indices);
  with_memory_for([&](void* memory, std::size_t& bytes) {
    const cudaError_t status = cub::DeviceRadixSort::SortPairs(
        memory, bytes, keys, indices, count, bits.low, bits.high, instance.cuda_stream());
    if (status != cudaSuccess) refuse("CUB", cudaGetErrorString(status));
    if (memory != nullptr) fence(instance, "evenkeel::exec::sort_pairs");
  });
  copies = {keys.Current(), keys.Alternate(), indices.Current(), indices.Alternate()};
}

#elif defined(EVENKEEL_HAS_ROCPRIM)

template <class Key, class Index>
void sort_by_library(const Kokkos::DefaultExecutionSpace& instance, Copies<Key, Index>& copies,
                     std::int64_t count, Bits bits) {
  rocprim::double_buffer<Key> keys(copies.keys, copies.other_keys);
  rocprim::double_buffer<Index> indices(copies.indices, copies.other_indices);
  with_memory_for([&](void* memory, std::size_t& bytes) {
    const hipError_t status = rocprim::radix_sort_pairs(
        memory, bytes, keys, indices, static_cast<std::size_t>(count),
        static_cast<unsigned>(bits.low), static_cast<unsigned>(bits.high), instance.hip_stream());
    if (status != hipSuccess) refuse("rocPRIM", hipGetErrorString(status));
    if (memory != nullptr) fence(instance, "evenkeel::exec::sort_pairs");
  });
  copies = {keys.current(), keys.alternate(), indices.current(), indices.alternate()};
}

#else

template <class Instance, class Key, class Index>
void sort_by_library(const Instance& instance, Copies<Key, Index>& copies, std::int64_t count,
                     Bits bits) {
  sort_in_kernels(instance, copies, count, bits);
}

#endif

struct ByLibrary {
  template <class Instance, class Key, class Index>
  void operator()(const Instance& instance, Copies<Key, Index>& copies, std::int64_t count,
                  Bits bits) const {
    sort_by_library(instance, copies, count, bits);
  }
};

struct InKernels {
  template <class Instance, class Key, class Index>
  void operator()(const Instance& instance, Copies<Key, Index>& copies, std::int64_t count,
                  Bits bits) const {
    sort_in_kernels(instance, copies, count, bits);
  }
};

// Sorts in place. Blocks: the scratch goes away.
template <class Instance, class Key, class Index, class Sort>
void sort_with(const Instance& instance, MemoryKind kind, Key* keys, Index* indices,
               std::int64_t count, Bits bits, const Sort& sort) {
  bits = bits_to_sort(instance, keys, count, bits);
  if (bits.low == bits.high) return;
  const auto bytes_of = [=](std::size_t size) { return count * static_cast<std::int64_t>(size); };
  const Buffer other_keys("evenkeel::exec::sort_keys", kind, bytes_of(sizeof(Key)));
  const Buffer other_indices("evenkeel::exec::sort_indices", kind, bytes_of(sizeof(Index)));
  Copies<Key, Index> copies{keys, reinterpret_cast<Key*>(other_keys.data()), indices,
                            reinterpret_cast<Index*>(other_indices.data())};
  sort(instance, copies, count, bits);
  if (copies.keys == keys) return;
  const Space space = space_of(instance);
  copy_bytes(space, keys, kind, copies.keys, kind, bytes_of(sizeof(Key)));
  copy_bytes(space, indices, kind, copies.indices, kind, bytes_of(sizeof(Index)));
  fence(instance, "evenkeel::exec::sort_pairs");
}

}  // namespace evenkeel::exec::device_sort
