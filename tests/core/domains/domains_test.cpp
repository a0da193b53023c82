#include "core/domains/answers.hpp"

#include <evenkeel/backends/exec/with_space.hpp>

namespace evenkeel::domains_test {
namespace {

using test::Random;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

template <class Instance>
void expect_answers_of(const Instance& instance, int kind) {
  Random random(static_cast<std::uint64_t>(kind + 1));
  for (const int dimensions : {2, 3})
    for (int repeat = 0; repeat < 10; ++repeat) {
      test::expect_answers(instance, test::random_domains(kind, dimensions, random), random);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(Domains, AnswerAsTheOwnersOfPointsTell) {
  for (int kind = 0; kind < test::kinds_of_domains; ++kind) {
    SCOPED_TRACE(kind);
    with_space(test::space(), [&](const auto& instance) { expect_answers_of(instance, kind); });
  }
}

// --- By hand -------------------------------------------------------------------------------------

// In the plane, the first quarter of the curve is the lower left, and the second quarter the upper
// left.
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
    EXPECT_ERROR(write_ranks(host, nothing, set(x), ranks.data()), "No rank owns anything yet.");
    EXPECT_ERROR(write_ranks(host, nothing, set(none), nullptr), "No rank owns anything yet.");
  }
}

TEST(Domains, OfOtherDimensionsAreAnError) {
  const Space host = Space::where(MemoryKind::host);
  std::vector<std::array<double, 2>> x(4);
  std::vector<int> ranks(4);
  const Domains boxes = GridDomains::uniform({3, {2, 1, 1}}, unit, GridScheme::tensor);
  EXPECT_ERROR(write_ranks(host, boxes, set(x), ranks.data()), "Positions have 2 components");
  const Domains curve = CurveDomains(1, 3, unit, {}, {{0}, end_of_curve(3)});
  EXPECT_ERROR(write_ranks(host, curve, set(x), ranks.data()), "Positions have 2 components");
}

}  // namespace
}  // namespace evenkeel::domains_test
