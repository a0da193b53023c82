#pragma once

// Fields in std::vector (owned) and std::span (borrowed).

#include <evenkeel/core/field.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace evenkeel {

template <class T, class Allocator>
struct FieldTraits<std::vector<T, Allocator>> {
  static_assert(!std::is_same_v<T, bool>,
                "evenkeel: std::vector<bool> has no addressable elements");
  using Container = std::vector<T, Allocator>;
  using Element = T;
  using Staged = Container;

  static FieldLayout layout(Container& vector) {
    return packed_layout(vector.data(), std::ssize(vector),
                         static_cast<std::int64_t>(vector.capacity()));
  }
  static std::string label(const Container&) { return "std::vector"; }
  static Ownership ownership(const Container&) { return Ownership::sole; }

  static Staged allocate(const Container& vector, const Room& room) {
    Container staged(vector.get_allocator());
    staged.reserve(static_cast<std::size_t>(std::max(room.count, room.capacity)));
    detail::touch_first(staged.data(), static_cast<std::size_t>(room.count) * sizeof(T));
    staged.resize(static_cast<std::size_t>(room.count));
    return staged;
  }
  static FieldLayout staged_layout(Staged& staged) { return layout(staged); }
  static void commit(Container& vector, Staged& staged) noexcept { vector.swap(staged); }
  static void resized(Container& vector, std::int64_t count) noexcept {
    vector.resize(static_cast<std::size_t>(count));  // within its capacity
  }
};

template <class T, std::size_t extent>
struct FieldTraits<std::span<T, extent>> {
  using Container = std::span<T, extent>;
  using Element = T;

  static FieldLayout layout(Container& span) {
    return packed_layout(span.data(), std::ssize(span), std::ssize(span));
  }
  static std::string label(const Container&) { return "std::span"; }
  static Ownership ownership(const Container&) { return Ownership::borrowed; }
};

// --- Raw pointers --------------------------------------------------------------------------------
// Fields behind raw pointers, for applications in C, Fortran or plain CUDA.
//
//   ek::RawField x = ek::raw_field(pointer, {.count = n, .capacity = room, .components = 3});
//
// describes n objects of three adjacent values each. The caller keeps the memory: values change in
// place.

// The layout of an array that a pointer gives.
struct RawShape {
  std::int64_t count = 0;
  std::int64_t capacity = 0;  // if it is 0, the capacity is `count`
  int components = 1;
  MemoryKind memory = MemoryKind::host;
  // Distances in elements. If both are 0, components and objects are adjacent. If only
  // component_stride is given, there is one array per component, and the arrays begin that far
  // apart.
  std::int64_t object_stride = 0;
  std::int64_t component_stride = 0;
  std::string label = "raw field";
};

// An array with its layout. `T` is the type of one component, or of one object if components is 1.
template <class T>
struct RawField {
  T* data = nullptr;
  RawShape shape;
};

namespace detail {

// Returns true if no two values share memory: each object ends before the next one begins, or the
// array of each component ends before the next one begins.
inline bool are_apart(const RawShape& shape) {
  return shape.components == 1 || shape.capacity <= 1 ||
         shape.object_stride > (shape.components - 1) * shape.component_stride ||
         shape.component_stride > (shape.capacity - 1) * shape.object_stride;
}

}  // namespace detail

// The description of memory that the application manages itself. Throws an Error if the pointer is
// null, or if count, capacity, components and strides do not fit together. Local.
template <class T>
RawField<T> raw_field(T* data, RawShape shape) {
  if (shape.capacity == 0) shape.capacity = shape.count;
  if (shape.object_stride == 0)
    shape.object_stride = shape.component_stride == 0 ? shape.components : 1;
  if (shape.component_stride == 0) shape.component_stride = 1;
  const bool one_kind = shape.components == 1 || ElementShape<T>::components == 1;
  const bool sensible = shape.count >= 0 && shape.capacity >= shape.count &&
                        shape.components >= 1 && shape.component_stride > 0 &&
                        shape.object_stride > 0 && one_kind && detail::are_apart(shape) &&
                        (data != nullptr || shape.capacity == 0);
  if (!sensible)
    throw Error(
        ErrorKind::bad_input, Where{"core/field"},
        "The raw field '" + shape.label + "' is invalid: count " + std::to_string(shape.count) +
            ", capacity " + std::to_string(shape.capacity) + ", components " +
            std::to_string(shape.components) + ", strides " + std::to_string(shape.object_stride) +
            " and " + std::to_string(shape.component_stride) +
            (data == nullptr ? ", null pointer." : "."),
        one_kind ? "Give 0 <= count <= capacity, positive components, strides that keep all "
                   "values apart, and a pointer to memory."
                 : "Count components in the shape or in the element type, not in both.");
  return {data, std::move(shape)};
}

template <class T>
struct FieldTraits<RawField<T>> {
  using Container = RawField<T>;
  using Element = T;

  static FieldLayout layout(Container& field) {
    FieldLayout layout =
        packed_layout(field.data, field.shape.count, field.shape.capacity, field.shape.memory);
    if (field.shape.components > 1) {
      layout.components = field.shape.components;
      layout.component_stride_bytes =
          field.shape.component_stride * static_cast<std::int64_t>(sizeof(T));
    }
    layout.object_stride_bytes = field.shape.object_stride * static_cast<std::int64_t>(sizeof(T));
    return layout;
  }
  static std::string label(const Container& field) { return field.shape.label; }
  static Ownership ownership(const Container&) { return Ownership::borrowed; }
  static void resized(Container& field, std::int64_t count) noexcept { field.shape.count = count; }
};

}  // namespace evenkeel
