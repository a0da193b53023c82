#pragma once

// The Kokkos side of Space and MemoryKind: lists the execution spaces of this build, and makes a
// Space from a typed instance.

#include <evenkeel/backends/exec/space.hpp>

#ifdef EVENKEEL_TEST_DEVICE
#include <evenkeel/backends/exec/test_device.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace evenkeel {

namespace exec {

// Kokkos::is_finalized came with 4.0. In older versions is_initialized() is false after finalize(),
// too.
inline bool kokkos_is_running() {
#if KOKKOS_VERSION >= 40000
  return Kokkos::is_initialized() && !Kokkos::is_finalized();
#else
  return Kokkos::is_initialized();
#endif
}

// The execution space of this build's device; Kokkos's default space in builds without a device.
#ifdef EVENKEEL_TEST_DEVICE
using Device = TestDevice;
#else
using Device = Kokkos::DefaultExecutionSpace;
#endif

}  // namespace exec

namespace detail {

template <class... Types>
struct TypeList {
  static constexpr int size = sizeof...(Types);
};

template <class A, class B>
struct Joined;
template <class... A, class... B>
struct Joined<TypeList<A...>, TypeList<B...>> {
  using type = TypeList<A..., B...>;
};

using SerialSpaces = TypeList<
#ifdef KOKKOS_ENABLE_SERIAL
    Kokkos::Serial
#endif
    >;
using OpenMPSpaces = TypeList<
#ifdef KOKKOS_ENABLE_OPENMP
    Kokkos::OpenMP
#endif
    >;
using ThreadsSpaces = TypeList<
#ifdef KOKKOS_ENABLE_THREADS
    Kokkos::Threads
#endif
    >;
using DeviceSpaces = TypeList<
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL) || \
    defined(EVENKEEL_TEST_DEVICE)
    exec::Device
#endif
    >;

template <class T, class List>
struct IndexIn;
template <class T, class... Types>
struct IndexIn<T, TypeList<Types...>> {
  static constexpr int value = [] {
    int position = 0;
    // Stops at the first match; all types of the list are distinct.
    (void)((std::is_same_v<T, Types> || (++position, false)) || ...);
    return position;
  }();
};

// The execution spaces that run on the host.
using HostSpaces = Joined<Joined<SerialSpaces, OpenMPSpaces>::type, ThreadsSpaces>::type;
// The execution spaces of this build, hosts first: those that its Kokkos enables and that evenkeel
// knows (Serial, OpenMP, Threads, and the device).
using EnabledSpaces = Joined<HostSpaces, DeviceSpaces>::type;

}  // namespace detail

static_assert(detail::EnabledSpaces::size > 0,
              "this Kokkos enables no execution space that evenkeel knows");

// True if this build has a device, even if the host can reach the device's memory.
inline constexpr bool has_device = !std::is_same_v<exec::Device, Kokkos::DefaultHostExecutionSpace>;

// True if `Instance` is the type of the device's instances.
template <class Instance>
inline constexpr bool is_device = (has_device && std::is_same_v<Instance, exec::Device>);

namespace detail {

// Returns the kind of a memory: the arguments say whether host and device reach it, and whether the
// build has a device.
constexpr MemoryKind kind_of_memory(bool host_reaches, bool device_reaches, bool device_exists) {
  if (!device_exists) return MemoryKind::host;
  if (host_reaches && device_reaches) return MemoryKind::shared;
  return host_reaches ? MemoryKind::host : MemoryKind::device;
}

}  // namespace detail

// The kind of a Kokkos memory space. Memory that both host and device reach is `shared`, except
// for plain host memory.
template <class MemorySpace>
constexpr MemoryKind memory_kind_of() {
  constexpr bool host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
  constexpr bool device = Kokkos::SpaceAccessibility<exec::Device, MemorySpace>::accessible;
  static_assert(host || device, "neither host nor device reaches this memory space");
  // Plain host memory stays `host`, even if the device reaches all of the host's memory.
  constexpr bool plain = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  return detail::kind_of_memory(host, device && !plain, has_device);
}

namespace detail {

template <class Instance>
constexpr int type_of() {
  constexpr int type = IndexIn<Instance, EnabledSpaces>::value;
  static_assert(type < EnabledSpaces::size, "not an execution space of this build");
  return type;
}

// Deletes an instance, or leaks it if Kokkos is no longer running, since Kokkos would then abort.
template <class Instance>
void let_go(const Instance* instance) noexcept {
  if (exec::kokkos_is_running()) delete instance;
}

}  // namespace detail

// The Space of a typed instance. It holds a copy, which shares the stream or the thread pool.
template <class Instance>
Space space_of(const Instance& instance) {
  return Space(detail::type_of<Instance>(),
               std::shared_ptr<const Instance>(new Instance(instance), &detail::let_go<Instance>));
}

}  // namespace evenkeel
