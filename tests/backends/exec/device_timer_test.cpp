#include "backends/exec/fake_device.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/device_timer.hpp>

namespace evenkeel::device_timer_test {
namespace {

using test::FakeDevice;

class DeviceTimerTest : public testing::Test {
 protected:
  static DeviceStream stream(int& of, int device = 0) { return {true, device, &of}; }

  void launch(const DeviceStream& on, std::int64_t nanoseconds) {
    device->launch(on.handle, nanoseconds);
  }
  // Times a scope in which the device works for this many nanoseconds.
  void time(const DeviceStream& on, std::int64_t nanoseconds, int kernel, std::int64_t host = 0) {
    auto* const scope = timer->begin(on, nullptr);
    ASSERT_NE(scope, nullptr);
    launch(on, nanoseconds);
    timer->end(scope, kernel, host);
  }
  std::vector<DeviceTimer::Measured> taken() {
    std::vector<DeviceTimer::Measured> measured;
    timer->take(measured);
    return measured;
  }
  static void expect(const DeviceTimer::Measured& measured, int kernel, std::int64_t host,
                     std::int64_t nanoseconds) {
    EXPECT_EQ(measured.kernel, kernel);
    EXPECT_EQ(measured.host, host);
    EXPECT_EQ(measured.device_nanoseconds, nanoseconds);
  }

