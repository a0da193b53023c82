#pragma once

// Moves data of the tests to a space and back. A kernel gets Views in the memory of the space that
// it runs on; its oracle gets vectors.

#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace evenkeel::test {

template <class T, class Instance>
using Values = Kokkos::View<T*, typename Instance::memory_space>;

template <class T, class Instance>
Values<T, Instance> room_on(const Instance&, std::size_t count) {
  return Values<T, Instance>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("evenkeel::test::values")),
      count);
}

template <class T, class Instance>
Values<T, Instance> values_on(const Instance& instance, const std::vector<T>& values) {
  const auto view = room_on<T>(instance, values.size());
  const auto mirror = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < values.size(); ++i) mirror(i) = values[i];
  Kokkos::deep_copy(view, mirror);
  return view;
}

template <class View>
auto values_of(const View& view) {
  const auto mirror = Kokkos::create_mirror_view(view);
  Kokkos::deep_copy(mirror, view);
  std::vector<typename View::non_const_value_type> values(view.extent(0));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = mirror(i);
  return values;
}

// Draws whole numbers from `least` to `greatest`, the same in every run. Their sums are exact even
// as floating-point numbers, so the order of addition does not matter.
template <class T>
std::vector<T> random_whole(std::size_t count, std::int64_t least, std::int64_t greatest,
                            unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<std::int64_t> draw(least, greatest);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(draw(generator));
  return values;
}

}  // namespace evenkeel::test
