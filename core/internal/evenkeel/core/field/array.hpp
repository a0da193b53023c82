#pragma once

// The adapter for fields in evenkeel's own arrays (exec::Array), in the memory of a space.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>

namespace evenkeel {

template <class T>
struct FieldTraits<exec::Array<T>> {
  using Container = exec::Array<T>;
  using Element = T;
  using Staged = Container;

  static FieldLayout layout(Container& array) {
    return packed_layout(array.data(), array.size(), array.capacity(), array.memory());
  }
  static std::string label(const Container&) { return "exec::Array"; }
  static Ownership ownership(const Container&) { return Ownership::sole; }

  static Staged allocate(const Container& array, const Room& room) {
    return Container(array.space(), "evenkeel::field::array", room.count, room.capacity);
  }
  static FieldLayout staged_layout(Staged& staged) { return layout(staged); }
  static void commit(Container& array, Staged& staged) noexcept { std::swap(array, staged); }
  static void resized(Container& array, std::int64_t count) noexcept { array.resize(count); }
};

}  // namespace evenkeel
