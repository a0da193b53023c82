#pragma once

// Finds the part that owns a key, on host and device.

#include <evenkeel/core/domains/curve.hpp>

#include <Kokkos_Macros.hpp>

namespace evenkeel {

// Finds the part of a key. Refers to parts + 1 splitters; the kernel must be able to read their
// memory.
struct OwnerOf {
  const CurveKey* splitters;
  int parts;

  // Returns the last part that begins at or before the key; this skips parts that own nothing. No
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

// Writes the part that owns each of `count` keys to owners[0], owners[1] and so on. `space` must
// reach both lists. Blocks.
EVENKEEL_API void write_owners(const Space& space, const Splitters& splitters, const CurveKey* keys,
                               std::int64_t count, int* owners);

}  // namespace evenkeel
