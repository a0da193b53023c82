#include "core/keyed.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/chain.hpp>

#include <initializer_list>

namespace evenkeel::cut_test {
namespace {

using test::keyed::Object;
using test::keyed::Objects;
using test::keyed::Share;
using test::keyed::share_of;
using test::keyed::Spread;
using test::keyed::spreads;

// --- Objects, the same on all ranks --------------------------------------------------------------

struct Keys {
  const char* name;
  std::uint64_t (*key)(std::uint64_t i, std::uint64_t random);
};

constexpr std::uint64_t end = end_of_curve(3).value;

constexpr Keys all_keys[] = {
    {"anywhere", [](std::uint64_t, std::uint64_t random) { return random % end; }},
    {"few keys", [](std::uint64_t, std::uint64_t random) { return (random % 13) * (end / 13); }},
    {"one key", [](std::uint64_t, std::uint64_t) { return std::uint64_t{12345}; }},
    {"both ends",
     [](std::uint64_t, std::uint64_t random) { return random % 2 == 0 ? 0 : end - 1; }},
    {"one after another", [](std::uint64_t i, std::uint64_t) { return i; }},
    {"clusters", [](std::uint64_t, std::uint64_t random) { return (end >> (random % 60)) - 1; }},
};

// The weights are integers, so that sums in the oracle are exact.
struct Weights {
  const char* name;
  double (*weight)(std::uint64_t i, std::uint64_t random);
};

constexpr Weights all_weights[] = {
    {"all 1", [](std::uint64_t, std::uint64_t) { return 1.0; }},
    {"all 0", [](std::uint64_t, std::uint64_t) { return 0.0; }},
    {"up to 1000",
     [](std::uint64_t, std::uint64_t random) { return static_cast<double>(random % 1001); }},
    {"many 0", [](std::uint64_t, std::uint64_t random) { return random % 9 == 0 ? 3.0 : 0.0; }},
    {"one heavy", [](std::uint64_t i, std::uint64_t) { return i == 3 ? 700.0 : 1.0; }},
    {"all on one", [](std::uint64_t i, std::uint64_t) { return i == 0 ? 5.0 : 0.0; }},
};

Objects objects_of(const Keys& keys, const Weights& weights, std::uint64_t count) {
  std::mt19937_64 random(count);
  Objects objects(count);
  for (std::uint64_t i = 0; i < count; ++i)
    objects[i] = {keys.key(i, random()), weights.weight(i, random())};
  return objects;
}

// --- Shares --------------------------------------------------------------------------------------

// Objects are in order on each rank and from rank to rank. Each rank has equally many.
Share share_in_order(const Communicator& communicator, Objects objects) {
  std::ranges::stable_sort(objects, {}, &Object::key);
  return share_of(communicator, objects,
                  {"in order", [](std::uint64_t i, std::uint64_t count, std::uint64_t size) {
                     return i * size / count;
                   }});
}

// Cuts on the space under test.
Cut cut_one(const Communicator& communicator, const WeightedKeys& share,
            const CutOptions& options) {
  if (!test::space().is_device()) return cut(communicator, std::span(&share, 1), options);
  const exec::Array<CurveKey> keys(test::space(), "evenkeel::test::keys", share.keys);
  const exec::Array<double> weights(test::space(), "evenkeel::test::weights", share.weights);
  const WeightedKeys there = {keys.span(), weights.span(), keys.memory()};
  return cut(communicator, std::span(&there, 1), options);
}

// --- The oracle: all on one rank, sorted and summed up -------------------------------------------

// The weight before every possible place of a splitter, in the order of the curve.
template <class Number>
std::vector<Number> prefixes_of(Objects objects) {
  std::ranges::sort(objects, {}, &Object::key);
  std::vector<Number> prefixes = {Number{0}};
  Number sum{0};
  for (std::size_t i = 0; i < objects.size(); ++i) {
    sum += static_cast<Number>(objects[i].weight);
    if (i + 1 == objects.size() || objects[i].key != objects[i + 1].key) prefixes.push_back(sum);
  }
  return prefixes;
}

template <class Number>
Number weight_before(const Objects& objects, CurveKey splitter) {
  Number sum{0};
  for (const Object& object : objects)
    if (object.key < splitter.value) sum += static_cast<Number>(object.weight);
  return sum;
}

// The expected weight before splitter p: the prefix nearest to its share. If two are equally near,
// the left one.
std::int64_t nearest_prefix(const std::vector<std::int64_t>& prefixes, std::int64_t p,
                            std::int64_t parts) {
  const auto off = [&](std::int64_t prefix) {
    return std::abs(parts * prefix - p * prefixes.back());
  };
  return *std::ranges::min_element(prefixes, {}, off);
}

void expect_whole(const Splitters& splitters, int parts, int dimensions = 3) {
  ASSERT_EQ(splitters.size(), static_cast<std::size_t>(parts) + 1);
  EXPECT_EQ(splitters.front(), CurveKey{0});
  EXPECT_EQ(splitters.back(), end_of_curve(dimensions));
  EXPECT_TRUE(std::is_sorted(splitters.begin(), splitters.end()));
}

double heaviest_key(const std::vector<std::int64_t>& prefixes) {
  std::int64_t heaviest = 0;
  for (std::size_t i = 1; i < prefixes.size(); ++i)
    heaviest = std::max(heaviest, prefixes[i] - prefixes[i - 1]);
  return static_cast<double>(heaviest);
}

// If all objects weigh 0, they count as equally heavy.
Objects counted(Objects objects) {
  if (weight_before<double>(objects, {end}) == 0)
    for (Object& object : objects) object.weight = 1;
  return objects;
}

// Expects the weight of each part to be the weight between its splitters. Returns the weight before
// each splitter.
std::vector<std::int64_t> expect_weights(const Cut& found, const Objects& objects) {
  std::vector<std::int64_t> before;
  for (const CurveKey splitter : found.splitters)
    before.push_back(weight_before<std::int64_t>(objects, splitter));
  std::vector<double> weights;
  for (std::size_t p = 1; p < before.size(); ++p)
    weights.push_back(static_cast<double>(before[p] - before[p - 1]));
  EXPECT_EQ(found.weights, weights);
  return before;
}

void expect_same(const Cut& found, const Cut& expected) {
  EXPECT_EQ(found.splitters, expected.splitters);
  EXPECT_EQ(found.weights, expected.weights);
}

// Expects `found` to be the cut of objects whose weights are integers.
void expect_exact(const Cut& found, const Objects& given, int parts) {
  const Objects objects = counted(given);
  ASSERT_NO_FATAL_FAILURE(expect_whole(found.splitters, parts));
  EXPECT_EQ(found.heaviest_object,
            given.empty() ? 0 : std::ranges::max(given, {}, &Object::weight).weight);
  const auto prefixes = prefixes_of<std::int64_t>(objects);
  const std::vector<std::int64_t> before = expect_weights(found, objects);
  for (int p = 1; p <= parts; ++p)
    ASSERT_EQ(before[static_cast<std::size_t>(p)], nearest_prefix(prefixes, p, parts))
        << "splitter " << p;
  ASSERT_FALSE(found.weights.empty());
  const double average = static_cast<double>(prefixes.back()) / parts;
  const double heaviest = std::ranges::max(found.weights);
  EXPECT_LE(heaviest, average + heaviest_key(prefixes));
  EXPECT_NEAR(found.lambda(), average > 0 ? heaviest / average : 1, 1e-12);
  EXPECT_FALSE(found.kept);
}

// --- Cuts of integer weights ---------------------------------------------------------------------

class CutOn : public test::OnRanks {
 protected:
  // Cuts objects that are spread over the ranks, in order, or on one rank alone.
  Cut cut_of(const Objects& objects, const Spread& spread, const CutOptions& options) const {
    return cut_one(communicator, share_of(communicator, objects, spread).both(), options);
  }
  Cut cut_in_order(const Objects& objects, const CutOptions& options) const {
    return cut_one(communicator, share_in_order(communicator, objects).both(), options);
  }
  static Cut cut_alone(const Objects& objects, const CutOptions& options) {
    const Communicator alone = Communicator::self();
    return cut_one(alone, share_of(alone, objects, spreads[0]).both(), options);
  }

