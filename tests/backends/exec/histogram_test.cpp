#include "backends/exec/views.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/histogram.hpp>

namespace evenkeel::histogram_test {
namespace {

struct Same {
  KOKKOS_FUNCTION int operator()(std::int64_t) const { return 1; }
};

struct Always {
  std::int64_t bin;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t) const { return bin; }
};

struct Remainder {
  std::int64_t bins;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return i % bins; }
};

// Maps each key to its bin in a coarser histogram: the high bits of its bin in a finer one.
template <class Keys>
struct HighBits {
  Keys keys;
  int shift;
  KOKKOS_FUNCTION std::uint64_t operator()(std::int64_t i) const { return keys(i) >> shift; }
};

template <class Sum, class Bin, class Weight>
std::vector<Sum> oracle(std::vector<Sum> bins, const std::vector<Bin>& bin_of,
                        const std::vector<Weight>& weight_of) {
  for (std::size_t i = 0; i < bin_of.size(); ++i)
    bins[static_cast<std::size_t>(bin_of[i])] += static_cast<Sum>(weight_of[i]);
  return bins;
}

template <class Sum, class Bin, class Weight>
void expect_histogram(std::size_t bins, const std::vector<Bin>& bin_of,
                      const std::vector<Weight>& weight_of) {
  with_space(test::space(), [&](const auto& instance) {
    const auto found = test::values_on(instance, std::vector<Sum>(bins));
    exec::weighted_histogram(instance, std::ssize(bin_of), test::values_on(instance, bin_of),
                             test::values_on(instance, weight_of), found);
    EXPECT_TRUE(test::values_of(found) == oracle(std::vector<Sum>(bins), bin_of, weight_of))
        << bin_of.size() << " objects in " << bins << " bins";
  });
}

TEST(WeightedHistogram, ByHand) {
  with_space(test::space(), [](const auto& instance) {
    const auto bins = test::values_on(instance, std::vector<double>(4));
    const auto bin_of = test::values_on(instance, std::vector<int>{1, 3, 1, 0, 3});
    const auto weights = test::values_on(instance, std::vector<double>{1, 2, 4, 8, 0.5});
    exec::weighted_histogram(instance, 5, bin_of, weights, bins);
    EXPECT_EQ(test::values_of(bins), (std::vector<double>{8, 5, 0, 2.5}));
  });
}

TEST(WeightedHistogram, AddsToWhatTheBinsHold) {
  with_space(test::space(), [](const auto& instance) {
    const auto bins = test::values_on(instance, std::vector<std::int64_t>{100, 200, 300});
    exec::weighted_histogram(instance, 7, Remainder{3}, Same{}, bins);
    EXPECT_EQ(test::values_of(bins), (std::vector<std::int64_t>{103, 202, 302}));
    exec::weighted_histogram(instance, 1, Remainder{3}, Same{}, bins);
    EXPECT_EQ(test::values_of(bins), (std::vector<std::int64_t>{104, 202, 302}));
  });
}

TEST(WeightedHistogram, NothingLeavesTheBinsAlone) {
  with_space(test::space(), [](const auto& instance) {
    const auto bins = test::values_on(instance, std::vector<int>{7, 8});
    exec::weighted_histogram(instance, 0, Always{99}, Same{}, bins);
    EXPECT_EQ(test::values_of(bins), (std::vector<int>{7, 8}));
    EXPECT_NO_THROW(
        exec::weighted_histogram(instance, 0, Same{}, Same{}, test::room_on<int>(instance, 0)));
  });
}

TEST(WeightedHistogram, OneObjectOneBin) {
  expect_histogram<double>(1, std::vector<int>{0}, std::vector<double>{2.5});
  expect_histogram<std::int64_t>(1, std::vector<int>(100000, 0), std::vector<int>(100000, 3));
}

TEST(WeightedHistogram, RandomIntegers) {
  const std::size_t count = 500000;
  const auto bin_of = test::random_whole<int>(count, 0, 2047);
  expect_histogram<std::int64_t>(2048, bin_of, test::random_whole<std::int64_t>(count, -9, 99, 2));
  expect_histogram<std::uint32_t>(2048, bin_of, test::random_whole<std::uint32_t>(count, 0, 9, 3));
}

TEST(WeightedHistogram, RandomDoublesWhoseSumsAreExact) {
  const std::size_t count = 500000;
  expect_histogram<double>(2048, test::random_whole<std::uint64_t>(count, 0, 2047),
                           test::random_whole<double>(count, 0, 4096, 2));
}

