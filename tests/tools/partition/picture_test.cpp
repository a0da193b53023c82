#include "partition/picture.hpp"

#include "clouds.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/curve.hpp>

#include <variant>

namespace evenkeel::tool::picture_test {
namespace {

using RoundKeys = test::OnRanks;
using Picture = test::OnRanks;
// Draws any keys, which need not belong to the lattice.
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

TEST_F(RoundKeys, ByHand) {
  const bool first = rank == 0;
  const CurveKey end = end_of_curve(3);
  const std::vector<CurveKey> keys =
      first ? std::vector<CurveKey>{{0b0101}, {0b11001}} : std::vector<CurveKey>{};
  EXPECT_EQ(at_round_keys(communicator, keys, {{0}, {0b11001}, end}),
            (Splitters{{0}, {0b10000}, end}));
  EXPECT_EQ(at_round_keys(communicator, keys, {{0}, {2}, {0b111}, {0b1000}, {100}, {101}, end}),
            (Splitters{{0}, {0}, {0b10000}, {0b10000}, end, end, end}))
      << "parts without keys own nothing";
  const Splitters empty = {{0}, {17}, end};
  EXPECT_EQ(at_round_keys(communicator, {}, empty), empty);
}

TEST_F(RoundKeys, KeepEachKeyWhereItIs) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<CurveKey> all;
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t key = random() % end_of_curve(3).value;
      all.push_back({trial % 2 == 0 ? key : key % 300});  // also crowded and equal keys
    }
    Splitters splitters = random_splitters(3, 20, random);
    if (trial % 4 > 1)
      for (std::size_t p = 1; p < 20; ++p) splitters[p] = {all[p].value + p % 2};
    std::sort(splitters.begin(), splitters.end());
    std::vector<CurveKey> mine;
    for (std::size_t i = static_cast<std::size_t>(rank); i < all.size();
         i += static_cast<std::size_t>(size))
      mine.push_back(all[i]);
    const Splitters round = at_round_keys(communicator, mine, splitters);
    ASSERT_TRUE(std::is_sorted(round.begin(), round.end()));
    EXPECT_EQ(round.front(), CurveKey{0});
    EXPECT_EQ(round.back(), end_of_curve(3));
    for (const CurveKey key : all) ASSERT_EQ(owner_of(round, key), owner_of(splitters, key));
    const Box box{{0, 0, 0}, {1, 1, 1}};
    EXPECT_LE(cells_of(CurveDomains(1, 3, box, {}, round)).size(),
              cells_of(CurveDomains(1, 3, box, {}, splitters)).size());
  }
}

// Expects each object to be in a box of its part, and each box to have the rank and the work of its
// part.
void expect_objects_in_boxes(const Communicator& ranks, const test::Cloud& cloud,
                             const Method& method, std::optional<int> rounds) {
  PartitionOptions options;
  options.method = method;
  options.rounds = rounds;
  options.parts = 6;
  const FileObjects mine = test::share_of(cloud, ranks);
  const Partition found = partition(ranks, mine, options);
  const auto cells = picture_of(ranks, found);
  const Box box = box_of(found.domains);
  const double slack = 1e-12 * (box.upper[0] / 4 - box.lower[0] / 4);
  for (std::size_t i = 0; i < found.parts.size(); ++i) {
    const auto n = static_cast<std::ptrdiff_t>(cloud.dimensions);
    const auto begin = mine.places.begin() + static_cast<std::ptrdiff_t>(i) * n;
    const std::vector<double> point(begin, begin + n);
    EXPECT_TRUE(std::ranges::any_of(cells,
                                    [&](const DomainCell& cell) {
                                      return cell.part == found.parts[i] &&
                                             holds(cell.box, point, slack);
                                    }))
        << cloud.name << ", " << to_text(method) << ", object " << i;
  }
  for (const DomainCell& cell : cells) {
    EXPECT_EQ(cell.rank, cell.part);
    EXPECT_EQ(cell.work, found.work[static_cast<std::size_t>(cell.part)]);
  }
}

TEST_F(Picture, HoldsTheObjects) {
  std::vector<test::Cloud> clouds = test::degenerate_clouds();
  clouds.push_back(test::random_cloud(2, 500, true, 9));
  clouds.push_back(test::random_cloud(3, 500, false, 10));
  for (const test::Cloud& cloud : clouds) {
    for (const std::string_view name : method_names())
      if (!places_by_graph(*method_from_text(name)))
        expect_objects_in_boxes(communicator, cloud, *method_from_text(name), std::nullopt);
    expect_objects_in_boxes(communicator, cloud, Tensor{}, 2);
  }
}

}  // namespace
}  // namespace evenkeel::tool::picture_test
