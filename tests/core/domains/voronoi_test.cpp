#include "core/domains/answers.hpp"

#include <evenkeel/backends/exec/with_space.hpp>

namespace evenkeel::voronoi_test {
namespace {

using test::Point;
using test::Random;

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};
constexpr std::int32_t cells = 1 << power_levels;  // along an axis of `unit`

// The part of a place, by definition.
int part_by_hand(const VoronoiDomains& domains, const Point& place) {
  const int n = domains.dimensions();
  const Lattice lattice(n, domains.box(), domains.periodic(), CurveKind::hilbert, power_levels);
  int best = -1;
  std::int64_t least = 0;
  for (int part = 0; part < domains.parts(); ++part) {
    const PowerSite& site = domains.sites()[static_cast<std::size_t>(part)];
    std::int64_t cost = -site.weight;
    for (int axis = 0; axis < n; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      const std::int64_t period = std::int64_t{lattice.last_coordinate(axis)} + 1;
      std::int64_t away = std::int64_t{lattice.coordinate(axis, place[d])} - site.anchor[d];
      if (domains.periodic()[d])
        for (const std::int64_t image : {away - period, away + period})
          if (std::abs(image) < std::abs(away)) away = image;
      cost += away * away;
    }
    if (best < 0 || cost < least) best = part;
    least = best == part ? cost : least;
  }
  return best;
}

TEST(VoronoiDomains, APlaceBelongsToTheSiteOfLeastCost) {
  Random random(1);
  for (const int dimensions : {2, 3})
    for (int repeat = 0; repeat < 150; ++repeat) {
      const auto parts = repeat % 10 == 0 ? 200 : 1 + test::below(25, random);
      const VoronoiDomains domains = test::random_voronoi(dimensions, parts, random);
      for (int i = 0; i < 100; ++i) {
        const Point place = test::random_point(domains, random);
        ASSERT_EQ(test::owner_at(domains, place), domains.rank_of(part_by_hand(domains, place)))
            << test::description(domains) << place[0] << ' ' << place[1] << ' ' << place[2];
      }
    }
}

// --- By hand -------------------------------------------------------------------------------------

// Four sites in a plane. The weight of the second one has moved its face by an eighth.
VoronoiDomains four() {
  const std::int32_t low = cells / 4, high = 3 * (cells / 4);
  const std::int64_t weight = std::int64_t{high - low} * (cells / 4);
  return VoronoiDomains(
      7, 2, unit, {},
      {{{low, low, 0}}, {{high, low, 0}, weight}, {{low, high, 0}}, {{high, high, 0}}},
      {3, 2, 1, 0});
}

TEST(VoronoiDomains, ByHand) {
  const VoronoiDomains domains = four();
  EXPECT_EQ(domains.generation(), 7);
  EXPECT_EQ(domains.parts(), 4);
  EXPECT_EQ(domains.owner_of(std::array{0.3, 0.3}), 3);
  EXPECT_EQ(domains.owner_of(std::array{0.376, 0.3}), 2);
  EXPECT_EQ(domains.owner_of(std::array{0.374, 0.3}), 3);
  EXPECT_EQ(domains.owner_of(std::array{0.75, 0.62}), 2);
  EXPECT_EQ(domains.owner_of(std::array{0.75, 0.63}), 0);
  EXPECT_EQ(domains.owner_of(std::array{5.0, 5.0}), 0) << "outside, the nearest place counts";
  EXPECT_EQ(domains.ranks_within({{0.25, 0.25, 0}, {0.25, 0.25, 0}}, 0.1), (std::vector{3}));
  EXPECT_EQ(domains.ranks_within({{0.25, 0.25, 0}, {0.25, 0.25, 0}}, 0.13), (std::vector{2, 3}));
  EXPECT_EQ(domains.ranks_within({{0, 0, 0}, {1, 1, 0}}, 0), (std::vector{0, 1, 2, 3}));
  EXPECT_TRUE(domains.divides_as(four()));
  EXPECT_FALSE(domains.divides_as(VoronoiDomains(7, 2, unit, {}, {{{5, 5, 0}}})));
}

// The first cell ends in a wedge at x = 0.514. Beyond it each of the two other sites is nearer only
// in a half of the box.
TEST(VoronoiDomains, TwoRivalsTakeABoxTogether) {
  const auto at = [](double x, double y) {
    return PowerSite{
        {static_cast<std::int32_t>(x * cells), static_cast<std::int32_t>(y * cells), 0}};
  };
  const VoronoiDomains domains(1, 2, unit, {}, {at(0.25, 0.5), at(0.6, 0.75), at(0.6, 0.25)});
  EXPECT_EQ(domains.ranks_within({{0.52, 0.45, 0}, {0.53, 0.55, 0}}, 0), (std::vector{1, 2}));
  EXPECT_EQ(domains.ranks_within({{0.51, 0.45, 0}, {0.53, 0.55, 0}}, 0), (std::vector{0, 1, 2}));
}

TEST(VoronoiDomains, CellsWrapAroundPeriodicAxes) {
  const std::int32_t tenth = cells / 10;
  const VoronoiDomains domains(1, 2, unit, {true, false, false},
                               {{{tenth, 5, 0}}, {{4 * tenth, 5, 0}}});
  EXPECT_EQ(domains.owner_of(std::array{0.24, 0.9}), 0);
  EXPECT_EQ(domains.owner_of(std::array{0.26, 0.9}), 1);
  EXPECT_EQ(domains.owner_of(std::array{0.74, 0.9}), 1);
  EXPECT_EQ(domains.owner_of(std::array{0.76, 0.9}), 0);
  EXPECT_EQ(domains.owner_of(std::array{-0.1, 0.1}), 0);
  EXPECT_EQ(domains.ranks_within({{0.4, 0, 0}, {0.6, 1, 0}}, 0.1), (std::vector{1}));
  EXPECT_EQ(domains.ranks_within({{0.9, 0, 0}, {1.0, 1, 0}}, 0.1), (std::vector{0}));
  EXPECT_EQ(domains.ranks_within({{0.9, 0, 0}, {1.0, 1, 0}}, 0.2), (std::vector{0, 1}));
}

// A site that costs too much everywhere owns nothing, and of equal sites the first one owns all.
TEST(VoronoiDomains, CellsMayBeEmpty) {
  const std::int32_t half = cells / 2;
  const VoronoiDomains domains(1, 3, unit, {},
                               {{{half, half, half}},
                                {{half, half, half}},
                                {{0, 0, 0}, -most_power_weight},
                                {{half, half, 0}}});
  EXPECT_EQ(domains.owner_of(std::array{0.9, 0.9, 0.9}), 0);
  EXPECT_EQ(domains.owner_of(std::array{0.0, 0.0, 0.0}), 3);
  EXPECT_TRUE(domains.boxes_of(1).empty());
  EXPECT_TRUE(domains.boxes_of(2).empty());
  EXPECT_EQ(domains.boxes_of(0).size(), 1U);
  EXPECT_EQ(domains.ranks_within({{0, 0, 0}, {1, 1, 1}}, 0), (std::vector{0, 3}));
}

// A box without extent has one cell.
TEST(VoronoiDomains, ABoxWithoutExtent) {
  const VoronoiDomains domains(1, 3, {{1, 2, 3}, {1, 2, 3}}, {}, {{{0, 0, 0}}, {{0, 0, 0}, 1}});
  EXPECT_EQ(domains.owner_of(std::array{1.0, 2.0, 3.0}), 1);
  EXPECT_EQ(domains.owner_of(std::array{-7.0, 2.0, 30.0}), 1);
}

TEST(VoronoiDomains, Misuse) {
  const auto refused = [](int dimensions, std::vector<PowerSite> sites,
                          std::vector<int> ranks = {}) {
    return test::error_of(
        [&] { VoronoiDomains(1, dimensions, unit, {}, std::move(sites), std::move(ranks)); });
  };
  EXPECT_EQ(refused(1, {{}}),
            "evenkeel: core/domains: A power diagram in 1 dimensions was asked for. Use 2 or 3 "
            "dimensions.");
  EXPECT_EQ(refused(3, {}),
            "evenkeel: core/domains: A power diagram without sites was asked for. Give one or "
            "more.");
  EXPECT_EQ(refused(3, {{}, {{0, cells, 0}}}),
            "evenkeel: core/domains: Site 1 has coordinate 2097152 along axis 1, but the cells of "
            "the box are 0 to 2097151. Give a cell of the lattice; axes beyond the dimensions have "
            "only cell 0.");
  EXPECT_EQ(refused(2, {{{0, 0, 1}}}),
            "evenkeel: core/domains: Site 0 has coordinate 1 along axis 2, but the cells of the "
            "box are 0 to 0. Give a cell of the lattice; axes beyond the dimensions have only "
            "cell 0.");
  EXPECT_EQ(refused(3, {{{0, 0, 0}, most_power_weight + 1}}),
            "evenkeel: core/domains: Site 0 has weight 1125899906842625. Give a weight between "
            "-2^50 and 2^50.");
  EXPECT_EQ(refused(3, {{}, {}}, {1, 1}),
            "evenkeel: core/domains: The ranks do not own one part each. Name each rank once, or "
            "no rank.");
}

}  // namespace
}  // namespace evenkeel::voronoi_test
