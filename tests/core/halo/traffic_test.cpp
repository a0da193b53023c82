// Measures the bytes that ghosts of objects on a device bring to the host. They must be only the
// messages that MPI must stage, and nothing else per object. Also measures the memory that is kept
// from call to call. The test device counts both.

#include "support/harness.hpp"

#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/tree.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/halo.hpp>

namespace evenkeel::traffic_test {
namespace {

namespace device = exec::test_device;

constexpr std::int64_t objects = 20000;
constexpr std::int64_t few = 64 << 10;  // bytes

std::int64_t crossed() {
  const device::Traffic traffic = device::traffic();
  return traffic.to_host_bytes + traffic.to_device_bytes;
}

template <class T>
exec::Array<T> on_device(const std::vector<T>& values) {
  return {Space::where(MemoryKind::device), "values", std::span<const T>(values)};
}

// The same slabs by any method.
std::vector<Domains> slabs() {
  const int ranks = test::size();
  const Box box = {{0, 0, 0}, {static_cast<double>(ranks), 1, 1}};
  std::vector<Bisection> nodes;
  for (int part = 1; part < ranks; ++part) nodes.push_back({static_cast<double>(part), 0, 1});
  for (int i = 0; i + 1 < ranks; ++i) nodes[static_cast<std::size_t>(i)].middle = i + 1;
  Splitters splitters;
  const std::uint64_t end = end_of_curve(3).value;
  for (int part = 0; part <= ranks; ++part)
    splitters.push_back(
        {end / static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(part)});
  splitters.back().value = end;
  return {GridDomains::uniform({3, {ranks, 1, 1}}, box, GridScheme::tensor, {true}),
          TreeDomains(1, 3, box, {true}, nodes),
          CurveDomains(1, 3, box, {true}, splitters, {CurveKind::snake, 0})};
}

void measure(Transport transport) {
  const Communicator ranks = test::world({.transport = transport});
  const bool is_staged = ranks.transport() == Transport::host_staged;
  std::mt19937_64 random(static_cast<std::uint64_t>(ranks.rank()));
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::array<double, 3>> places(objects);
  for (auto& place : places)
    place = {ranks.rank() + uniform(random), uniform(random), uniform(random)};
  std::vector<std::int64_t> ids(objects);
  std::iota(ids.begin(), ids.end(), objects * ranks.rank());

  for (const Domains& domains : slabs()) {
    auto x = on_device(places);
    auto id = on_device(ids);
    device::reset_traffic();
    Halo halo(ranks, domains, set(x), 0.1);
    const std::int64_t travel = is_staged ? halo.objects().size() + halo.ghosts() : 0;
    const auto origin_bytes = static_cast<std::int64_t>(sizeof(Halo::Origin));
    EXPECT_LE(crossed(), travel * origin_bytes + few);
    EXPECT_GT(ranks.all_reduce(halo.ghosts(), Reduction::sum), 0);

    halo.make_room(set(x, carry(id), {.count = objects}));
    std::int64_t in_use = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
      device::reset_traffic();
      halo.exchange(set(x, carry(id)));
      halo.sum_back(carry(id));
      // Three doubles and an id travel to the other rank, and an id travels back.
      EXPECT_EQ(crossed(), travel * (32 + 8));
      if (repeat == 0) in_use = device::bytes_in_use();
      EXPECT_EQ(device::bytes_in_use(), in_use);
    }
  }

  auto id = on_device(ids);
  device::reset_traffic();
  const IdDirectory directory(ranks, id);
  EXPECT_LE(crossed(), (is_staged ? 2 * 16 * objects * 11 / 10 : 0) + few);
  device::reset_traffic();
  const auto found = directory.look_up(id);
  EXPECT_LE(crossed(), (is_staged ? 2 * (8 + 16) * objects * 11 / 10 : 0) + few);
  EXPECT_EQ(found.size(), objects);
}

TEST(HaloTraffic, OnlyWhatTravelsCrossesTheHost) { measure(Transport::host_staged); }
TEST(HaloTraffic, NothingCrossesWhereMpiTakesDeviceMemory) { measure(Transport::device_aware); }

}  // namespace
}  // namespace evenkeel::traffic_test
