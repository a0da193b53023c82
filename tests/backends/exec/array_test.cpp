#include "support/harness.hpp"

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>

namespace evenkeel::array_test {
namespace {

using exec::Array;
using exec::Reached;

std::vector<std::int64_t> numbers(int count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), std::int64_t{3});
  return values;
}

Array<std::int64_t> array_of(const std::vector<std::int64_t>& values) {
  return {test::space(), "test", std::span<const std::int64_t>(values)};
}

struct Double {
  const std::int64_t* from;
  std::int64_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = 2 * from[i]; }
};

std::vector<std::int64_t> doubled(const std::int64_t* from, std::int64_t count) {
  const Array<std::int64_t> to(test::space(), "test", count);
  with_space(test::space(), [&](const auto& instance) {
    exec::for_each(instance, "evenkeel::test::double", count, Double{from, to.data()});
  });
  return to.on_host();
}

TEST(Array, HoldsNothingAtFirst) {
  const Array<int> none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(none.on_host().empty());
}

TEST(Array, IsWhereItsSpaceWorks) {
  for (const int count : {0, 1, 1000}) {
    const auto values = array_of(numbers(count));
    EXPECT_EQ(values.memory(), test::space().is_device() ? MemoryKind::device : MemoryKind::host);
    EXPECT_EQ(values.size(), count);
    EXPECT_EQ(values.bytes(), 8 * count);
    EXPECT_EQ(values.on_host(), numbers(count));
  }
}

TEST(Array, SomeOfItIsFetched) {
  const auto values = array_of(numbers(100));
  std::vector<std::int64_t> some(3);
  values.fetch(97, some);
  EXPECT_EQ(some, (std::vector<std::int64_t>{100, 101, 102}));
  values.fetch(100, {});
}

TEST(Array, IsReadAndWrittenByKernels) {
  const auto values = array_of(numbers(5000));
  auto expected = numbers(5000);
  for (std::int64_t& value : expected) value *= 2;
  EXPECT_EQ(doubled(values.data(), values.size()), expected);
}

TEST(Array, Moves) {
  auto values = array_of(numbers(10));
  const auto* const data = values.data();
  Array<std::int64_t> other = std::move(values);
  EXPECT_EQ(other.data(), data);
  EXPECT_TRUE(values.empty());  // NOLINT: a moved-from array is empty
  values = std::move(other);
  EXPECT_EQ(values.data(), data);
  EXPECT_TRUE(other.empty());  // NOLINT
}

TEST(Array, ACopyHasValuesOfItsOwn) {
  const auto values = array_of(numbers(100));
  const Array<std::int64_t> copy = values;
  EXPECT_NE(copy.data(), values.data());
  EXPECT_EQ(copy.on_host(), numbers(100));
  Array<std::int64_t> other = array_of(numbers(3));
  other = values;
  EXPECT_EQ(other.on_host(), numbers(100));
  const Array<int> none, of_none = none;
  EXPECT_TRUE(of_none.empty());
}

TEST(Array, TooMuchIsRefused) {
  const auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_ERROR(Array<double>(test::space(), "much", most), "'much' were refused");
  EXPECT_ERROR(Array<double>(test::space(), "less than nothing", -1), "were refused");
}

TEST(Reached, FromTheHost) {
  const auto values = numbers(100);
  const Reached<std::int64_t> there(test::space(), "test", values);
  auto expected = values;
  for (std::int64_t& value : expected) value *= 2;
  EXPECT_EQ(doubled(there.data(), there.size()), expected);
  EXPECT_EQ(there.data() == values.data(), test::space().can_access(MemoryKind::host));
}

TEST(Reached, FromAnArray) {
  const auto values = array_of(numbers(100));
  const Reached<std::int64_t> same(test::space(), "test", values);
  EXPECT_EQ(same.data(), values.data());
  const Reached<std::int64_t> here(Space::where(MemoryKind::host), "test", values);
  EXPECT_TRUE(std::ranges::equal(std::span(here.data(), 100), numbers(100)));
}

TEST(Reached, NothingCostsNothing) {
  const Reached<std::int64_t> none(test::space(), "test", std::span<const std::int64_t>());
  EXPECT_EQ(none.size(), 0);
}

}  // namespace
}  // namespace evenkeel::array_test
