#include "backends/exec/views.hpp"
#include "support/harness.hpp"

#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/with_space.hpp>

#include <cctype>

namespace evenkeel::space_test {
namespace {

std::string changed(std::string text, int (*change)(int)) {
  for (char& c : text) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return text;
}

TEST(Space, NamesAreThoseOfKokkosHostsFirst) {
  const auto names = Space::names();
  ASSERT_EQ(names.size(), static_cast<std::size_t>(EnabledSpaces::size));
  bool devices_began = false;
  for (const std::string& name : names) {
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
    const bool device = Space::named(name).is_device();
    EXPECT_FALSE(devices_began && !device) << name;
    devices_began = devices_began || device;
  }
  EXPECT_EQ(devices_began, has_device);
}

TEST(Space, NamedInAnyCase) {
  for (const std::string& name : Space::names()) {
    EXPECT_EQ(Space::named(name).name(), name);
    EXPECT_EQ(Space::named(changed(name, &std::tolower)).name(), name);
    EXPECT_EQ(Space::named(changed(name, &std::toupper)).name(), name);
  }
}

TEST(Space, AnUnknownNameListsTheNames) {
  const std::string text = test::error_of([] { Space::named("abacus"); });
  EXPECT_MENTIONS(text, "There is no space 'abacus'.");
  for (const std::string& name : Space::names()) EXPECT_MENTIONS(text, name);
}

TEST(Space, OnlyTheWholeNameCounts) {
  const std::string name = Space::names().front();
  EXPECT_ERROR(Space::named(""), "There is no space ''.");
  EXPECT_ERROR(Space::named(name.substr(1)), "There is no space");
  EXPECT_ERROR(Space::named(name.substr(0, name.size() - 1)), "There is no space");
  EXPECT_ERROR(Space::named(name + ' '), "There is no space");
}

TEST(Space, WhereHostMemoryIs) {
  const Space space = Space::where(MemoryKind::host);
  EXPECT_EQ(space.name(), Kokkos::DefaultHostExecutionSpace::name());
  EXPECT_TRUE(space.can_access(MemoryKind::host));
  EXPECT_FALSE(space.is_device());
}

TEST(Space, WhereSharedMemoryIs) {
  const Space space = Space::where(MemoryKind::shared);
  EXPECT_EQ(space.name(), exec::Device::name());
  EXPECT_TRUE(space.can_access(MemoryKind::shared));
}

TEST(Space, WhereDeviceMemoryIs) {
  if constexpr (has_device) {
    const Space space = Space::where(MemoryKind::device);
    EXPECT_EQ(space.name(), exec::Device::name());
    EXPECT_TRUE(space.can_access(MemoryKind::device));
    EXPECT_FALSE(space.can_access(MemoryKind::host));
    EXPECT_TRUE(space.is_device());
  } else {
    EXPECT_ERROR(Space::where(MemoryKind::device), "built without a device");
  }
}

// In a build without a device, all memory is the host's, and nothing reaches a device.
TEST(Space, EverySpaceReachesSharedMemory) {
  for (const std::string& name : Space::names()) {
    const Space space = Space::named(name);
    EXPECT_TRUE(space.can_access(MemoryKind::shared)) << name;
    EXPECT_EQ(space.can_access(MemoryKind::device), space.is_device()) << name;
    EXPECT_NE(space.can_access(MemoryKind::host), space.is_device()) << name;
  }
}

// An instance of its own. Kokkos may still give it the threads of the default instance.
Space host_instance() { return space_of(Kokkos::DefaultHostExecutionSpace()); }

TEST(Space, CopiesShareTheInstance) {
  const Space space = host_instance();
  ASSERT_NE(space.instance(), nullptr);
  const Space copy = space;
  EXPECT_EQ(copy.instance(), space.instance());
  EXPECT_EQ(copy.type(), space.type());
  Space assigned = Space::named(Space::names().front());
  assigned = space;
  EXPECT_EQ(assigned.instance(), space.instance());
}

TEST(Space, OfADefaultInstanceHoldsNothingOfKokkos) {
  for (const std::string& name : Space::names()) EXPECT_EQ(Space::named(name).instance(), nullptr);
  EXPECT_EQ(Space::where(MemoryKind::host).instance(), nullptr);
}

TEST(Space, ACopyKeepsTheInstanceAlive) {
  const auto probe = std::make_shared<Kokkos::DefaultHostExecutionSpace>();
  const int type = Space::where(MemoryKind::host).type();
  auto first = std::make_unique<Space>(type, probe);
  const Space second = *first;
  EXPECT_EQ(probe.use_count(), 3);
  first.reset();
  EXPECT_EQ(second.instance(), probe.get());
  EXPECT_EQ(probe.use_count(), 2);
  EXPECT_NO_THROW(second.fence("evenkeel::test::fence"));
}

// --- The Kokkos side -----------------------------------------------------------------------------

struct Fill {
  std::int64_t* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] = 3 * i; }
};

