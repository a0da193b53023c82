// Objects that must fit into the memory of ranks, by every method. The oracle adds up the bytes of
// each rank object by object.

#include "core/migrate/cloud.hpp"

#include <evenkeel/core/place/phases.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::place_memory_test {
namespace {

using Place = std::array<double, 3>;
using Numbers = std::vector<double>;

const Method methods[] = {Hilbert{}, Morton{},  Snake{}, Staggered{},
                          Tensor{},  Voronoi{}, Mesh{},  RecursiveBisection{}};

// A tensor grid and a mesh cannot follow every pattern of memory.
double room_of(const Method& method) {
  if (std::holds_alternative<Tensor>(method)) return 1.7;
  return std::holds_alternative<Mesh>(method) ? 1.2 : 1.1;
}

class PlaceInMemory : public test::OnRanks {
 protected:
  std::vector<Place> x;
  Numbers weights, bytes;
  static constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

  // Objects in one half have all work, and those in the other half most bytes.
  void make(std::int64_t all, std::uint64_t seed = 0) {
    for (std::int64_t id = rank; id < all; id += size) {
      x.push_back(test::place_in_unit(id + static_cast<std::int64_t>(seed << 20)));
      const bool is_heavy = x.back()[0] < 0.5;
      weights.push_back(is_heavy ? 1 + static_cast<double>(test::mix(id, 7) % 4) : 0.01);
      bytes.push_back((is_heavy ? 10 : 1000) + static_cast<double>(test::mix(id, 8) % 10));
    }
  }
  double everything(const Numbers& numbers) const {
    double sum = 0;
    for (const double number : numbers) sum += number;
    return communicator.all_reduce(sum, Reduction::sum);
  }
  Numbers by_rank(const Domains& domains, const Numbers& numbers) const {
    Numbers sums(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < x.size(); ++i)
      sums[static_cast<std::size_t>(owner_of(domains, x[i]))] += numbers[i];
    communicator.all_reduce(std::span<double>(sums), Reduction::sum);
    return sums;
  }
  Allowed placed(const PlaceOptions& options, const Numbers& memory, const Goal& goal = {},
                 const Domains& last = {}, double most_share = 1) {
    const Set all = set(x);
    const std::span<const double> work = weights, sizes = bytes;
    return place_allowed(
        communicator, Status(),
        prepare(communicator, Status(), {&all, 1}, {3, unit, false}, options), Weights(&work, 1),
        goal, {.memory = memory, .most_share = most_share, .bytes = Weights(&sizes, 1)}, last);
  }
  // Expects the fill that the result reports, and that no rank has more than its memory.
  void expect_fits(const Allowed& found, const Numbers& memory) const {
    const Numbers real = by_rank(found.assignment.domains, bytes);
    ASSERT_EQ(found.bytes.size(), real.size());
    for (std::size_t r = 0; r < real.size(); ++r) {
      EXPECT_NEAR(found.bytes[r], real[r], 1e-6 * everything(bytes)) << r;
      EXPECT_LE(real[r], memory[r]) << r;
      EXPECT_LE(real[r] / memory[r], found.fullest.share() * (1 + 1e-9));
    }
    const auto fullest = static_cast<std::size_t>(found.fullest.rank);
    EXPECT_EQ(found.fullest.memory, memory[fullest]);
    EXPECT_NEAR(found.fullest.bytes, real[fullest], 1e-6 * everything(bytes));
  }
};

// By work alone the last ranks would hold nearly all bytes.
TEST_F(PlaceInMemory, NoRankGetsMoreThanItsMemory) {
  make(3000);
  int refused = 0;
  for (const Method& method : methods)
    for (const bool are_equal : {true, false}) {
      SCOPED_TRACE(to_text(method));
      Numbers memory;
      for (int r = 0; r < size; ++r) memory.push_back(are_equal ? 1 : 1 + r % 2);
      double shares = 0;
      for (const double share : memory) shares += share;
      for (double& each : memory) each *= room_of(method) * everything(bytes) / shares;
      const Allowed found = placed({.method = method}, memory);
      expect_fits(found, memory);
      EXPECT_NEAR(found.assignment.lambda, lambda_of(by_rank(found.assignment.domains, weights)),
                  1e-9);
      refused += found.refused;
      // Domains that fit and are even enough are kept.
      const Allowed again =
          placed({.method = method}, memory, EvenGoal{found.assignment.lambda * 1.001},
                 found.assignment.domains);
      EXPECT_FALSE(again.assignment.is_changed);
      EXPECT_EQ(again.refused, 0);
    }
  if (size > 1) {
    EXPECT_GT(refused, 0);
  }
}

TEST_F(PlaceInMemory, ALimitThatDoesNotBindChangesNothing) {
  make(2000);
  const Numbers memory(static_cast<std::size_t>(size), everything(bytes));
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const Allowed found = placed({.method = method}, memory, EvenGoal{1.02});
    const Allowed expected = placed({.method = method}, {}, EvenGoal{1.02});
    EXPECT_TRUE(is_same_division(found.assignment.domains, expected.assignment.domains));
    EXPECT_EQ(found.assignment.lambda, expected.assignment.lambda);
    EXPECT_EQ(found.refused, 0);
    EXPECT_TRUE(expected.bytes.empty());
  }
}

// More memory must allow work to be more even, up to the lambda without a limit.
TEST_F(PlaceInMemory, MoreMemoryAllowsMoreEvenWork) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  make(4000);
  double last = std::numeric_limits<double>::max();
  for (const double room : {1.05, 1.3, 1.6, 2.0}) {
    const Numbers memory(static_cast<std::size_t>(size), room * everything(bytes) / size);
    const Allowed found = placed({}, memory);
    expect_fits(found, memory);
    EXPECT_LE(found.assignment.lambda, last * 1.1) << room;
    last = found.assignment.lambda;
  }
  EXPECT_LT(last,
            placed({}, Numbers(static_cast<std::size_t>(size), 1.05 * everything(bytes) / size))
                .assignment.lambda);
}

