#include "backends/exec/views.hpp"
#include "exec/sort/device.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/sort.hpp>

namespace evenkeel::sort_test {
namespace {

template <class Key, class Index>
struct Sorted {
  std::vector<Key> keys;
  std::vector<Index> indices;
};

template <class Key>
Key mask_of(exec::KeyBits bits) {
  std::uint64_t mask = 0;
  for (int bit = bits.begin; bit < bits.end; ++bit) mask |= std::uint64_t{1} << bit;
  return static_cast<Key>(mask);
}

// Indices that identify the origin of a pair. They differ from its position.
template <class Index>
std::vector<Index> some_indices(std::size_t count) {
  std::vector<Index> indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = static_cast<Index>(~(3 * i));
  return indices;
}

template <class Key, class Index>
Sorted<Key, Index> oracle(const std::vector<Key>& keys, exec::KeyBits bits) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Key mask = mask_of<Key>(bits);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return (keys[a] & mask) < (keys[b] & mask);
  });
  const auto indices = some_indices<Index>(keys.size());
  Sorted<Key, Index> sorted;
  for (const std::size_t from : order) {
    sorted.keys.push_back(keys[from]);
    sorted.indices.push_back(indices[from]);
  }
  return sorted;
}

template <class Key, class Index>
void expect_sorted_as(const std::string& name, const std::vector<Key>& keys,
                      const std::vector<Index>& indices, const Sorted<Key, Index>& expected) {
  for (std::size_t i = 0; i < keys.size(); ++i)
    ASSERT_TRUE(keys[i] == expected.keys[i] && indices[i] == expected.indices[i])
        << name << ": " << keys.size() << " pairs, the first wrong one is at " << i;
}

// The pairs begin `offset` objects after the start of their arrays, since the first object need not
// begin a cache line.
template <class Key, class Index>
void expect_sorted(const std::string& name, const std::vector<Key>& keys, exec::KeyBits bits = {},
                   std::size_t offset = 0) {
  const Key around_key = 77;
  const Index around_index = 88;
  const std::size_t count = keys.size();
  std::vector<Key> padded_keys(count + offset + 1, around_key);
  std::vector<Index> padded_indices(count + offset + 1, around_index);
  const auto indices = some_indices<Index>(count);
  const auto first = static_cast<std::ptrdiff_t>(offset);
  std::ranges::copy(keys, padded_keys.begin() + first);
  std::ranges::copy(indices, padded_indices.begin() + first);
  with_space(test::space(), [&](const auto& instance) {
    const auto key_view = test::values_on(instance, padded_keys);
    const auto index_view = test::values_on(instance, padded_indices);
    exec::sort_pairs(test::space(), key_view.data() + offset, index_view.data() + offset,
                     std::ssize(keys), bits);
    padded_keys = test::values_of(key_view);
    padded_indices = test::values_of(index_view);
  });
  EXPECT_TRUE(padded_keys.back() == around_key && padded_indices.back() == around_index) << name;
  for (std::size_t i = 0; i < offset; ++i)
    EXPECT_TRUE(padded_keys[i] == around_key && padded_indices[i] == around_index) << name;
  const std::vector<Key> sorted_keys(padded_keys.begin() + first, padded_keys.end() - 1);
  const std::vector<Index> sorted_indices(padded_indices.begin() + first, padded_indices.end() - 1);
  expect_sorted_as(name, sorted_keys, sorted_indices, oracle<Key, Index>(keys, bits));
}

// --- Keys ----------------------------------------------------------------------------------------

template <class Key>
std::vector<Key> uniform(std::size_t count, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::vector<Key> keys(count);
  for (Key& key : keys) key = static_cast<Key>(generator() >> (64 - 8 * sizeof(Key)));
  return keys;
}

template <class Key>
std::vector<Key> few_distinct(std::size_t count, std::uint64_t distinct) {
  auto keys = uniform<Key>(count);
  for (Key& key : keys) key = static_cast<Key>(key % distinct * 0x01010101U);
  return keys;
}

template <class Key>
std::vector<Key> ascending(std::size_t count) {
  auto keys = uniform<Key>(count);
  std::sort(keys.begin(), keys.end());
  return keys;
}

template <class Key>
std::vector<Key> descending(std::size_t count) {
  auto keys = ascending<Key>(count);
  std::reverse(keys.begin(), keys.end());
  return keys;
}

