#pragma once

// The bits that a sort compares, as a mask.

#include <evenkeel/backends/exec/sort.hpp>

namespace evenkeel::exec {

// Requires bits that keys can have: begin < 64 and begin <= end.
constexpr std::uint64_t key_mask(KeyBits bits) {
  const std::uint64_t below_end = bits.end == 64 ? 0 : std::uint64_t{1} << bits.end;
  return below_end - (std::uint64_t{1} << bits.begin);
}

}  // namespace evenkeel::exec