  // Returns each spread in turn.
  const Spread& next_spread() { return spreads[turn_++ % std::size(spreads)]; }

  void expect_cuts(std::uint64_t count, std::initializer_list<int> all_parts) {
    for (const Keys& keys : all_keys)
      for (const Weights& weights : all_weights)
        for (const int parts : all_parts) {
          const Spread& spread = next_spread();
          SCOPED_TRACE(std::string(keys.name) + ", " + weights.name + ", " + spread.name + ", " +
                       std::to_string(parts) + " parts");
          const Objects objects = objects_of(keys, weights, count);
          const Cut found = cut_of(objects, spread, {.parts = parts});
          expect_exact(found, objects, parts);
          expect_same(cut_in_order(objects, {.parts = parts}), found);
        }
  }

  // Keys 0, 1, ... 99 of weight 1. Ranks get them in turn.
  Share hundred() const {
    return share_of(communicator, objects_of(all_keys[4], all_weights[0], 100), spreads[0]);
  }

 private:
  std::size_t turn_ = 0;
};

TEST_F(CutOn, ManyObjects) { expect_cuts(1000, {1, 2, 7, size}); }

TEST_F(CutOn, FewerObjectsThanParts) { expect_cuts(5, {5, 16}); }

TEST_F(CutOn, OneObject) { expect_cuts(1, {2, 3}); }

TEST_F(CutOn, LargeAndFine) {
  const Objects objects = objects_of(all_keys[0], all_weights[2], 20'000);
  const Cut found = cut_of(objects, spreads[1], {.parts = 100});
  expect_exact(found, objects, 100);
  EXPECT_LT(found.lambda(), 1.02);
}

TEST_F(CutOn, NoObjectsAtAll) {
  for (const int parts : {1, 3}) {
    const Cut none = cut(communicator, {}, {.parts = parts, .dimensions = 2});
    expect_whole(none.splitters, parts, 2);
    EXPECT_EQ(none.weights, std::vector<double>(static_cast<std::size_t>(parts)));
    EXPECT_EQ(none.lambda(), 1);
    const WeightedKeys empty;
    EXPECT_EQ(cut_one(communicator, empty, {.parts = parts, .dimensions = 2}).splitters,
              none.splitters);
  }
}

// The splitters of a cut of `objects`, which are all on the last rank. The first and the last
// splitter are left out.
std::vector<std::uint64_t> inner_splitters(const Communicator& communicator, const Objects& objects,
                                           int parts) {
  const Share mine = share_of(communicator, objects, spreads[3]);
  const Cut found = cut_one(communicator, mine.both(), {.parts = parts});
  std::vector<std::uint64_t> inner;
  for (std::size_t p = 1; p + 1 < found.splitters.size(); ++p)
    inner.push_back(found.splitters[p].value);
  return inner;
}

TEST_F(CutOn, ByHand) {
  using Inner = std::vector<std::uint64_t>;
  const Objects four = {{10, 1}, {20, 1}, {30, 1}, {40, 1}};
  EXPECT_EQ(inner_splitters(communicator, four, 1), Inner{});
  EXPECT_EQ(inner_splitters(communicator, four, 2), Inner{21});
  EXPECT_EQ(inner_splitters(communicator, four, 3), (Inner{20, 31})) << "4/3 is near 1, 8/3 near 3";
  EXPECT_EQ(inner_splitters(communicator, four, 4), (Inner{11, 21, 31}));
  const Objects three = {{10, 1}, {20, 1}, {30, 1}};
  EXPECT_EQ(inner_splitters(communicator, three, 2), Inner{20}) << "a tie goes to the left";
  const Objects heavy = {{10, 1}, {20, 6}, {30, 1}};
  EXPECT_EQ(inner_splitters(communicator, heavy, 2), Inner{20});
  EXPECT_EQ(inner_splitters(communicator, heavy, 4), (Inner{20, 20, 21})) << "parts of nothing";
  const Objects one_key = {{10, 1}, {10, 2}, {10, 3}};
  EXPECT_EQ(inner_splitters(communicator, one_key, 3), (Inner{10, 11}));
  const Objects ends = {{0, 1}, {end - 1, 1}};
  EXPECT_EQ(inner_splitters(communicator, ends, 2), Inner{1});
}

TEST_F(CutOn, AllWeighingNothingIsAllWeighingTheSame) {
  for (const std::uint64_t count : {5U, 100U, 1001U})
    for (const int parts : {2, 3, 7}) {
      const Objects weightless = objects_of(all_keys[0], all_weights[1], count);
      const Share ones = share_of(communicator, weightless, spreads[1]);
      const Cut found = cut_of(weightless, spreads[0], {.parts = parts});
      const Cut expected = cut_one(communicator, {ones.keys, {}}, {.parts = parts});
      expect_same(found, expected);
      EXPECT_EQ(found.lambda(), expected.lambda());
    }
}

// --- Independence of the ranks -------------------------------------------------------------------

// Draws weights of any magnitude, or of one magnitude with many digits.
Objects wild_objects(std::uint64_t count, double decades) {
  std::mt19937_64 random(count);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Objects objects(count);
  for (Object& object : objects)
    object = {all_keys[random() % std::size(all_keys)].key(random() % 100, random()),
              std::pow(10.0, decades * uniform(random))};
  return objects;
}

TEST_F(CutOn, TheSameBitForBitHoweverObjectsAreSpread) {
  for (const double decades : {0.5, 8.0, 300.0})
    for (const int parts : {3, 2 * size + 1}) {
      const Objects objects = wild_objects(2000, decades);
      const Cut expected = cut_alone(objects, {.parts = parts});
      for (const Spread& spread : spreads) {
        SCOPED_TRACE(spread.name);
        expect_same(cut_of(objects, spread, {.parts = parts}), expected);
      }
    }
}

TEST_F(CutOn, AKnownNumberOfObjectsChangesNothingButTheMemory) {
  for (const std::int64_t count : {1, 7, 300, 2000})
    for (const int parts : {3, 64, 500})
      for (const Aim aim : {Aim::nearest, Aim::optimal}) {
        SCOPED_TRACE(std::to_string(count) + " objects, " + std::to_string(parts) + " parts");
        const Objects objects = wild_objects(static_cast<std::uint64_t>(count), 8);
        const Share mine = share_of(communicator, objects, spreads[0]);
        const Cut expected = cut_one(communicator, mine.both(), {.parts = parts, .aim = aim});
        for (const std::int64_t most : {count, 2 * count}) {
          expect_same(cut_one(communicator, mine.both(),
                              {.parts = parts, .aim = aim, .most_objects = most}),
                      expected);
        }
      }
}

// Each rank has one more set than the rank before. The last set has no objects. If all weights of a
// set are 1, the set has no weights.
TEST_F(CutOn, SeveralSetsAreCutAsOne) {
  for (const Weights& weights : all_weights) {
    const Objects objects = objects_of(all_keys[1], weights, 500);
    std::vector<Objects> dealt(static_cast<std::size_t>(rank) + 1);
    for (std::size_t i = 0; i < objects.size(); ++i)
      if (i % static_cast<std::size_t>(size) == static_cast<std::size_t>(rank))
        dealt[i % dealt.size()].push_back(objects[i]);
    std::vector<Share> shares(dealt.begin(), dealt.end());
    shares.emplace_back();
    std::vector<WeightedKeys> sets;
    for (const Share& share : shares) {
      const bool ones = std::ranges::count(share.weights, 1.0) == std::ssize(share.weights);
      sets.push_back(ones ? WeightedKeys{share.keys, {}} : share.both());
    }
    expect_exact(cut(communicator, sets, {.parts = 5}), objects, 5);
  }
}

// The objects of other sets may weigh very little, but objects without weights must weigh 1.
TEST_F(CutOn, WithoutWeightsAllWeighOne) {
  const Share ones = hundred();
  for (const double weight : {0.0, 1e-300, 1e-30}) {
    const std::vector<CurveKey> keys(20, CurveKey{1000});
    const std::vector<double> weights(keys.size(), weight);
    const WeightedKeys sets[] = {{keys, weights}, {ones.keys, {}}};
    const Cut found = cut(communicator, sets, {.parts = 4});
    for (std::size_t p = 1; p < 4; ++p) EXPECT_EQ(found.splitters[p].value, 25 * p);
    for (const double sum : found.weights) EXPECT_NEAR(sum, 25, 1e-12);
  }
}

// If sums are not exact, the rule must hold up to rounding.
TEST_F(CutOn, WeightsOfAnyMagnitude) {
  for (const double decades : {0.5, 3.0, 300.0}) {
    const int parts = 11;
    const Objects objects = wild_objects(3000, decades);
    const Cut found = cut_of(objects, spreads[6], {.parts = parts});
    ASSERT_NO_FATAL_FAILURE(expect_whole(found.splitters, parts));
    const auto prefixes = prefixes_of<long double>(objects);
    const long double total = prefixes.back(), rounding = 1e-12L * total;
    long double before = 0;
    for (int p = 1; p <= parts; ++p) {
      const auto i = static_cast<std::size_t>(p);
      const long double share = total * p / parts;
      long double least = total;
      for (const long double prefix : prefixes) least = std::min(least, std::abs(prefix - share));
      const auto now = weight_before<long double>(objects, found.splitters[i]);
      EXPECT_LE(std::abs(now - share), least + rounding);
      EXPECT_NEAR(found.weights[i - 1], static_cast<double>(now - before),
                  static_cast<double>(rounding));
      before = now;
    }
  }
}

TEST_F(CutOn, TheSmallestAndGreatestWeights) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  for (const double weight : {least, 1e-310, 1e-300, 1e300}) {
    const Objects objects = {{10, weight}, {20, weight}, {30, weight}, {40, weight}};
    const Cut found = cut_of(objects, spreads[0], {.parts = 2});
    EXPECT_EQ(found.splitters[1].value, 21U);
    EXPECT_EQ(found.weights, (std::vector<double>{2 * weight, 2 * weight}));
  }
}

TEST_F(CutOn, WeightsThatAddUpToInfinityAreTheSameErrorOnAllRanks) {
  const Objects objects = {{10, 1.5e308}, {20, 1.5e308}, {30, 1}};
  for (const Aim aim : {Aim::nearest, Aim::target, Aim::optimal})
    EXPECT_ERROR(cut_of(objects, spreads[0], {.parts = 2, .target_lambda = 2, .aim = aim}),
                 "core/weights: The weights add up to more than a number can hold.");
}

// All bits of the count are set, and each object is as heavy as its power of two allows.
TEST_F(CutOn, SumsThatFillTheirIntegers) {
  const double weight = std::nextafter(2.0, 0.0);
  Objects objects;
  for (std::uint64_t i = 0; i < 1023; ++i) objects.push_back({i, weight});
  const Cut found = cut_of(objects, spreads[0], {.parts = 3});
  EXPECT_EQ(found.splitters[1].value, 341U);
  EXPECT_EQ(found.splitters[2].value, 682U);
  for (const double sum : found.weights) EXPECT_DOUBLE_EQ(sum, 341 * weight);
}

TEST_F(CutOn, InThePlane) {
  const std::uint64_t last = end_of_curve(2).value - 1;
  const Cut found = cut_of({{0, 1}, {last / 2, 1}, {last, 1}, {last, 1}}, spreads[0],
                           {.parts = 2, .dimensions = 2});
  expect_whole(found.splitters, 2, 2);
  EXPECT_EQ(found.splitters[1].value, last / 2 + 1);
  EXPECT_EQ(found.weights, (std::vector<double>{2, 2}));
}

// --- Objects in order ----------------------------------------------------------------------------

// One scan and one reduction must suffice, however many objects and bits there are. If objects are
// not in order, the cut must find this out and search. A device does not check the order.
TEST_F(CutOn, OneScanWhereObjectsAreInOrder) {
  const Objects objects = objects_of(all_keys[0], all_weights[2], 5000);
  const Share mine = share_in_order(communicator, objects);
  const Cut found = cut_one(communicator, mine.both(), {.parts = 50});
  expect_exact(found, objects, 50);
  if (!test::space().is_device()) {
    EXPECT_EQ(found.reductions, 1);
    EXPECT_EQ(found.bytes_reduced, 2 * 49 * 8);
  }

  Share disordered = mine;
  if (disordered.keys.size() > 1 && rank == size - 1) {
    std::swap(disordered.keys.front(), disordered.keys.back());
    std::swap(disordered.weights.front(), disordered.weights.back());
  }
  const Cut anyway = cut_one(communicator, disordered.both(), {.parts = 50});
  EXPECT_EQ(anyway.splitters, found.splitters);
  EXPECT_GT(anyway.reductions, 1);
}

// Some objects have left their place in the order, as after a few steps. The splitters must be
// those of any other arrangement. A sample finds them, instead of histograms of more and more bits.
TEST_F(CutOn, NearlyInOrder) {
  constexpr std::uint64_t count = 300'000;
  for (const std::size_t keys : {0U, 1U, 5U})
    for (const std::size_t weights : {0U, 3U}) {
      SCOPED_TRACE(std::string(all_keys[keys].name) + ", " + all_weights[weights].name);
      const Objects objects = objects_of(all_keys[keys], all_weights[weights], count);
      Share mine = share_in_order(communicator, objects);
      const std::size_t distance = mine.keys.size() / 2 + 1;
      for (std::size_t i = 0; i + distance < mine.keys.size(); i += 50) {
        std::swap(mine.keys[i], mine.keys[i + distance]);
        std::swap(mine.weights[i], mine.weights[i + distance]);
      }
      for (const int parts : {2, 3000}) {
        const Cut found = cut_one(communicator, mine.both(), {.parts = parts});
        expect_same(found, cut_alone(objects, {.parts = parts}));
        if (!test::space().is_device()) {
          EXPECT_LE(found.reductions, 1);
        }
      }
    }
}

// The ranks have another order than the curve, and one key is at the border of two ranks.
TEST_F(CutOn, SortedOnEachRankButNotFromRankToRank) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  const Objects objects = objects_of(all_keys[1], all_weights[2], 3000);
  const Cut expected = cut_of(objects, spreads[0], {.parts = 9});
  Objects sorted = objects;
  std::ranges::stable_sort(sorted, {}, &Object::key);
  for (const bool reversed : {true, false}) {
    SCOPED_TRACE(reversed);
    const auto shares = static_cast<std::size_t>(size);
    const auto share = static_cast<std::size_t>(reversed ? size - 1 - rank : rank);
    Objects mine;
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (i * shares / sorted.size() == share) mine.push_back(sorted[i]);
    expect_same(cut_one(communicator, Share(mine).both(), {.parts = 9}), expected);
  }
}

// --- Other aims ----------------------------------------------------------------------------------

TEST_F(CutOn, ToTheTarget) {
  for (const Keys& keys : all_keys)
    for (const Weights& weights : all_weights)
      for (const double target : {1.001, 1.05, 1.5, 4.0}) {
        const int parts = 8;
        const Spread& spread = next_spread();
        SCOPED_TRACE(std::string(keys.name) + ", " + weights.name + ", target " +
                     std::to_string(target));
        const Objects given = objects_of(keys, weights, 3000), objects = counted(given);
        const CutOptions options{.parts = parts, .target_lambda = target, .aim = Aim::target};
        const Cut found = cut_of(given, spread, options);
        ASSERT_NO_FATAL_FAILURE(expect_whole(found.splitters, parts));
        const auto prefixes = prefixes_of<std::int64_t>(objects);
        const double average = static_cast<double>(prefixes.back()) / parts;
        EXPECT_LE(found.lambda(), std::max(target, 1 + heaviest_key(prefixes) / average) + 1e-12);
        EXPECT_LE(found.reductions, cut_of(given, spread, {.parts = parts}).reductions);
        expect_weights(found, objects);
        EXPECT_EQ(cut_alone(given, options).splitters, found.splitters);
      }
}

TEST_F(CutOn, ToTheOptimum) {
  for (const std::uint64_t count : {1U, 200U, 3000U})
    for (const Keys& keys : all_keys)
      for (const Weights& weights : all_weights)
        for (const int parts : {2, 7, 40}) {
          const Spread& spread = next_spread();
          SCOPED_TRACE(std::string(keys.name) + ", " + weights.name + ", " + spread.name + ", " +
                       std::to_string(count) + " objects, " + std::to_string(parts) + " parts");
          const Objects given = objects_of(keys, weights, count), objects = counted(given);
          const Cut found = cut_of(given, spread, {.parts = parts, .aim = Aim::optimal});
          ASSERT_NO_FATAL_FAILURE(expect_whole(found.splitters, parts));
          const auto prefixes = prefixes_of<std::int64_t>(objects);
          std::vector<std::int64_t> expected;
          for (const std::int64_t offset : cut_prefix(prefixes, {.parts = parts}).offsets)
            expected.push_back(prefixes[static_cast<std::size_t>(offset)]);
          EXPECT_EQ(expect_weights(found, objects), expected);
        }
}

// The nearest cut is not the best here: because of heavy objects, its roundings add up.
TEST_F(CutOn, TheOptimumIsLighter) {
  Objects objects;
  for (std::uint64_t i = 0; i < 900; ++i)
    objects.push_back({i, i % 3 == 0 ? 100.0 : static_cast<double>(i % 17)});
  EXPECT_LT(cut_of(objects, spreads[0], {.parts = 100, .aim = Aim::optimal}).lambda(),
            cut_of(objects, spreads[0], {.parts = 100}).lambda());
}

TEST_F(CutOn, MoreSplittersThanBinsOfTheFirstHistogram) {
  const Objects objects = objects_of(all_keys[0], all_weights[2], 60'000);
  for (const int parts : {5'000, 20'000}) {
    const Cut found = cut_of(objects, spreads[0], {.parts = parts});
    ASSERT_NO_FATAL_FAILURE(expect_whole(found.splitters, parts));
    const auto prefixes = prefixes_of<std::int64_t>(objects);
    std::vector<std::pair<std::uint64_t, std::int64_t>> sorted;
    for (const Object& object : objects)
      sorted.emplace_back(object.key, static_cast<std::int64_t>(object.weight));
    std::sort(sorted.begin(), sorted.end());
    std::size_t next = 0;
    std::int64_t before = 0;
    for (int p = 1; p < parts; ++p) {
      const auto share =
          static_cast<double>(prefixes.back()) * p / parts;  // below 2^53, so nearly exact
      const std::uint64_t splitter = found.splitters[static_cast<std::size_t>(p)].value;
      while (next < sorted.size() && sorted[next].first < splitter) before += sorted[next++].second;
      const auto at = std::lower_bound(prefixes.begin(), prefixes.end(),
                                       static_cast<std::int64_t>(std::ceil(share - 1e-6)));
      const double above = static_cast<double>(*at) - share;
      const double below = share - static_cast<double>(*std::prev(at));
      ASSERT_NEAR(std::abs(static_cast<double>(before) - share), std::min(above, below), 1e-3) << p;
    }
  }
}

// --- Who gets which part -------------------------------------------------------------------------

TEST_F(CutOn, PartsStayWhereTheirObjectsAre) {
  const Objects objects = objects_of(all_keys[0], all_weights[0], 2000);
  const Cut found = cut_of(objects, spreads[0], {.parts = size});
  for (const int shift : {0, 1, size - 1}) {
    Objects mine;
    for (const Object& object : objects) {
      const int part = owner_of(found.splitters, {object.key});
      const bool strays = object.key % 16 == 0;
      if ((part + shift) % size == rank && !strays) mine.push_back(object);
      if (strays && static_cast<int>(object.key / 16 % static_cast<std::uint64_t>(size)) == rank)
        mine.push_back(object);
    }
    const Share share(mine);
    const WeightedKeys keyed = share.both();
    const std::vector<int> ranks =
        keep_in_place(communicator, std::span(&keyed, 1), found.splitters);
    if (shift % size == 0) {
      EXPECT_TRUE(ranks.empty());
    } else {
      std::vector<int> expected;
      for (int part = 0; part < size; ++part) expected.push_back((part + shift) % size);
      EXPECT_EQ(ranks, expected);
    }
  }
}

// All objects are on one rank. It must keep one part, and each rank must get one.
TEST_F(CutOn, PartsThatNobodyClaims) {
  const Objects objects = objects_of(all_keys[0], all_weights[0], 500);
  const Share mine = share_of(communicator, objects, spreads[3]);
  const Cut found = cut_one(communicator, mine.both(), {.parts = size});
  const WeightedKeys keyed = mine.both();
  std::vector<int> ranks = keep_in_place(communicator, std::span(&keyed, 1), found.splitters);
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t r = 0; r < ranks.size(); ++r) EXPECT_EQ(ranks[r], static_cast<int>(r));
  const WeightedKeys none;
  EXPECT_TRUE(keep_in_place(communicator, std::span(&none, 1), found.splitters).empty());
  EXPECT_ERROR(keep_in_place(communicator, {}, Splitters(found.splitters.size() + 1)),
               "core/cut: The splitters make " + std::to_string(size + 1) + " parts for " +
                   std::to_string(size) + " ranks.");
}

// --- Splitters that are kept ---------------------------------------------------------------------

Splitters splitters_at(std::initializer_list<std::uint64_t> inner) {
  Splitters splitters = {CurveKey{0}};
  for (const std::uint64_t key : inner) splitters.push_back({key});
  splitters.push_back({end});
  return splitters;
}

TEST_F(CutOn, KeepsSplittersThatAreGoodEnough) {
  const Share mine = hundred();
  const Splitters uneven = splitters_at({30, 50, 75}), even = splitters_at({25, 50, 75});
  const auto cut_with = [&](const Splitters& kept, double target_lambda) {
    return cut_one(communicator, mine.both(),
                   {.parts = 4, .kept = kept, .target_lambda = target_lambda});
  };
  for (const double target_lambda : {1.2, 1.3, 4.0}) {
    const Cut kept = cut_with(uneven, target_lambda);
    EXPECT_TRUE(kept.kept);
    EXPECT_EQ(kept.splitters, uneven);
    EXPECT_EQ(kept.weights, (std::vector<double>{30, 20, 25, 25}));
    EXPECT_DOUBLE_EQ(kept.lambda(), 1.2);
  }
  for (const double target_lambda : {1.19, 1.0, 0.0}) {
    const Cut anew = cut_with(uneven, target_lambda);
    EXPECT_FALSE(anew.kept);
    EXPECT_EQ(anew.splitters, even);
    EXPECT_EQ(anew.lambda(), 1);
  }
  EXPECT_TRUE(cut_with(even, 1.0).kept);
  EXPECT_FALSE(cut_with(even, 0.0).kept) << "0 means off";
  EXPECT_FALSE(cut_with({}, 2.0).kept) << "there are no splitters";
}

TEST_F(CutOn, KeepsSplittersWhenThereIsNothingToCut) {
  const Splitters old = splitters_at({30, 50, 75});
  CutOptions options = {.parts = 4, .kept = old, .target_lambda = 1.1};
  const Cut found = cut(communicator, {}, options);
  EXPECT_TRUE(found.kept);
  EXPECT_EQ(found.splitters, old);
  EXPECT_EQ(found.lambda(), 1);
  options.target_lambda = 0;
  EXPECT_FALSE(cut(communicator, {}, options).kept);
}

TEST(Cut, Lambda) {
  EXPECT_EQ(Cut{}.lambda(), 1);
  EXPECT_EQ((Cut{{}, {0, 0}}.lambda()), 1);
  EXPECT_EQ((Cut{{}, {2, 1, 1, 0}}.lambda()), 2);
  EXPECT_EQ((Cut{{}, {7}}.lambda()), 1);
}

// --- Shifts --------------------------------------------------------------------------------------

Splitters spread_splitters(int parts) {
  Splitters splitters(static_cast<std::size_t>(parts) + 1);
  for (std::size_t p = 0; p < splitters.size(); ++p)
    splitters[p] = {end / static_cast<std::uint64_t>(parts) * p};
  splitters.back() = {end};
  return splitters;
}

// Each splitter must move towards its share, as far as the penalty allows.
TEST_F(CutOn, AShiftGoesPartOfTheWay) {
  for (const Keys& keys : all_keys)
    for (const Weights& weights : all_weights)
      for (const int parts : {1, 2, 7})
        for (const double penalty : {1.0, 1.25, 4.0}) {
          const Spread& spread = next_spread();
          SCOPED_TRACE(std::string(keys.name) + ", " + weights.name + ", " + spread.name);
          const Objects given = objects_of(keys, weights, 300), objects = counted(given);
          const Splitters from = spread_splitters(parts);
          const CutOptions options = {.parts = parts, .kept = from, .shift_penalty = penalty};
          const Cut found = cut_of(given, spread, options);
          ASSERT_NO_FATAL_FAILURE(expect_whole(found.splitters, parts));
          EXPECT_FALSE(found.kept);
          EXPECT_EQ(cut_in_order(given, options).splitters, found.splitters);
          const auto prefixes = prefixes_of<double>(objects);
          for (int p = 1; p < parts; ++p) {
            const auto i = static_cast<std::size_t>(p);
            const auto before = weight_before<double>(objects, from[i]);
            const double target = before - (before - p * prefixes.back() / parts) / penalty;
            double least = prefixes.back();
            for (const double prefix : prefixes) least = std::min(least, std::abs(prefix - target));
            EXPECT_NEAR(std::abs(weight_before<double>(objects, found.splitters[i]) - target),
                        least, 1e-6);
          }
          if (penalty == 1) {
            EXPECT_EQ(found.splitters, cut_of(given, spread, {.parts = parts}).splitters);
          }
        }
}

TEST_F(CutOn, AShiftKeepsWhatIsEvenEnough) {
  const Share mine = hundred();
  const Splitters from = splitters_at({24, 50, 76});
  const CutOptions options = {
      .parts = 4, .kept = from, .target_lambda = 1.05, .shift_penalty = 1.25};
  const Cut found = cut_one(communicator, mine.both(), options);
  EXPECT_TRUE(found.kept);
  EXPECT_EQ(found.splitters, from);
}

// --- Misuse --------------------------------------------------------------------------------------

std::string name_of_rank(int rank) { return "rank " + std::to_string(rank); }

// Expects that a cut with this share and these options throws this Error, which names `who`, on all
// ranks.
void expect_refused(const Communicator& communicator, const std::string& who,
                    const WeightedKeys& share, const CutOptions& options,
                    const std::string& expected, const Status& status = Status()) {
  EXPECT_ERROR_EVERYWHERE(cut({communicator, status}, std::span(&share, 1), options),
                          "evenkeel: " + who + ": " + expected);
}

TEST_F(CutOn, AFailedStatusIsTheSameErrorOnAllRanks) {
  const Share mine = hundred();
  for (int bad = 0; bad < size; ++bad) {
    const Error error(ErrorKind::application, Where{"test"}, "It broke.", "Mend it.");
    expect_refused(communicator, name_of_rank(bad), mine.both(), {.parts = 4},
                   "test: It broke. Mend it.", rank == bad ? Status(error) : Status());
    const Cut after = cut_one(communicator, mine.both(), {.parts = 4});
    EXPECT_EQ(after.splitters, splitters_at({25, 50, 75})) << "and continues";
  }
}

TEST_F(CutOn, WeightsThatAreNoneAreTheSameErrorOnAllRanks) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<CurveKey> keys = {{1}, {2}, {3}};
  for (int bad = 0; bad < size; ++bad) {
    const bool here = rank == bad;
    const std::vector<double> few(here ? 2 : 3, 1.0);
    expect_refused(communicator, name_of_rank(bad), {keys, few}, {},
                   "core/cut: 2 weights came with 3 keys. Give one weight per key, or no weights.");
    const std::vector<double> many(here ? 1 : 0, 1.0);
    expect_refused(communicator, name_of_rank(bad), {{}, many}, {},
                   "core/cut: 1 weights came with 0 keys.");
    for (const double weight : {-1.0, std::nan(""), infinity, -infinity}) {
      const std::vector<double> weights = {1, here ? weight : 1, 1};
      expect_refused(communicator, name_of_rank(bad), {keys, weights}, {},
                     "core/cut: A weight is negative, NaN or infinite.");
    }
  }
}

