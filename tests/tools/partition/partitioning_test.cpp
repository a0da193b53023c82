#include "partition/partitioning.hpp"

#include "clouds.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/boxes/cut.hpp>
#include <evenkeel/core/boxes/rounds.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/field/standard.hpp>

#include <variant>

namespace evenkeel::tool::partitioning_test {
namespace {

using test::Cloud;
using test::degenerate_clouds;
using test::random_cloud;
using Partitioning = test::OnRanks;

constexpr CurveKind curves[] = {CurveKind::hilbert, CurveKind::morton, CurveKind::snake};
constexpr GridScheme schemes[] = {GridScheme::tensor, GridScheme::staggered};

Method along(CurveKind curve) { return *method_from_text(name_of(curve)); }
Method in_grid(GridScheme scheme) { return *method_from_text(name_of(scheme)); }

PartitionOptions options_of(const Method& method, int parts, double target_lambda = 0) {
  PartitionOptions options;
  options.method = method;
  options.parts = parts;
  options.target_lambda = target_lambda;
  return options;
}

Partition partition_of(const Communicator& ranks, const Cloud& cloud,
                       const PartitionOptions& options) {
  return partition(ranks, test::share_of(cloud, ranks), options);
}

const CurveDomains& curve_of(const Partition& partition) {
  return std::get<CurveDomains>(partition.domains);
}
const GridDomains& grid_of(const Partition& partition) {
  return std::get<GridDomains>(partition.domains);
}
const TreeDomains& tree_of(const Partition& partition) {
  return std::get<TreeDomains>(partition.domains);
}

// Computes the box like the library, point by point.
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

// One lattice and one cut, computed by this process alone.
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
    cut = evenkeel::cut(Communicator::self(), std::span(&keyed, 1), cutting);
  }
  std::vector<CurveKey> keys;
  Cut cut;
};

// The number of levels follows the rule in the header.
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

// Checks the part of each object, and the work that follows from the parts.
template <class PartOf>
void expect_work(const Communicator& ranks, const Cloud& cloud, const Partition& found,
                 const PartOf& part_of_object) {
  const auto part_of = ranks.all_gather(std::span<const std::int32_t>(found.parts)).values;
  ASSERT_EQ(part_of.size(), cloud.count());
  std::vector<long double> work(found.work.size());
  double heaviest = 0;
  for (std::size_t i = 0; i < part_of.size(); ++i) {
    ASSERT_EQ(part_of[i], part_of_object(i)) << "object " << i;
    const double weight = cloud.weights.empty() ? 1 : cloud.weights[i];
    work[static_cast<std::size_t>(part_of[i])] += weight;
    heaviest = std::max(heaviest, weight);
  }
  EXPECT_EQ(found.heaviest_object, heaviest);
  const std::vector<double> sums(work.begin(), work.end());
  const double greatest = std::ranges::max(sums);
  for (std::size_t p = 0; p < sums.size(); ++p)
    EXPECT_NEAR(found.work[p], sums[p], 1e-9 * greatest) << p;
  EXPECT_NEAR(lambda(summarise(found.work)), lambda(summarise(sums)), 1e-9);
}

void expect_as_expected(const Communicator& ranks, const Cloud& cloud, CurveKind curve, int parts,
                        double target_lambda) {
  SCOPED_TRACE(cloud.name + " in " + std::to_string(cloud.dimensions) + "-D, " + name_of(curve) +
               ", parts: " + std::to_string(parts));
  const Partition found =
      partition_of(ranks, cloud, options_of(along(curve), parts, target_lambda));
  const Expected expected = expected_of(cloud, curve, parts, target_lambda);
  EXPECT_EQ(curve_of(found).box(), box_of(cloud));
  EXPECT_EQ(curve_of(found).splitters(), expected.cut.splitters);
  EXPECT_EQ(ranks.all_gather(std::span<const CurveKey>(found.keys.span())).values, expected.keys);
  expect_work(ranks, cloud, found,
              [&](std::size_t i) { return owner_of(expected.cut.splitters, expected.keys[i]); });
}

TEST_F(Partitioning, IsWhatTheLibrarySays) {
  unsigned seed = 1;
  for (const CurveKind curve : curves)
    for (const int dimensions : {2, 3})
      for (const bool weighted : {false, true})
        for (const int parts : {1, 7, 64})
          for (const double target : {0.0, 1.0, 1.05})
            expect_as_expected(communicator, random_cloud(dimensions, 3000, weighted, ++seed),
                               curve, parts, target);
}

TEST_F(Partitioning, WhereEverythingIsSpecial) {
  for (const Cloud& cloud : degenerate_clouds())
    for (const CurveKind curve : curves)
      for (const int parts : {1, 3, 500}) expect_as_expected(communicator, cloud, curve, parts, 0);
}

