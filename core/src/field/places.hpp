#pragma once

// Positions for kernels. Kernels read them as doubles, whatever their layout and type is.

#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/core/field.hpp>

#include <Kokkos_Macros.hpp>

namespace evenkeel {

// One component of all positions. It is a function object that kernels and reductions can call.
template <class Real>
struct Coordinate {
  const char* data;
  std::int64_t stride_bytes;
  KOKKOS_FUNCTION double operator()(std::int64_t object) const {
    return static_cast<double>(*reinterpret_cast<const Real*>(data + object * stride_bytes));
  }
};

template <class Real>
struct Places {
  const char* data;
  std::int64_t object_stride_bytes, component_stride_bytes;
  std::int64_t count;

  explicit Places(const FieldLayout& at)
      : data(static_cast<const char*>(at.data)),
        object_stride_bytes(at.object_stride_bytes),
        component_stride_bytes(at.component_stride_bytes),
        count(at.count) {}

  KOKKOS_FUNCTION Coordinate<Real> along(int axis) const {
    return {data + axis * component_stride_bytes, object_stride_bytes};
  }
  KOKKOS_FUNCTION double at(std::int64_t object, int axis) const { return along(axis)(object); }
};

// Calls use(places) with positions in the type of the field, float or double.
template <class Use>
auto with_places(const FieldLayout& at, const Use& use) {
  return at.scalar == ScalarType::float32 ? use(Places<float>(at)) : use(Places<double>(at));
}

template <class Real>
struct IsNotFinite {
  Coordinate<Real> coordinate;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return !exec::is_finite(coordinate(i)); }
};

}  // namespace evenkeel
