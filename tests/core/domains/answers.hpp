#pragma once

// Compares all answers of domains of any type with owner_of() at each point.

#include "core/domains/any.hpp"

#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/domains/strays.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::test {

inline int owner_at(const Domains& domains, const Point& point) {
  return owner_of(domains,
                  std::span(point).first(static_cast<std::size_t>(dimensions_of(domains))));
}

// Objects at random points, with the owner of each.
template <class Real>
struct Scattered {
  std::vector<Real> places;
  std::vector<int> owners;

  Scattered(const Domains& domains, std::size_t count, Random& random) {
    for (std::size_t i = 0; i < count; ++i) {
      Point point = random_point(domains, random);
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d) {
        places.push_back(static_cast<Real>(point[d]));
        point[d] = static_cast<double>(places.back());
      }
      owners.push_back(owner_at(domains, point));
    }
  }
};

inline void expect_strays(const Domains& domains, const Set& set, const std::vector<int>& owners) {
  for (int rank = 0; rank < parts_of(domains); ++rank) {
    std::vector<std::int64_t> objects;
    std::vector<int> ranks;
    for (std::size_t i = 0; i < owners.size(); ++i)
      if (owners[i] != rank) {
        objects.push_back(static_cast<std::int64_t>(i));
        ranks.push_back(owners[i]);
      }
    const StrayFinder finder(space(), domains, rank, std::ssize(owners));
    const Strays found = finder.strays_of(set);
    ASSERT_EQ(found.objects.on_host(), objects) << "rank " << rank;
    ASSERT_EQ(found.owners.on_host(), ranks) << "rank " << rank;
  }
}

// Tests the owners of objects, and the objects that have strayed.
template <class Real, class Layout, class Instance>
void expect_owners_of_objects(const Instance&, const Domains& domains, std::size_t count,
                              Random& random) {
  using Memory = typename Instance::memory_space;
  const Scattered<Real> objects(domains, count, random);
  Kokkos::View<Real**, Layout, Memory> x("x", count,
                                         static_cast<std::size_t>(dimensions_of(domains)));
  write_values(field_of(x).position(), objects.places);
  const Kokkos::View<int*, Memory> ranks("ranks", count + 1);
  Kokkos::deep_copy(ranks, untouched);
  write_ranks(space(), domains, set(x), ranks.data());
  const auto found = Kokkos::create_mirror_view(ranks);
  Kokkos::deep_copy(found, ranks);
  std::vector<int> expected = objects.owners;
  expected.push_back(untouched);
  ASSERT_EQ(std::vector<int>(found.data(), found.data() + count + 1), expected);
  expect_strays(domains, set(x), objects.owners);
}

// Returns true if a place is in a box of a rank, except for the rounding of faces between cells.
inline bool is_in_a_box_of(const Domains& domains, int rank, Point point) {
  constexpr double tolerance = 1e-9;
  const Box& whole = box_of(domains);
  const std::array<bool, 3>& periodic = decomposition_of(domains).periodic();
  const auto n = static_cast<std::size_t>(dimensions_of(domains));
  for (std::size_t d = 0; d < n; ++d)  // the upper face is the same as the lower one
    if (periodic[d] && point[d] == whole.upper[d]) point[d] = whole.lower[d];
  const std::vector<Box> boxes = boxes_of(domains, rank);
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
    bool inside = true;
    for (std::size_t d = 0; d < n; ++d)
      inside =
          inside && box.lower[d] - tolerance <= point[d] && point[d] <= box.upper[d] + tolerance;
    return inside;
  });
}

// Tests the boxes of domains, and the owner of a place in another domain.
inline void expect_owners_of_places(const Domains& domains, int points, Random& random) {
  for (int i = 0; i < points; ++i) {
    Point point = {};
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_of(domains)); ++d)
      point[d] = eighths(box_of(domains).lower[d], box_of(domains).upper[d], random);
    const int owner = owner_at(domains, point);
    ASSERT_TRUE(is_in_a_box_of(domains, owner, point))
        << point[0] << ' ' << point[1] << ' ' << point[2];
    ASSERT_EQ(ranks_within(domains, {point, point}, 0), std::vector{owner});
    const std::vector<int> near = ranks_within(domains, {point, point}, 0.125);
    Point beside = point;
    for (double& place : beside) place += below(3, random) * 0.125 - 0.125;
    ASSERT_TRUE(std::binary_search(near.begin(), near.end(), owner_at(domains, beside)));
  }
}

template <class Instance>
void expect_answers(const Instance& instance, const Domains& domains, Random& random) {
  SCOPED_TRACE(description(domains));
  for (const std::size_t count : {0U, 1U, 700U}) {
    expect_owners_of_objects<double, Kokkos::LayoutRight>(instance, domains, count, random);
    expect_owners_of_objects<double, Kokkos::LayoutLeft>(instance, domains, count, random);
    expect_owners_of_objects<float, Kokkos::LayoutRight>(instance, domains, count, random);
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_owners_of_places(domains, 100, random);
  const Domains later = renumbered(domains, 17);
  EXPECT_EQ(generation_of(later), 17);
  if (dimensions_of(domains) == 3) {  // a box in 2-D has NaN beyond, which equals nothing
    EXPECT_TRUE(is_same_division(domains, later));
  }
  EXPECT_FALSE(is_same_division(domains, Domains()));
}

}  // namespace evenkeel::test
