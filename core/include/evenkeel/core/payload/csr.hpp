#pragma once

// Any number of values per object, of all objects side by side in one array: those of object i are
// values[offsets[i]] to before values[offsets[i + 1]].
//
//   ek::set(position, ek::carry(mass, ek::csr(first_neighbour, neighbours)))
//
// `offsets` has one more entry than there are objects, of any integer type; it begins at 0 and
// never falls. After a move both are re-allocated, in the memory that they were in.

#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/payload.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace evenkeel {

EVENKEEL_API std::shared_ptr<const Payload> csr(Field offsets, Field values);

// From variables of any container that can be a field.
template <class Offsets, class Values>
requires(!std::same_as<std::remove_cvref_t<Offsets>, Field>) std::shared_ptr<const Payload> csr(
    Offsets&& offsets, Values&& values) {
  return csr(field_of(std::forward<Offsets>(offsets)), field_of(std::forward<Values>(values)));
}

}  // namespace evenkeel
