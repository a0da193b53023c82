#pragma once

// Arrays made from a few values, and a few values taken from arrays.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/scan.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace evenkeel::exec {

namespace detail {

template <class T>
struct Fill {
  T* values;
  T value;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] = value; }
};

template <class T>
struct Pick {
  const T* values;
  const std::int64_t* places;
  T* picked;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { picked[i] = values[places[i]]; }
};

template <class T>
struct CountUp {
  T* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] = static_cast<T>(i); }
};

}  // namespace detail

// An array of `count` copies of a value. Blocks.
template <class T>
Array<T> filled(const Space& space, const char* label, std::int64_t count, T value) {
  Array<T> all(space, label, count);
  for_each(space, label, count, detail::Fill<T>{all.data(), value});
  space.fence(label);
  return all;
}

// 0, 1, 2, ... Does not block.
template <class T>
Array<T> counted_up(const Space& space, const char* label, std::int64_t count) {
  Array<T> all(space, label, count);
  for_each(space, label, count, detail::CountUp<T>{all.data()});
  return all;
}

// The values at the given places. Values and places lie in memory that the space can reach. Blocks.
template <class T>
Array<T> chosen(const Space& space, const char* label, const T* values,
                std::span<const std::int64_t> places) {
  Array<T> all(space, label, std::ssize(places));
  for_each(space, label, all.size(), detail::Pick<T>{values, places.data(), all.data()});
  space.fence(label);
  return all;
}
template <class T>
Array<T> chosen(const Space& space, const char* label, const T* values,
                const Array<std::int64_t>& places) {
  return chosen(space, label, values, std::span<const std::int64_t>(places.span()));
}

// Replaces each value by the sum of those before it, and returns the sum of all. Blocks until that
// is known.
template <class T>
T sum_up(const Array<T>& values) {
  const Values<T> all{values.data(), values.size()};
  return with_space(values.space(),
                    [&](const auto& instance) { return exclusive_scan(instance, all, all); });
}

// The values of an array at a few places, on the host.
template <class T>
std::vector<T> picked(const Array<T>& values, const char* label,
                      std::span<const std::int64_t> places) {
  const Space space = values.space();
  const Reached<std::int64_t> there(space, label, places);
  return chosen(space, label, values.data(),
                std::span(there.data(), static_cast<std::size_t>(there.size())))
      .on_host();
}

}  // namespace evenkeel::exec
