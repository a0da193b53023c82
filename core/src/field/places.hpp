#pragma once

// Positions as kernels read them: as doubles, whatever their memory and type.

#include <evenkeel/core/field.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace evenkeel {

// One component of all objects. A function object that kernels can call, and reduce.
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

}  // namespace evenkeel
