#include "backends/exec/views.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/scan.hpp>

namespace evenkeel::scan_test {
namespace {

template <class Sum>
struct Scanned {
  std::vector<Sum> before;
  Sum total;
};

template <class Sum, class In>
Scanned<Sum> oracle(const std::vector<In>& values) {
  Scanned<Sum> scanned{{}, Sum{}};
  for (const In value : values) {
    scanned.before.push_back(scanned.total);
    scanned.total = static_cast<Sum>(scanned.total + static_cast<Sum>(value));
  }
  return scanned;
}

template <class Sum, class In>
void expect_scan(const std::vector<In>& values) {
  const auto expected = oracle<Sum>(values);
  with_space(test::space(), [&](const auto& instance) {
    const auto in = test::values_on(instance, values);
    const auto out = test::room_on<Sum>(instance, values.size());
    EXPECT_EQ(exec::exclusive_scan(instance, in, out), expected.total);
    EXPECT_TRUE(test::values_of(out) == expected.before) << values.size() << " values";
    EXPECT_TRUE(test::values_of(in) == values) << "the input changed";
  });
}

TEST(ExclusiveScan, ByHand) {
  with_space(test::space(), [](const auto& instance) {
    const auto in = test::values_on(instance, std::vector<int>{3, 0, 4, 1, 5});
    const auto out = test::room_on<int>(instance, 5);
    EXPECT_EQ(exec::exclusive_scan(instance, in, out), 13);
    EXPECT_EQ(test::values_of(out), (std::vector<int>{0, 3, 3, 7, 8}));
  });
}

TEST(ExclusiveScan, NothingAndOne) {
  expect_scan<std::int64_t>(std::vector<std::int64_t>{});
  expect_scan<std::int64_t>(std::vector<std::int64_t>{42});
  expect_scan<double>(std::vector<double>{-0.5});
}

// The extents are below, at and above the chunk sizes in which threads and blocks of a device share
// the work.
TEST(ExclusiveScan, RandomOfManyExtents) {
  for (const std::size_t count : {2U, 3U, 31U, 255U, 256U, 257U, 1023U, 1025U, 65537U, 1000003U})
    expect_scan<std::int64_t>(test::random_whole<std::int64_t>(count, -1000, 1000));
}

TEST(ExclusiveScan, AllZeroAndAllOne) {
  expect_scan<int>(std::vector<int>(100000, 0));
  expect_scan<int>(std::vector<int>(100000, 1));
}

TEST(ExclusiveScan, WideSumsOfNarrowValues) {
  const std::vector<std::int32_t> high(100000, std::numeric_limits<std::int32_t>::max());
  expect_scan<std::int64_t>(high);
  EXPECT_GT(oracle<std::int64_t>(high).total, std::int64_t{1} << 40);
  expect_scan<std::uint64_t>(std::vector<std::uint8_t>(100000, 255));
}

TEST(ExclusiveScan, DoublesWhoseSumsAreExact) {
  expect_scan<double>(test::random_whole<double>(300000, -4096, 4096));
  expect_scan<double>(test::random_whole<std::int32_t>(300000, 0, 1 << 20));
}

// For any order of addition, the result must be within count * epsilon of the sum of magnitudes.
TEST(ExclusiveScan, DoublesWhoseSumsAreRounded) {
  auto values = test::random_whole<double>(200000, 1, 1 << 30);
  for (double& value : values) value = std::sqrt(value);
  const auto expected = oracle<double>(values);
  const double epsilon = std::numeric_limits<double>::epsilon();
  const double tolerance = static_cast<double>(values.size()) * epsilon * expected.total;
  with_space(test::space(), [&](const auto& instance) {
    const auto out = test::room_on<double>(instance, values.size());
    const double total = exec::exclusive_scan(instance, test::values_on(instance, values), out);
    EXPECT_NEAR(total, expected.total, tolerance);
    double worst = 0;
    const auto found = test::values_of(out);
    for (std::size_t i = 0; i < found.size(); ++i)
      worst = std::max(worst, std::abs(found[i] - expected.before[i]));
    EXPECT_LE(worst, tolerance);
  });
}

TEST(ExclusiveScan, InPlace) {
  for (const std::size_t count : {0U, 1U, 5U, 1024U, 500000U})
    with_space(test::space(), [&](const auto& instance) {
      const auto values = test::random_whole<std::int64_t>(count, 0, 9);
      const auto both = test::values_on(instance, values);
      const auto expected = oracle<std::int64_t>(values);
      EXPECT_EQ(exec::exclusive_scan(instance, both, both), expected.total);
      EXPECT_TRUE(test::values_of(both) == expected.before) << count << " values";
    });
}

// Scans one component of objects with three: neither input nor output is contiguous.
template <class Instance>
void expect_strided_scan_on(const Instance& instance, std::size_t count) {
  using Objects =
      Kokkos::View<std::int64_t**, Kokkos::LayoutRight, typename Instance::memory_space>;
  const Objects objects("evenkeel::test::objects", count, 3);
  const auto values = test::random_whole<std::int64_t>(count, 0, 1000);
  const auto mirror = Kokkos::create_mirror_view(objects);
  for (std::size_t i = 0; i < count; ++i) mirror(i, 1) = values[i];
  Kokkos::deep_copy(objects, mirror);

  const auto in = Kokkos::subview(objects, Kokkos::ALL, 1);
  const auto out = Kokkos::subview(objects, Kokkos::ALL, 2);
  const auto expected = oracle<std::int64_t>(values);
  EXPECT_EQ(exec::exclusive_scan(instance, in, out), expected.total);
  Kokkos::deep_copy(mirror, objects);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i)
    wrong += mirror(i, 0) != 0 || mirror(i, 1) != values[i] || mirror(i, 2) != expected.before[i]
                 ? 1U
                 : 0U;
  EXPECT_EQ(wrong, 0U);
}

TEST(ExclusiveScan, StridedViews) {
  with_space(test::space(), [](const auto& instance) { expect_strided_scan_on(instance, 100000); });
}

TEST(ExclusiveScan, ExtentsMustAgree) {
  with_space(test::space(), [](const auto& instance) {
    const auto in = test::values_on(instance, std::vector<int>{1, 2, 3});
    const auto out = test::room_on<int>(instance, 2);
    EXPECT_ERROR(exec::exclusive_scan(instance, in, out),
                 "A scan got 3 values, but room for 2 sums.");
    const auto none = test::room_on<int>(instance, 0);
    EXPECT_ERROR(exec::exclusive_scan(instance, none, out), "0 values, but room for 2 sums");
  });
}

}  // namespace
}  // namespace evenkeel::scan_test