template <class Instance>
void expect_instance_of(const Space& space, const Instance& instance) {
  EXPECT_EQ(Instance::name(), space.name());
  const auto values = test::room_on<std::int64_t>(instance, 100000);
  Kokkos::parallel_for(
      "evenkeel::test::fill",
      Kokkos::RangePolicy<Instance, Kokkos::IndexType<std::int64_t>>(instance, 0, 100000),
      Fill{values.data()});
  space.fence("evenkeel::test::fill");
  const auto found = test::values_of(values);
  int wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    wrong += found[i] == 3 * static_cast<std::int64_t>(i) ? 0 : 1;
  EXPECT_EQ(wrong, 0);
  const Space again = space_of(instance);
  EXPECT_EQ(again.type(), space.type());
  EXPECT_EQ(again.name(), space.name());
}

TEST(WithSpace, GivesTheInstanceOfTheSpaceAndTheWayBack) {
  for (const std::string& name : Space::names()) {
    const Space space = Space::named(name);
    with_space(space, [&](const auto& instance) { expect_instance_of(space, instance); });
  }
}

TEST(WithSpace, HandsOnReferencesAndErrors) {
  int counter = 0;
  const Space space = Space::where(MemoryKind::host);
  int* const place = &counter;
  int& result = with_space(space, [place](const auto&) -> int& { return *place; });
  EXPECT_EQ(&result, &counter);
  EXPECT_ERROR(with_space(space, [](const auto&) { Space::named("abacus"); }), "no space 'abacus'");
}

// --- The one in use ------------------------------------------------------------------------------

const void* instance_on_host() { return Space::where(MemoryKind::host).instance(); }

TEST(InUse, IsWhatWorksOnItsMemoryWhileItLives) {
  const Space first = host_instance(), second = host_instance();
  ASSERT_NE(first.instance(), second.instance());
  {
    const InUse outer(first);
    EXPECT_EQ(instance_on_host(), first.instance());
    {
      const InUse inner(second);
      EXPECT_EQ(instance_on_host(), second.instance());
      const InUse none(std::nullopt);
      EXPECT_EQ(instance_on_host(), second.instance());
    }
    EXPECT_EQ(instance_on_host(), first.instance());
  }
  EXPECT_NE(instance_on_host(), first.instance());
}

TEST(InUse, IsOfItsThreadAlone) {
  const Space mine = host_instance();
  const InUse in_use(mine);
  const void* elsewhere = nullptr;
  std::thread([&] { elsewhere = instance_on_host(); }).join();
  EXPECT_NE(elsewhere, mine.instance());
}

TEST(InUse, OfADeviceLeavesTheHostAlone) {
  if (!has_device) GTEST_SKIP() << "there is no device";
  const Space device = space_of(exec::Device()), host = host_instance();
  ASSERT_NE(Space::where(MemoryKind::device).instance(), device.instance());
  const InUse in_use(device);
  EXPECT_EQ(Space::where(MemoryKind::device).instance(), device.instance());
  EXPECT_EQ(Space::where(MemoryKind::shared).instance(), device.instance());
  EXPECT_EQ(Space::where(MemoryKind::host).type(), host.type());
  const InUse both(host);
  EXPECT_EQ(Space::where(MemoryKind::device).instance(), device.instance());
  EXPECT_EQ(instance_on_host(), host.instance());
}

TEST(MemoryKindOf, SaysWhoReachesAMemory) {
  const bool host_alone = memory_kind_of<Kokkos::HostSpace>() == MemoryKind::host;
  EXPECT_TRUE(host_alone);
  EXPECT_EQ(memory_kind_of<exec::Device::memory_space>(),
            has_device ? MemoryKind::device : MemoryKind::host);
  constexpr bool is_plain = std::is_same_v<exec::SharedSpace, Kokkos::HostSpace>;
  EXPECT_EQ(memory_kind_of<exec::SharedSpace>(),
            has_device && !is_plain ? MemoryKind::shared : MemoryKind::host);
}

}  // namespace
}  // namespace evenkeel::space_test
