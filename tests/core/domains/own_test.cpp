#include "core/domains/any.hpp"

#include <evenkeel/core/domains/own.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel {
namespace {

using test::Random;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// What each rank finds among the same points, beside what owner_of tells of each.
template <class Real, class Layout, class Instance>
void expect_strays(const Instance&, const Domains& domains, std::size_t count, Random& random) {
  using Memory = typename Instance::memory_space;
  const auto n = static_cast<std::size_t>(dimensions_of(domains));
  std::vector<Real> places;
  std::vector<int> owners;
  for (std::size_t i = 0; i < count; ++i) {
    test::Point point = test::random_point(domains, random);
    for (std::size_t d = 0; d < n; ++d) {
      places.push_back(static_cast<Real>(point[d]));
      point[d] = static_cast<double>(places.back());
    }
    owners.push_back(owner_of(domains, std::span(point).first(n)));
  }
  Kokkos::View<Real**, Layout, Memory> x("x", count, n);
  test::write_values(field_of(x).position(), places);
  for (int rank = 0; rank < parts_of(domains); ++rank) {
    std::vector<std::int64_t> objects;
    std::vector<int> ranks;
    for (std::size_t i = 0; i < count; ++i)
      if (owners[i] != rank) {
        objects.push_back(static_cast<std::int64_t>(i));
        ranks.push_back(owners[i]);
      }
    const OwnDomain own(test::space(), domains, rank, static_cast<std::int64_t>(count));
    const Strays found = own.strays_of(set(x));
    ASSERT_EQ(found.objects.on_host(), objects) << "rank " << rank;
    ASSERT_EQ(found.owners.on_host(), ranks) << "rank " << rank;
  }
}

template <class Instance>
void expect_all_strays(const Instance& instance, int kind) {
  Random random(static_cast<std::uint64_t>(kind + 1));
  for (const int dimensions : {2, 3})
    for (int repeat = 0; repeat < 10; ++repeat) {
      const Domains domains = test::random_domains(kind, dimensions, random);
      SCOPED_TRACE(std::visit([](const auto& all) { return test::description(all); }, domains));
      for (const std::size_t count : {0U, 1U, 700U}) {
        expect_strays<double, Kokkos::LayoutRight>(instance, domains, count, random);
        expect_strays<double, Kokkos::LayoutLeft>(instance, domains, count, random);
        expect_strays<float, Kokkos::LayoutRight>(instance, domains, count, random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
}

TEST(OwnDomain, StraysAreWhatOthersOwn) {
  for (int kind = 0; kind < test::kinds_of_domains; ++kind) {
    SCOPED_TRACE(kind);
    with_space(test::space(), [&](const auto& instance) { expect_all_strays(instance, kind); });
  }
}

// Many objects, few borders: most are told by the table of cells.
TEST(OwnDomain, OfALongRangeOfACurve) {
  const std::uint64_t end = end_of_curve(3).value;
  const Domains curve =
      CurveDomains(1, 3, unit, {true, false, true}, {{0}, {end / 3 + 12345}, {end / 2}, {end}});
  const auto objects = static_cast<std::size_t>(40'000);
  Random random(5);
  std::uniform_real_distribution<double> anywhere(-0.2, 1.2);
  std::vector<std::array<double, 3>> x(objects);
  std::vector<std::int64_t> expected;
  for (std::size_t i = 0; i < objects; ++i) {
    for (double& place : x[i]) place = anywhere(random);
    if (owner_of(curve, x[i]) != 1) expected.push_back(static_cast<std::int64_t>(i));
  }
  const Space host = Space::where(MemoryKind::host);
  EXPECT_EQ(OwnDomain(host, curve, 1, 40'000).strays_of(set(x)).objects.on_host(), expected);
}

TEST(OwnDomain, WhatIsPinnedStays) {
  const Domains grid = GridDomains::uniform({2, {2, 1, 1}}, unit, GridScheme::tensor);
  std::vector<std::array<double, 2>> x = {{0.2, 0.5}, {0.8, 0.5}, {0.9, 0.5}};
  const std::vector<int> pins = {0, 1, 0};
  const OwnDomain own(Space::where(MemoryKind::host), grid, 0, 3);
  EXPECT_EQ(own.strays_of(set(x, {}, {.pinned = pins})).objects.on_host(),
            (std::vector<std::int64_t>{2}));
}

TEST(OwnDomain, PositionsMustBeFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Space host = Space::where(MemoryKind::host);
  Random random(7);
  for (int kind = 0; kind < test::kinds_of_domains; ++kind)
    for (const double bad : {std::nan(""), infinity, -infinity}) {
      const Domains domains = test::random_domains(kind, 3, random);
      std::vector<std::array<double, 3>> x(100);
      x[42][static_cast<std::size_t>(test::below(3, random))] = bad;
      for (int rank = 0; rank < parts_of(domains); ++rank)
        EXPECT_ERROR(OwnDomain(host, domains, rank, 100).strays_of(set(x)),
                     "The position of object 42 is not finite.");
    }
}

TEST(OwnDomain, NobodyOwnsAnythingYet) {
  EXPECT_ERROR(OwnDomain(Space::where(MemoryKind::host), Domains(), 0, 1),
               "Nobody owns anything yet.");
}

}  // namespace
}  // namespace evenkeel
