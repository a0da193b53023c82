#pragma once

// Finds the part that owns a key, on host and device.

#include <evenkeel/core/domains/curve.hpp>

#include <Kokkos_Macros.hpp>

namespace evenkeel {

// A function object for kernels. Refers to parts + 1 splitters, in memory that the caller reaches.
struct OwnerOf {
  const CurveKey* splitters;
  int parts;

  // The last part that begins at or before the key, so parts that own nothing are skipped. No
  // branch depends on the data.
  KOKKOS_FUNCTION int operator()(CurveKey key) const {
    int part = 0;
    for (int length = parts; length > 1;) {
      const int half = length / 2;
      part += splitters[part + half].value <= key.value ? half : 0;
      length -= half;
    }
    return part;
  }
};

// Writes the part that owns each of `count` keys to owners[0] ...; `space` must reach both. Blocks.
EVENKEEL_API void write_owners(const Space& space, const Splitters& splitters, const CurveKey* keys,
                               std::int64_t count, int* owners);

}  // namespace evenkeel
