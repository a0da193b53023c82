// Parts of a kernel are timed one by one.

#include "support/harness.hpp"

#include "observe/clock.hpp"

namespace evenkeel::parts_test {
namespace {

class PartsTest : public testing::Test {
 protected:
  static inline std::int64_t time = 1000;
  static std::int64_t now() noexcept { return time; }
  static void spend(const Kernel& kernel, std::int64_t nanoseconds) {
    const auto timing = kernel.time();
    time += nanoseconds;
  }
  std::shared_ptr<Clock> clock = Clock::make(&now);
};

TEST_F(PartsTest, CountForTheirKernelToo) {
  const Kernel first = clock->kernel("first"), blocks = clock->kernel("blocks");
  const Kernel a = clock->add_part(blocks), b = clock->add_part(blocks);
  const Kernel last = clock->kernel("last");
  EXPECT_EQ(a.name(), "blocks");
  spend(b, 5);
  spend(first, 1000);
  spend(a, 30);
  spend(b, 200);
  spend(blocks, 7);
  spend(last, 4000);
  const Clock::Step step = clock->end_step();
  EXPECT_EQ(clock->of_step(), (std::vector<std::int64_t>{1000, 242, 4000}));
  EXPECT_EQ(step.load, 5242);
  EXPECT_EQ(clock->take_part(0), 30);
  EXPECT_EQ(clock->take_part(1), 205);
  EXPECT_EQ(clock->take_part(1), 0);
}

TEST_F(PartsTest, AddUpUntilTheyAreTaken) {
  const Kernel blocks = clock->kernel("blocks"), a = clock->add_part(blocks);
  for (int step = 0; step < 4; ++step) {
    spend(a, 10);
    clock->end_step();
  }
  const Kernel b = clock->add_part(blocks);
  spend(b, 3);
  clock->end_step();
  EXPECT_EQ(clock->take_part(0), 40);
  EXPECT_EQ(clock->take_part(1), 3);
}

TEST_F(PartsTest, TakeTimesThatTheProgramHasMeasured) {
  const Kernel blocks = clock->kernel("blocks"), a = clock->add_part(blocks);
  spend(a, 10);
  clock->add_to_part(0, 500);
  clock->add_to_part(0, 1);
  EXPECT_EQ(clock->end_step().load, 511);
  EXPECT_EQ(clock->end_step().load, 0);
  EXPECT_EQ(clock->take_part(0), 511);
}

// The kernel takes as long as its busiest thread, but a part takes the time of all threads.
TEST_F(PartsTest, MayBeTimedOnSeveralThreads) {
  const Kernel blocks = clock->kernel("blocks");
  const Kernel a = clock->add_part(blocks), b = clock->add_part(blocks);
  spend(a, 10);
  spend(b, 20);
  std::thread([&] {
    spend(b, 40);
    spend(a, 1);
  }).join();
  clock->end_step();
  EXPECT_EQ(clock->of_step(), (std::vector<std::int64_t>{41}));
  EXPECT_EQ(clock->take_part(0), 11);
  EXPECT_EQ(clock->take_part(1), 60);
}

}  // namespace
}  // namespace evenkeel::parts_test
