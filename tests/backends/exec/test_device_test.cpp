#include "support/harness.hpp"

#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/test_device.hpp>

namespace evenkeel::test_device_test {
namespace {

using exec::TestDevice;
using exec::TestDeviceMemory;
namespace device = exec::test_device;

Space device_space() { return Space::where(MemoryKind::device); }

std::vector<double> counting(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

exec::Array<double> on_device(const std::vector<double>& values) {
  return {device_space(), "evenkeel::test::values", std::span<const double>(values)};
}

// Hides the access from the compiler, so that it is not optimized away.
double read(const double* at) { return *static_cast<const volatile double*>(at); }
void write(double* at) { *static_cast<volatile double*>(at) = 1; }

// --- A device among spaces -----------------------------------------------------------------------

TEST(TestDevice, IsTheDeviceOfThisBuild) {
  EXPECT_TRUE(has_device);
  EXPECT_TRUE(is_device<TestDevice>);
  EXPECT_FALSE(is_device<Kokkos::DefaultHostExecutionSpace>);
  EXPECT_EQ(device_space().name(), "TestDevice");
  EXPECT_EQ(Space::named("testdevice").name(), "TestDevice");
  EXPECT_EQ(Space::names().back(), "TestDevice");
  EXPECT_FALSE(device_space().can_access(MemoryKind::host));
  EXPECT_FALSE(Space::where(MemoryKind::host).can_access(MemoryKind::device));
  const bool is_closed = memory_kind_of<TestDeviceMemory>() == MemoryKind::device;
  EXPECT_TRUE(is_closed);
}

TEST(TestDevice, SharedMemoryIsOfBoth) {
  const Buffer buffer("evenkeel::test::shared", MemoryKind::shared, 8);
  EXPECT_FALSE(device::holds(buffer.data()));
  auto* const value = reinterpret_cast<double*>(buffer.data());
  exec::for_each(TestDevice(), "evenkeel::test::write", 1, [=](std::int64_t) { write(value); });
  EXPECT_EQ(*value, 1);
}

// --- Memory --------------------------------------------------------------------------------------

TEST(TestDeviceMemory, IsAlignedAndInTheArena) {
  for (const std::int64_t bytes : {1, 63, 64, 65, 4096, 1000001}) {
    const Buffer buffer("evenkeel::test::buffer", MemoryKind::device, bytes);
    EXPECT_TRUE(device::holds(buffer.data()));
    EXPECT_TRUE(device::holds(buffer.data() + bytes - 1));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
  }
  EXPECT_FALSE(device::holds(nullptr));
  const Buffer host("evenkeel::test::buffer", MemoryKind::host, 64);
  EXPECT_FALSE(device::holds(host.data()));
}

// Blocks are freed in any order; afterwards all memory is in one piece again.
TEST(TestDeviceMemory, IsUsedAgain) {
  const std::int64_t before = device::bytes_in_use();
  const std::byte* const first = Buffer("evenkeel::test::first", MemoryKind::device, 5000).data();
  std::minstd_rand random(1);
  std::vector<Buffer> buffers;
  for (int i = 0; i < 1000; ++i) {
    buffers.emplace_back("evenkeel::test::some", MemoryKind::device, 1 + random() % 3000);
    if (random() % 3 != 0) continue;
    std::swap(buffers[random() % buffers.size()], buffers.back());
    buffers.pop_back();
  }
  std::vector<const std::byte*> ends;
  for (const Buffer& buffer : buffers) ends.push_back(buffer.data());
  std::ranges::sort(ends);
  EXPECT_EQ(std::ranges::adjacent_find(ends), ends.end());
  EXPECT_GT(device::bytes_in_use(), before);
  std::ranges::shuffle(buffers, random);
  buffers.clear();
  EXPECT_EQ(device::bytes_in_use(), before);
  EXPECT_EQ(Buffer("evenkeel::test::again", MemoryKind::device, 5000).data(), first);
}

TEST(TestDeviceMemory, IsRefusedWhenThereIsNoMore) {
  const std::int64_t half = device::arena_bytes() / 2;
  const auto take = [](std::int64_t bytes) {
    return Buffer("evenkeel::test::large", MemoryKind::device, bytes);
  };
  EXPECT_ERROR(take(device::arena_bytes() + 1), "'evenkeel::test::large' were refused");
  std::optional<Buffer> most = take(half);
  EXPECT_ERROR(take(half), "of device memory for 'evenkeel::test::large' were refused");
  most.reset();
  EXPECT_NO_THROW(take(half));
}

// --- Kernels -------------------------------------------------------------------------------------

TEST(TestDevice, KernelsReadAndWrite) {
  const exec::Array<double> values = on_device(counting(1000));
  double* const at = values.data();
  exec::for_each(TestDevice(), "evenkeel::test::double", values.size(),
                 [=](std::int64_t i) { at[i] *= 2; });
  std::vector<double> expected = counting(1000);
  for (double& value : expected) value *= 2;
  EXPECT_EQ(values.on_host(), expected);
  const auto value_of = [=](std::int64_t i) { return at[i]; };
  EXPECT_EQ(exec::sum<double>(TestDevice(), 1000, value_of), 999'000);
}

// Team t adds up its ten values in scratch memory.
struct SumOfTeam {
  const double* values;
  double* sums;
  using Scratch = Kokkos::View<double*, TestDevice::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  void operator()(const exec::TeamOf<TestDevice>& team) const {
    const Scratch copy(team.team_scratch(0), 10);
    for (int i = 0; i < 10; ++i) copy(i) = values[10 * team.league_rank() + i];
    sums[team.league_rank()] = 0;
    for (int i = 0; i < 10; ++i) sums[team.league_rank()] += copy(i);
  }
};

TEST(TestDevice, TeamsHaveScratchMemory) {
  const exec::Array<double> values = on_device(counting(50)), sums = on_device(counting(5));
  exec::for_each_team(TestDevice(), "evenkeel::test::teams", 5, 64,
                      SumOfTeam::Scratch::shmem_size(10), SumOfTeam{values.data(), sums.data()});
  EXPECT_EQ(sums.on_host(), (std::vector<double>{45, 145, 245, 345, 445}));
}

TEST(TestDevice, ViewsLiveThere) {
  Kokkos::View<double**, TestDeviceMemory> view("evenkeel::test::view", 3, 4);
  EXPECT_TRUE(device::holds(view.data()));
  EXPECT_EQ(view.label(), "evenkeel::test::view");
  Kokkos::deep_copy(view, 7);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  EXPECT_EQ(host(2, 3), 7);
  EXPECT_FALSE(device::holds(host.data()));
  Kokkos::View<int*, TestDeviceMemory> zeros("evenkeel::test::zeros", 10);
  int sum = 1;
  exec::reduce(
      TestDevice(), "evenkeel::test::sum", 10, [=](std::int64_t i, int& all) { all += zeros(i); },
      sum);
  EXPECT_EQ(sum, 0);
}

// --- What it catches -----------------------------------------------------------------------------

using TestDeviceDeathTest = testing::Test;

TEST(TestDeviceDeathTest, TheHostReads) {
  const exec::Array<double> values = on_device(counting(10));
  EXPECT_DEATH(read(values.data() + 2),
               "the host touched device memory: byte [0-9]+ of the [0-9]+ of "
               "'evenkeel::test::values'");
}

TEST(TestDeviceDeathTest, TheHostWrites) {
  const exec::Array<double> values = on_device(counting(10));
  EXPECT_DEATH(write(values.data()), "touched device memory: .*'evenkeel::test::values'");
}

TEST(TestDeviceDeathTest, TheHostReadsAView) {
  const Kokkos::View<double*, TestDeviceMemory> view("evenkeel::test::view", 10);
  EXPECT_DEATH(read(&view(3)), "touched device memory: .*'evenkeel::test::view'");
}

TEST(TestDeviceDeathTest, AKernelOfTheHostReads) {
  const exec::Array<double> values = on_device(counting(10));
  const double* const at = values.data();
  EXPECT_DEATH(exec::sum<double>(Kokkos::DefaultHostExecutionSpace(), 10,
                                 [=](std::int64_t i) { return read(at + i); }),
               "touched device memory: .*'evenkeel::test::values'");
}

TEST(TestDeviceDeathTest, MemoryThatWasFreed) {
  const double* const at = on_device(counting(10)).data();
  EXPECT_DEATH(read(at), "touched device memory that is not allocated");
}

TEST(TestDeviceDeathTest, OtherFaultsAreNotItsOwn) {
  const auto* const nowhere = reinterpret_cast<const double*>(std::uintptr_t{64});
  EXPECT_EXIT(
      read(nowhere), [](int status) { return status != 0; }, "");
}

// --- When it is open -----------------------------------------------------------------------------

TEST(TestDeviceDeathTest, OpeningsNest) {
  const exec::Array<double> values = on_device(counting(10));
  {
    const device::Opened outer;
    { const device::Opened inner; }
    const auto value_of = [at = values.data()](std::int64_t i) { return at[i]; };
    EXPECT_EQ(exec::sum<double>(TestDevice(), 10, value_of), 45);
    EXPECT_EQ(read(values.data() + 9), 9);
  }
  EXPECT_DEATH(read(values.data()), "touched device memory");
}

TEST(TestDeviceDeathTest, AKernelThatThrowsClosesItBehindIt) {
  const exec::Array<double> values = on_device(counting(10));
  const auto fail = [](std::int64_t) { throw std::runtime_error("no"); };
  EXPECT_THROW(exec::for_each(TestDevice(), "evenkeel::test::fail", 1, fail), std::runtime_error);
  EXPECT_DEATH(read(values.data()), "touched device memory");
}

TEST(TestDeviceDeathTest, AChildProcessHasItsOwn) {
  const exec::Array<double> values = on_device(counting(10));
  const auto child = [&] {
    const std::vector<double> zeros(10, 0.0);
    device::copy(values.data(), zeros.data(), 80);
    std::_Exit(values.on_host() == zeros ? 0 : 1);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(values.on_host(), counting(10));
}

// --- Traffic -------------------------------------------------------------------------------------

std::vector<std::int64_t> counted() {
  const device::Traffic traffic = device::traffic();
  return {traffic.to_device_bytes, traffic.to_host_bytes, traffic.copies};
}
using Counts = std::vector<std::int64_t>;

TEST(Traffic, IsCountedBetweenMemories) {
  device::reset_traffic();
  EXPECT_EQ(counted(), (Counts{0, 0, 0}));
  const exec::Array<double> values = on_device(counting(100));
  EXPECT_EQ(counted(), (Counts{800, 0, 1}));
  std::vector<double> three(3);
  values.fetch(50, three);
  EXPECT_EQ(counted(), (Counts{800, 24, 2}));
  static_cast<void>(values.on_host());
  EXPECT_EQ(counted(), (Counts{800, 824, 3}));
  device::reset_traffic();
  EXPECT_EQ(counted(), (Counts{0, 0, 0}));
}

TEST(Traffic, WithinAMemoryIsNone) {
  const exec::Array<double> from = on_device(counting(100)), to = on_device(counting(100));
  std::vector<double> host(100), other(100);
  device::reset_traffic();
  copy_bytes(device_space(), to.data(), MemoryKind::device, from.data(), MemoryKind::device, 800);
  copy_bytes(device_space(), host.data(), MemoryKind::host, other.data(), MemoryKind::host, 800);
  EXPECT_EQ(exec::sum<double>(TestDevice(), 1, [](std::int64_t) { return 1.0; }), 1);
  EXPECT_EQ(counted(), (Counts{0, 0, 0}));
}

TEST(Traffic, OfViewsCounts) {
  const Kokkos::View<double*, TestDeviceMemory> view("evenkeel::test::view", 100);
  const auto mirror = Kokkos::create_mirror_view(view);
  device::reset_traffic();
  EXPECT_EQ(view.label(), "evenkeel::test::view");
  EXPECT_EQ(counted(), (Counts{0, 0, 0}));
  Kokkos::deep_copy(mirror, view);
  Kokkos::deep_copy(view, mirror);
  EXPECT_EQ(counted(), (Counts{800, 800, 2}));
}

// --- Between ranks -------------------------------------------------------------------------------

// Each rank sends its values to the next rank, in device memory.
void expect_a_ring(Transport transport, const Counts& expected) {
  const Communicator communicator = test::world({.transport = transport});
  const int rank = communicator.rank(), size = communicator.size();
  const int up = (rank + 1) % size, down = (rank + size - 1) % size;
  constexpr std::int64_t count = 100'000, bytes = 8 * count;
  const auto values_of = [](int of) {
    std::vector<double> values = counting(count);
    for (double& value : values) value += 1e6 * of;
    return values;
  };
  const exec::Array<double> out = on_device(values_of(rank)), in = on_device(values_of(-1));
  const Send send{up, out.data(), bytes, MemoryKind::device};
  const Receive receive{down, in.data(), bytes, MemoryKind::device};
  Transfer transfer(device_space(), communicator, {&send, 1}, {&receive, 1});
  device::reset_traffic();
  transfer.run();
  if (size > 1) {
    EXPECT_EQ(counted(), expected);
  }
  EXPECT_EQ(in.on_host(), values_of(down));
}

TEST(TestDevice, MessagesCrossTheHost) {
  expect_a_ring(Transport::host_staged, {800'000, 800'000, 2});
}

TEST(TestDevice, MessagesGoAsTheyAre) { expect_a_ring(Transport::device_aware, {0, 0, 0}); }

TEST(TestDeviceDeathTest, AfterAMessageItIsClosed) {
  expect_a_ring(Transport::device_aware, {0, 0, 0});
  const exec::Array<double> values = on_device(counting(10));
  EXPECT_DEATH(read(values.data()), "touched device memory");
}

}  // namespace
}  // namespace evenkeel::test_device_test
