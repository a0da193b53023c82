#include "core/positions.hpp"

#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights/extract.hpp>

namespace evenkeel::extract_test {
namespace {

using Indices = std::vector<std::int64_t>;
using Weights = std::vector<double>;

// --- Which objects -------------------------------------------------------------------------------

// Takes stretch by stretch. Stretches are as short as possible for at most `most` of them. Finds
// the weights that each object spans when the weights of its stretch are laid end to end.
struct Stretch {
  std::int64_t begin, end;
  double sum;
};
std::vector<Stretch> stretches_of(const Weights& weights, std::int64_t most) {
  std::vector<Stretch> stretches;
  const std::int64_t objects = std::ssize(weights);
  std::int64_t length = 1;
  while (length * most < objects) ++length;
  for (std::int64_t begin = 0; begin < objects; begin += length) {
    const std::int64_t end = std::min(objects, begin + length);
    const double sum = std::accumulate(weights.begin() + begin, weights.begin() + end, 0.0);
    stretches.push_back({begin, end, sum});
  }
  return stretches;
}

// An object that was selected is between a tenth and nine tenths of the weight of its stretch, or
// in the middle of a stretch without weight.
void expect_one_of_each_stretch(const Extract& found, const Weights& weights, std::int64_t most) {
  const std::vector<Stretch> stretches = stretches_of(weights, most);
  ASSERT_EQ(found.objects.size(), stretches.size());
  ASSERT_EQ(found.weights.size(), stretches.size());
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    const auto [begin, end, sum] = stretches[s];
    const std::int64_t object = found.objects[s];
    EXPECT_EQ(found.weights[s], sum);
    ASSERT_GE(object, begin);
    ASSERT_LT(object, end);
    if (sum == 0) {
      EXPECT_EQ(object, begin + (end - begin - 1) / 2);
      continue;
    }
    const double before = std::accumulate(weights.begin() + begin, weights.begin() + object, 0.0);
    EXPECT_LE(before, 0.9 * sum);
    EXPECT_GE(before + weights[static_cast<std::size_t>(object)], 0.1 * sum);
    EXPECT_GT(weights[static_cast<std::size_t>(object)], 0);
  }
}

// Weights are whole numbers, so that sums are exact. Many are equal, and many are 0.
Weights random_weights(std::int64_t objects, int kinds, std::mt19937_64& random) {
  Weights weights;
  for (std::int64_t i = 0; i < objects; ++i)
    weights.push_back(static_cast<double>(random() % static_cast<std::uint64_t>(kinds)));
  return weights;
}

constexpr std::int64_t counts[] = {0, 1, 2, 3, 10, 99, 100, 101, 199, 200, 201, 1000, 12'345};
constexpr std::int64_t mosts[] = {1, 2, 7, 100, 1024};

template <class Number>
void expect_same_in_place(const Weights& weights, std::int64_t most) {
  std::vector<std::array<double, 3>> places(weights.size());
  std::vector<Number> given(weights.begin(), weights.end());
  const Set objects = set(places, {}, {.weight = given});
  const Space host = Space::where(MemoryKind::host);
  const Extract found = extract_by_weight(host, objects, most),
                expected = extract_of(std::ssize(weights), weights, most);
  EXPECT_EQ(found.objects, expected.objects);
  EXPECT_EQ(found.weights, expected.weights);
}

// Weights may have any type, in their own memory or copied to the host.
TEST(Extract, ByTheWeightsOfASetIsTheSame) {
  std::mt19937_64 random(2);
  for (const std::int64_t objects : counts)
    for (const std::int64_t most : mosts)
      for (const int kinds : {1, 3, 100}) {
        SCOPED_TRACE(std::to_string(objects) + " objects, " + std::to_string(most) + " at most");
        const Weights weights = random_weights(objects, kinds, random);
        expect_same_in_place<double>(weights, most);
        expect_same_in_place<float>(weights, most);
        expect_same_in_place<int>(weights, most);
        expect_same_in_place<std::int64_t>(weights, most);
        expect_same_in_place<std::uint8_t>(weights, most);
      }
}

TEST(Extract, RefusesWeightsThatAreNone) {
  const Space host = Space::where(MemoryKind::host);
  std::vector<std::array<double, 3>> places(100);
  for (const double wrong :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const std::size_t at : {std::size_t{0}, std::size_t{50}, std::size_t{99}}) {
      Weights weights(100, 1.0);
      weights[at] = wrong;
      const Set objects = set(places, {}, {.weight = weights});
      EXPECT_THROW(extract_by_weight(host, objects, 7), Error);
    }
  EXPECT_THROW(extract_by_weight(host, set(places), 7), Error);
}

TEST(Extract, TakesOneObjectOfEachStretch) {
  std::mt19937_64 random(1);
  for (const std::int64_t objects : counts)
    for (const std::int64_t most : mosts)
      for (const int kinds : {1, 2, 3, 1000}) {
        SCOPED_TRACE(std::to_string(objects) + " objects, " + std::to_string(most) + " at most");
        const Weights weights = random_weights(objects, kinds, random);
        expect_one_of_each_stretch(extract_of(objects, weights, most), weights, most);
      }
}

// A third of the objects costs 4, and the others cost 1; so a third of them has two thirds of the
// weight. Their order is random, or a pattern that repeats with stretches or beside them.
TEST(Extract, TakesHeavyObjectsAsOftenAsTheirWeightDemands) {
  constexpr std::int64_t objects = 12'288, most = 1024;
  std::mt19937_64 random(3);
  for (const int pattern : {0, 1, 2}) {
    Weights weights;
    for (std::int64_t i = 0; i < objects; ++i) {
      const std::uint64_t drawn = pattern == 0   ? random() % 3
                                  : pattern == 1 ? static_cast<std::uint64_t>(i) % 3
                                                 : static_cast<std::uint64_t>(i) / 4 % 3;
      weights.push_back(drawn == 0 ? 4 : 1);
    }
    const Extract found = extract_of(objects, weights, most);
    double heavy = 0, all = 0;
    for (std::size_t i = 0; i < found.objects.size(); ++i) {
      all += found.weights[i];
      if (weights[static_cast<std::size_t>(found.objects[i])] > 1) heavy += found.weights[i];
    }
    EXPECT_NEAR(heavy / all, 2 / 3.0, 0.06) << "pattern " << pattern;
  }
}

TEST(Extract, NeverMissesAnObjectWithMostOfTheWeight) {
  for (const std::int64_t heavy : {0, 1, 499, 500, 998, 999}) {
    Weights weights(1000, 1.0);
    weights[static_cast<std::size_t>(heavy)] = 9 * 999;
    for (const std::int64_t most : {1, 3, 10})
      EXPECT_EQ(std::ranges::count(extract_of(1000, weights, most).objects, heavy), 1);
  }
}

TEST(Extract, CountsObjectsWhereNoneHasAWeight) {
  for (const std::int64_t objects : counts)
    for (const std::int64_t most : mosts) {
      SCOPED_TRACE(std::to_string(objects) + " objects, " + std::to_string(most) + " at most");
      const Extract found = extract_of(objects, {}, most);
      Weights expected;
      for (const Stretch& one : stretches_of(Weights(static_cast<std::size_t>(objects), 1), most))
        expected.push_back(one.sum);
      EXPECT_EQ(found.weights, expected);
      ASSERT_EQ(found.objects.size(), found.weights.size());
      std::int64_t begin = 0;
      for (std::size_t i = 0; i < found.objects.size(); ++i) {
        const auto length = static_cast<std::int64_t>(found.weights[i]);
        EXPECT_EQ(found.objects[i], begin + (length - 1) / 2) << "the middle of a stretch";
        begin += length;
      }
      EXPECT_EQ(begin, objects) << "every object is represented once";
      EXPECT_LE(std::ssize(found.objects), most);
    }
}

TEST(Extract, OfFewObjectsIsAllOfThem) {
  const Weights weights = {3, 0, 0, 7, 1};
  for (const std::int64_t most : {std::int64_t{5}, std::int64_t{6}, std::int64_t{1024},
                                  std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(extract_of(5, weights, most).objects, test::counting<std::int64_t>(5));
    EXPECT_EQ(extract_of(5, weights, most).weights, weights);
    EXPECT_EQ(extract_of(5, {}, most).objects, test::counting<std::int64_t>(5));
    EXPECT_EQ(extract_of(5, {}, most).weights, Weights(5, 1));
  }
}

TEST(Extract, ByHand) {
  const Weights weights = {0, 2, 0, 0, 0, 0, 5};
  const Extract three = extract_of(7, weights, 3);
  EXPECT_EQ(three.objects, (Indices{1, 4, 6})) << "the middle of a stretch that weighs nothing";
  EXPECT_EQ(three.weights, (Weights{2, 0, 5}));
}

TEST(Extract, OfNothingIsNothing) {
  for (const std::int64_t objects : {std::int64_t{-1}, std::int64_t{0}})
    EXPECT_TRUE(extract_of(objects, {}, 10).objects.empty());
  for (const std::int64_t most : {std::int64_t{-1}, std::int64_t{0}})
    EXPECT_TRUE(extract_of(3, Weights{1, 2, 3}, most).objects.empty());
}

// --- Where they are ------------------------------------------------------------------------------

const std::vector<Indices> choices = {{}, {0}, {4}, {0, 1, 2, 3, 4}, {4, 0, 4, 2}, {3, 3}};

// Takes a set of five objects.
void expect_places(const Set& set) {
  const FieldLayout at = set.position();
  ASSERT_EQ(at.count, 5);
  const auto n = static_cast<std::size_t>(at.components);
  const auto write = [&]<class Real>(Real first) {
    const std::vector<Real> all = test::fill<Real>(at, first);
    return std::vector<double>(all.begin(), all.end());
  };
  const std::vector<double> all = at.scalar == ScalarType::float32 ? write(0.1F) : write(0.1);
  for (const Indices& chosen : choices) {
    std::vector<double> expected;
    for (const std::int64_t i : chosen) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(n) * i;
      expected.insert(expected.end(), first, first + static_cast<std::ptrdiff_t>(n));
    }
    EXPECT_EQ(places_of(test::space(), set, chosen), expected);
  }
}

TEST(PlacesOf, Views) {
  test::visit_positions([]<class Real>(int, const auto& make) {
    auto x = make(5);
    expect_places(set(x));
  });
}

TEST(PlacesOf, VectorsAndRecords) {
  std::vector<std::array<double, 3>> x(5);
  expect_places(set(x));
  std::vector<std::array<float, 2>> flat(5);
  expect_places(set(flat));
  std::vector<test::Vec3> own(5);
  expect_places(set(own));
  std::vector<test::Particle> particles(5);
  expect_places(set(particles));
  std::vector<std::array<double, 3>> slack(8);
  expect_places(set(slack, {}, {.count = 5}));
}

TEST(PlacesOf, StridedArrays) {
  std::vector<double> values(100);
  auto apart = raw_field(values.data(), {.count = 5, .components = 3, .component_stride = 11});
  expect_places(set(apart));
  auto wide = raw_field(values.data() + 3,
                        {.count = 5, .components = 2, .object_stride = 7, .component_stride = 2});
  expect_places(set(wide));
}

TEST(PlacesOf, AnObjectThatIsNotThereIsAnError) {
  std::vector<std::array<double, 3>> x(5);
  const Space host = Space::where(MemoryKind::host);
  EXPECT_ERROR(places_of(host, set(x), Indices{0, 5}),
               "core/weights: Object 5 of a set of 5 was asked for.");
  EXPECT_ERROR(places_of(host, set(x), Indices{2, -1, 7}),
               "core/weights: Object -1 of a set of 5 was asked for.");
  EXPECT_ERROR(places_of(host, set(x, {}, {.count = 2}), Indices{2}),
               "core/weights: Object 2 of a set of 2 was asked for.");
  x.clear();
  EXPECT_ERROR(places_of(host, set(x), Indices{0}), "Object 0 of a set of 0");
  EXPECT_TRUE(places_of(host, set(x), {}).empty());
  std::vector<double> line(5);
  EXPECT_ERROR(places_of(host, set(line), Indices{0}), "2 or 3 components");
}

}  // namespace
}  // namespace evenkeel::extract_test
