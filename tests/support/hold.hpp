#pragma once

// A container of an application, which fails on request.

#include <evenkeel/core/field.hpp>

#include <cstddef>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace evenkeel::test {

// It can refuse to make room, and refuse access.
struct Hold {
  std::vector<double> values;
  bool is_full = false, is_locked = false;
};

}  // namespace evenkeel::test

namespace evenkeel {

template <>
struct FieldTraits<test::Hold> {
  using Element = double;
  using Staged = std::vector<double>;
  static FieldLayout layout(test::Hold& hold) {
    if (hold.is_locked) throw std::runtime_error("the hold is locked");
    return packed_layout(hold.values.data(), std::ssize(hold.values), std::ssize(hold.values));
  }
  static std::string label(const test::Hold&) { return "hold"; }
  static Ownership ownership(const test::Hold&) { return Ownership::sole; }
  static Staged allocate(const test::Hold& hold, const Room& room) {
    if (hold.is_full) throw std::bad_alloc();
    return Staged(static_cast<std::size_t>(room.count));
  }
  static FieldLayout staged_layout(Staged& staged) {
    return packed_layout(staged.data(), std::ssize(staged), std::ssize(staged));
  }
  static void commit(test::Hold& hold, Staged& staged) noexcept { hold.values.swap(staged); }
};

}  // namespace evenkeel
