// Cuts of a curve into parts of different speeds, compared with serial searches.

#include "core/keyed.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/chain.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::cut_speeds_test {
namespace {

using test::keyed::Object;
using test::keyed::Objects;
using test::keyed::share_of;
using test::keyed::spreads;

constexpr std::uint64_t end = end_of_curve(3).value;

Objects objects_of(std::uint64_t count, std::uint64_t heaviest) {
  std::mt19937_64 random(count + heaviest);
  Objects objects(count);
  for (Object& object : objects)
    object = {random() % 3 == 0 ? random() % 1000 : random() % end,
              static_cast<double>(random() % (heaviest + 1))};
  return objects;
}

// Small integers, so that shares can be compared exactly.
std::vector<double> speeds_of(int parts, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> speeds(static_cast<std::size_t>(parts));
  for (double& speed : speeds) speed = static_cast<double>(1 + random() % 8);
  speeds.front() = 9;  // not all are equal
  return speeds;
}

// The weight before every possible place of a splitter. If nothing weighs anything, objects count.
std::vector<std::int64_t> prefixes_of(Objects objects) {
  std::ranges::sort(objects, {}, &Object::key);
  const bool counts = std::ranges::all_of(objects, [](const Object& o) { return o.weight == 0; });
  std::vector<std::int64_t> prefixes = {0};
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    sum += counts ? 1 : static_cast<std::int64_t>(objects[i].weight);
    if (i + 1 == objects.size() || objects[i].key != objects[i + 1].key) prefixes.push_back(sum);
  }
  return prefixes;
}

class CutBySpeed : public test::OnRanks {
 protected:
  Cut cut_of(const Objects& objects, std::size_t spread, const CutOptions& options) const {
    const test::keyed::Share share =
        share_of(communicator, objects, spreads[spread % std::size(spreads)]);
    const exec::Array<CurveKey> keys(test::space(), "evenkeel::test::keys",
                                     std::span<const CurveKey>(share.keys));
    const exec::Array<double> weights(test::space(), "evenkeel::test::weights",
                                      std::span<const double>(share.weights));
    const WeightedKeys there = {keys.span(), weights.span(), keys.memory()};
    return cut(communicator, std::span(&there, 1), options);
  }
};

double lambda_by_hand(const std::vector<double>& weights, const std::vector<double>& speeds) {
  double work = 0, speed = 0, longest = 0;
  for (std::size_t p = 0; p < weights.size(); ++p) {
    work += weights[p];
    speed += speeds[p];
    longest = std::max(longest, weights[p] / speeds[p]);
  }
  return work > 0 ? longest * speed / work : 1;
}

// Each splitter is where the weight before it is nearest to its share. If two weights are equally
// near, rounding decides.
TEST_F(CutBySpeed, SplittersAreNearestToTheirShares) {
  std::size_t turn = 0;
  for (const std::uint64_t count : {1000U, 5U, 1U})
    for (const std::uint64_t heaviest : {0U, 1U, 1000U})
      for (const int parts : {1, 2, 7, size}) {
        SCOPED_TRACE(std::to_string(count) + " objects, " + std::to_string(parts) + " parts");
        const Objects objects = objects_of(count, heaviest);
        const std::vector<double> speeds = speeds_of(parts, count);
        const Cut found = cut_of(objects, turn++, {.parts = parts, .speeds = speeds});
        const std::vector<std::int64_t> prefixes = prefixes_of(objects);
        std::int64_t all = 0, before = 0;
        for (const double speed : speeds) all += static_cast<std::int64_t>(speed);
        double weight = 0;
        for (int p = 0; p + 1 < parts; ++p) {
          before += static_cast<std::int64_t>(speeds[static_cast<std::size_t>(p)]);
          weight += found.weights[static_cast<std::size_t>(p)];
          const auto off = [&](std::int64_t prefix) {
            return std::abs(prefix * all - prefixes.back() * before);
          };
          EXPECT_EQ(off(static_cast<std::int64_t>(weight)),
                    off(*std::ranges::min_element(prefixes, {}, off)))
              << "splitter " << p + 1;
        }
        EXPECT_NEAR(found.lambda(), lambda_by_hand(found.weights, speeds), 1e-12);
      }
}

TEST_F(CutBySpeed, EqualSpeedsChangeNothing) {
  for (const Aim aim : {Aim::nearest, Aim::target, Aim::optimal})
    for (const double speed : {1.0, 0.3, 7.0}) {
      const Objects objects = objects_of(700, 10);
      const std::vector<double> speeds(5, speed);
      const CutOptions options = {.parts = 5, .target_lambda = 1.02, .aim = aim};
      CutOptions with_speeds = options;
      with_speeds.speeds = speeds;
      const Cut found = cut_of(objects, 0, with_speeds), expected = cut_of(objects, 0, options);
      EXPECT_EQ(found.splitters, expected.splitters);
      EXPECT_EQ(found.weights, expected.weights);
      EXPECT_EQ(found.lambda(), expected.lambda());
    }
}

