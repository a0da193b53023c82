#include "backends/exec/views.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/reduce.hpp>

namespace evenkeel::reduce_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Square {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return i * i; }
};

struct OneHalf {
  KOKKOS_FUNCTION double operator()(std::int64_t) const { return 0.5; }
};

template <class Sum, class T>
Sum sum_of(const std::vector<T>& values) {
  return with_space(test::space(), [&](const auto& instance) {
    return exec::sum<Sum>(instance, std::ssize(values), test::values_on(instance, values));
  });
}

template <class T>
exec::Extremes<T> extremes_of(const std::vector<T>& values) {
  return with_space(test::space(), [&](const auto& instance) {
    return exec::extremes<T>(instance, std::ssize(values), test::values_on(instance, values));
  });
}

template <class T>
void expect_extremes(const std::vector<T>& values, T least, T greatest) {
  const auto found = extremes_of(values);
  EXPECT_EQ(found.least, least);
  EXPECT_EQ(found.greatest, greatest);
}

template <class T>
void expect_nothing_found(const std::vector<T>& values) {
  using Limits = std::numeric_limits<T>;
  if (Limits::has_infinity)
    expect_extremes(values, Limits::infinity(), static_cast<T>(-Limits::infinity()));
  else
    expect_extremes(values, Limits::max(), Limits::lowest());
}

TEST(Sum, ByHand) {
  EXPECT_EQ(sum_of<int>(std::vector<int>{3, -1, 4, 0}), 6);
  EXPECT_EQ(sum_of<double>(std::vector<double>{0.5, 0.25, -1}), -0.25);
}

TEST(Sum, NothingAndOne) {
  EXPECT_EQ(sum_of<std::int64_t>(std::vector<std::int64_t>{}), 0);
  EXPECT_EQ(sum_of<double>(std::vector<double>{}), 0.0);
  EXPECT_EQ(sum_of<double>(std::vector<double>{2.5}), 2.5);
}

TEST(Sum, RandomOfManyExtents) {
  for (const std::size_t count : {2U, 255U, 257U, 1025U, 65537U, 1000003U}) {
    const auto values = test::random_whole<std::int64_t>(count, -1000, 1000);
    const auto expected = std::accumulate(values.begin(), values.end(), std::int64_t{0});
    EXPECT_EQ(sum_of<std::int64_t>(values), expected);
    EXPECT_EQ(sum_of<double>(std::vector<double>(values.begin(), values.end())),
              static_cast<double>(expected));
  }
}

TEST(Sum, WideSumsOfNarrowValues) {
  EXPECT_EQ(sum_of<std::int64_t>(std::vector<std::int32_t>(100000, 2147483647)), 214748364700000);
  EXPECT_EQ(sum_of<std::int64_t>(std::vector<std::uint8_t>(100000, 255)), 25500000);
  EXPECT_EQ(sum_of<double>(std::vector<float>(100000, 16777216.0F)), 1677721600000.0);
}

TEST(Sum, OfAFunctor) {
  with_space(test::space(), [](const auto& instance) {
    EXPECT_EQ(exec::sum<std::int64_t>(instance, 4, Square{}), 14);
    EXPECT_EQ(exec::sum<std::int64_t>(instance, 100001, Square{}), 333338333350000);
    EXPECT_EQ(exec::sum<double>(instance, 99999, OneHalf{}), 49999.5);
    EXPECT_EQ(exec::sum<double>(instance, 0, OneHalf{}), 0.0);
  });
}

TEST(Sum, OfTheFirstFew) {
  with_space(test::space(), [](const auto& instance) {
    const auto values = test::values_on(instance, std::vector<int>{1, 2, 4, 8});
    EXPECT_EQ(exec::sum<int>(instance, 2, values), 3);
  });
}

TEST(Extremes, ByHand) {
  expect_extremes<int>({3, -1, 4, 1}, -1, 4);
  expect_extremes<double>({0.5, 2.25, -1.5}, -1.5, 2.25);
}

TEST(Extremes, OneAndTies) {
  expect_extremes<double>({-7.0}, -7.0, -7.0);
  expect_extremes(std::vector<double>(100000, 1e-3), 1e-3, 1e-3);
  expect_extremes(std::vector<std::uint8_t>(100000, 0), std::uint8_t{0}, std::uint8_t{0});
}

// Ranks combine their results by min and max. A rank without objects must not change the result.
TEST(Extremes, OverNothingAreNeutral) {
  expect_nothing_found(std::vector<double>{});
  expect_nothing_found(std::vector<float>{});
  expect_nothing_found(std::vector<std::int64_t>{});
  expect_nothing_found(std::vector<std::uint32_t>{});
}

TEST(Extremes, OnOneSideOfZero) {
  expect_extremes<double>({-3, -2, -9}, -9.0, -2.0);
  expect_extremes<double>({3, 2, 9}, 2.0, 9.0);
}

TEST(Extremes, RandomWithTheExtremesAtEveryPlace) {
  const std::size_t count = 300000;
  const auto values = test::random_whole<double>(count, -1000000, 1000000);
  const auto [least, greatest] = std::ranges::minmax(values);
  expect_extremes(values, least, greatest);
  for (const std::size_t place : {std::size_t{0}, count / 2, count - 1}) {
    auto with_outliers = values;
    with_outliers[place] = -2e6;
    with_outliers[(place + count / 3) % count] = 2e6;
    expect_extremes(with_outliers, -2e6, 2e6);
  }
}

TEST(Extremes, EndsOfTheIntegers) {
  using Signed = std::numeric_limits<std::int64_t>;
  using Unsigned = std::numeric_limits<std::uint64_t>;
  expect_extremes<std::int64_t>({0, Signed::min(), Signed::max()}, Signed::min(), Signed::max());
  expect_extremes<std::int64_t>({Signed::max()}, Signed::max(), Signed::max());
  expect_extremes<std::uint64_t>({Unsigned::max(), 0}, 0, Unsigned::max());
}

TEST(Extremes, NaNsArePassedOver) {
  expect_extremes<double>({nan, 2, 1}, 1.0, 2.0);
  expect_extremes<double>({2, nan, 1}, 1.0, 2.0);
  expect_extremes<double>({2, 1, nan}, 1.0, 2.0);
  std::vector<double> mostly(200000, nan);
  mostly[123456] = -4;
  expect_extremes(mostly, -4.0, -4.0);
  expect_nothing_found(std::vector<double>(1000, nan));
}

TEST(Extremes, InfinitiesCount) {
  expect_extremes<double>({1, infinity, -infinity, 2}, -infinity, infinity);
  expect_extremes<double>({1, infinity}, 1.0, infinity);
  expect_extremes(std::vector<double>(1000, infinity), infinity, infinity);
  expect_extremes<double>({nan, -infinity}, -infinity, -infinity);
}

TEST(Extremes, OfAFunctor) {
  with_space(test::space(), [](const auto& instance) {
    const auto found = exec::extremes<std::int64_t>(instance, 100001, Square{});
    EXPECT_EQ(found.least, 0);
    EXPECT_EQ(found.greatest, 10000000000);
  });
}

}  // namespace
}  // namespace evenkeel::reduce_test
