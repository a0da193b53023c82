#include "support/harness.hpp"

#include <evenkeel/core/domains.hpp>

namespace evenkeel::derived_test {
namespace {

Domains of_generation(std::int64_t generation) {
  return CurveDomains(generation, 3, {{0, 0, 0}, {1, 1, 1}}, {}, {{0}, {std::uint64_t{1} << 63U}});
}

TEST(Derived, IsOfTheDomainsThatItWasMadeOf) {
  const Derived<std::vector<int>> halo(of_generation(4), {1, 2, 3});
  EXPECT_TRUE(halo.is_of(of_generation(4)));
  EXPECT_FALSE(halo.is_of(of_generation(5)));
  EXPECT_EQ(halo.of(of_generation(4)), (std::vector<int>{1, 2, 3}));
}

TEST(Derived, CanBeChanged) {
  Derived<int> sum(of_generation(1), 5);
  sum.of(of_generation(1)) += 2;
  EXPECT_EQ(sum.of(of_generation(1)), 7);
}

TEST(Derived, IsOfNothingAtFirst) {
  EXPECT_FALSE(Derived<int>().is_of(Domains()));
  EXPECT_FALSE(Derived<int>().is_of(of_generation(1)));
}

TEST(Derived, WhatIsStaleIsAnErrorWhereAssertionsAreOn) {
  Derived<int> value(of_generation(1), 5);
  EXPECT_ERROR(value.of(of_generation(2)),
               EVENKEEL_ASSERTION_LEVEL >= 1 ? "made from these domains" : "nothing was thrown");
}

}  // namespace
}  // namespace evenkeel::derived_test