// Draws keys that are dense in some places and thin in others, over ten orders of magnitude, like
// points in galaxies.
template <class Key>
std::vector<Key> clustered(std::size_t count) {
  std::mt19937_64 generator(1);
  std::lognormal_distribution<double> draw(0, 2.5);
  const double most = static_cast<double>(std::numeric_limits<Key>::max() / 2);
  std::vector<Key> keys(count);
  for (Key& key : keys) key = static_cast<Key>(std::min(most, most * 1e-5 * draw(generator)));
  return keys;
}

// One key in `every` changes, by at most `distance` times the mean gap between keys.
template <class Key>
std::vector<Key> drifted(std::size_t count, std::size_t every, std::uint64_t distance) {
  auto keys = ascending<Key>(count);
  std::mt19937_64 generator(2);
  const std::uint64_t gap = std::numeric_limits<Key>::max() / (count + 1) + 1;
  for (std::size_t i = 0; i < count; i += every) {
    Key& key = keys[generator() % count];
    key = static_cast<Key>(key + generator() % 2 * gap * (generator() % (distance + 1)));
    key = static_cast<Key>(key - generator() % 2 * gap * (generator() % (distance + 1)));
  }
  return keys;
}

template <class Key>
std::vector<Key> replaced(std::size_t count, std::size_t every) {
  auto keys = ascending<Key>(count);
  const auto others = uniform<Key>(count, 3);
  std::mt19937_64 generator(4);
  for (std::size_t i = 0; i < count; i += every) keys[generator() % count] = others[i];
  return keys;
}

// The first `moved` keys move to the end. If `moved` is negative, the last ones move to the front.
template <class Key>
std::vector<Key> rotated(std::size_t count, std::ptrdiff_t moved) {
  auto keys = ascending<Key>(count);
  if (count > 0) {
    const auto size = static_cast<std::ptrdiff_t>(count);
    std::rotate(keys.begin(), keys.begin() + ((moved % size) + size) % size, keys.end());
  }
  return keys;
}

template <class Key>
std::vector<Key> two_runs(std::size_t count) {
  auto keys = ascending<Key>(count);
  std::vector<Key> interleaved;
  for (std::size_t i = 0; i < count; ++i)
    interleaved.push_back(keys[i % 2 == 0 ? i / 2 : (count + 1) / 2 + i / 2]);
  return interleaved;
}

template <class Key>
std::vector<Key> organ_pipe(std::size_t count) {
  auto keys = ascending<Key>(count);
  std::reverse(keys.begin() + static_cast<std::ptrdiff_t>(count / 2), keys.end());
  return keys;
}

template <class Key>
std::vector<Key> extremes(std::size_t count) {
  auto keys = uniform<Key>(count);
  for (std::size_t i = 0; i < count; i += 2)
    keys[i] = i % 4 == 0 ? Key{0} : static_cast<Key>(~Key{0});
  return keys;
}

template <class Key>
std::vector<Key> masked(std::size_t count, Key mask, Key common) {
  auto keys = uniform<Key>(count);
  for (Key& key : keys) key = static_cast<Key>((key & mask) | common);
  return keys;
}

// Many short groups of keys that differ only in their lowest bits, which the first passes do not
// see.
template <class Key>
std::vector<Key> late_decisions(std::size_t count, std::uint64_t group) {
  auto keys = uniform<Key>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t prefix = keys[i] % (count / group + 1) << (4 * sizeof(Key) + 4);
    keys[i] = static_cast<Key>(prefix | (keys[i] >> (4 * sizeof(Key) + 8)));
  }
  return keys;
}

