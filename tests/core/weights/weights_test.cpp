#include "core/values.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights.hpp>

namespace evenkeel::weights_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Positions = std::vector<std::array<double, 3>>;

// --- Given ---------------------------------------------------------------------------------------

// The numbers are 0, the greatest number, and some in between.
template <class T>
std::vector<T> numbers_of(std::size_t count) {
  std::vector<T> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<T>(static_cast<T>(i % 97) / T(2));
  if (count > 2) {
    numbers[1] = std::numeric_limits<T>::max();
    numbers[2] = std::numeric_limits<T>::min() > 0 ? std::numeric_limits<T>::min() : T(0);
  }
  return numbers;
}

template <class T, class Container>
void expect_weights(Container& weights, std::size_t count) {
  const auto numbers = numbers_of<T>(count);
  test::write_values(field_of(weights).layout(), numbers);
  Positions x(count);
  const std::vector<double> expected(numbers.begin(), numbers.end());
  EXPECT_EQ(given_weights(test::space(), set(x, {}, {.weight = weights})).on_host(), expected);
}

template <class T, class Instance>
void read_weights_of(const Instance&) {
  using Memory = typename Instance::memory_space;
  for (const std::size_t count : {0U, 1U, 3U, 1000U}) {
    Kokkos::View<T*, Memory> packed("packed", count);
    expect_weights<T>(packed, count);
    Kokkos::View<T**, Kokkos::LayoutRight, Memory> rows("rows", count, 3);
    auto column = Kokkos::subview(rows, Kokkos::ALL(), 1);
    expect_weights<T>(column, count);
    std::vector<T> on_host(count);
    expect_weights<T>(on_host, count);
  }
}

TEST(GivenWeights, OfAnyNumbersAnywhere) {
  with_space(test::space(), []<class Instance>(const Instance& instance) {
    read_weights_of<std::int8_t>(instance);
    read_weights_of<std::int16_t>(instance);
    read_weights_of<std::int32_t>(instance);
    read_weights_of<std::int64_t>(instance);
    read_weights_of<std::uint8_t>(instance);
    read_weights_of<std::uint16_t>(instance);
    read_weights_of<std::uint32_t>(instance);
    read_weights_of<std::uint64_t>(instance);
    read_weights_of<float>(instance);
    read_weights_of<double>(instance);
  });
}

// The weights are one member of the application's records.
TEST(GivenWeights, OfAStridedField) {
  std::vector<test::Particle> particles(50);
  for (std::size_t i = 0; i < particles.size(); ++i)
    particles[i].charge = 0.25 * static_cast<double>(i);
  static_assert(sizeof(test::Particle) % sizeof(double) == 0);
  RawField<double> charge =
      raw_field(&particles[0].charge, {.count = 50, .object_stride = sizeof(test::Particle) / 8});
  const auto weights =
      given_weights(test::space(), set(particles, {}, {.weight = charge})).on_host();
  ASSERT_EQ(weights.size(), 50U);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(weights[i], 0.25 * static_cast<double>(i));
}

// Only the objects before .count may have a weight.
TEST(GivenWeights, GhostsAreNotSeen) {
  Positions x(6);
  std::vector<double> weights = {1, 2, 3, std::nan(""), -1, infinity, -infinity};
  int owned = 3;
  const SetOptions options = {.count = &owned, .weight = weights};
  EXPECT_EQ(given_weights(test::space(), set(x, {}, options)).on_host(),
            (std::vector<double>{1, 2, 3}));
  owned = 0;
  EXPECT_TRUE(given_weights(test::space(), set(x, {}, options)).empty());
  owned = 4;
  EXPECT_ERROR(given_weights(test::space(), set(x, {}, options)), "object 3");
}

// Sets the weight of object 613 to `bad`, on the space under test.
template <class T, class Instance>
void expect_refused(const Instance&, T bad, const std::string& text) {
  Kokkos::View<T*, typename Instance::memory_space> weights("heaviness", 1000);
  std::vector<T> values(1000, T(1));
  values[613] = values[700] = bad;
  test::write_values(field_of(weights).layout(), values);
  Positions x(1000);
  EXPECT_ERROR(given_weights(test::space(), set(x, {}, {.weight = weights})),
               "core/weights: The weight of object 613 in 'heaviness' is " + text +
                   ". Weights are finite and not negative.");
}

