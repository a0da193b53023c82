// Tests the operations that a search runs on its objects, on hosts and on every space. Compares
// them with plain loops over all objects.
#include "backends/exec/views.hpp"
#include "cut/device_census.hpp"
#include "cut/device_objects.hpp"
#include "cut/host_objects.hpp"
#include "support/harness.hpp"

namespace evenkeel::objects_test {
namespace {

constexpr std::uint64_t end = end_of_curve(3).value;
using Division = CutObjects::Division;
using Item = CutObjects::Item;

struct Brought {
  std::vector<CurveKey> keys;
  std::vector<double> weights;
};

// Two sets have objects, and one has no objects. The counts are odd, so that the last run of
// objects is incomplete.
std::vector<Brought> brought(const std::function<std::uint64_t(std::uint64_t)>& key, bool weights) {
  std::mt19937_64 random(7);
  std::vector<Brought> sets(3);
  for (const std::size_t s : {0U, 2U})
    for (std::size_t i = 0; i < 1000 + 37 * s; ++i) {
      sets[s].keys.push_back({key(random())});
      if (weights) sets[s].weights.push_back(static_cast<double>(random() % 1001));
    }
  return sets;
}

std::vector<WeightedKeys> views_of(const std::vector<Brought>& sets) {
  std::vector<WeightedKeys> views;
  for (const Brought& set : sets) views.push_back({set.keys, set.weights});
  return views;
}

Census counted(const std::vector<Brought>& sets) {
  Census found;
  for (const Brought& set : sets) {
    found.objects += std::ssize(set.keys);
    for (const double weight : set.weights) found.heaviest = std::max(found.heaviest, weight);
    if (set.weights.empty() && !set.keys.empty()) found.heaviest = std::max(found.heaviest, 1.0);
  }
  return found;
}

// --- The oracle ----------------------------------------------------------------------------------

std::vector<Item> items_of(const std::vector<Brought>& sets, const Units& units) {
  std::vector<Item> items;
  for (const Brought& set : sets)
    for (std::size_t i = 0; i < set.keys.size(); ++i) {
      const bool alike = set.weights.empty() || units.weightless();
      items.push_back({set.keys[i].value, alike ? units.one() : units.of(set.weights[i])});
    }
  return items;
}

std::vector<std::int64_t> histogram(const std::vector<Item>& items, std::size_t bins,
                                    const std::function<std::size_t(std::uint64_t)>& bin_of) {
  std::vector<std::int64_t> sums(bins);
  for (const Item& item : items) sums[bin_of(item.key)] += item.weight;
  return sums;
}

std::vector<Item> in_order(std::vector<Item> items) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.key != b.key ? a.key < b.key : a.weight < b.weight;
  });
  return items;
}

void expect_items(const std::vector<Item>& found, const std::vector<Item>& expected) {
  const std::vector<Item> a = in_order(found), b = in_order(expected);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].key, b[i].key);
    ASSERT_EQ(a[i].weight, b[i].weight);
  }
}

void expect_sums(std::span<const std::int64_t> found, const std::vector<std::int64_t>& expected) {
  EXPECT_EQ(std::vector<std::int64_t>(found.begin(), found.end()), expected);
}

// --- What all objects must do --------------------------------------------------------------------

constexpr std::int64_t most_bins = 1 << 10;

// Every third bin becomes an interval, in any order; the others are dropped.
std::vector<std::int32_t> every_third(std::size_t bins) {
  std::vector<std::int32_t> interval_of_bin(bins, CutObjects::dropped);
  std::int32_t next = 0;
  for (std::size_t b = 1; b < bins; b += 3) interval_of_bin[b] = next++;
  return interval_of_bin;
}

void expect_narrows(CutObjects& objects, std::vector<Item> items) {
  const Division whole{63, 6};
  const auto first_bin = [&](std::uint64_t key) { return key >> whole.bin_width(); };
  expect_sums(objects.count_all(0, whole), histogram(items, 1U << 6, first_bin));

  const std::vector<std::int32_t> intervals = every_third(1U << 6);
  const Division next{57, 4};
  const CutObjects::NarrowingStep step{whole, intervals, 21, next};
  std::erase_if(items, [&](const Item& item) { return intervals[first_bin(item.key)] < 0; });
  const auto second_bin = [&](std::uint64_t key) {
    return next.bin_of(intervals[first_bin(key)], key);
  };
  expect_sums(objects.keep_of_all(0, step), histogram(items, 21U << 4, second_bin));
  EXPECT_EQ(objects.kept(), std::ssize(items));
  expect_items(objects.kept_items(), items);

  const std::vector<std::int32_t> finer = every_third(21U << 4);
  const Division last{53, 3};
  const CutObjects::NarrowingStep other{next, finer, 112, last};
  std::erase_if(items, [&](const Item& item) { return finer[second_bin(item.key)] < 0; });
  const auto third_bin = [&](std::uint64_t key) {
    return last.bin_of(finer[second_bin(key)], key);
  };
  expect_sums(objects.keep_of_kept(other), histogram(items, 112U << 3, third_bin));
  EXPECT_EQ(objects.kept(), std::ssize(items));
  expect_items(objects.kept_items(), items);
}