// If all keys differ, a part has at most the average and the weight of the heaviest object.
TEST_F(Partitioning, PartsAreEven) {
  const Cloud cloud = random_cloud(3, 3000, true, 3);
  for (const CurveKind curve : curves) {
    const Partition found = partition_of(communicator, cloud, options_of(along(curve), 10));
    const LoadSummary load = summarise(found.work);
    const double objects = curve == CurveKind::snake ? 2 : 1;
    EXPECT_LE(load.greatest, load.average() + objects * found.heaviest_object) << name_of(curve);
    const Partition rough = partition_of(communicator, cloud, options_of(along(curve), 10, 1.2));
    EXPECT_LE(lambda(summarise(rough.work)), 1.2) << name_of(curve);
  }
}

// The lattice must be coarse if that suffices, so that the parts of a snake through a cube are not
// slabs.
TEST_F(Partitioning, ASnakeIsAsCoarseAsItMayBe) {
  const Cloud even = random_cloud(3, 4096, false, 8);
  EXPECT_EQ(curve_of(partition_of(communicator, even, options_of(Snake{}, 4, 2))).curve().levels,
            4);
  Cloud clustered = even;
  for (std::size_t i = 3; i < clustered.places.size(); ++i) clustered.places[i] *= 1e-3;
  const Partition fine = partition_of(communicator, clustered, options_of(Snake{}, 4));
  EXPECT_GT(curve_of(fine).curve().levels, 4);
  EXPECT_EQ(curve_of(fine).curve().levels % 2, 0);
  EXPECT_LE(lambda(summarise(fine.work)), 1 + 2.0 * 4 / 4096);
}

TEST_F(Partitioning, TheBoxThatIsGiven) {
  const Cloud cloud{"two", 2, {0, 0, 1, 1}, {}};
  PartitionOptions options = options_of(Hilbert{}, 2);
  options.box = {-1, -2, 3, 4};
  EXPECT_EQ(curve_of(partition_of(communicator, cloud, options)).box(),
            (Box{{-1, -2, 0}, {3, 4, 0}}));
  options.box = {0, 0, 1, 1};
  EXPECT_EQ(curve_of(partition_of(communicator, cloud, options)).box(),
            (Box{{0, 0, 0}, {1, 1, 0}}));
  options.box = {0, 0, 1, 0.5};
  EXPECT_ERROR(
      partition_of(communicator, cloud, options),
      "core/box: Objects extend from 0 to 1 along y, outside the given box, which goes from "
      "0 to 0.5.");
  options.box = {0, 0, 0, 1, 1, 1};
  EXPECT_ERROR(partition_of(communicator, cloud, options), "--box has 6 numbers");
}

TEST_F(Partitioning, PointsAreFinite) {
  for (const double place :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    Cloud cloud = random_cloud(2, 100, false, 4);
    cloud.places.back() = place;
    EXPECT_ERROR_EVERYWHERE(partition_of(communicator, cloud, options_of(Morton{}, 3)),
                            "core/bounds: Component 1 of the position of object ");
  }
}

// --- Boxes ---------------------------------------------------------------------------------------

std::vector<double> point_of(const Cloud& cloud, std::size_t object) {
  const auto n = static_cast<std::ptrdiff_t>(cloud.dimensions);
  const auto first = cloud.places.begin() + static_cast<std::ptrdiff_t>(object) * n;
  return {first, first + n};
}

// The options of a cut by one process. They refer to the cloud.
template <class Options>
Options box_cut_options(const Cloud& cloud, double target_lambda) {
  Options cutting;
  cutting.box = box_of(cloud);
  cutting.target_lambda = target_lambda;
  return cutting;
}

GridShape shape_for(const Cloud& cloud, int parts) {
  std::array<double, 3> sides = {};
  const Box box = box_of(cloud);
  for (std::size_t axis = 0; axis < 3; ++axis)
    sides[axis] = box.upper[axis] / 4 - box.lower[axis] / 4;
  return factored(parts, cloud.dimensions, sides);
}

// The fields of a cut. The cut only reads the cloud.
class WholeCloud {
 public:
  explicit WholeCloud(Cloud cloud)
      : cloud_(std::move(cloud)),
        places_(raw_field(cloud_.places.data(), {.count = static_cast<std::int64_t>(cloud_.count()),
                                                 .components = cloud_.dimensions})) {}
  WeightedPoints points() { return {evenkeel::set(places_).position(), cloud_.weights}; }

 private:
  Cloud cloud_;
  RawField<double> places_;
};