template <class Key, class Index>
void expect_all_sorted(std::size_t count) {
  const int width = std::numeric_limits<Key>::digits;
  const Key high = static_cast<Key>(~(~Key{0} >> 7)), low = 0x3F;
  const auto check = [](const std::string& name, const std::vector<Key>& keys,
                        exec::KeyBits bits = {}, std::size_t offset = 0) {
    expect_sorted<Key, Index>(name, keys, bits, offset);
  };
  check("uniform", uniform<Key>(count));
  check("uniform, unaligned", uniform<Key>(count), {}, 3);
  check("two distinct", few_distinct<Key>(count, 2));
  check("few distinct", few_distinct<Key>(count, 17));
  check("all equal", std::vector<Key>(count, 42));
  check("ascending", ascending<Key>(count));
  check("descending", descending<Key>(count));
  check("clustered", clustered<Key>(count));
  check("drifted a little", drifted<Key>(count, 100, 5));
  check("drifted far", drifted<Key>(count, 50, 1000));
  check("all drifted", drifted<Key>(count, 1, 3));
  check("one in 100 replaced", replaced<Key>(count, 100));
  check("one in 100 replaced, unaligned", replaced<Key>(count, 100), {}, 5);
  check("one in 10 replaced", replaced<Key>(count, 10));
  check("first goes last", rotated<Key>(count, 1));
  check("last goes first", rotated<Key>(count, -1));
  check("a part goes last", rotated<Key>(count, static_cast<std::ptrdiff_t>(count / 30)));
  check("a part goes first", rotated<Key>(count, -static_cast<std::ptrdiff_t>(count / 30)));
  check("two runs", two_runs<Key>(count));
  check("organ pipe", organ_pipe<Key>(count));
  check("extremes", extremes<Key>(count));
  check("high bits", masked<Key>(count, high, 5));
  check("low bits", masked<Key>(count, low, high));
  check("groups of 5", late_decisions<Key>(count, 5));
  check("groups of 400", late_decisions<Key>(count, 400));
  check("middle bits", uniform<Key>(count), {width / 4, width / 2 + 3});
  check("top bit", uniform<Key>(count), {width - 1, width});
  check("middle bits, nearly in order", replaced<Key>(count, 100), {width / 2, width - 3});
  check("ignored bits alone", masked<Key>(count, low, 0), {6, width});
}

template <class Key, class Index>
void expect_small_sorted() {
  for (std::size_t count = 0; count <= 70; ++count) {
    expect_sorted<Key, Index>("uniform", uniform<Key>(count));
    expect_sorted<Key, Index>("few distinct", few_distinct<Key>(count, 3));
    expect_sorted<Key, Index>("one bit", uniform<Key>(count), {7, 8});
  }
}

#ifdef NDEBUG
constexpr std::size_t many = 100000, most = 3000000;
#else  // also for sanitizers
constexpr std::size_t many = 30000, most = 200000;
#endif

TEST(SortPairs, ByHand) {
  with_space(test::space(), [](const auto& instance) {
    const auto keys = test::values_on(instance, std::vector<std::uint32_t>{3, 1, 3, 0});
    const auto indices = test::values_on(instance, std::vector<std::uint64_t>{10, 11, 12, 13});
    exec::sort_pairs(test::space(), keys.data(), indices.data(), 4);
    EXPECT_EQ(test::values_of(keys), (std::vector<std::uint32_t>{0, 1, 3, 3}));
    EXPECT_EQ(test::values_of(indices), (std::vector<std::uint64_t>{13, 11, 10, 12}));
  });
}

TEST(SortPairs, FewOfEachType) {
  expect_small_sorted<std::uint32_t, std::uint32_t>();
  expect_small_sorted<std::uint32_t, std::uint64_t>();
  expect_small_sorted<std::uint64_t, std::uint32_t>();
  expect_small_sorted<std::uint64_t, std::uint64_t>();
}

TEST(SortPairs, ManyNarrowKeysNarrowIndices) {
  expect_all_sorted<std::uint32_t, std::uint32_t>(many);
}
TEST(SortPairs, ManyNarrowKeysWideIndices) {
  expect_all_sorted<std::uint32_t, std::uint64_t>(many);
}
TEST(SortPairs, ManyWideKeysNarrowIndices) {
  expect_all_sorted<std::uint64_t, std::uint32_t>(many);
}
TEST(SortPairs, ManyWideKeysWideIndices) { expect_all_sorted<std::uint64_t, std::uint64_t>(many); }

TEST(SortPairs, AroundPowersOfTwo) {
  for (std::size_t power = 128; power <= many; power *= 2)
    for (const std::size_t count : {power - 1, power, power + 1}) {
      expect_sorted<std::uint64_t, std::uint32_t>("uniform", uniform<std::uint64_t>(count));
      expect_sorted<std::uint32_t, std::uint32_t>("few", few_distinct<std::uint32_t>(count, 9));
      expect_sorted<std::uint64_t, std::uint32_t>("drifted", drifted<std::uint64_t>(count, 60, 20));
    }
}