TEST_F(PlaceInMemory, RandomObjectsOfFewSizes) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto count = static_cast<std::int64_t>(test::mix(seed + 40) % 60);
    x.clear(), weights.clear(), bytes.clear();
    make(count, seed);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<double>(test::mix(static_cast<std::int64_t>(i) + rank, 3) % 5);
    // The fullest part of a cut by bytes has at most a share and the largest object, if no object
    // shares its place with another one.
    const Numbers memory(static_cast<std::size_t>(size), everything(bytes) / size + 30);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_fits(placed({}, memory), memory);
  }
}

TEST_F(PlaceInMemory, ObjectsWithoutBytesFitAnywhere) {
  make(60);
  std::fill(bytes.begin(), bytes.end(), 0.0);
  const Allowed found = placed({}, Numbers(static_cast<std::size_t>(size), 1.0));
  EXPECT_EQ(found.bytes, Numbers(static_cast<std::size_t>(size)));
  EXPECT_EQ(found.fullest.share(), 0);
  EXPECT_FALSE(found.is_held_back);
}

TEST_F(PlaceInMemory, SpeedsAndMemoryCanBeOpposed) {
  make(4000);
  Numbers speeds, memory;
  double shares = 0;
  for (int r = 0; r < size; ++r) {
    speeds.push_back(1 + r % 2);
    memory.push_back(2 - r % 2);
    shares += memory.back();
  }
  for (double& each : memory) each *= 1.1 * everything(bytes) / shares;
  expect_fits(placed({.speeds = speeds}, memory), memory);
}

// If nothing fits, the fullest rank is as little over its limit as a cut by bytes allows.
TEST_F(PlaceInMemory, WithoutACutThatFitsTheLeastFullOneIsTaken) {
  make(2000);
  const double average = everything(bytes) / size;
  const Numbers memory(static_cast<std::size_t>(size), average / 2);
  for (const Method& method : {Method(Hilbert{}), Method(RecursiveBisection{})}) {
    const Allowed found = placed({.method = method}, memory);
    EXPECT_GT(found.fullest.share(), 1.99);
    EXPECT_LT(found.fullest.share(), 2.3);
    // The last domains stay if no cut is better.
    const Allowed again =
        placed({.method = method}, memory, EvenGoal{1.05}, found.assignment.domains);
    EXPECT_LE(again.fullest.share(), found.fullest.share());
    EXPECT_FALSE(again.assignment.is_changed);
  }
}

TEST_F(PlaceInMemory, AllBytesInOneObject) {
  make(300);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = rank == 0 && i == 0 ? 100 : 0;
  const Numbers too_small(static_cast<std::size_t>(size), 99.0);
  EXPECT_GT(placed({}, too_small).fullest.share(), 1);
  const Numbers enough(static_cast<std::size_t>(size), 100.0);
  EXPECT_EQ(placed({}, enough).fullest.share(), 1);
}

TEST_F(PlaceInMemory, ASmallerShareLeavesRoom) {
  make(3000);
  const Numbers memory(static_cast<std::size_t>(size), 2 * everything(bytes) / size);
  EXPECT_LE(placed({}, memory, {}, {}, 0.6).fullest.share(), 0.6);
}

TEST_F(PlaceInMemory, BadLimitsAreErrors) {
  make(30);
  const auto ranks = static_cast<std::size_t>(size);
  EXPECT_ERROR(placed({}, Numbers(ranks + 1, 1e9)),
               "core/place: " + std::to_string(size + 1) + " limits of memory came for " +
                   std::to_string(size) + " parts. Give one limit per part, or no limits.");
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()})
    EXPECT_ERROR(placed({}, Numbers(ranks, bad)),
                 "A limit of memory is zero, negative, NaN or infinite. Give positive numbers of "
                 "bytes, or no limits.");
}

// --- Graphs --------------------------------------------------------------------------------------

// A ring, in which half of the vertices have all work and the others most bytes.
TEST_F(PlaceInMemory, PartsOfAGraphFit) {
  constexpr std::int64_t per_rank = 300;
  const std::int64_t all = per_rank * size;
  std::vector<std::int64_t> offsets = {0}, columns;
  for (std::int64_t i = 0; i < per_rank; ++i) {
    const std::int64_t v = rank * per_rank + i;
    x.push_back({static_cast<double>(v) / static_cast<double>(all), 0.5, 0.5});
    weights.push_back(2 * v < all ? 1 : 0.01);
    bytes.push_back(2 * v < all ? 1 : 100);
    columns.push_back((v + all - 1) % all);
    columns.push_back((v + 1) % all);
    offsets.push_back(std::ssize(columns));
  }
  const Set one = set(x, {}, {.graph = graph(offsets, columns)});
  const std::span<const double> work = weights, sizes = bytes;
  const Numbers memory(static_cast<std::size_t>(size), 1.15 * everything(bytes) / size);
  const Allowed found = place_allowed(
      communicator, Status(),
      prepare(communicator, Status(), {&one, 1}, {3, unit, false}, {.method = ByGraph{}}),
      Weights(&work, 1), GraphGoal{}, {.memory = memory, .bytes = Weights(&sizes, 1)}, {});
  EXPECT_LE(found.fullest.share(), 1);
  EXPECT_EQ(found.bytes.size(), memory.size());
}

}  // namespace
}  // namespace evenkeel::place_memory_test