void expect_counts_between(CutObjects& objects, const std::vector<Item>& items) {
  std::vector<CurveKey> boundaries = {{0}, {1}, {1}, {end / 3}, {end / 2}, {end - 1}, {end}};
  for (std::uint64_t i = 0; i < 100; ++i) boundaries.push_back({i * (end / 100)});
  std::sort(boundaries.begin(), boundaries.end());
  const auto interval_of = [&](std::uint64_t key) {
    return static_cast<std::size_t>(
        std::upper_bound(boundaries.begin(), boundaries.end(), CurveKey{key}) - boundaries.begin());
  };
  expect_sums(objects.count_between(boundaries),
              histogram(items, boundaries.size() + 1, interval_of));
  expect_sums(objects.count_between({}),
              histogram(items, 1, [](std::uint64_t) { return std::size_t{0}; }));
}

void expect_items_in_ranges(const CutObjects& objects, std::vector<Item> items) {
  const std::vector<CutObjects::KeyRange> ranges = {
      {0, 0}, {end / 8, end / 4}, {end / 4 + 1, end / 3}, {end - 1, end - 1}};
  std::erase_if(items, [&](const Item& item) {
    return std::none_of(ranges.begin(), ranges.end(), [&](const CutObjects::KeyRange& range) {
      return range.first <= item.key && item.key <= range.last;
    });
  });
  expect_items(objects.items_in(ranges), items);
  EXPECT_TRUE(objects.items_in({}).empty());
}

// The sample must have the middle one of the first `every` keys of each set, and every `every`-th
// key after it.
void expect_sample(const CutObjects& objects, const std::vector<Brought>& sets) {
  for (const std::size_t every : {1U, 2U, 7U, 999U, 1000U, 1001U, 100000U}) {
    std::vector<CurveKey> expected;
    for (const Brought& set : sets)
      for (std::size_t i = 0; i < set.keys.size(); ++i)
        if (i % every == every / 2) expected.push_back(set.keys[i]);
    std::vector<CurveKey> found = objects.sample(static_cast<std::int64_t>(every));
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected) << every;
  }
}

// Compares with the oracle twice, since a search must leave no state for the next one.
void expect_objects(CutObjects& objects, const std::vector<Brought>& sets) {
  const Units units(counted(sets));
  objects.weigh(units);
  const std::vector<Item> items = items_of(sets, units);
  for (int time = 0; time < 2; ++time) {
    expect_narrows(objects, items);
    expect_counts_between(objects, items);
    expect_items_in_ranges(objects, items);
    expect_sample(objects, sets);
  }
}

// --- Where they are ------------------------------------------------------------------------------

template <class Instance>
struct Copies {
  using Keys = decltype(test::values_on(std::declval<Instance>(), std::vector<CurveKey>()));
  using Weights = decltype(test::values_on(std::declval<Instance>(), std::vector<double>()));
  std::vector<Keys> keys;
  std::vector<Weights> weights;
  std::vector<WeightedKeys> sets;

  Copies(const Instance& instance, const std::vector<Brought>& brought) {
    constexpr MemoryKind kind = memory_kind_of<typename Instance::memory_space>();
    for (const Brought& set : brought) {
      keys.push_back(test::values_on(instance, set.keys));
      weights.push_back(test::values_on(instance, set.weights));
      sets.push_back({{keys.back().data(), set.keys.size()},
                      {weights.back().data(), set.weights.size()},
                      kind});
    }
  }
};

template <class Instance>
void expect_on(const Instance& instance, const std::vector<Brought>& sets) {
  const Copies<Instance> copies(instance, sets);
  DeviceObjects<Instance> objects(instance, copies.sets, most_bins);
  expect_objects(objects, sets);
}

void expect_all(const std::vector<Brought>& sets) {
  {
    SCOPED_TRACE("hosts");
    const std::vector<WeightedKeys> views = views_of(sets);
    HostObjects objects(views, most_bins);
    expect_objects(objects, sets);
  }
  SCOPED_TRACE("kernels");
  with_space(test::space(), [&](const auto& instance) { expect_on(instance, sets); });
}

