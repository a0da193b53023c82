#pragma once

// Radix sort of pairs on a device, in place. The caller chooses the vendor's library or our own
// kernels. All work runs on the given instance. Each pass moves the pairs between the caller's
// arrays and a second copy. Only the bits in which keys differ are sorted.

#include "exec/sort/device_library.hpp"
#include "exec/sort/mask.hpp"

#include <bit>

namespace evenkeel::exec::device_sort {

template <class Key>
struct DifferingBits {
  const Key* keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Key& differing) const {
    differing = static_cast<Key>(differing | (keys[i] ^ keys[0]));
  }
};

// Narrows `bits` to the range outside of which all keys are equal. A pass of the sort costs several
// times as much as this pass over the keys. If there are few keys, waiting for the result costs
// more than it saves, so `bits` stays as it is.
template <class Instance, class Key>
KeyBits bits_to_sort(const Instance& instance, const Key* keys, std::int64_t count, KeyBits bits) {
  constexpr std::int64_t worth_it = std::int64_t{1} << 16;
  if (count < worth_it) return bits;
  Key differing = 0;
  exec::reduce(instance, "evenkeel::exec::differing_bits", count, DifferingBits<Key>{keys},
               Kokkos::BOr<Key>(differing));
  fence(instance, "evenkeel::exec::differing_bits");
  const std::uint64_t found = differing & key_mask(bits);
  if (found == 0) return {bits.begin, bits.begin};
  return {std::countr_zero(found), 64 - std::countl_zero(found)};
}

// Sorts in place. Blocks, because it frees its scratch memory.
template <class Instance, class Key, class Index, class Sort>
void sort_with(const Instance& instance, MemoryKind kind, Key* keys, Index* indices,
               std::int64_t count, KeyBits bits, const Sort& sort) {
  bits = bits_to_sort(instance, keys, count, bits);
  if (bits.begin == bits.end) return;
  const auto bytes_of = [=](std::size_t size) { return count * static_cast<std::int64_t>(size); };
  const Buffer other_keys("evenkeel::exec::sort_keys", kind, bytes_of(sizeof(Key)));
  const Buffer other_indices("evenkeel::exec::sort_indices", kind, bytes_of(sizeof(Index)));
  PairCopies<Key, Index> copies{keys, reinterpret_cast<Key*>(other_keys.data()), indices,
                                reinterpret_cast<Index*>(other_indices.data())};
  sort(instance, copies, count, bits);
  if (copies.keys == keys) return;
  const Space space = space_of(instance);
  copy_bytes(space, keys, kind, copies.keys, kind, bytes_of(sizeof(Key)));
  copy_bytes(space, indices, kind, copies.indices, kind, bytes_of(sizeof(Index)));
  fence(instance, "evenkeel::exec::sort_pairs");
}

}  // namespace evenkeel::exec::device_sort
