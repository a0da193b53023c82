#include "partition/domains.hpp"

#include "clouds.hpp"
#include "partition/partitioning.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/curve.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace evenkeel::tool {
namespace {

constexpr CurveKind curves[] = {CurveKind::hilbert, CurveKind::morton, CurveKind::snake};

// From any keys, which need be none of the lattice's.
Splitters random_splitters(int dimensions, int parts, std::mt19937_64& random) {
  Splitters splitters = {{0}, end_of_curve(dimensions)};
  for (int p = 1; p < parts; ++p) splitters.push_back({random() % end_of_curve(dimensions).value});
  std::sort(splitters.begin(), splitters.end());
  return splitters;
}

bool holds(const Box& box, const std::vector<double>& point, double slack = 0) {
  for (std::size_t axis = 0; axis < point.size(); ++axis)
    if (point[axis] < box.lower[axis] - slack || point[axis] > box.upper[axis] + slack)
      return false;
  return true;
}

double volume_of(const Box& box, int dimensions) {
  double volume = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
    volume *= box.upper[axis] - box.lower[axis];
  return volume;
}

// The middle of each cell of the lattice in the box is in one box of its owner's and in no other.
template <int n>
void expect_cells_at_home(const Lattice& lattice, const Box& box, const Splitters& splitters,
                          const std::vector<DomainCell>& cells) {
  const double width = (box.upper[0] - box.lower[0]) / std::pow(2, lattice.levels());
  Cell<n> cell;
  for (int count = 0; count < 1 << (n * lattice.levels()); ++count) {
    std::vector<double> middle;
    bool inside = true;
    for (int axis = 0; axis < n; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      cell.at[axis] = static_cast<std::uint32_t>(count >> (axis * lattice.levels())) &
                      ((1U << lattice.levels()) - 1);
      const double lower = box.lower[a] + cell.at[axis] * width;
      inside = inside && cell.at[axis] <= lattice.last_coordinate(axis);
      middle.push_back((lower + std::min(lower + width, box.upper[a])) / 2);
    }
    if (!inside) continue;
    int holders = 0;
    for (const DomainCell& domain : cells) {
      if (!holds(domain.box, middle)) continue;
      ++holders;
      EXPECT_EQ(domain.part, owner_of(splitters, lattice.key(cell)));
    }
    ASSERT_EQ(holders, 1);
  }
}

TEST(Domains, FillTheBoxAndKeepApart) {
  std::mt19937_64 random(3);
  for (const CurveKind curve : curves)
    for (const int dimensions : {2, 3})
      for (int trial = 0; trial < 20; ++trial) {
        const CurveOptions coarse = {curve, dimensions == 2 ? 4 : 3};
        Box box{{-1, 2, 5}, {1, 2.0 + 0.37 * (trial % 5 + 1), 5.0 + 0.29 * (trial % 7)}};
        const int parts = 1 + trial % 9;
        const Splitters splitters = random_splitters(dimensions, parts, random);
        std::vector<double> work(static_cast<std::size_t>(parts));
        for (std::size_t p = 0; p < work.size(); ++p) work[p] = static_cast<double>(p) + 0.5;
        const std::vector<DomainCell> cells = domains_of(splitters, coarse, dimensions, box, work);
        const Lattice lattice(dimensions, box, {}, curve, coarse.levels);
        SCOPED_TRACE(name_of(curve));
        if (dimensions == 3)
          expect_cells_at_home<3>(lattice, box, splitters, cells);
        else
          expect_cells_at_home<2>(lattice, box, splitters, cells);
        double volume = 0;
        for (const DomainCell& cell : cells) {
          volume += volume_of(cell.box, dimensions);
          EXPECT_EQ(cell.weight, cell.part + 0.5);
        }
        EXPECT_NEAR(volume, volume_of(box, dimensions), 1e-12);
      }
}

// On the finest lattice: at most what the header says.
TEST(Domains, AreFewBoxes) {
  std::mt19937_64 random(5);
  for (const int dimensions : {2, 3}) {
    const Box box{{0, 0, 0}, {1, 1, 1}};
    const Splitters splitters = random_splitters(dimensions, 50, random);
    const std::vector<double> work(50);
    const int levels = dimensions == 3 ? 21 : 31, children = 1 << dimensions;
    for (const CurveKind curve : curves) {
      const auto cells = domains_of(splitters, {curve}, dimensions, box, work);
      std::vector<int> boxes(50);
      for (const DomainCell& cell : cells) ++boxes[static_cast<std::size_t>(cell.part)];
      const int most = curve == CurveKind::snake ? 5 : 2 * (children - 1) * levels;
      EXPECT_LE(std::ranges::max(boxes), most) << name_of(curve);
    }
  }
}

TEST(Domains, BoxesOfAnySize) {
  const Splitters whole = {{0}, end_of_curve(3)};
  const std::vector<double> work = {1};
  for (const Box& box : {Box{{1, 2, 3}, {1, 2, 3}}, Box{{0, 0, 0}, {1, 0, 0}},
                         Box{{-1.7e308, -1.7e308, 0}, {1.7e308, 1.7e308, 1}},
                         Box{{0, 0, 0}, {5e-324, 5e-324, 0}}, Box{{1e9, 0, 0}, {1e9 + 1e-6, 1, 0}}})
    for (const CurveKind curve : curves) {
      const auto cells = domains_of(whole, {curve}, 3, box, work);
      ASSERT_EQ(cells.size(), 1U);
      EXPECT_EQ(cells[0].box, box);
    }
}

TEST(Domains, ThePartsOfAPoint) {
  const Splitters splitters = {{0}, {0}, {1}, {1U << 20U}, end_of_curve(2)};
  const auto cells = domains_of(splitters, {}, 2, Box{}, std::vector<double>{0, 3, 0, 0});
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].part, 1);
  EXPECT_EQ(cells[0].box, Box{});
}

