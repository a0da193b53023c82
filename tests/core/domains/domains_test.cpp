#include "core/domains/any.hpp"

#include <evenkeel/core/field/standard.hpp>

namespace evenkeel {
namespace {

using test::Point;
using test::Random;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// As owner_of tells of each.
template <class Real, class Layout, class Instance>
void expect_ranks(const Instance&, const Domains& domains, std::size_t count, Random& random) {
  using Memory = typename Instance::memory_space;
  const auto n = static_cast<std::size_t>(dimensions_of(domains));
  std::vector<Real> places;
  std::vector<int> expected;
  for (std::size_t i = 0; i < count; ++i) {
    Point point = test::random_point(domains, random);
    for (std::size_t d = 0; d < n; ++d) {
      places.push_back(static_cast<Real>(point[d]));
      point[d] = static_cast<double>(places.back());
    }
    expected.push_back(owner_of(domains, std::span(point).first(n)));
  }
  expected.push_back(test::untouched);
  Kokkos::View<Real**, Layout, Memory> x("x", count, n);
  test::write_values(field_of(x).position(), places);
  const Kokkos::View<int*, Memory> ranks("ranks", count + 1);
  Kokkos::deep_copy(ranks, test::untouched);
  write_ranks(test::space(), domains, set(x), ranks.data());
  const auto found = Kokkos::create_mirror_view(ranks);
  Kokkos::deep_copy(found, ranks);
  ASSERT_EQ(std::vector<int>(found.data(), found.data() + count + 1), expected);
}

template <class Instance>
void expect_all_ranks(const Instance& instance, int kind) {
  Random random(static_cast<std::uint64_t>(kind + 1));
  for (const int dimensions : {2, 3})
    for (int repeat = 0; repeat < 10; ++repeat) {
      const Domains domains = test::random_domains(kind, dimensions, random);
      SCOPED_TRACE(std::to_string(dimensions) + "-D, " + std::to_string(parts_of(domains)) +
                   " parts, " + (rank_of_part(domains).empty() ? "in order" : "permuted"));
      for (const std::size_t count : {0U, 1U, 1000U}) {
        expect_ranks<double, Kokkos::LayoutRight>(instance, domains, count, random);
        expect_ranks<double, Kokkos::LayoutLeft>(instance, domains, count, random);
        expect_ranks<float, Kokkos::LayoutRight>(instance, domains, count, random);
      }
    }
}

TEST(Domains, RanksOfManyObjects) {
  for (int kind = 0; kind < test::kinds_of_domains; ++kind) {
    SCOPED_TRACE(kind);
    with_space(test::space(), [&](const auto& instance) { expect_all_ranks(instance, kind); });
  }
}

// --- By hand -------------------------------------------------------------------------------------

// The first quarter of the curve in the plane is the lower left, the next the upper left.
TEST(Domains, PartsAreRenumbered) {
  const std::uint64_t quarter = end_of_curve(2).value / 4;
  const Domains domains =
      CurveDomains(1, 2, unit, {}, {{0}, {quarter}, {2 * quarter}, {3 * quarter}, {4 * quarter}},
                   {}, {2, 0, 3, 1});
  std::vector<std::array<double, 2>> x = {{0.2, 0.2}, {0.2, 0.8}, {0.8, 0.8}, {0.8, 0.2}};
  std::vector<int> ranks(4);
  write_ranks(Space::where(MemoryKind::host), domains, set(x), ranks.data());
  EXPECT_EQ(ranks, (std::vector<int>{2, 0, 3, 1}));
}

TEST(Domains, OwnersComeAsAnArray) {
  const Domains domains = GridDomains::uniform({2, {2, 1, 1}}, unit, GridScheme::tensor);
  std::vector<std::array<double, 2>> x = {{0.5, 0.2}, {0.2, 0.8}};
  const auto owners = owners_of(Space::where(MemoryKind::host), domains, set(x));
  EXPECT_EQ(owners.on_host(), (std::vector<int>{1, 0}));
}

TEST(Domains, OnlyOwnedObjectsCount) {
  const Domains domains =
      GridDomains::uniform({2, {2, 1, 1}}, unit, GridScheme::tensor, {}, {1, 0});
  std::vector<std::array<double, 2>> x = {{0.5, 0.2}, {0.2, 0.8}, {std::nan(""), 0}};
  std::vector<int> ranks(3, test::untouched);
  write_ranks(Space::where(MemoryKind::host), domains, set(x, {}, {.count = 2}), ranks.data());
  EXPECT_EQ(ranks, (std::vector<int>{0, 1, test::untouched}));
}

TEST(Domains, WithoutPartsNobodyOwnsAnything) {
  const Space host = Space::where(MemoryKind::host);
  std::vector<std::array<double, 3>> x(4), none;
  std::vector<int> ranks(4);
  for (const Domains& nothing : {Domains(), Domains(GridDomains()), Domains(TreeDomains())}) {
    EXPECT_EQ(parts_of(nothing), 0);
    EXPECT_ERROR(write_ranks(host, nothing, set(x), ranks.data()), "Nobody owns anything yet.");
    EXPECT_ERROR(write_ranks(host, nothing, set(none), nullptr), "Nobody owns anything yet.");
  }
}

TEST(Domains, OfOtherDimensionsAreAnError) {
  const Space host = Space::where(MemoryKind::host);
  std::vector<std::array<double, 2>> x(4);
  std::vector<int> ranks(4);
  const Domains boxes = GridDomains::uniform({3, {2, 1, 1}}, unit, GridScheme::tensor);
  EXPECT_ERROR(write_ranks(host, boxes, set(x), ranks.data()), "Positions of 2 components");
  const Domains curve = CurveDomains(1, 3, unit, {}, {{0}, end_of_curve(3)});
  EXPECT_ERROR(write_ranks(host, curve, set(x), ranks.data()), "Positions of 2 components");
}

}  // namespace
}  // namespace evenkeel