// There are enough keys for all threads to split them, and to split them again where keys crowd.
TEST(SortPairs, Most) {
  expect_sorted<std::uint64_t, std::uint32_t>("uniform", uniform<std::uint64_t>(most));
  expect_sorted<std::uint64_t, std::uint32_t>("clustered", clustered<std::uint64_t>(most));
  expect_sorted<std::uint64_t, std::uint32_t>("replaced", replaced<std::uint64_t>(most, 100));
}

TEST(SortPairs, EveryRangeOfBits) {
  const auto wide = uniform<std::uint64_t>(500);
  const auto narrow = uniform<std::uint32_t>(500);
  for (int begin = 0; begin <= 64; begin += 5)
    for (int end = begin; end <= 64; end += 4) {
      expect_sorted<std::uint64_t, std::uint32_t>("wide", wide, {begin, end});
      expect_sorted<std::uint32_t, std::uint32_t>("narrow", narrow, {begin, end});
    }
}

TEST(SortPairs, NoBitsNoOrder) {
  for (const exec::KeyBits bits : {exec::KeyBits{0, 0}, {20, 20}, {64, 64}})
    expect_sorted<std::uint64_t, std::uint32_t>("no bits", uniform<std::uint64_t>(3000), bits);
  expect_sorted<std::uint32_t, std::uint32_t>("bits that a key lacks", uniform<std::uint32_t>(3000),
                                              {32, 64});
}

// --- The kernels that devices without a library use run on every space ---------------------------

template <class Instance>
void expect_kernels_sort_on(const Instance& instance, const std::vector<std::uint64_t>& keys,
                            exec::KeyBits bits) {
  const auto key_view = test::values_on(instance, keys);
  const auto index_view = test::values_on(instance, some_indices<std::uint32_t>(keys.size()));
  exec::device_sort::sort_with(instance, memory_kind_of<typename Instance::memory_space>(),
                               key_view.data(), index_view.data(),
                               static_cast<std::int64_t>(keys.size()), bits,
                               exec::device_sort::InKernels{});
  expect_sorted_as("kernels", test::values_of(key_view), test::values_of(index_view),
                   oracle<std::uint64_t, std::uint32_t>(keys, bits));
}

TEST(SortInKernels, AsTheOracle) {
  with_space(test::space(), [](const auto& instance) {
    for (const std::size_t count : {2U, 15U, 255U, 256U, 257U, 70000U}) {
      expect_kernels_sort_on(instance, uniform<std::uint64_t>(count), {});
      expect_kernels_sort_on(instance, uniform<std::uint64_t>(count), {7, 29});
      expect_kernels_sort_on(instance, few_distinct<std::uint64_t>(count, 5), {});
      expect_kernels_sort_on(instance, std::vector<std::uint64_t>(count, 5), {});
    }
  });
}

// --- Misuse --------------------------------------------------------------------------------------

TEST(SortPairs, BitsThatDoNotExist) {
  std::uint64_t keys[] = {3, 2, 1};
  std::uint32_t indices[] = {0, 1, 2};
  for (const exec::KeyBits bits : {exec::KeyBits{-1, 5}, {5, 4}, {0, 65}, {65, 66}})
    EXPECT_ERROR(exec::sort_pairs(test::space(), keys, indices, 3, bits), "key bits");
  EXPECT_EQ(keys[0], 3U);
}

TEST(SortPairs, CountsThatCannotBe) {
  std::uint64_t keys[] = {3, 2, 1};
  std::uint32_t indices[] = {0, 1, 2};
  EXPECT_ERROR(exec::sort_pairs(test::space(), keys, indices, -1), "negative");
  EXPECT_ERROR(exec::sort_pairs(test::space(), keys, indices, std::int64_t{1} << 32), "64-bit");
  EXPECT_EQ(keys[0], 3U);
}

TEST(SortPairs, NoPairs) {
  std::uint32_t* const none = nullptr;
  std::uint32_t some[] = {1, 2};
  EXPECT_NO_THROW(exec::sort_pairs(test::space(), none, none, 0));
  EXPECT_ERROR(exec::sort_pairs(test::space(), none, some, 2), "no keys");
  EXPECT_ERROR(exec::sort_pairs(test::space(), some, none, 2), "no indices");
}

}  // namespace
}  // namespace evenkeel::sort_test