  int a = 0, b = 0;  // the addresses serve as streams
  std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>();
  std::unique_ptr<DeviceTimer> timer = std::make_unique<DeviceTimer>(device);
};

TEST_F(DeviceTimerTest, AScopeIsKnownOnceTheDeviceHasPassedIt) {
  time(stream(a), 100, 3, 20);
  EXPECT_TRUE(taken().empty());
  device->worked = 99;
  EXPECT_TRUE(taken().empty());
  EXPECT_EQ(timer->pending(), 1U);
  device->worked = 100;
  const auto measured = taken();
  ASSERT_EQ(measured.size(), 1U);
  expect(measured[0], 3, 20, 100);
  EXPECT_EQ(timer->pending(), 0U);
  EXPECT_TRUE(taken().empty());
}

TEST_F(DeviceTimerTest, WhatWasLaunchedBeforeDoesNotCount) {
  launch(stream(a), 1000);
  auto* const scope = timer->begin(stream(a), nullptr);
  launch(stream(a), 7);
  launch(stream(b), 500);  // on another stream
  timer->end(scope, 0, 0);
  launch(stream(a), 30);
  device->worked = 5000;
  expect(taken().at(0), 0, 0, 7);
}

TEST_F(DeviceTimerTest, AnInnerScopeOnTheSameStreamIsNotTheOuters) {
  auto* const outer = timer->begin(stream(a), nullptr);
  launch(stream(a), 10);
  auto* const between = timer->begin(stream(b), outer);
  launch(stream(b), 4000);
  auto* const inner = timer->begin(stream(a), between);
  launch(stream(a), 200);
  auto* const innermost = timer->begin(stream(a), inner);
  launch(stream(a), 3);
  timer->end(innermost, 3, 0);
  timer->end(inner, 2, 0);
  timer->end(between, 1, 0);
  timer->end(outer, 0, 0);
  device->worked = 213;
  const auto measured = taken();
  ASSERT_EQ(measured.size(), 3U);
  expect(measured[0], 3, 0, 3);
  expect(measured[1], 2, 0, 200);
  expect(measured[2], 0, 0, 10);
  device->worked = 4000;
  expect(taken().at(0), 1, 0, 4000);
}

TEST_F(DeviceTimerTest, EventsComeFromAPoolAndGoBack) {
  for (int i = 0; i < 1000; ++i) {
    time(stream(a), 1, 0);
    device->worked += i % 3;
    static_cast<void>(taken());
  }
  EXPECT_LE(device->alive, 2 * 4);
  timer.reset();
  EXPECT_EQ(device->alive, 0);
}

// The times are never taken, as in one long step with many scopes.
TEST_F(DeviceTimerTest, ScopesThatTheDeviceHasPassedAreReusedWithoutAStep) {
  constexpr int count = 10000;
  for (int i = 0; i < count; ++i) {
    time(stream(a), 2, i);
    device->worked += 2;
  }
  EXPECT_LE(device->alive, 2 * 300);
  const auto measured = taken();
  ASSERT_EQ(measured.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) expect(measured[static_cast<std::size_t>(i)], i, 0, 2);
}

TEST_F(DeviceTimerTest, EventsStayOnTheirDevice) {
  for (const int number : {0, 1, 0, 1, 1, 0}) {
    time(stream(a, number), 0, number);
    static_cast<void>(taken());
  }
  EXPECT_EQ(device->alive, 4);
}

TEST_F(DeviceTimerTest, LeftBehindInAnyState) {
  time(stream(a), 0, 0);
  static_cast<void>(timer->begin(stream(a), nullptr));
  launch(stream(a), 5);
  time(stream(a), 0, 0);
  timer.reset();
  EXPECT_EQ(device->alive, 0);
}

TEST_F(DeviceTimerTest, ADeviceThatRefusesLeavesTheHostsTime) {
  device->refuses_to_create = true;
  EXPECT_EQ(timer->begin(stream(a), nullptr), nullptr);
  device->refuses_to_create = false;
  device->refuses_to_record = true;
  EXPECT_EQ(timer->begin(stream(b, 1), nullptr), nullptr);
  device->refuses_to_record = false;

  auto* scope = timer->begin(stream(a, 2), nullptr);
  device->refuses_to_record = true;
  timer->end(scope, 1, 40);
  device->refuses_to_record = false;
  expect(taken().at(0), 1, 40, 0);

  time(stream(a, 2), 9, 2, 50);
  device->fails = true;
  expect(taken().at(0), 2, 50, 0);
  device->fails = false;

  time(stream(a, 2), 0, 3, 60);
  device->worked = 1000;
  device->refuses_to_tell = true;
  expect(taken().at(0), 3, 60, 0);
}

// On each stream, every nanosecond must count once, for the innermost scope.
TEST_F(DeviceTimerTest, RandomScopes) {
  std::mt19937 random(1);
  int streams[2] = {};
  std::vector<std::int64_t> expected(64), found(64);
  struct Open {
    DeviceTimer::Scope* scope;
    int stream, kernel;
  };
  std::vector<Open> open;
  const auto take = [&] {
    for (const auto& measured : taken())
      found[static_cast<std::size_t>(measured.kernel)] += measured.device_nanoseconds;
  };
  for (int event = 0; event < 20000 || !open.empty(); ++event) {
    const unsigned kind = random() % 4;
    if (kind == 0 && open.size() < 10 && event < 20000) {
      const int on = static_cast<int>(random() % 2), kernel = static_cast<int>(random() % 64);
      auto* const around = open.empty() ? nullptr : open.back().scope;
      open.push_back({timer->begin(stream(streams[on]), around), on, kernel});
    } else if (kind == 1 && !open.empty()) {
      timer->end(open.back().scope, open.back().kernel, 0);
      open.pop_back();
    } else if (kind == 2) {
      const int on = static_cast<int>(random() % 2);
      const auto nanoseconds = static_cast<std::int64_t>(random() % 100);
      launch(stream(streams[on]), nanoseconds);
      for (auto scope = open.rbegin(); scope != open.rend(); ++scope) {
        if (scope->stream != on) continue;
        expected[static_cast<std::size_t>(scope->kernel)] += nanoseconds;
        break;
      }
    } else {
      device->worked += static_cast<std::int64_t>(random() % 100);
      if (random() % 8 == 0) take();
    }
  }
  device->worked += std::int64_t{1} << 40;
  take();
  EXPECT_EQ(found, expected);
  EXPECT_EQ(timer->pending(), 0U);
}

// --- Streams -------------------------------------------------------------------------------------

TEST(DeviceStream, IsKnownByTheMembersOfAnInstance) {
  int something = 0;
  EXPECT_EQ(stream_of(test::FakeCuda{&something, 3}), (DeviceStream{true, 3, &something}));
  EXPECT_EQ(stream_of(test::FakeHip{&something}), (DeviceStream{true, -1, &something}));
  EXPECT_EQ(stream_of(test::FakeHip{}), (DeviceStream{true, -1, nullptr})) << "the default stream";
  EXPECT_FALSE(stream_of(test::FakeHost{}).on_device);
}

static_assert(!ExecutionInstance<int>);

}  // namespace
}  // namespace evenkeel::device_timer_test
