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

}  // namespace evenkeel
