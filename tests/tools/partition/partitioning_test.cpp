#include "partition/partitioning.hpp"

#include "clouds.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace evenkeel::tool {
namespace {

using test::Cloud;
using test::degenerate_clouds;
using test::error_of;
using test::random_cloud;

constexpr CurveKind curves[] = {CurveKind::hilbert, CurveKind::morton, CurveKind::snake};

PartitionOptions options_of(CurveKind curve, int parts, double target_lambda = 0) {
  PartitionOptions options;
  options.curve = curve;
  options.parts = parts;
  options.target_lambda = target_lambda;
  return options;
}

Partition partition_of(const Communicator& ranks, const Cloud& cloud,
                       const PartitionOptions& options) {
  return partition(ranks, test::share_of(cloud, ranks.rank(), ranks.size()), options);
}

// The box as the library measures it, point by point.
Box box_of(const Cloud& cloud) {
  Bounds found;
  found.dimensions = cloud.dimensions;
  for (std::size_t i = 0; i < cloud.places.size(); ++i) {
    const std::size_t axis = i % static_cast<std::size_t>(cloud.dimensions);
    found.lower[axis] = std::min(found.lower[axis], cloud.places[i]);
    found.upper[axis] = std::max(found.upper[axis], cloud.places[i]);
  }
  return enclose(std::nullopt, found);
}

template <int n>
std::vector<CurveKey> keys_along(const Lattice& lattice, const Cloud& cloud) {
  std::vector<CurveKey> keys;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    Cell<n> cell;
    for (int axis = 0; axis < n; ++axis)
      cell.at[axis] = lattice.coordinate(
          axis, cloud.places[i * static_cast<std::size_t>(n) + static_cast<std::size_t>(axis)]);
    keys.push_back(lattice.key(cell));
  }
  return keys;
}

// One lattice and one cut, by this process alone.
struct Expected {
  Expected(const Cloud& cloud, CurveKind kind, int levels, int parts, double target_lambda) {
    const Lattice lattice(cloud.dimensions, box_of(cloud), {}, kind, levels);
    keys = cloud.dimensions == 3 ? keys_along<3>(lattice, cloud) : keys_along<2>(lattice, cloud);
    CutOptions cutting;
    cutting.parts = parts;
    cutting.dimensions = cloud.dimensions;
    cutting.target_lambda = target_lambda;
    cutting.aim = target_lambda > 0 ? Aim::target : Aim::nearest;
    const WeightedKeys keyed{keys, cloud.weights};
    cut = evenkeel::cut(Communicator::self(), Status(), std::span(&keyed, 1), cutting);
  }
  std::vector<CurveKey> keys;
  Cut cut;
};

// By the rule in the header.
Expected expected_of(const Cloud& cloud, CurveKind kind, int parts, double target_lambda) {
  if (kind != CurveKind::snake) return {cloud, kind, 0, parts, target_lambda};
  const int all = cloud.dimensions == 3 ? 21 : 31;
  int levels = 1;
  while (levels < all &&
         std::pow(2.0, levels * cloud.dimensions) < static_cast<double>(cloud.count()))
    ++levels;
  const bool weightless = std::ranges::all_of(cloud.weights, [](double w) { return w == 0; });
  const double heaviest = weightless ? 1 : std::ranges::max(cloud.weights);
  const double sum = weightless ? static_cast<double>(cloud.count())
                                : std::accumulate(cloud.weights.begin(), cloud.weights.end(), 0.0);
  const double goal =
      target_lambda > 0 ? target_lambda : 1 + 2 * heaviest / std::max(sum, 1e-9) * parts;
  Expected best(cloud, kind, levels, parts, target_lambda);
  while (best.cut.lambda() > goal && levels < all) {
    levels = std::min(levels + 2, all);
    Expected next(cloud, kind, levels, parts, target_lambda);
    if (next.cut.lambda() < best.cut.lambda()) best = std::move(next);
  }
  return best;
}

void expect_as_expected(const Communicator& ranks, const Cloud& cloud, CurveKind curve, int parts,
                        double target_lambda) {
  SCOPED_TRACE(cloud.name + " in " + std::to_string(cloud.dimensions) + "-D, " + name_of(curve) +
               ", parts: " + std::to_string(parts));
  const Partition found = partition_of(ranks, cloud, options_of(curve, parts, target_lambda));
  const Expected expected = expected_of(cloud, curve, parts, target_lambda);
  EXPECT_EQ(found.box, box_of(cloud));
  EXPECT_EQ(found.splitters, expected.cut.splitters);
  const auto part_of = ranks.all_gather(std::span<const std::int32_t>(found.parts)).values;
  const auto keys = ranks.all_gather(std::span<const CurveKey>(found.keys)).values;
  ASSERT_EQ(part_of.size(), cloud.count());
  EXPECT_EQ(keys, expected.keys);
  std::vector<long double> work(static_cast<std::size_t>(parts));
  double heaviest = 0;
  for (std::size_t i = 0; i < part_of.size(); ++i) {
    ASSERT_EQ(part_of[i], owner_of(expected.cut.splitters, expected.keys[i]));
    const double weight = cloud.weights.empty() ? 1 : cloud.weights[i];
    work[static_cast<std::size_t>(part_of[i])] += weight;
    heaviest = std::max(heaviest, weight);
  }
  EXPECT_EQ(found.heaviest_object, heaviest);
  ASSERT_EQ(std::ssize(found.work), parts);
  std::vector<double> sums(work.begin(), work.end());
  const double greatest = std::ranges::max(sums);
  for (std::size_t p = 0; p < sums.size(); ++p)
    EXPECT_NEAR(found.work[p], sums[p], 1e-9 * greatest) << p;
  EXPECT_NEAR(lambda(summarise(found.work)), lambda(summarise(sums)), 1e-9);
}

