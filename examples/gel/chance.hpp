#pragma once

// Random numbers without state: a number depends only on its series and its place in it, so it is
// the same on any rank.

#include <Kokkos_Core.hpp>

#include <cstdint>

// Scrambles bits, as SplitMix64 does (Steele, Lea and Flood, OOPSLA 2014).
KOKKOS_INLINE_FUNCTION std::uint64_t scramble(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

// Number `which` of a series, evenly distributed from -1 to 1.
KOKKOS_INLINE_FUNCTION double even_chance(std::uint64_t series, std::int64_t which) {
  const std::uint64_t bits = scramble(series ^ static_cast<std::uint64_t>(which));
  return static_cast<double>(bits >> 11U) * 0x1p-52 - 1;
}