TEST(GivenWeights, NotFiniteOrNegativeIsAnError) {
  with_space(test::space(), []<class Instance>(const Instance& instance) {
    expect_refused<double>(instance, infinity, "inf");
    expect_refused<double>(instance, -infinity, "-inf");
    expect_refused<double>(instance, std::nan(""), "nan");
    expect_refused<double>(instance, -1e-12, "-1e-12");
    expect_refused<float>(instance, std::numeric_limits<float>::infinity(), "inf");
    expect_refused<float>(instance, std::nanf(""), "nan");
    expect_refused<float>(instance, -0.5F, "-0.5");
    expect_refused<std::int8_t>(instance, -128, "-128");
    expect_refused<std::int16_t>(instance, -1, "-1");
    expect_refused<std::int32_t>(instance, -2, "-2");
    expect_refused<std::int64_t>(instance, -3, "-3");
  });
}

TEST(GivenWeights, NegativeZeroIsZero) {
  Positions x(2);
  std::vector<double> weights = {-0.0, std::numeric_limits<double>::denorm_min()};
  EXPECT_EQ(given_weights(test::space(), set(x, {}, {.weight = weights})).on_host(), weights);
}

TEST(GivenWeights, WhatIsNoNumberIsAnError) {
  Positions x(2);
  std::vector<test::Opaque> opaque(2);
  EXPECT_ERROR(given_weights(test::space(), set(x, {}, {.weight = opaque})),
               "core/weights: The weights are not numbers.");
  EXPECT_ERROR(given_weights(test::space(), set(x)), "core/weights: The set came without weights.");
}

// --- Measured ------------------------------------------------------------------------------------

using Weights = std::vector<double>;

Weights measured(std::int64_t objects, double cost, double mean_cost, const Weights& earlier,
                 double followed = 0.5) {
  const auto before = test::array_of(earlier);
  return measured_weights(test::space(), objects, {cost, mean_cost, followed}, before).on_host();
}

TEST(CentresOfWeight, ByHand) {
  std::vector<std::array<float, 2>> places = {{1, 0}, {4, 8}, {0, 0}};
  std::vector<int> weights = {1, 3, 0};
  const Space host = Space::where(MemoryKind::host);
  const CentreOfWeight given = centre_of_weight(host, set(places, {}, {.weight = weights}));
  EXPECT_EQ(given.weight, 4);
  EXPECT_EQ(given.centre, (std::array{3.25, 6.0, 0.0}));
  const CentreOfWeight equal = centre_of_weight(host, set(places));
  EXPECT_EQ(equal.weight, 3);
  EXPECT_NEAR(equal.centre.value()[1], 8.0 / 3, 1e-15);
  weights = {0, 0, 0};
  EXPECT_FALSE(centre_of_weight(host, set(places, {}, {.weight = weights})).centre);
  places.clear();
  EXPECT_EQ(centre_of_weight(host, set(places)).weight, 0);
}

TEST(MeasuredWeights, ByHand) {
  EXPECT_EQ(measured(4, 8, 2, {}), (Weights{2, 2, 2, 2}));
  EXPECT_EQ(measured(1, 3, 2, {}), (Weights{3}));
  // Half of the cost 8 is spread evenly, the other half as 1 : 3.
  EXPECT_EQ(measured(2, 8, 4, Weights{1, 3}), (Weights{3, 5}));
  EXPECT_EQ(measured(2, 8, 4, Weights{1e-9, 3e-9}), (Weights{3, 5})) << "of any unit";
  EXPECT_EQ(measured(3, 6, 2, Weights{0, 0, 5}), (Weights{1, 1, 4}));
  EXPECT_EQ(measured(0, 8, 4, {}), Weights{});
}

TEST(MeasuredWeights, WhatIsFollowedIsAShare) {
  EXPECT_EQ(measured(2, 8, 4, Weights{1, 3}, 0), (Weights{4, 4})) << "nothing";
  EXPECT_EQ(measured(2, 8, 4, Weights{1, 3}, 1), (Weights{2, 6})) << "all";
  EXPECT_EQ(measured(2, 8, 4, Weights{1, 3}, 0.75), (Weights{2.5, 5.5}));
  EXPECT_EQ(measured(3, 6, 2, Weights{1, 3}, 1), (Weights{2, 2, 2})) << "an object was made";
  EXPECT_EQ(measured(3, 6, 2, Weights{0, 0, 0}, 1), (Weights{2, 2, 2}));
}

TEST(MeasuredWeights, WeightsThatSayNothingAreForgotten) {
  const Weights even = {2, 2, 2};
  EXPECT_EQ(measured(3, 6, 2, Weights{1, 3}), even) << "an object was made";
  EXPECT_EQ(measured(3, 6, 2, Weights{1, 3, 5, 7}), even) << "an object was removed";
  EXPECT_EQ(measured(3, 6, 2, Weights{0, 0, 0}), even);
  EXPECT_EQ(measured(0, 6, 2, Weights{1}), Weights{});
}