void expect_grid(const Communicator& ranks, const Cloud& cloud, GridScheme scheme, int parts,
                 double target_lambda) {
  SCOPED_TRACE(cloud.name + " in " + std::to_string(cloud.dimensions) + "-D, " + name_of(scheme) +
               ", parts: " + std::to_string(parts));
  const Partition found =
      partition_of(ranks, cloud, options_of(in_grid(scheme), parts, target_lambda));
  auto cutting = box_cut_options<GridCutOptions>(cloud, target_lambda);
  cutting.shape = shape_for(cloud, parts);
  cutting.scheme = scheme;
  WholeCloud whole(cloud);
  const WeightedPoints points = whole.points();
  const GridCut cut = cut_grid(Communicator::self(), std::span(&points, 1), cutting);
  EXPECT_EQ(grid_of(found).box(), cutting.box);
  EXPECT_EQ(grid_of(found).shape(), cutting.shape);
  EXPECT_EQ(grid_of(found).borders(), cut.borders);
  EXPECT_TRUE(found.rounds.empty());
  EXPECT_TRUE(found.keys.empty());
  expect_work(ranks, cloud, found,
              [&](std::size_t i) { return grid_of(found).owner_of(point_of(cloud, i)); });
}

void expect_tree(const Communicator& ranks, const Cloud& cloud, int parts, double target_lambda) {
  SCOPED_TRACE(cloud.name + " in " + std::to_string(cloud.dimensions) +
               "-D, bisection, parts: " + std::to_string(parts));
  const Partition found =
      partition_of(ranks, cloud, options_of(RecursiveBisection{}, parts, target_lambda));
  auto cutting = box_cut_options<BisectionOptions>(cloud, target_lambda);
  cutting.parts = parts;
  cutting.dimensions = cloud.dimensions;
  WholeCloud whole(cloud);
  const WeightedPoints points = whole.points();
  const BisectionCut cut = bisect(Communicator::self(), std::span(&points, 1), cutting);
  EXPECT_EQ(tree_of(found).box(), cutting.box);
  EXPECT_EQ(tree_of(found).nodes(), cut.nodes);
  expect_work(ranks, cloud, found,
              [&](std::size_t i) { return tree_of(found).owner_of(point_of(cloud, i)); });
}

TEST_F(Partitioning, BoxesAreWhatTheLibrarySays) {
  unsigned seed = 100;
  for (const int dimensions : {2, 3})
    for (const bool weighted : {false, true})
      for (const int parts : {1, 7, 24})
        for (const double target : {0.0, 1.05}) {
          const Cloud cloud = random_cloud(dimensions, 1500, weighted, ++seed);
          for (const GridScheme scheme : schemes)
            expect_grid(communicator, cloud, scheme, parts, target);
          expect_tree(communicator, cloud, parts, target);
        }
}

TEST_F(Partitioning, BoxesWhereEverythingIsSpecial) {
  for (const Cloud& cloud : degenerate_clouds())
    for (const int parts : {1, 3, 500}) {
      for (const GridScheme scheme : schemes) expect_grid(communicator, cloud, scheme, parts, 0);
      expect_tree(communicator, cloud, parts, 0);
    }
}

TEST_F(Partitioning, TheGridThatIsGiven) {
  const Cloud cloud = random_cloud(3, 500, false, 12);
  PartitionOptions options = options_of(Tensor{{1, 6, 2}}, 12);
  options.grid_numbers = 3;
  EXPECT_EQ(grid_of(partition_of(communicator, cloud, options)).shape(), (GridShape{3, {1, 6, 2}}));
  options.method = Tensor{{6, 2, 1}};
  options.grid_numbers = 2;
  EXPECT_EQ(grid_of(partition_of(communicator, random_cloud(2, 500, false, 13), options)).shape(),
            (GridShape{2, {6, 2, 1}}));
  EXPECT_ERROR(partition_of(communicator, cloud, options),
               "tools/partition: --grid has 2 numbers, but the points of '' have 3 coordinates. "
               "Give 3 numbers.");
}

// --- Rounds --------------------------------------------------------------------------------------

// Adds up the work object by object.
std::vector<double> work_in(const GridDomains& grid, const Cloud& cloud) {
  std::vector<double> work(static_cast<std::size_t>(grid.parts()));
  for (std::size_t i = 0; i < cloud.count(); ++i)
    work[static_cast<std::size_t>(grid.owner_of(point_of(cloud, i)))] +=
        cloud.weights.empty() ? 1 : cloud.weights[i];
  return work;
}

// The weights are whole numbers, so that sums are exact.
Cloud with_whole_weights(Cloud cloud) {
  for (double& weight : cloud.weights) weight = std::floor(10 * weight);
  return cloud;
}

