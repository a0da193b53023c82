#pragma once

// A test device that needs no hardware. With TestDevice every algorithm takes its form for devices,
// but kernels run on the host, one after the other. The memory of the device is an arena. It is
// open while a kernel of the device or a message runs, and closed otherwise. If host code accesses
// the closed arena, the process ends with a message that names the allocation. Bytes copied between
// host and device are counted.
//
// It exists only in builds with EVENKEEL_TEST_DEVICE, which cannot be installed. For Kokkos the
// device is an execution space, and the arena is a memory space that Views can use. Both are made
// from internal classes of Kokkos 3, whose Serial space runs the kernels.

#ifdef EVENKEEL_TEST_DEVICE

#include <evenkeel/backends/config.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>
#include <impl/Kokkos_SharedAlloc_timpl.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace evenkeel::exec {

namespace test_device {

// Counts the copies between device and host memory by copy_bytes and Kokkos::deep_copy since the
// last reset. Accesses by MPI and by kernels do not count.
struct Traffic {
  std::int64_t to_device_bytes, to_host_bytes, copies;
};
EVENKEEL_API Traffic traffic() noexcept;
EVENKEEL_API void reset_traffic() noexcept;

// The number of kernels and copies launched on the instance of this number since the last reset.
EVENKEEL_API std::int64_t launches(int stream) noexcept;
EVENKEEL_API void count_launch(int stream) noexcept;

// The size of the arena, and whether an address is in it.
EVENKEEL_API std::int64_t arena_bytes() noexcept;
EVENKEEL_API bool holds(const void* address) noexcept;

// Allocates from the arena, aligned to 64 bytes, and fills the first bytes of the allocation with a
// pattern. Returns null if the arena has no room left.
EVENKEEL_API void* allocate(const char* label, std::size_t bytes) noexcept;
EVENKEEL_API void release(void* data) noexcept;
EVENKEEL_API std::int64_t bytes_in_use() noexcept;

// Both copy between any two memories. copy() counts if exactly one of them is the arena.
EVENKEEL_API void transfer(void* to, const void* from, std::size_t bytes) noexcept;
EVENKEEL_API void copy(void* to, const void* from, std::size_t bytes) noexcept;

// Keeps the arena open for all threads while it lives. Such objects can be nested.
class EVENKEEL_API Opened {
 public:
  Opened() noexcept;
  ~Opened();
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
};

}  // namespace test_device

class TestDevice;

// The arena as a memory space of Kokkos.
class TestDeviceMemory {
 public:
  using memory_space = TestDeviceMemory;
  using execution_space = TestDevice;
  using size_type = std::size_t;
  using device_type = Kokkos::Device<TestDevice, TestDeviceMemory>;
  static constexpr const char* name() { return "TestDevice"; }
};

class TestDevice : public Kokkos::Serial {
 public:
  using execution_space = TestDevice;
  using memory_space = TestDeviceMemory;
  using device_type = Kokkos::Device<TestDevice, TestDeviceMemory>;
  using array_layout = Kokkos::LayoutLeft;  // as devices have it
  static const char* name() { return "TestDevice"; }

  // Instances with different numbers work on the same memory; their launches are counted
  // separately.
  TestDevice() = default;
  explicit TestDevice(int stream) : stream_(stream) {}
  int stream() const noexcept { return stream_; }

 private:
  int stream_ = 0;  // 0 is the default instance
};

}  // namespace evenkeel::exec

// --- Specializations for its memory --------------------------------------------------------------

