#pragma once

#include "support/harness.hpp"

#include <evenkeel/evenkeel.hpp>

namespace evenkeel::test {

// A cloud of objects whose places are unrelated to their ranks. Most objects are on low ranks.
struct DeviceCloud {
  static constexpr std::int64_t objects_of_a_rank = 40'000;
  using Memory = exec::TestDeviceMemory;
  Kokkos::View<double* [3], Memory> x;
  Kokkos::View<double*, Memory> mass, weight;
  Kokkos::View<std::int64_t*, Memory> id, group;
  Kokkos::View<std::int64_t*, Memory> first;  // of the values of each object
  Kokkos::View<double*, Memory> values;

  static double place(std::int64_t id, int axis) {
    const double turn = static_cast<double>(id) * (0.618034 + 0.1 * axis);
    return turn - std::floor(turn);
  }

  template <class T>
  static void fill(const Kokkos::View<T*, Memory>& view, const std::vector<T>& values) {
    const auto mirror = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < values.size(); ++i) mirror(i) = values[i];
    Kokkos::deep_copy(view, mirror);
  }

  explicit DeviceCloud(const Communicator& communicator) {
    const std::int64_t all = objects_of_a_rank * communicator.size();
    std::vector<std::int64_t> mine;
    for (std::int64_t i = 0; i < all; ++i)
      if ((i * i) % 7 % communicator.size() == communicator.rank()) mine.push_back(i);
    const std::size_t count = mine.size();
    x = decltype(x)("x", count);
    mass = decltype(mass)("mass", count);
    weight = decltype(weight)("weight", count);
    id = decltype(id)("id", count);
    group = decltype(group)("group", count);
    const auto mirror = Kokkos::create_mirror_view(x);
    std::vector<double> masses(count), weights(count);
    std::vector<std::int64_t> groups(count), firsts(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
      for (int axis = 0; axis < 3; ++axis) mirror(i, axis) = place(mine[i], axis);
      masses[i] = 0.5 * static_cast<double>(mine[i]);
      weights[i] = 1 + static_cast<double>(mine[i] % 5);
      groups[i] = mine[i] % 3 == 0 ? -1 : mine[i] / 40;
      firsts[i + 1] = firsts[i] + mine[i] % 3;
    }
    Kokkos::deep_copy(x, mirror);
    fill(mass, masses);
    fill(weight, weights);
    fill(id, mine);
    fill(group, groups);
    first = decltype(first)("first", count + 1);
    fill(first, firsts);
    values = decltype(values)("values", static_cast<std::size_t>(firsts.back()));
    fill(values, std::vector<double>(static_cast<std::size_t>(firsts.back()), 3.0));
  }

  // Expects every object to be unchanged.
  void expect_whole() const {
    const auto places = Kokkos::create_mirror_view(x);
    const auto ids = Kokkos::create_mirror_view(id);
    const auto masses = Kokkos::create_mirror_view(mass);
    Kokkos::deep_copy(places, x);
    Kokkos::deep_copy(ids, id);
    Kokkos::deep_copy(masses, mass);
    int wrong = 0;
    for (std::size_t i = 0; i < ids.extent(0); ++i) {
      wrong += masses(i) == 0.5 * static_cast<double>(ids(i)) ? 0 : 1;
      for (int axis = 0; axis < 3; ++axis) wrong += places(i, axis) == place(ids(i), axis) ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0);
  }

  struct With {
    bool weights = false, groups = false, values = false;
  };
  Set as_set(const With& with) {
    SetOptions options;
    if (with.weights) options.weight = weight;
    if (with.groups) options.group = group;
    Carried carried = carry(mass, id, weight, group);
    if (with.values) carried.payloads.push_back(csr(field_of(first), field_of(values)));
    return set(x, carried, options);
  }
};

}  // namespace evenkeel::test