void expect_rounds(const Communicator& ranks, const Cloud& cloud, GridScheme scheme, int parts,
                   int count) {
  SCOPED_TRACE(cloud.name + " in " + std::to_string(cloud.dimensions) + "-D, " + name_of(scheme) +
               ", parts: " + std::to_string(parts) + ", rounds: " + std::to_string(count));
  PartitionOptions options = options_of(in_grid(scheme), parts);
  options.rounds = count;
  const Partition found = partition_of(ranks, cloud, options);
  GridRounds rounds(GridDomains::uniform(shape_for(cloud, parts), box_of(cloud), scheme), {});
  ASSERT_EQ(std::ssize(found.rounds), count + 1);
  for (const LoadSummary& tried : found.rounds) {
    const std::vector<double> work = work_in(rounds.current(), cloud);
    EXPECT_EQ(lambda(tried), lambda(summarise(work)));
    EXPECT_EQ(imbalance_percent(tried), imbalance_percent(summarise(work)));
    rounds.next(work);
  }
  EXPECT_EQ(grid_of(found).borders(), rounds.best().borders());
  double least = lambda(found.rounds.front());
  for (const LoadSummary& tried : found.rounds) least = std::min(least, lambda(tried));
  EXPECT_EQ(lambda(summarise(found.work)), least);
  expect_work(ranks, cloud, found,
              [&](std::size_t i) { return rounds.best().owner_of(point_of(cloud, i)); });
}

TEST_F(Partitioning, RoundsAreWhatTheLibrarySays) {
  unsigned seed = 200;
  for (const GridScheme scheme : schemes)
    for (const int dimensions : {2, 3})
      for (const bool weighted : {false, true})
        for (const int count : {0, 1, 9}) {
          const Cloud cloud = random_cloud(dimensions, 800, weighted, ++seed);
          expect_rounds(communicator, with_whole_weights(cloud), scheme, 12, count);
        }
}

TEST_F(Partitioning, RoundsWhereEverythingIsSpecial) {
  for (const Cloud& cloud : degenerate_clouds())
    for (const GridScheme scheme : schemes)
      for (const int parts : {1, 3, test::is_sanitized ? 12 : 100})
        expect_rounds(communicator, with_whole_weights(cloud), scheme, parts, 4);
}

// --- All methods ---------------------------------------------------------------------------------

// Each method, and also those that have rounds in rounds.
std::vector<PartitionOptions> all_ways(int parts) {
  std::vector<PartitionOptions> all;
  for (const std::string_view name : method_names())
    if (!places_by_graph(*method_from_text(name)))
      all.push_back(options_of(*method_from_text(name), parts));
  for (const GridScheme scheme : schemes)
    all.emplace_back(options_of(in_grid(scheme), parts)).rounds = 2;
  for (const Method& method : {Method(Voronoi{}), Method(Mesh{})})
    all.emplace_back(options_of(method, parts)).rounds = 2;
  return all;
}

// The coordinates are exact as floats.
TEST_F(Partitioning, FloatsGiveTheSameParts) {
  for (const int dimensions : {2, 3}) {
    Cloud cloud = random_cloud(dimensions, 500, true, 71);
    for (double& place : cloud.places) place = static_cast<float>(place);
    const FileObjects as_doubles = test::share_of(cloud, communicator);
    FileObjects as_floats = as_doubles;
    for (const double place : as_floats.places)
      as_floats.float_places.push_back(static_cast<float>(place));
    as_floats.places.clear();
    EXPECT_EQ(as_floats.count(), as_doubles.count());
    for (const PartitionOptions& options : all_ways(7)) {
      const Partition one = partition(communicator, as_doubles, options);
      const Partition other = partition(communicator, as_floats, options);
      EXPECT_EQ(one.parts, other.parts) << to_text(options.method);
      EXPECT_EQ(one.work, other.work) << to_text(options.method);
    }
  }
}

TEST_F(Partitioning, WeightsThatAddUpToInfinity) {
  const Cloud cloud{"heavy", 2, {0, 0, 1, 1, 2, 2}, {1.5e308, 1.5e308, 1.5e308}};
  for (const PartitionOptions& options : all_ways(2))
    EXPECT_ERROR(partition_of(communicator, cloud, options),
                 "The weights add up to more than a number can hold.");
}

TEST_F(Partitioning, SecondsAreThoseOfTheSlowestRank) {
  for (const PartitionOptions& options : all_ways(5)) {
    const Partition found = partition_of(communicator, random_cloud(3, 1000, false, 2), options);
    const PartitionSeconds& seconds = found.seconds;
    EXPECT_GT(seconds.keys, 0);
    EXPECT_EQ(seconds.order, 0);
    EXPECT_GT(seconds.cut, 0);
    EXPECT_GE(seconds.total, std::max(seconds.keys, seconds.cut));
    EXPECT_EQ(seconds.total, communicator.broadcast(seconds.total, 0));
  }
}

}  // namespace
}  // namespace evenkeel::tool::partitioning_test
