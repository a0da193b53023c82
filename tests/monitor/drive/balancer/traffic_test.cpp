// Measures the bytes that a rebalance of objects on a device brings to the host. They must be only
// the bytes that MPI must stage, and nothing else per object. The test device counts them.

#include "monitor/drive/balancer/device_cloud.hpp"
#include "support/harness.hpp"

#include <evenkeel/evenkeel.hpp>

namespace evenkeel::traffic_test {
namespace {

namespace device = exec::test_device;
using test::DeviceCloud;

struct Case {
  const char* name;
  bool has_weights = false, has_groups = false, has_values = false;
  Options options = {};
  std::int64_t fixed = 64 << 10;
};

std::vector<Case> cases() {
  return {{"curve", false, false, false, {.method = Hilbert{}}},
          {"curve, weights", true, false, false, {.method = Hilbert{}}},
          {"curve, groups", true, true, false, {.method = Hilbert{}}},
          {"curve, values", false, false, true, {.method = Morton{}}},
          {"curve, everywhere enough",
           true,
           false,
           false,
           {.method = Hilbert{}, .least_objects = 1000, .origins = true}},
          {"staggered grid", true, false, false, {.method = Staggered{}}},
          // The histograms of the grid cover all columns at once, and the cut reads them several
          // times.
          {"tensor grid", false, false, false, {.method = Tensor{}}, 128 << 10},
          {"bisection, groups", true, true, true, {.method = RecursiveBisection{}}}};
}

// Checks the bytes that a rebalance copies between the memories of this rank. Besides the moved
// objects, these may be a few kilobytes, and some words per part.
void expect_traffic(const Communicator& communicator, const MoveReport& report, const Case& now,
                    std::int64_t groups) {
  constexpr std::int64_t per_part = 64;
  // These are the fields, the key, the first rank of the object, its cost, and its origin.
  constexpr std::int64_t of_object = 24 + 8 + 8 + 8 + 8 + 8 + 8 + 8 + 16;
  constexpr std::int64_t of_values = 8 + 2 * 8, of_group = 24;
  const std::int64_t each = of_object + (now.has_values ? of_values : 0);
  const bool is_staged = communicator.transport() == Transport::host_staged;
  std::int64_t travels = is_staged ? (report.sent + report.received) * each : 0;
  // Groups travel to the rank that manages them, and the combined data come back.
  if (is_staged && now.has_groups) travels += 4 * groups * of_group;
  const device::Traffic traffic = device::traffic();
  EXPECT_LE(traffic.to_host_bytes + traffic.to_device_bytes,
            travels + now.fixed + per_part * communicator.size());
}

void rebalance_all(Transport transport) {
  const Communicator communicator = test::world({.transport = transport});
  for (const Case& now : cases()) {
    SCOPED_TRACE(now.name);
    DeviceCloud cloud(communicator);
    Balancer balancer(communicator, now.options);
    for (int round = 0; round < 3; ++round) {
      const Set all = cloud.as_set({now.has_weights, now.has_groups, now.has_values});
      device::reset_traffic();
      const MoveReport report = balancer.rebalance(all);
      expect_traffic(communicator, report, now,
                     DeviceCloud::objects_of_a_rank * communicator.size() / 40 + 1);
      if (round == 0 && communicator.size() > 1) {
        EXPECT_GT(report.objects, 0);
      }
      EXPECT_EQ(report.origins.size(), now.options.origins && report.moved ? 1U : 0U);
      EXPECT_LT(report.lambda, 1.2);
    }
    cloud.expect_whole();
  }
}

TEST(Traffic, OnlyWhatTravelsCrossesTheHost) { rebalance_all(Transport::host_staged); }
TEST(Traffic, NothingCrossesWhereMpiTakesDeviceMemory) { rebalance_all(Transport::device_aware); }

}  // namespace
}  // namespace evenkeel::traffic_test