TEST(RoundKeys, ByHand) {
  const Communicator ranks = test::world();
  const bool first = ranks.rank() == 0;
  const CurveKey end = end_of_curve(3);
  const std::vector<CurveKey> keys =
      first ? std::vector<CurveKey>{{0b0101}, {0b11001}} : std::vector<CurveKey>{};
  EXPECT_EQ(at_round_keys(ranks, keys, {{0}, {0b11001}, end}), (Splitters{{0}, {0b10000}, end}));
  EXPECT_EQ(at_round_keys(ranks, keys, {{0}, {2}, {0b111}, {0b1000}, {100}, {101}, end}),
            (Splitters{{0}, {0}, {0b10000}, {0b10000}, end, end, end}))
      << "parts without keys own nothing";
  const Splitters empty = {{0}, {17}, end};
  EXPECT_EQ(at_round_keys(ranks, {}, empty), empty);
}

TEST(RoundKeys, KeepEachKeyWhereItIs) {
  const Communicator ranks = test::world();
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<CurveKey> all;
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t key = random() % end_of_curve(3).value;
      all.push_back({trial % 2 == 0 ? key : key % 300});  // also crowded, and equal ones
    }
    Splitters splitters = random_splitters(3, 20, random);
    if (trial % 4 > 1)
      for (std::size_t p = 1; p < 20; ++p) splitters[p] = {all[p].value + p % 2};
    std::sort(splitters.begin(), splitters.end());
    std::vector<CurveKey> mine;
    for (std::size_t i = static_cast<std::size_t>(ranks.rank()); i < all.size();
         i += static_cast<std::size_t>(ranks.size()))
      mine.push_back(all[i]);
    const Splitters round = at_round_keys(ranks, mine, splitters);
    ASSERT_TRUE(std::is_sorted(round.begin(), round.end()));
    EXPECT_EQ(round.front(), CurveKey{0});
    EXPECT_EQ(round.back(), end_of_curve(3));
    for (const CurveKey key : all) ASSERT_EQ(owner_of(round, key), owner_of(splitters, key));
    const std::vector<double> work(20);
    const Box box{{0, 0, 0}, {1, 1, 1}};
    EXPECT_LE(domains_of(round, {}, 3, box, work).size(),
              domains_of(splitters, {}, 3, box, work).size());
  }
}

// The picture: each object is in a box of its part.
TEST(Domains, HoldTheirObjects) {
  const Communicator ranks = test::world();
  std::vector<test::Cloud> clouds = test::degenerate_clouds();
  clouds.push_back(test::random_cloud(2, 500, true, 9));
  clouds.push_back(test::random_cloud(3, 500, false, 10));
  for (const test::Cloud& cloud : clouds)
    for (const CurveKind curve : curves) {
      PartitionOptions options;
      options.curve = curve;
      options.parts = 6;
      const Objects mine = test::share_of(cloud, ranks.rank(), ranks.size());
      const Partition found = partition(ranks, mine, options);
      const Splitters round = at_round_keys(ranks, found.keys, found.splitters);
      const auto cells = domains_of(round, found.curve, cloud.dimensions, found.box, found.work);
      const double slack = 1e-12 * (found.box.upper[0] / 4 - found.box.lower[0] / 4);
      for (std::size_t i = 0; i < found.parts.size(); ++i) {
        const auto n = static_cast<std::ptrdiff_t>(cloud.dimensions);
        const auto begin = mine.places.begin() + static_cast<std::ptrdiff_t>(i) * n;
        const std::vector<double> point(begin, begin + n);
        EXPECT_TRUE(std::ranges::any_of(cells,
                                        [&](const DomainCell& cell) {
                                          return cell.part == found.parts[i] &&
                                                 holds(cell.box, point, slack);
                                        }))
            << cloud.name << ", " << name_of(curve) << ", object " << i;
      }
    }
}

}  // namespace
}  // namespace evenkeel::tool