namespace Kokkos {

namespace Impl {

template <>
struct MemorySpaceAccess<HostSpace, evenkeel::exec::TestDeviceMemory> {
  enum : bool { assignable = false, accessible = false, deepcopy = true };
};
template <>
struct MemorySpaceAccess<evenkeel::exec::TestDeviceMemory, HostSpace> {
  enum : bool { assignable = false, accessible = false, deepcopy = true };
};

// Kernels of the device run on the host, so Kokkos lets the host touch the arena. The arena itself
// refuses access while it is closed.
template <>
struct verify_space<HostSpace, evenkeel::exec::TestDeviceMemory, false> {
  static void check() {}
};

// As on real devices, the header of an allocation is in the memory of the device, here the arena.
template <>
class SharedAllocationRecord<evenkeel::exec::TestDeviceMemory, void>
    : public SharedAllocationRecordCommon<evenkeel::exec::TestDeviceMemory> {
  using Memory = evenkeel::exec::TestDeviceMemory;
  using Common = SharedAllocationRecordCommon<Memory>;
  using Record = SharedAllocationRecord<void, void>;
  friend Common;

 public:
  static SharedAllocationRecord* allocate(const Memory& memory, const std::string& label,
                                          std::size_t bytes) {
    return new SharedAllocationRecord(memory, label, bytes);
  }
  static SharedAllocationRecord* get_record(void* data) {
    return static_cast<SharedAllocationRecord*>(header_at(data).m_record);
  }
  std::string get_label() const override { return header_at(Record::data()).m_label; }

 protected:
  SharedAllocationRecord(const Memory& memory, const std::string& label, std::size_t bytes,
                         Record::function_type end = &Common::deallocate)
      : Common(header_of(label, bytes), sizeof(SharedAllocationHeader) + bytes, end),
        m_space(memory) {
    SharedAllocationHeader header;
    _fill_host_accessible_header_info(header, label);
    evenkeel::exec::test_device::transfer(m_alloc_ptr, &header, sizeof header);
  }
  ~SharedAllocationRecord() override { evenkeel::exec::test_device::release(m_alloc_ptr); }

 private:
  static SharedAllocationHeader header_at(void* data) {
    SharedAllocationHeader header;
    evenkeel::exec::test_device::transfer(&header, SharedAllocationHeader::get_header(data),
                                          sizeof header);
    return header;
  }
  static SharedAllocationHeader* header_of(const std::string& label, std::size_t bytes) {
    void* const data = evenkeel::exec::test_device::allocate(
        label.c_str(), sizeof(SharedAllocationHeader) + bytes);
    if (data == nullptr)
      throw_runtime_exception(std::to_string(bytes) + " bytes of the test device's memory for '" +
                              label + "' were refused");
    return static_cast<SharedAllocationHeader*>(data);
  }

  const Memory m_space;
};

template <class Space>
struct DeepCopy<evenkeel::exec::TestDeviceMemory, HostSpace, Space> {
  DeepCopy(void* to, const void* from, std::size_t bytes) {
    evenkeel::exec::test_device::copy(to, from, bytes);
  }
  DeepCopy(const Space& instance, void* to, const void* from, std::size_t bytes)
      : DeepCopy(to, from, bytes) {
    if constexpr (std::is_same_v<Space, evenkeel::exec::TestDevice>)
      evenkeel::exec::test_device::count_launch(instance.stream());
  }
};
template <class Space>
struct DeepCopy<HostSpace, evenkeel::exec::TestDeviceMemory, Space>
    : DeepCopy<evenkeel::exec::TestDeviceMemory, HostSpace, Space> {
  using DeepCopy<evenkeel::exec::TestDeviceMemory, HostSpace, Space>::DeepCopy;
};
template <class Space>
struct DeepCopy<evenkeel::exec::TestDeviceMemory, evenkeel::exec::TestDeviceMemory, Space>
    : DeepCopy<evenkeel::exec::TestDeviceMemory, HostSpace, Space> {
  using DeepCopy<evenkeel::exec::TestDeviceMemory, HostSpace, Space>::DeepCopy;
};

// --- Specializations for its kernels -------------------------------------------------------------

// Runs kernels as Serial does, with the arena open. These are kernels by which Kokkos fills Views;
// evenkeel's own kernels are launched by exec/launch.hpp.
template <class Body, class... Traits>
class ParallelFor<Body, RangePolicy<Traits...>, evenkeel::exec::TestDevice>
    : public ParallelFor<Body, RangePolicy<Traits...>, Serial> {
  using OnHost = ParallelFor<Body, RangePolicy<Traits...>, Serial>;

 public:
  using OnHost::OnHost;
  void execute() const {
    const evenkeel::exec::test_device::Opened opened;
    OnHost::execute();
  }
};

template <class Body, class... Traits>
class ParallelFor<Body, MDRangePolicy<Traits...>, evenkeel::exec::TestDevice>
    : public ParallelFor<Body, MDRangePolicy<Traits...>, Serial> {
  using OnHost = ParallelFor<Body, MDRangePolicy<Traits...>, Serial>;

 public:
  using OnHost::OnHost;
  void execute() const {
    const evenkeel::exec::test_device::Opened opened;
    OnHost::execute();
  }
};

template <class Body, class Reducer, class... Traits>
class ParallelReduce<Body, RangePolicy<Traits...>, Reducer, evenkeel::exec::TestDevice>
    : public ParallelReduce<Body, RangePolicy<Traits...>, Reducer, Serial> {
  using OnHost = ParallelReduce<Body, RangePolicy<Traits...>, Reducer, Serial>;

 public:
  using OnHost::OnHost;
  void execute() const {
    const evenkeel::exec::test_device::Opened opened;
    OnHost::execute();
  }
};

// All threads add to one View by atomic operations, as on devices.
namespace Experimental {
template <>
struct DefaultDuplication<evenkeel::exec::TestDevice> {
  using type = Kokkos::Experimental::ScatterNonDuplicated;
};
template <class Duplication>
struct DefaultContribution<evenkeel::exec::TestDevice, Duplication> {
  using type = Kokkos::Experimental::ScatterAtomic;
};
}  // namespace Experimental

}  // namespace Impl

namespace Tools::Experimental {
template <>
struct DeviceTypeTraits<evenkeel::exec::TestDevice> {
  static constexpr DeviceType id = DeviceType::Unknown;
};
}  // namespace Tools::Experimental

}  // namespace Kokkos

#endif
