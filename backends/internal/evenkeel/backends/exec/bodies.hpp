#pragma once

// Bodies of kernels that many stages launch. Values and predicates are for sum(), extremes(),
// numbers_that() and first_that(). Copies are for for_each().

#include <evenkeel/backends/exec/compatibility.hpp>

#include <type_traits>

namespace evenkeel::exec {

// --- Values --------------------------------------------------------------------------------------

// The value at an index.
template <class T>
struct ValueAt {
  const T* values;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const { return values[i]; }
};
template <class T>
ValueAt(const T*) -> ValueAt<T>;

// One of `several` adjacent values per index. `values` points to that of index 0.
template <class T>
struct OneOfSeveral {
  const T* values;
  std::int64_t several;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const { return values[i * several]; }
};
template <class T>
OneOfSeveral(const T*, std::int64_t) -> OneOfSeveral<T>;

// --- Predicates ----------------------------------------------------------------------------------

// True if the value equals `value`.
template <class T>
struct IsEqual {
  const T* values;
  T value;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return values[i] == value; }
};
template <class T>
IsEqual(const T*, std::type_identity_t<T>) -> IsEqual<T>;

// True if the value differs from `value`.
template <class T>
struct IsOther {
  const T* values;
  T value;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return values[i] != value; }
};
template <class T>
IsOther(const T*, std::type_identity_t<T>) -> IsOther<T>;

// True if the value is less than the limit.
template <class T>
struct IsBelow {
  const T* values;
  T limit;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return values[i] < limit; }
};
template <class T>
IsBelow(const T*, std::type_identity_t<T>) -> IsBelow<T>;

// True if the value is greater than the limit.
template <class T>
struct IsAbove {
  const T* values;
  T limit;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return values[i] > limit; }
};
template <class T>
IsAbove(const T*, std::type_identity_t<T>) -> IsAbove<T>;

// True if the value is outside of [0, end).
template <class T>
struct IsOutside {
  const T* values;
  T end;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return values[i] < 0 || values[i] >= end;
  }
};
template <class T>
IsOutside(const T*, std::type_identity_t<T>) -> IsOutside<T>;

// True if the value is NaN, infinite or negative.
struct IsNoAmount {
  const double* values;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return !is_finite(values[i]) || values[i] < 0;
  }
};

// True if the next value is less.
template <class T>
struct Falls {
  const T* values;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return values[i + 1] < values[i]; }
};
template <class T>
Falls(const T*) -> Falls<T>;

// True if the value is the first, or differs from the one before it.
template <class T>
struct StartsRun {
  const T* values;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return i == 0 || values[i] != values[i - 1];
  }
};
template <class T>
StartsRun(const T*) -> StartsRun<T>;

// --- Copies --------------------------------------------------------------------------------------

// Sets all values to `value`.
template <class T>
struct Fill {
  T* values;
  T value;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] = value; }
};

// Sets each value to its index.
template <class T>
struct CountUp {
  T* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] = static_cast<T>(i); }
};

// Copies values, perhaps to another type.
template <class From, class To>
struct Copy {
  const From* from;
  To* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = static_cast<To>(from[i]); }
};
template <class From, class To>
Copy(const From*, To*) -> Copy<From, To>;

// Gathers the values at some places. `picked` and `places` may be the same array.
template <class T, class Place = std::int64_t>
struct Pick {
  const T* values;
  const Place* places;
  T* picked;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { picked[i] = values[places[i]]; }
};
template <class T, class Place>
Pick(const T*, const Place*, T*) -> Pick<T, Place>;

// Scatters values to some places.
template <class T>
struct Put {
  const T* values;
  const std::int64_t* places;
  T* into;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { into[places[i]] = values[i]; }
};
template <class T>
Put(const T*, const std::int64_t*, T*) -> Put<T>;

// The lengths of some rows; row r begins at offsets[r].
struct RowLengths {
  const std::int64_t *offsets, *rows;
  std::int64_t* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    lengths[i] = offsets[rows[i] + 1] - offsets[rows[i]];
  }
};

// --- Bits ----------------------------------------------------------------------------------------

// A bijection that spreads any numbers evenly: the mixing function of SplittableRandom by D. Lea
// and others.
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31U);
}

}  // namespace evenkeel::exec
