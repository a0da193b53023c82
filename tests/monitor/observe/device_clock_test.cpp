// Tests kernels that are timed on an instance of a space, and a clock that evaluates events of a
// device.

#include "backends/exec/fake_device.hpp"
#include "support/harness.hpp"

#include "observe/clock.hpp"

#include <Kokkos_Core.hpp>

namespace evenkeel::device_clock_test {
namespace {

using test::FakeCuda;

class DeviceClockTest : public testing::Test {
 protected:
  static inline std::int64_t time = 1000;
  static std::int64_t now() noexcept { return time; }
  static void pass(std::int64_t nanoseconds) { time += nanoseconds; }

  std::vector<std::int64_t> step() {
    EXPECT_TRUE(clock->end_step().fit);
    return clock->of_step();
  }
  // The host takes time to launch, and the device takes its own time.
  void launch(const Kernel& kernel, const FakeCuda& on, std::int64_t host,
              std::int64_t nanoseconds) {
    const Timer timing = kernel.time(on);
    pass(host);
    device->launch(on.stream, nanoseconds);
  }

  using Kernels = std::vector<std::int64_t>;
  int a = 0, b = 0;
  FakeCuda gpu{&a}, other{&b};
  std::shared_ptr<test::FakeDevice> device = std::make_shared<test::FakeDevice>();
  std::shared_ptr<Clock> clock = Clock::make(&now, device);
  Kernel force = clock->kernel("force"), push = clock->kernel("push");
};

TEST_F(DeviceClockTest, CountsOnceTheDeviceHasPassed) {
  launch(force, gpu, 5, 100);
  EXPECT_EQ(step(), (Kernels{0, 0}));
  EXPECT_EQ(step(), (Kernels{0, 0}));
  device->worked = 100;
  EXPECT_EQ(step(), (Kernels{100, 0}));
  EXPECT_EQ(step(), (Kernels{0, 0}));
}

TEST_F(DeviceClockTest, TheLongerOfHostAndDevice) {
  device->worked = 1'000'000;
  launch(force, gpu, 5, 100);
  launch(push, gpu, 300, 20);
  EXPECT_EQ(step(), (Kernels{100, 300}));
}

TEST_F(DeviceClockTest, ScopesInsideAreNotTheOuters) {
  device->worked = 1'000'000;
  {
    const Timer timing = force.time(gpu);
    pass(1000);
    launch(push, gpu, 1, 50);
    device->launch(gpu.stream, 7);
    const Timer on_the_host = push.time();
    pass(20);
  }
  EXPECT_EQ(step(), (Kernels{1000, 70}));
  {
    const Timer on_the_host = push.time();
    pass(20);
    const Timer timing = force.time(gpu);
    device->launch(gpu.stream, 30000);
    pass(1);
  }
  EXPECT_EQ(step(), (Kernels{30000, 20}));
}

// The scope must count as a whole, in the step in which its time becomes known.
TEST_F(DeviceClockTest, AStepMayEndInsideAScope) {
  {
    const Timer timing = force.time(gpu);
    pass(40);
    EXPECT_EQ(step(), (Kernels{0, 0}));
    pass(500);
    device->launch(gpu.stream, 100);
    device->worked = 100;
  }
  EXPECT_EQ(step(), (Kernels{540, 0}));
}

TEST_F(DeviceClockTest, ADeviceThatRefusesLeavesTheHost) {
  device->refuses_to_create = true;
  launch(force, gpu, 5, 100);
  EXPECT_EQ(step(), (Kernels{5, 0}));
  device->refuses_to_create = false;
  device->fails = true;
  launch(force, gpu, 6, 100);
  EXPECT_EQ(step(), (Kernels{6, 0}));
}

TEST_F(DeviceClockTest, WithoutADeviceItIsTheHostsTime) {
  clock = Clock::make(&now, nullptr);
  force = clock->kernel("force");
  launch(force, gpu, 5, 100);
  EXPECT_EQ(step(), (Kernels{5}));
}

TEST_F(DeviceClockTest, OnAHostItIsTheHostsTime) {
  {
    const Timer timing = force.time(Kokkos::DefaultHostExecutionSpace());
    pass(11);
    const Timer inner = push.time(test::FakeHost{});
    pass(200);
  }
  EXPECT_EQ(step(), (Kernels{11, 200}));
  EXPECT_EQ(device->recorded, 0);
}

// A thread may end before the device has finished the thread's last kernels. Their time must not be
// lost.
TEST_F(DeviceClockTest, AThreadMayEndBeforeTheDevice) {
  std::thread([&] { launch(force, gpu, 5, 100); }).join();
  launch(force, other, 5, 30);
  EXPECT_EQ(step(), (Kernels{0, 0}));
  device->worked = 30;
  EXPECT_EQ(step(), (Kernels{30, 0}));
  device->worked = 100;
  EXPECT_EQ(step(), (Kernels{100, 0}));
  EXPECT_EQ(device->alive, 2) << "of this thread";
}

TEST_F(DeviceClockTest, AClockMayEndBeforeTheDevice) {
  launch(force, gpu, 5, 100);
  launch(push, gpu, 5, 100);
  clock = Clock::make(&now, device);
  force = push = clock->kernel("force");
  launch(force, gpu, 7, 9);
  device->worked = 1000;
  EXPECT_EQ(step(), (Kernels{9}));
}

}  // namespace
}  // namespace evenkeel::device_clock_test
