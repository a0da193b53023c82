// All work on a device must run on the instance that the application gives, and on no other.

#include "monitor/drive/balancer/device_cloud.hpp"
#include "monitor/drive/balancer/whole.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/cut.hpp>
#include <evenkeel/core/migrate/move.hpp>
#include <evenkeel/core/migrate/plan.hpp>
#include <evenkeel/core/order.hpp>
#include <evenkeel/evenkeel.hpp>

namespace evenkeel::instances_test {
namespace {

namespace device = exec::test_device;
using exec::TestDevice;
using test::DeviceCloud;

constexpr int by_default = 0, mine = 1, other = 2;

void expect_launches_on(int stream) {
  EXPECT_GT(device::launches(stream), 10);
  for (const int another : {by_default, mine, other})
    if (another != stream) {
      EXPECT_EQ(device::launches(another), 0) << another;
    }
}

using Instances = test::OnRanks;

TEST_F(Instances, ARebalanceRunsOnThatOfItsBalancer) {
  for (const Method& method :
       {Method(Hilbert{}), Method(Staggered{}), Method(Tensor{}), Method(RecursiveBisection{})}) {
    SCOPED_TRACE(method.index());
    DeviceCloud cloud(communicator);
    Balancer first(communicator, {.method = method}, space_of(TestDevice(mine)));
    Balancer second(communicator, {.method = method}, space_of(TestDevice(other)));
    Balancer third(communicator, {.method = method});
    const auto run = [&](Balancer& balancer, int stream, const DeviceCloud::With& with) {
      device::reset_traffic();
      const Set all = cloud.as_set(with);
      balancer.rebalance(all);
      expect_launches_on(stream);
      return balancer.domains();
    };
    const Domains domains = run(first, mine, {.weights = true, .values = true});
    EXPECT_TRUE(is_same_division(run(second, other, {.weights = true, .values = true}), domains));
    run(third, by_default, {.weights = true, .values = true});
    run(first, mine, {.groups = true, .values = true});
    run(second, other, {.values = true});
    cloud.expect_whole();
  }
}

// Looks with surveys also read objects.
TEST_F(Instances, SoDoesAStep) {
  if (communicator.size() == 1) GTEST_SKIP() << "alone there is nothing to find out";
  DeviceCloud cloud(communicator);
  test::virtual_time = 1;
  Options options;
  options.own_clock = &test::virtual_now;
  options.watcher = false;
  options.log = LogLevel::off;
  Balancer balancer(communicator, options, space_of(TestDevice(mine)));
  Kernel kernel = balancer.kernel("work");
  device::reset_traffic();
  for (int step = 0; step < 40; ++step) {
    test::spend(kernel, 1'000'000 * (communicator.rank() + 1));
    const Set all = cloud.as_set({.weights = true});
    balancer.step(all);
  }
  balancer.finish();
  expect_launches_on(mine);
  cloud.expect_whole();
}

TEST_F(Instances, FreeFunctionsRunOnTheOneInUse) {
  DeviceCloud cloud(communicator);
  const Set all = cloud.as_set({});
  const InUse in_use(space_of(TestDevice(mine)));
  device::reset_traffic();
  const Space space = Space::where(MemoryKind::device);
  const Bounds found = bounds(space, communicator, all);
  const Lattice lattice(3, enclose(std::nullopt, found), {});
  Order sorted = order(space, lattice, all);
  const WeightedKeys keyed = {sorted.keys.span(), {}, sorted.keys.memory()};
  const Cut parts = cut(communicator, {&keyed, 1}, {.parts = communicator.size()});
  EXPECT_LT(parts.lambda(), 1.01);
  reorder(all, sorted);
  std::vector<Order> orders;
  orders.push_back(order(space, lattice, all));
  const Set sets[] = {all};
  const auto shapes = agree_on_sets(communicator, sets);
  const Plan who = plan(communicator, parts.splitters, std::move(orders));
  move(communicator, sets, shapes, who, {});
  expect_launches_on(mine);
  cloud.expect_whole();
}

}  // namespace
}  // namespace evenkeel::instances_test