TEST_F(CutOn, SetsInDifferentMemoryAreTheSameErrorOnAllRanks) {
  const Share share(Objects{{1, 1}, {2, 1}});
  std::vector<WeightedKeys> sets = {share.both(), share.both()};
  if (communicator.rank() == size - 1) sets[1].memory = MemoryKind::shared;
  EXPECT_ERROR_EVERYWHERE(cut(communicator, sets, {.parts = 2}),
                          "Keys in host and in shared memory");
}

TEST_F(CutOn, AKeyBeyondTheCurveIsTheSameErrorOnAllRanks) {
  for (int bad = 0; bad < size; ++bad) {
    const std::vector<CurveKey> keys = {{1}, {rank == bad ? end_of_curve(2).value : 2}};
    expect_refused(communicator, name_of_rank(bad), {keys, {}}, {.dimensions = 2},
                   "core/cut: A key is beyond the end of the curve. Make keys with a lattice.");
  }
}

TEST_F(CutOn, MoreObjectsThanWereToldAreAnErrorOnAllRanks) {
  const Share mine = hundred();
  const std::int64_t all = communicator.all_reduce(std::ssize(mine.keys), Reduction::sum);
  EXPECT_NO_THROW(cut_one(communicator, mine.both(), {.parts = 4, .most_objects = all}));
  EXPECT_MENTIONS(
      test::error_of(
          [&] { cut_one(communicator, mine.both(), {.parts = 4, .most_objects = all - 1}); }),
      "There are " + std::to_string(all) + " objects, more than the " + std::to_string(all - 1));
}

