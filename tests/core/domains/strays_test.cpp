#include "core/domains/any.hpp"

#include <evenkeel/core/domains/strays.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::strays_test {
namespace {

using test::Random;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// With many objects and few borders, the table of cells decides for most objects.
TEST(Strays, OfALongRangeOfACurve) {
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
  EXPECT_EQ(StrayFinder(host, curve, 1, 40'000).strays_of(set(x)).objects.on_host(), expected);
}

TEST(Strays, WhatIsPinnedStays) {
  const Domains grid = GridDomains::uniform({2, {2, 1, 1}}, unit, GridScheme::tensor);
  std::vector<std::array<double, 2>> x = {{0.2, 0.5}, {0.8, 0.5}, {0.9, 0.5}};
  const std::vector<int> pins = {0, 1, 0};
  const StrayFinder own(Space::where(MemoryKind::host), grid, 0, 3);
  EXPECT_EQ(own.strays_of(set(x, {}, {.pinned = pins})).objects.on_host(),
            (std::vector<std::int64_t>{2}));
}

TEST(Strays, PositionsMustBeFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Space host = Space::where(MemoryKind::host);
  Random random(7);
  for (int kind = 0; kind < test::kinds_of_domains; ++kind)
    for (const double bad : {std::nan(""), infinity, -infinity}) {
      const Domains domains = test::random_domains(kind, 3, random);
      std::vector<std::array<double, 3>> x(100);
      x[42][static_cast<std::size_t>(test::below(3, random))] = bad;
      for (int rank = 0; rank < parts_of(domains); ++rank)
        EXPECT_ERROR(StrayFinder(host, domains, rank, 100).strays_of(set(x)),
                     "The position of object 42 is not finite.");
    }
}

TEST(Strays, NobodyOwnsAnythingYet) {
  EXPECT_ERROR(StrayFinder(Space::where(MemoryKind::host), Domains(), 0, 1),
               "No rank owns anything yet.");
}

}  // namespace
}  // namespace evenkeel::strays_test