TEST(Partitioning, IsWhatTheLibrarySays) {
  const Communicator ranks = test::world();
  unsigned seed = 1;
  for (const CurveKind curve : curves)
    for (const int dimensions : {2, 3})
      for (const bool weighted : {false, true})
        for (const int parts : {1, 7, 64})
          for (const double target : {0.0, 1.0, 1.05})
            expect_as_expected(ranks, random_cloud(dimensions, 3000, weighted, ++seed), curve,
                               parts, target);
}

TEST(Partitioning, WhereEverythingIsSpecial) {
  const Communicator ranks = test::world();
  for (const Cloud& cloud : degenerate_clouds())
    for (const CurveKind curve : curves)
      for (const int parts : {1, 3, 500}) expect_as_expected(ranks, cloud, curve, parts, 0);
}

// A part is at most the average and the heaviest object, where all keys differ.
TEST(Partitioning, PartsAreEven) {
  const Communicator ranks = test::world();
  const Cloud cloud = random_cloud(3, 3000, true, 3);
  for (const CurveKind curve : curves) {
    const Partition found = partition_of(ranks, cloud, options_of(curve, 10));
    const LoadSummary load = summarise(found.work);
    const double objects = curve == CurveKind::snake ? 2 : 1;
    EXPECT_LE(load.greatest, load.average() + objects * found.heaviest_object) << name_of(curve);
    const Partition rough = partition_of(ranks, cloud, options_of(curve, 10, 1.2));
    EXPECT_LE(lambda(summarise(rough.work)), 1.2) << name_of(curve);
  }
}

// Coarse where that will do: the parts of a snake through a cube are no slabs.
TEST(Partitioning, ASnakeIsAsCoarseAsItMayBe) {
  const Communicator ranks = test::world();
  const Cloud even = random_cloud(3, 4096, false, 8);
  EXPECT_EQ(partition_of(ranks, even, options_of(CurveKind::snake, 4, 2)).curve.levels, 4);
  Cloud clustered = even;
  for (std::size_t i = 3; i < clustered.places.size(); ++i) clustered.places[i] *= 1e-3;
  const Partition fine = partition_of(ranks, clustered, options_of(CurveKind::snake, 4));
  EXPECT_GT(fine.curve.levels, 4);
  EXPECT_EQ(fine.curve.levels % 2, 0);
  EXPECT_LE(lambda(summarise(fine.work)), 1 + 2.0 * 4 / 4096);
}

TEST(Partitioning, TheBoxThatIsGiven) {
  const Communicator ranks = test::world();
  const Cloud cloud{"two", 2, {0, 0, 1, 1}, {}};
  PartitionOptions options = options_of(CurveKind::hilbert, 2);
  options.box = {-1, -2, 3, 4};
  EXPECT_EQ(partition_of(ranks, cloud, options).box, (Box{{-1, -2, 0}, {3, 4, 0}}));
  options.box = {0, 0, 1, 1};
  EXPECT_EQ(partition_of(ranks, cloud, options).box, (Box{{0, 0, 0}, {1, 1, 0}}));
  options.box = {0, 0, 1, 0.5};
  EXPECT_ERROR(partition_of(ranks, cloud, options),
               "core/box: Objects lie from 0 to 1 along y, outside the given box, which goes from "
               "0 to 0.5.");
  options.box = {0, 0, 0, 1, 1, 1};
  EXPECT_ERROR(partition_of(ranks, cloud, options), "--box has 6 numbers");
}

TEST(Partitioning, PointsAreFinite) {
  const Communicator ranks = test::world();
  for (const double place :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    Cloud cloud = random_cloud(2, 100, false, 4);
    cloud.places.back() = place;
    const std::string text =
        error_of([&] { partition_of(ranks, cloud, options_of(CurveKind::morton, 3)); });
    EXPECT_TRUE(test::mentions(text, "core/bounds: Component 1 of the position of object "));
    EXPECT_TRUE(test::same_everywhere(ranks, text));
  }
}

TEST(Partitioning, WeightsThatAddUpToInfinity) {
  const Communicator ranks = test::world();
  const Cloud cloud{"heavy", 2, {0, 0, 1, 1, 2, 2}, {1.5e308, 1.5e308, 1.5e308}};
  for (const CurveKind curve : curves)
    EXPECT_ERROR(partition_of(ranks, cloud, options_of(curve, 2)),
                 "tools/partition: The weights add up to more than a number can hold.");
}

TEST(Partitioning, SecondsAreThoseOfTheSlowestRank) {
  const Communicator ranks = test::world();
  const Partition found =
      partition_of(ranks, random_cloud(3, 1000, false, 2), options_of(CurveKind::snake, 5));
  const PartitionSeconds& seconds = found.seconds;
  EXPECT_GT(seconds.keys, 0);
  EXPECT_EQ(seconds.order, 0);
  EXPECT_GT(seconds.cut, 0);
  EXPECT_GE(seconds.total, std::max(seconds.keys, seconds.cut));
  EXPECT_EQ(seconds.total, ranks.broadcast(seconds.total, 0));
}

}  // namespace
}  // namespace evenkeel::tool
