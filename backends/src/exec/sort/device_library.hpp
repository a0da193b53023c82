#pragma once

// Radix sort of pairs by the vendor's library on CUDA and HIP. Elsewhere our own kernels sort.

#include "exec/sort/device_kernels.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_radix_sort.cuh>
#elif defined(KOKKOS_ENABLE_HIP) && defined(__has_include)
#if __has_include(<rocprim/rocprim.hpp>)
#include <rocprim/rocprim.hpp>
#define EVENKEEL_HAS_ROCPRIM
#endif
#endif

namespace evenkeel::exec::device_sort {

[[noreturn]] inline void refuse(const char* library, const char* reason) {
  throw Error(ErrorKind::internal, Where{"backends/exec"},
              std::string("The radix sort of ") + library + " failed: " + reason + '.',
              "Please report it, with the number of objects.");
}

// Calls sort(memory, bytes) twice, as these libraries require: first without memory, to get the
// size of the scratch memory, and then to sort. Allocates the scratch memory before anything
// changes.
template <class Sort>
void with_memory_for(const Sort& sort) {
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const Buffer memory("evenkeel::exec::sort_memory", MemoryKind::device,
                      // not 0: null memory would only ask for the size again
                      static_cast<std::int64_t>(bytes) + 1);
  sort(memory.data(), bytes);
}

#if defined(KOKKOS_ENABLE_CUDA)

template <class Key, class Index>
void sort_by_library(const Kokkos::Cuda& instance, PairCopies<Key, Index>& copies,
                     std::int64_t count, KeyBits bits) {
  cub::DoubleBuffer<Key> keys(copies.keys, copies.other_keys);
  cub::DoubleBuffer<Index> indices(copies.indices, copies.other_indices);
  with_memory_for([&](void* memory, std::size_t& bytes) {
    const cudaError_t status = cub::DeviceRadixSort::SortPairs(
        memory, bytes, keys, indices, count, bits.begin, bits.end, instance.cuda_stream());
    if (status != cudaSuccess) refuse("CUB", cudaGetErrorString(status));
    if (memory != nullptr) fence(instance, "evenkeel::exec::sort_pairs");
  });
  copies = {keys.Current(), keys.Alternate(), indices.Current(), indices.Alternate()};
}

#elif defined(EVENKEEL_HAS_ROCPRIM)

template <class Key, class Index>
void sort_by_library(const Kokkos::DefaultExecutionSpace& instance, PairCopies<Key, Index>& copies,
                     std::int64_t count, KeyBits bits) {
  rocprim::double_buffer<Key> keys(copies.keys, copies.other_keys);
  rocprim::double_buffer<Index> indices(copies.indices, copies.other_indices);
  with_memory_for([&](void* memory, std::size_t& bytes) {
    const hipError_t status = rocprim::radix_sort_pairs(
        memory, bytes, keys, indices, static_cast<std::size_t>(count),
        static_cast<unsigned>(bits.begin), static_cast<unsigned>(bits.end), instance.hip_stream());
    if (status != hipSuccess) refuse("rocPRIM", hipGetErrorString(status));
    if (memory != nullptr) fence(instance, "evenkeel::exec::sort_pairs");
  });
  copies = {keys.current(), keys.alternate(), indices.current(), indices.alternate()};
}

#else

template <class Instance, class Key, class Index>
void sort_by_library(const Instance& instance, PairCopies<Key, Index>& copies, std::int64_t count,
                     KeyBits bits) {
  sort_in_kernels(instance, copies, count, bits);
}

#endif

struct ByLibrary {
  template <class Instance, class Key, class Index>
  void operator()(const Instance& instance, PairCopies<Key, Index>& copies, std::int64_t count,
                  KeyBits bits) const {
    sort_by_library(instance, copies, count, bits);
  }
};

}  // namespace evenkeel::exec::device_sort
