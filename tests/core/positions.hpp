#pragma once

// Containers of positions, in memory that the space under test reaches.

#include "core/values.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>

namespace evenkeel::test {

// The functions below call visit.operator()<Real>(dimensions, make) for each kind of container.
// make(objects) returns a container whose coordinates are Reals.

template <class View, class Real, class Visit>
void visit_elements(int dimensions, const Visit& visit) {
  visit.template operator()<Real>(dimensions,
                                  [](std::size_t objects) { return View("x", objects); });
}

// Visits a whole View, and a piece of a wider and longer array.
template <class Real, class Layout, class Memory, class Visit>
void visit_columns(const Visit& visit) {
  using View = Kokkos::View<Real**, Layout, Memory>;
  for (const std::size_t n : {2U, 3U}) {
    const auto dimensions = static_cast<int>(n);
    visit.template operator()<Real>(dimensions,
                                    [n](std::size_t objects) { return View("x", objects, n); });
    visit.template operator()<Real>(dimensions, [n](std::size_t objects) {
      return Kokkos::subview(View("wide", objects + 7, 5),
                             std::pair<std::size_t, std::size_t>(3, objects + 3),
                             std::pair<std::size_t, std::size_t>(1, 1 + n));
    });
  }
}

template <class Visit>
void visit_positions(const Visit& visit) {
  with_space(space(), [&]<class Instance>(const Instance&) {
    using Memory = typename Instance::memory_space;
    visit_columns<double, Kokkos::LayoutLeft, Memory>(visit);
    visit_columns<double, Kokkos::LayoutRight, Memory>(visit);
    visit_columns<float, Kokkos::LayoutLeft, Memory>(visit);
    visit_columns<float, Kokkos::LayoutRight, Memory>(visit);
    visit_elements<Kokkos::View<double* [3], Memory>, double>(3, visit);
    visit_elements<Kokkos::View<Vec3*, Memory>, double>(3, visit);
    visit_elements<Kokkos::View<std::array<float, 2>*, Memory>, float>(2, visit);
    visit_elements<Kokkos::View<Particle*, Memory>, float>(3, visit);
  });
}

}  // namespace evenkeel::test