TEST(MeasuredWeights, TheMeanStaysWithinAFactorOf100) {
  EXPECT_EQ(measured(2, 1000, 4, {}), (Weights{400, 400}));
  EXPECT_EQ(measured(2, 800, 4, {}), (Weights{400, 400}));
  EXPECT_EQ(measured(2, 799, 4, {}), (Weights{399.5, 399.5}));
  EXPECT_EQ(measured(2, 1e-9, 4, {}), (Weights{0.04, 0.04}));
  EXPECT_EQ(measured(2, 0, 4, {}), (Weights{0.04, 0.04})) << "not measured yet";
  EXPECT_EQ(measured(2, 1000, 4, Weights{1, 3}), (Weights{300, 500}));
  EXPECT_EQ(measured(2, 0, 0, Weights{1, 3}), (Weights{0, 0})) << "no rank computes";
}

// The sum must be the cost, every object must have a positive weight, and heavy objects must stay
// heavy.
TEST(MeasuredWeights, RandomCosts) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto objects = static_cast<std::size_t>(1 + repeat * repeat % 313);
    const double cost = std::pow(10, 12 * uniform(random) - 6);
    Weights earlier(objects);
    for (double& weight : earlier) weight = std::pow(10, 10 * uniform(random));
    const double mean = cost / static_cast<double>(objects);
    const double mean_cost = mean * (0.1 + 10 * uniform(random));
    const auto count = static_cast<std::int64_t>(objects);
    const Weights weights = measured(count, cost, mean_cost, earlier);
    ASSERT_EQ(weights.size(), objects);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), cost, 1e-12 * cost);
    const double sum = std::accumulate(earlier.begin(), earlier.end(), 0.0);
    for (std::size_t i = 0; i < objects; ++i) {
      EXPECT_GE(weights[i], mean / 2);
      EXPECT_NEAR(weights[i], (mean + cost * earlier[i] / sum) / 2, 1e-12 * cost);
    }
  }
}

// If a rank measures the same load again and again, it must forget the earlier differences between
// its objects.
TEST(MeasuredWeights, OldDifferencesFade) {
  Weights weights = {1, 99};
  for (int look = 0; look < 20; ++look) weights = measured(2, 10, 5, weights);
  EXPECT_NEAR(weights[0], 5, 1e-5);
  EXPECT_NEAR(weights[1], 5, 1e-5);
}

// --- By keys -------------------------------------------------------------------------------------

TEST(Followed, ValuesGoWithTheirKeys) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    std::mt19937_64 random(3);
    const Space space = test::space();
    for (const std::int64_t before : {0, 1, 5, 1000})
      for (const std::int64_t now : {0, 1, 7, 1000}) {
        std::vector<std::int64_t> keys, later;
        std::vector<double> values;
        std::map<std::int64_t, double> known;
        while (std::ssize(keys) < before) {
          const auto key = static_cast<std::int64_t>(random()) % (2 * before);
          if (!known.emplace(key, static_cast<double>(1 + random() % 100)).second) continue;
          keys.push_back(key);
          values.push_back(known[key]);
        }
        double sum = 0;
        std::int64_t found = 0;
        for (std::int64_t i = 0; i < now; ++i) {
          later.push_back(static_cast<std::int64_t>(random()) % (2 * before + 1));
          if (const auto at = known.find(later.back()); at != known.end())
            ++found, sum += at->second;
        }
        const double mean = found > 0 ? sum / static_cast<double>(found) : 0;
        const Followed result =
            followed(space, {space, "keys", std::span<const std::int64_t>(keys)},
                     {space, "values", std::span<const double>(values)},
                     {space, "now", std::span<const std::int64_t>(later)});
        EXPECT_EQ(result.unknown, now - found);
        const std::vector<double> all = result.values.on_host();
        const std::vector<std::int64_t> places = result.places.on_host();
        ASSERT_EQ(all.size(), later.size());
        ASSERT_EQ(places.size(), later.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
          const auto at = known.find(later[i]);
          ASSERT_EQ(places[i] < 0, at == known.end());
          if (places[i] >= 0) {
            EXPECT_EQ(keys.at(static_cast<std::size_t>(places[i])), later[i]);
          }
          EXPECT_DOUBLE_EQ(all[i], at == known.end() ? mean : at->second);
        }
      }
  });
}

}  // namespace
}  // namespace evenkeel::weights_test
