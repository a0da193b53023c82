#include "observe/ring.hpp"

#include "support/harness.hpp"

namespace evenkeel::ring_test {
namespace {

template <class T, std::size_t length>
std::vector<T> drained(Ring<T, length>& ring) {
  std::vector<T> all;
  ring.drain([&](const T& value) { all.push_back(value); });
  return all;
}

TEST(Ring, GivesBackInOrder) {
  Ring<int, 4> ring;
  EXPECT_EQ(drained(ring), std::vector<int>());
  int next = 0, expected = 0;
  for (const int count : {1, 3, 4, 2, 4, 1, 1, 4}) {
    for (int i = 0; i < count; ++i) EXPECT_TRUE(ring.push(next++));
    for (const int value : drained(ring)) EXPECT_EQ(value, expected++);
    EXPECT_EQ(expected, next);
  }
}

TEST(Ring, RefusesWhatDoesNotFit) {
  Ring<int, 2> ring;
  EXPECT_TRUE(ring.push(1));
  EXPECT_TRUE(ring.push(2));
  EXPECT_FALSE(ring.push(3));
  EXPECT_FALSE(ring.push(4));
  EXPECT_EQ(drained(ring), (std::vector{1, 2}));
  EXPECT_TRUE(ring.push(5));
  EXPECT_EQ(drained(ring), (std::vector{5}));
}

TEST(Ring, OfOne) {
  Ring<int, 1> ring;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(ring.push(i));
    EXPECT_FALSE(ring.push(-1));
    EXPECT_EQ(drained(ring), (std::vector{i}));
  }
}

TEST(Ring, BetweenTwoThreads) {
  constexpr std::int64_t count = 200000;
  Ring<std::int64_t, 64> ring;
  std::thread writer([&] {
    for (std::int64_t i = 0; i < count;)
      if (ring.push(i))
        ++i;
      else
        std::this_thread::yield();
  });
  std::int64_t expected = 0;
  while (expected < count) {
    ring.drain([&](std::int64_t value) { ASSERT_EQ(value, expected++); });
    std::this_thread::yield();
  }
  writer.join();
}

}  // namespace
}  // namespace evenkeel::ring_test
