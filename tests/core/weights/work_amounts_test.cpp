#include "core/values.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/weights/work_amounts.hpp>

namespace evenkeel::work_amounts_test {
namespace {

using Positions = std::vector<std::array<double, 3>>;

PerColumn some_costs() {
  PerColumn costs;
  for (std::size_t t = 0; t < costs.types.size(); ++t)
    costs.types[t] = 1 + 0.5 * static_cast<double>(t);
  for (std::size_t f = 0; f < costs.features.size(); ++f)
    costs.features[f] = 0.01 * static_cast<double>(f + 1);
  return costs;
}

// Objects have one type, or no type. The oracle counts them, and adds up their costs one by one.
TEST(WorkAmounts, OfOneTypeEach) {
  const Space space = test::space();
  std::mt19937_64 random(1);
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    Positions x(count);
    std::vector<int> types(count);
    PerColumn expected;
    for (int& type : types) {
      type = static_cast<int>(random() % (most_types + 1)) - 1;
      if (type >= 0) ++expected.types[static_cast<std::size_t>(type)];
    }
    const Set objects = set(x, {}, {.type = types});
    check(objects);
    EXPECT_EQ(amounts_of(space, objects), expected);
    const PerColumn costs = some_costs();
    const std::vector<double> found = costs_of(space, objects, costs).on_host();
    ASSERT_EQ(found.size(), count);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_DOUBLE_EQ(found[i],
                       types[i] < 0 ? 0 : costs.types[static_cast<std::size_t>(types[i])]);
  }
}

// Several solvers use each cell, and cells have features. Only owned objects count.
TEST(WorkAmounts, OfSeveralTypesAndFeatures) {
  const Space space = test::space();
  const std::size_t count = 777, owned = 700;
  Positions x(count);
  std::vector<std::array<std::int8_t, 2>> types(count);
  std::vector<std::array<float, 3>> features(count);
  std::mt19937_64 random(2);
  PerColumn expected;
  for (std::size_t i = 0; i < count; ++i) {
    types[i] = {0, static_cast<std::int8_t>(random() % 2 == 0 ? 3 : no_type)};
    for (std::size_t f = 0; f < 3; ++f) features[i][f] = static_cast<float>(random() % 8);
    if (i >= owned) continue;
    ++expected.types[0];
    if (types[i][1] == 3) ++expected.types[3];
    for (std::size_t f = 0; f < 3; ++f) expected.features[f] += static_cast<double>(features[i][f]);
  }
  const Set objects = set(x, {}, {.count = owned, .type = types, .features = features});
  check(objects);
  EXPECT_EQ(amounts_of(space, objects), expected);
  const PerColumn costs = some_costs();
  const std::vector<double> found = costs_of(space, objects, costs).on_host();
  ASSERT_EQ(found.size(), owned);
  for (std::size_t i = 0; i < owned; ++i) {
    double cost = costs.types[0] + (types[i][1] == 3 ? costs.types[3] : 0);
    for (std::size_t f = 0; f < 3; ++f)
      cost += costs.features[f] * static_cast<double>(features[i][f]);
    EXPECT_NEAR(found[i], cost, 1e-12);
  }
}

// The types are columns of a View, in the memory of the space.
TEST(WorkAmounts, OfViews) {
  const Space space = test::space();
  const std::int64_t count = 100;
  Kokkos::View<double* [3]> x("x", count);
  Kokkos::View<int* [2]> types("types", count);
  Kokkos::View<double*> feature("feature", count);
  for (std::int64_t i = 0; i < count; ++i) {
    types(i, 0) = static_cast<int>(i % 3);
    types(i, 1) = i % 2 == 0 ? 5 : no_type;
    feature(i) = static_cast<double>(i);
  }
  const Set objects = set(x, {}, {.type = types, .features = feature});
  check(objects);
  const PerColumn amounts = amounts_of(space, objects);
  EXPECT_EQ(amounts.types[0], 34);
  EXPECT_EQ(amounts.types[2], 33);
  EXPECT_EQ(amounts.types[5], 50);
  EXPECT_EQ(amounts.features[0], 4950);
}

// If a set has no types, its objects have one type.
TEST(WorkAmounts, OfSetsWithoutTypes) {
  const Space space = test::space();
  Positions x(30);
  PerColumn expected;
  expected.types[0] = 30;
  EXPECT_EQ(amounts_of(space, set(x)), expected);
  const std::vector<double> found = costs_of(space, set(x), some_costs()).on_host();
  EXPECT_EQ(found, std::vector<double>(30, 1.0));
  std::vector<float> feature(30, 2);
  expected.features[0] = 60;
  EXPECT_EQ(amounts_of(space, set(x, {}, {.features = feature})), expected);
}

TEST(WorkAmounts, RefuseWhatIsNoTypeAndNoFeature) {
  const Space space = test::space();
  Positions x(3);
  for (const int bad : {-2, most_types, 1000}) {
    std::vector<int> types = {0, bad, 1};
    const Set objects = set(x, {}, {.type = types});
    EXPECT_ERROR(amounts_of(space, objects), "The type of object 1 in");
    EXPECT_ERROR(costs_of(space, objects, {}), "The type of object 1 in");
  }
  for (const double bad :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<std::array<double, 2>> features = {{0, 0}, {0, 0}, {0, bad}};
    const Set objects = set(x, {}, {.features = features});
    EXPECT_ERROR(amounts_of(space, objects), "Feature 1 of object 2");
    EXPECT_ERROR(costs_of(space, objects, {}), "Feature 1 of object 2");
  }
}

TEST(WorkAmounts, RefuseFieldsThatDoNotFit) {
  Positions x(3);
  std::vector<int> few = {0, 1};
  std::vector<double> reals = {0, 1, 2};
  std::vector<std::array<float, most_features + 1>> wide(3);
  EXPECT_ERROR(check(set(x, {}, {.type = few})), "types for 2 of 3");
  EXPECT_ERROR(check(set(x, {}, {.type = reals})), "integers per object");
  EXPECT_ERROR(check(set(x, {}, {.features = wide})), "numbers per object");
  EXPECT_ERROR(check(set(x, {}, {.type_costs = {1, -1}})), "type_costs");
  EXPECT_ERROR(check(set(x, {}, {.type_costs = std::vector<double>(most_types + 1, 1.0)})),
               "type_costs");
}

}  // namespace
}  // namespace evenkeel::work_amounts_test
