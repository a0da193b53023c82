// Tests exec/bodies.hpp, and the lists that are made with it.
#include <evenkeel/backends/exec/bodies.hpp>

#include "support/harness.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

namespace evenkeel {
namespace {

constexpr const char* label = "evenkeel::test::bodies";
using Numbers = std::vector<std::int64_t>;

template <class T>
exec::Array<T> there(const std::vector<T>& values) {
  return {test::space(), label, std::span<const T>(values)};
}
// Returns the places where a body holds.
template <class Body>
Numbers where(std::int64_t count, const Body& body) {
  return exec::numbers_that(test::space(), label, count, body).on_host();
}
template <class T, class Body>
std::vector<T> after(const exec::Array<T>& values, std::int64_t count, const Body& body) {
  exec::for_each(test::space(), label, count, body);
  return values.on_host();
}

TEST(Bodies, Values) {
  const auto values = there(Numbers{3, -1, 4, 1, -5, 9});
  const auto sum = [](std::int64_t count, const auto& body) {
    return exec::sum<std::int64_t>(test::space(), count, body);
  };
  EXPECT_EQ(sum(6, exec::ValueAt{values.data()}), 11);
  EXPECT_EQ(sum(3, exec::OneOfSeveral{values.data(), 2}), 3 + 4 - 5);
  EXPECT_EQ(sum(3, exec::OneOfSeveral{values.data() + 1, 2}), -1 + 1 + 9);
}

TEST(Bodies, WhatValuesAreLike) {
  const auto values = there(Numbers{3, 3, -1, 4, 4, 0});
  const std::int64_t* const data = values.data();
  EXPECT_EQ(where(6, exec::IsEqual{data, 4}), (Numbers{3, 4}));
  EXPECT_EQ(where(6, exec::IsOther{data, 4}), (Numbers{0, 1, 2, 5}));
  EXPECT_EQ(where(6, exec::IsBelow{data, 0}), (Numbers{2}));
  EXPECT_EQ(where(6, exec::IsAbove{data, 3}), (Numbers{3, 4}));
  EXPECT_EQ(where(6, exec::IsOutside{data, 4}), (Numbers{2, 3, 4}));
  EXPECT_EQ(where(5, exec::Falls{data}), (Numbers{1, 4}));
  EXPECT_EQ(where(6, exec::StartsRun{data}), (Numbers{0, 2, 3, 5}));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto reals = there(std::vector<double>{0, -0.5, infinity, -infinity, 1e300,
                                               std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(where(6, exec::IsNoAmount{reals.data()}), (Numbers{1, 2, 3, 5}));
}

TEST(Bodies, Copies) {
  const auto values = there(Numbers{30, 31, 32, 33}), places = there(Numbers{2, 0, 3});
  const auto few = exec::filled<int>(test::space(), label, 4, 7);
  EXPECT_EQ(few.on_host(), (std::vector<int>{7, 7, 7, 7}));
  EXPECT_EQ(after(few, 4, exec::Copy{values.data(), few.data()}),
            (std::vector<int>{30, 31, 32, 33}));
  EXPECT_EQ(after(few, 4, exec::CountUp<int>{few.data()}), (std::vector<int>{0, 1, 2, 3}));
  const auto picked = exec::filled<std::int64_t>(test::space(), label, 4, -1);
  EXPECT_EQ(after(picked, 3, exec::Pick{values.data(), places.data(), picked.data()}),
            (Numbers{32, 30, 33, -1}));
  EXPECT_EQ(after(picked, 3, exec::Put{values.data(), places.data(), picked.data()}),
            (Numbers{31, 30, 30, 32}));
  // Each place is replaced by the value that it names.
  EXPECT_EQ(after(places, 3, exec::Pick{values.data(), places.data(), places.data()}),
            (Numbers{32, 30, 33}));
}

TEST(Bodies, Rows) {
  const auto offsets = there(Numbers{0, 5, 5, 8}), rows = there(Numbers{2, 0});
  const auto lengths = there(Numbers{0, 0, 99});
  EXPECT_EQ(after(lengths, 2, exec::RowLengths{offsets.data(), rows.data(), lengths.data()}),
            (Numbers{3, 5, 99}));
  EXPECT_EQ(exec::to_offsets(lengths), 8);
  EXPECT_EQ(lengths.on_host(), (Numbers{0, 3, 8}));
  const auto none = there(Numbers{99});
  EXPECT_EQ(exec::to_offsets(none), 0);
  EXPECT_EQ(none.on_host(), (Numbers{0}));
}

TEST(Bodies, DistinctNumbers) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 5000; ++i) numbers.push_back(exec::mixed(i % 700));
  const std::set<std::uint64_t> expected(numbers.begin(), numbers.end());
  EXPECT_EQ(expected.size(), 700U);
  EXPECT_EQ(exec::distinct(test::space(), label, there(numbers)).on_host(),
            std::vector<std::uint64_t>(expected.begin(), expected.end()));
  EXPECT_TRUE(exec::distinct(test::space(), label, there(std::vector<std::uint64_t>())).empty());
}

}  // namespace
}  // namespace evenkeel
