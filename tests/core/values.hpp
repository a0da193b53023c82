#pragma once

// Reads and writes the values behind a layout in any memory, and defines the element types that the
// tests of the field share.

#include "support/harness.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>

namespace evenkeel::test {

// A vector type of an application.
struct Vec3 {
  double x, y, z;
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

// evenkeel knows only the bytes of this type.
struct Opaque {
  double mass;
  int charge;
  char kind;
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

// An array of this type is both the position and the cargo.
struct Particle {
  int id;
  float x[3];
  double charge;
};

// The layout of the same values in host memory, with components and objects adjacent.
inline FieldLayout packed_on_host(const FieldLayout& like, void* data) {
  FieldLayout packed = like;
  packed.data = data;
  packed.memory = MemoryKind::host;
  packed.capacity = packed.count;
  packed.object_stride_bytes = packed.bytes_per_object();
  packed.component_stride_bytes = packed.element_bytes;
  return packed;
}

// All values of T behind a layout, object by object, copied to the host.
template <class T>
std::vector<T> values_at(const FieldLayout& layout) {
  std::vector<T> values(static_cast<std::size_t>(layout.count * layout.bytes_per_object()) /
                        sizeof(T));
  copy_objects(test::space(), packed_on_host(layout, values.data()), layout, layout.count);
  return values;
}

template <class T>
void write_values(const FieldLayout& layout, std::vector<T> values) {
  copy_objects(test::space(), layout, packed_on_host(layout, values.data()), layout.count);
}

// Copies values of the host to a space.
template <class T>
exec::Array<T> array_of(const std::vector<T>& values, const Space& where = space()) {
  return {where, "evenkeel::test::values", std::span<const T>(values)};
}

// first, first + 1, ...
template <class T = double>
std::vector<T> counting(std::int64_t count, T first = T{}) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Writes consecutive numbers from `first` to the values of the layout, and returns them.
template <class T = double>
std::vector<T> fill(const FieldLayout& layout, T first) {
  auto values = counting<T>(layout.count * layout.components, first);
  write_values(layout, values);
  return values;
}

// Does the same for new objects: `objects` is their number, or a Room.
template <class T = double, class Objects>
std::vector<T> refill(const Field& field, const Objects& objects, Placement placement, T first) {
  StagedField staged = field.stage(space(), objects, placement);
  auto values = fill<T>(staged.layout(), first);
  staged.commit();
  return values;
}

}  // namespace evenkeel::test

template <>
struct evenkeel::ElementShape<evenkeel::test::Vec3> : evenkeel::VectorOf<double, 3> {};

template <>
struct evenkeel::PositionIn<evenkeel::test::Particle>
    : evenkeel::PositionAt<float, 3, offsetof(evenkeel::test::Particle, x)> {};