// The bottleneck is that of the serial search in all objects.
TEST_F(CutBySpeed, TheBestCutIsTheBestOfTheChain) {
  std::size_t turn = 0;
  for (const std::uint64_t count : {1000U, 60U, 5U, 1U})
    for (const std::uint64_t heaviest : {1U, 1000U})
      for (const int parts : {2, 7, 16}) {
        SCOPED_TRACE(std::to_string(count) + " objects, " + std::to_string(parts) + " parts");
        const Objects objects = objects_of(count, heaviest);
        const std::vector<double> speeds = speeds_of(parts, count);
        const std::vector<std::int64_t> prefixes = prefixes_of(objects);
        const Chain best =
            cut_prefix(std::span<const std::int64_t>(prefixes), {.parts = parts, .speeds = speeds});
        const Cut found =
            cut_of(objects, turn++, {.parts = parts, .aim = Aim::optimal, .speeds = speeds});
        EXPECT_NEAR(found.lambda(), best.lambda, 1e-9);
      }
}

TEST_F(CutBySpeed, ATargetIsMet) {
  const Objects objects = objects_of(20'000, 3);
  for (const int parts : {2, 7, 16})
    for (const double target : {1.05, 1.3}) {
      const std::vector<double> speeds = speeds_of(parts, 3);
      const Cut found =
          cut_of(objects, 1,
                 {.parts = parts, .target_lambda = target, .aim = Aim::target, .speeds = speeds});
      EXPECT_LE(found.lambda(), target);
      EXPECT_NEAR(found.lambda(), lambda_by_hand(found.weights, speeds), 1e-12);
    }
}

// Splitters are kept if their parts are even in time, whatever their weights are.
TEST_F(CutBySpeed, KeepsWhatIsEvenInTime) {
  const Objects objects = objects_of(5000, 3);
  const std::vector<double> speeds = {1, 2, 4, 8};
  const Cut first = cut_of(objects, 0, {.parts = 4, .speeds = speeds});
  EXPECT_LT(first.lambda(), 1.02);
  const CutOptions keeping = {.parts = 4, .kept = first.splitters, .target_lambda = 1.03};
  CutOptions by_speed = keeping;
  by_speed.speeds = speeds;
  const Cut again = cut_of(objects, 1, by_speed);
  EXPECT_TRUE(again.kept);
  EXPECT_EQ(again.splitters, first.splitters);
  EXPECT_EQ(again.lambda(), first.lambda());
  EXPECT_FALSE(cut_of(objects, 1, keeping).kept);
}

// With a penalty, each splitter goes only a part of the way to its share.
TEST_F(CutBySpeed, ShiftsTowardsTheShares) {
  const Objects objects = objects_of(5000, 3);
  const std::vector<double> speeds = {1, 2, 4, 8};
  const Cut equal = cut_of(objects, 0, {.parts = 4});
  const Cut whole = cut_of(objects, 0, {.parts = 4, .speeds = speeds});
  const Cut half = cut_of(
      objects, 0, {.parts = 4, .kept = equal.splitters, .shift_penalty = 2, .speeds = speeds});
  double before[3] = {};
  for (std::size_t p = 0; p < 3; ++p) {
    before[0] += equal.weights[p];
    before[1] += half.weights[p];
    before[2] += whole.weights[p];
    EXPECT_NEAR(before[1], (before[0] + before[2]) / 2, 5);
  }
}

TEST_F(CutBySpeed, TheSameHoweverObjectsAreSpread) {
  const Objects objects = objects_of(3000, 1000);
  const std::vector<double> speeds = {0.31, 1.7, 0.9, 1.1, 2.3};
  for (const Aim aim : {Aim::nearest, Aim::optimal}) {
    const CutOptions options = {.parts = 5, .aim = aim, .speeds = speeds};
    const Cut expected = cut_of(objects, 0, options);
    for (std::size_t spread = 1; spread < std::size(spreads); ++spread) {
      const Cut found = cut_of(objects, spread, options);
      EXPECT_EQ(found.splitters, expected.splitters) << spreads[spread].name;
      EXPECT_EQ(found.weights, expected.weights);
    }
  }
}

TEST_F(CutBySpeed, SpeedsThatMakeNoSenseAreErrors) {
  const Objects objects = objects_of(100, 3);
  const std::vector<double> two = {1, 2}, none = {1, 0, 1}, wild = {1, std::nan(""), 1},
                            fast = {1e308, 1e308, 1e308};
  const auto cut_with = [&](const std::vector<double>& speeds) {
    cut_of(objects, 0, {.parts = 3, .speeds = speeds});
  };
  EXPECT_ERROR(cut_with(two),
               "core/cut: 2 speeds came for 3 parts. Give one speed per part, or no speeds.");
  EXPECT_ERROR(cut_with(none),
               "core/cut: A speed is zero, negative, NaN or infinite. Speeds are positive and "
               "finite; leave out parts that compute nothing.");
  EXPECT_ERROR(cut_with(wild), "A speed is zero, negative, NaN or infinite.");
  EXPECT_ERROR(cut_with(fast), "The sum of the speeds overflows.");
}

}  // namespace
}  // namespace evenkeel::cut_speeds_test