TEST_F(CutOn, OptionsThatMakeNoSenseAreErrors) {
  const Share mine = hundred();
  const std::string all = std::to_string(size);
  const std::string who =
      size == 1 ? "rank 0" : "rank 0 (the first of " + all + " failed ranks of " + all + ")";
  for (const int parts : {0, -1})
    expect_refused(communicator, who, mine.both(), {.parts = parts},
                   "core/cut: A cut into " + std::to_string(parts) + " parts was asked for.");
  for (const int dimensions : {0, 1, 4})
    expect_refused(
        communicator, who, mine.both(), {.dimensions = dimensions},
        "core/cut: A curve in " + std::to_string(dimensions) + " dimensions was asked for.");
  expect_refused(communicator, who, mine.both(),
                 {.parts = 4, .kept = splitters_at({10, 20}), .target_lambda = 1.1},
                 "core/cut: The kept splitters make 3 parts, but 4 were asked for.");
  for (const double target : {0.03, -1.0, std::numeric_limits<double>::infinity()})
    expect_refused(communicator, who, mine.both(), {.parts = 3, .target_lambda = target},
                   "core/cut: target_lambda is " + text_of(target) +
                       ". Give 0, or a lambda (greatest over average) of at least 1: 1.03 allows "
                       "3 % above the average.");
  for (const double penalty : {-1.0, 0.5, std::numeric_limits<double>::infinity()})
    expect_refused(communicator, who, mine.both(),
                   {.parts = 3, .kept = splitters_at({10, 20}), .shift_penalty = penalty},
                   "core/cut: The penalty of a shift is");
  expect_refused(communicator, who, mine.both(), {.parts = 3, .shift_penalty = 1},
                 "core/cut: A shift was asked for without splitters to shift");
}

}  // namespace
}  // namespace evenkeel::cut_test