TEST(WeightedHistogram, WeightsMayBeOfAnotherType) {
  const std::size_t count = 1000;
  const auto bin_of = test::random_whole<int>(count, 0, 9);
  expect_histogram<double>(10, bin_of, test::random_whole<std::int64_t>(count, 0, 9, 2));
  expect_histogram<double>(10, bin_of, test::random_whole<float>(count, 0, 9, 2));
  expect_histogram<double>(10, bin_of, test::random_whole<int>(count, 0, 9, 2));
}

// All threads add to one bin: the first, an inner one or the last.
TEST(WeightedHistogram, AllInOneBin) {
  for (const int bin : {0, 1000, 2047})
    expect_histogram<std::int64_t>(2048, std::vector<int>(300000, bin),
                                   test::random_whole<std::int64_t>(300000, 0, 1000));
}

TEST(WeightedHistogram, MoreBinsThanObjects) {
  expect_histogram<int>(100000, std::vector<int>{99999, 0, 50000, 99999},
                        std::vector<int>{1, 2, 3, 4});
}

TEST(WeightedHistogram, WideSumsOfNarrowWeights) {
  const std::vector<std::int32_t> heavy(100000, std::numeric_limits<std::int32_t>::max());
  expect_histogram<std::int64_t>(3, std::vector<std::int16_t>(heavy.size(), 2), heavy);
}

TEST(WeightedHistogram, BinsFromAFunctor) {
  const std::size_t count = 100000;
  const auto keys = test::random_whole<std::uint64_t>(count, 0, (1 << 20) - 1);
  auto bin_of = keys;
  for (auto& bin : bin_of) bin >>= 10;
  const auto expected = oracle(std::vector<std::int64_t>(1024), bin_of, std::vector<int>(count, 1));
  with_space(test::space(), [&](const auto& instance) {
    const auto view = test::values_on(instance, keys);
    const auto found = test::values_on(instance, std::vector<std::int64_t>(1024));
    exec::weighted_histogram(instance, std::ssize(keys), HighBits<decltype(view)>{view, 10}, Same{},
                             found);
    EXPECT_EQ(test::values_of(found), expected);
  });
}

template <class Bin, class Instance>
void expect_outside_on(const Instance& instance, const std::vector<Bin>& bin_of,
                       const std::string& how_many, const std::vector<std::int64_t>& rest) {
  const auto bins = test::values_on(instance, std::vector<std::int64_t>(rest.size()));
  const auto view = test::values_on(instance, bin_of);
  EXPECT_ERROR(exec::weighted_histogram(instance, std::ssize(bin_of), view, Same{}, bins),
               how_many);
  EXPECT_EQ(test::values_of(bins), rest);
}

TEST(WeightedHistogram, ABinOutsideIsAnErrorAndTheOthersCount) {
  with_space(test::space(), [](const auto& instance) {
    const std::vector<std::int64_t> rest{2, 0, 0, 1};
    expect_outside_on(instance, std::vector<int>{0, 4, 3, 0}, "1 of 4 objects fall outside", rest);
    expect_outside_on(instance, std::vector<int>{0, -1, 3, 0}, "1 of 4 objects fall outside", rest);
    expect_outside_on(instance, std::vector<int>{-1, 0, 0, 3, 4}, "2 of 5 objects", rest);
    expect_outside_on(instance, std::vector<int>{-1, 0, 0, 3, 4}, "fall outside the 4 bins", rest);
  });
}

// Values at the far ends of the index types must not wrap around into the histogram.
TEST(WeightedHistogram, FarOutside) {
  with_space(test::space(), [](const auto& instance) {
    using Signed = std::numeric_limits<std::int64_t>;
    using Unsigned = std::numeric_limits<std::uint64_t>;
    expect_outside_on(instance, std::vector<std::int64_t>{Signed::min(), 0, Signed::max()},
                      "2 of 3 objects", {1, 0});
    expect_outside_on(instance, std::vector<std::uint64_t>{Unsigned::max(), 1}, "1 of 2 objects",
                      {0, 1});
  });
}

TEST(WeightedHistogram, ThereMayBeNoBinAtAll) {
  with_space(test::space(), [](const auto& instance) {
    expect_outside_on(instance, std::vector<int>{0, 0}, "2 of 2 objects", {});
  });
}

}  // namespace
}  // namespace evenkeel::histogram_test
