#include "tell/watcher.hpp"
#include "support/harness.hpp"

#include <csignal>
#include <latch>

#include <sys/wait.h>
#include <unistd.h>

namespace evenkeel::watcher_test {
namespace {

// Waits until a task has set `done`. This must not need a later task.
void wait_for(const std::atomic<bool>& done) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  ASSERT_TRUE(done);
}

// Waits until all tasks that were offered so far are done. Then the thread sleeps.
void drain(Watcher& watcher) {
  std::atomic<bool> done = false;
  watcher.offer([&] { done = true; });
  wait_for(done);
}

std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// With and without a thread, all tasks must be done at the end, in their order.
class AnyWatcher : public testing::TestWithParam<bool> {
 protected:
  // The numbers of tasks, in the order in which they ran. The watcher's thread writes them until it
  // is drained or has ended.
  std::vector<int> ran;
  std::optional<Watcher> watcher{GetParam()};

  void offer(int number) {
    watcher->offer([this, number] { ran.push_back(number); });
  }
};

INSTANTIATE_TEST_SUITE_P(Threaded, AnyWatcher, testing::Bool());

TEST_P(AnyWatcher, DoesWhatWasOfferedInOrder) {
  for (int i = 0; i < 1000; ++i) offer(i);
  drain(*watcher);
  EXPECT_EQ(ran, first_numbers(1000));
}

TEST_P(AnyWatcher, FinishDoesTheRestInOrder) {
  for (int i = 0; i < 1000; ++i) offer(i);
  watcher->finish();
  EXPECT_EQ(ran, first_numbers(1000));
}

TEST_P(AnyWatcher, TheDestructorDoesTheRest) {
  for (int i = 0; i < 1000; ++i) offer(i);
  watcher.reset();
  EXPECT_EQ(ran, first_numbers(1000));
}

TEST_P(AnyWatcher, MayEndUnused) {
  watcher.reset();
  watcher.emplace(GetParam());
  watcher->finish();
}

TEST_P(AnyWatcher, AfterFinishTasksRunWhereTheyAreOffered) {
  offer(0);
  watcher->finish();
  watcher->finish();
  offer(1);
  EXPECT_EQ(ran, first_numbers(2));
  offer(2);
  EXPECT_EQ(ran, first_numbers(3));
}

TEST_P(AnyWatcher, WhatATaskThrowsIsLost) {
  for (int i = 0; i < 20; ++i) {
    offer(2 * i);
    watcher->offer([] { throw std::runtime_error("no reason"); });
    offer(2 * i + 1);
    watcher->offer([] { throw 7; });
    if (i == 10) drain(*watcher);
  }
  watcher->finish();
  EXPECT_EQ(ran, first_numbers(40));
}

TEST_P(AnyWatcher, KeepsNothingOfATask) {
  const auto content = std::make_shared<int>(7);
  for (int i = 0; i < 10; ++i) watcher->offer([content] { EXPECT_EQ(*content, 7); });
  watcher->finish();
  EXPECT_EQ(content.use_count(), 1);
}

// The tasks extend over several sleeps of the thread.
TEST_P(AnyWatcher, ManyTasksAtAnyMoment) {
  for (int i = 0; i < 50000; ++i) {
    offer(i);
    if (i % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  watcher->finish();
  EXPECT_EQ(ran, first_numbers(50000));
}

TEST_P(AnyWatcher, RunsInItsThreadOrAtOnce) {
  const auto here = std::this_thread::get_id();
  int times = 0;
  for (int i = 0; i < 2; ++i)
    watcher->offer([&] {
      EXPECT_EQ(std::this_thread::get_id() != here, GetParam());
      ++times;
    });
  if (GetParam()) drain(*watcher);
  EXPECT_EQ(times, 2);
}

// The child has a copy of the watcher, but not its thread. A hang would end by the alarm.
TEST_P(AnyWatcher, InAForkedChildItEndsWithoutItsThreadAndTasks) {
  if (GetParam()) drain(*watcher);
  watcher->offer([this, parent = getpid()] {
    if (getpid() != parent) _exit(1);
    ran.push_back(0);
  });
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    watcher.reset();
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  watcher->finish();
  EXPECT_EQ(ran, first_numbers(1));
}

// The thread performs one task until all others are offered.
TEST(Watcher, SaysThatItIsBehindUntilItHasCaughtUp) {
  std::latch all_offered(1);
  std::int64_t ran = 0;
  Watcher watcher(true);
  watcher.offer([&] { all_offered.wait(); });
  for (std::int64_t i = 1; i < Watcher::most_waiting; ++i) {
    EXPECT_FALSE(watcher.is_behind());
    watcher.offer([&] { ++ran; });
  }
  EXPECT_TRUE(watcher.is_behind());
  watcher.offer([&] { ++ran; });
  all_offered.count_down();
  while (watcher.is_behind()) std::this_thread::yield();
  watcher.finish();
  EXPECT_FALSE(watcher.is_behind());
  EXPECT_EQ(ran, Watcher::most_waiting);
}

TEST(Watcher, WithoutAThreadItIsNeverBehind) {
  Watcher watcher(false);
  for (std::int64_t i = 0; i < 2 * Watcher::most_waiting; ++i) watcher.offer([] {});
  EXPECT_FALSE(watcher.is_behind());
}

// The thread would sleep for an hour.
TEST(Watcher, ManyTasksWakeIt) {
  Watcher watcher(true, std::chrono::hours(1));
  std::atomic<bool> done = false;
  watcher.offer([&] { done = true; });
  while (!done) watcher.offer([] { std::this_thread::yield(); });
  watcher.finish();
}

TEST(Watcher, LooksByItselfEverySoOften) {
  Watcher watcher(true);
  for (int round = 0; round < 3; ++round) drain(watcher);
}

// The first task does not end before the last one is offered.
TEST(Watcher, OfferDoesNotWaitForATask) {
  std::latch all_offered(1);
  std::atomic<int> ran = 0;
  Watcher watcher(true);
  watcher.offer([&] { all_offered.wait(); });
  for (int i = 0; i < 10000; ++i) watcher.offer([&] { ++ran; });
  EXPECT_EQ(ran, 0);
  all_offered.count_down();
  watcher.finish();
  EXPECT_EQ(ran, 10000);
}

// The thread takes long to destroy the captures of a task. Offers must not wait for it.
class SlowToDestroy : public testing::Test {
 protected:
  struct Slow {
    explicit Slow(SlowToDestroy& test) : test_(test) {}
    ~Slow() {
      test_.destroying = true;
      test_.go.wait();
    }
    SlowToDestroy& test_;
  };

  // Returns with `queued` tasks in the queue. The thread takes no task until `go`.
  void hold_up(int queued) {
    std::atomic<bool> begun = false;
    watcher.offer([this, &begun, slow = std::make_shared<Slow>(*this)] {
      begun = true;
      end.wait();
    });
    wait_for(begun);
    for (int i = 0; i < queued; ++i) offer(i);
    end.count_down();
    while (!destroying) std::this_thread::yield();
  }
  void offer(int number) {
    watcher.offer([this, number] { ran.push_back(number); });
  }

  std::latch end{1}, go{1};
  std::atomic<bool> destroying = false;
  std::vector<int> ran;
  Watcher watcher{true};
};

TEST_F(SlowToDestroy, OfferDoesNotWait) {
  hold_up(10);
  for (int i = 10; i < 10000; ++i) offer(i);
  go.count_down();
  watcher.finish();
  EXPECT_EQ(ran, first_numbers(10000));
}

TEST_F(SlowToDestroy, WhatWasOfferedMeanwhileRunsWithoutAnother) {
  hold_up(0);
  std::atomic<bool> done = false;
  offer(0);
  watcher.offer([&] { done = true; });
  offer(1);
  go.count_down();
  wait_for(done);
  watcher.finish();
  EXPECT_EQ(ran, first_numbers(2));
}

// If the thread received the application's signals, it would run their handlers.
TEST(Watcher, TheThreadTakesNoSignals) {
  sigset_t usual, mine, after, there;
  sigemptyset(&mine);
  sigaddset(&mine, SIGUSR1);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &mine, &usual), 0);
  Watcher watcher(true);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &usual, &after), 0);
  watcher.offer([&] { pthread_sigmask(SIG_SETMASK, nullptr, &there); });
  drain(watcher);
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGCHLD}) {
    EXPECT_EQ(sigismember(&there, signal), 1) << signal;
    EXPECT_EQ(sigismember(&after, signal), signal == SIGUSR1 ? 1 : 0) << signal;
  }
}

TEST(Watcher, SeveralWatchersAreApart) {
  constexpr int count = 4;
  std::vector<std::vector<int>> ran(count);
  {
    std::vector<std::unique_ptr<Watcher>> watchers;
    for (int w = 0; w < count; ++w) watchers.push_back(std::make_unique<Watcher>(w != 2));
    for (int i = 0; i < 1000; ++i)
      for (std::size_t w = 0; w < count; ++w)
        watchers[w]->offer([&ran, w, i] { ran[w].push_back(i); });
  }
  EXPECT_EQ(std::ranges::count(ran, first_numbers(1000)), count);
}

TEST(Watcher, ManyComeAndGo) {
  std::atomic<int> ran = 0;
  for (int i = 0; i < 500; ++i) {
    Watcher watcher(true);
    for (int task = 0; task < i % 4; ++task) watcher.offer([&] { ++ran; });
  }
  EXPECT_EQ(ran, 125 * (0 + 1 + 2 + 3));
}

}  // namespace
}  // namespace evenkeel::watcher_test