TEST(CutObjects, WithWeights) {
  expect_all(brought([](std::uint64_t random) { return random % end; }, true));
}

TEST(CutObjects, WithoutWeights) {
  expect_all(brought([](std::uint64_t random) { return random % end; }, false));
}

TEST(CutObjects, OfFewKeys) {
  expect_all(brought([](std::uint64_t random) { return random % 5 * (end / 5); }, true));
}

TEST(CutObjects, OfOneKey) {
  expect_all(brought([](std::uint64_t) { return end - 1; }, true));
}

TEST(CutObjects, ThatWeighNothing) {
  auto sets = brought([](std::uint64_t random) { return random % end; }, true);
  for (Brought& set : sets) std::fill(set.weights.begin(), set.weights.end(), 0.0);
  expect_all(sets);
}

TEST(CutObjects, None) { expect_all({{}, {}}); }

// --- The census of a device ----------------------------------------------------------------------

template <class Instance>
Census surveyed_on(const Instance& instance, const Brought& set) {
  const Copies<Instance> copies(instance, {set});
  const WeightedKeys& there = copies.sets.front();
  Census found;
  add_keys_on_device(found, instance, there.keys);
  found.heaviest = heaviest_on_device(instance, there.weights);
  return found;
}

Census surveyed_on_space(const Brought& set) {
  return with_space(test::space(),
                    [&](const auto& instance) { return surveyed_on(instance, set); });
}

TEST(CensusOnDevice, FindsExtremes) {
  const Census found = surveyed_on_space({{{70}, {5}, {end - 1}, {6}}, {0.0, -0.0, 2.5, 1.0}});
  EXPECT_EQ(found.least_key, 5U);
  EXPECT_EQ(found.greatest_key, end - 1);
  EXPECT_EQ(found.heaviest, 2.5);
  EXPECT_EQ(found.falls, 4) << "taken to be in no order";
}

TEST(CensusOnDevice, RefusesWeightsThatAreNone) {
  using Limits = std::numeric_limits<double>;
  for (const double bad : {-1.0, -Limits::denorm_min(), -Limits::infinity(), Limits::infinity(),
                           Limits::quiet_NaN(), -Limits::quiet_NaN()})
    EXPECT_ERROR(surveyed_on_space({{{1}, {2}, {3}}, {1.0, bad, -0.0}}), "negative, NaN or inf");
}

// --- The census ----------------------------------------------------------------------------------

// Each of several threads looks at a share. The only fall may be at the border of two shares.
TEST(Census, SeesASingleFallWhereverItIs) {
  constexpr std::size_t count = 100'000;
  for (const std::size_t fall : {1U, 33'333U, 49'999U, 50'000U, 50'001U, 99'999U}) {
    std::vector<CurveKey> keys(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = {10 + 10 * i};
    keys[fall] = {keys[fall - 1].value - 1};
    const WeightedKeys set{keys, {}};
    const Census found = census({&set, 1}, 3);
    EXPECT_EQ(found.falls, 1) << fall;
    EXPECT_EQ(found.ranks_out_of_order, 1) << fall;
    EXPECT_EQ(found.least_key, fall == 1 ? 9U : 10U);
    EXPECT_EQ(found.greatest_key, fall + 1 == count ? 10 * (count - 1) : 10 * count);
  }
}

TEST(Census, SeesAWeightWhereverItIs) {
  constexpr std::size_t count = 100'000;
  const std::vector<CurveKey> keys(count);
  for (const std::size_t at : {0U, 49'999U, 50'000U, 99'999U}) {
    std::vector<double> weights(count, 0.5);
    weights[at] = 3;
    const WeightedKeys set{keys, weights};
    EXPECT_EQ(census({&set, 1}, 3).heaviest, 3);
    for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
      weights[at] = bad;
      EXPECT_ERROR(census({&set, 1}, 3), "A weight is negative, NaN or infinite.");
    }
  }
}

TEST(ShareOf, IsEveryThingOnce) {
  for (const std::int64_t count : {0, 1, 5, 16, 1001})
    for (const std::int64_t shares : {1, 2, 3, 7, 16}) {
      std::int64_t next = 0;
      for (std::int64_t share = 0; share < shares; ++share) {
        const exec::Share some = exec::share_of(count, shares, share);
        EXPECT_EQ(some.begin, next);
        EXPECT_LE(some.end - some.begin, count / shares + 1);
        EXPECT_GE(some.end - some.begin, count / shares);
        next = some.end;
      }
      EXPECT_EQ(next, count);
    }
}

}  // namespace
}  // namespace evenkeel::objects_test
