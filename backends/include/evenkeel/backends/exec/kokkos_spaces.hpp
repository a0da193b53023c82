#pragma once

// The Kokkos side of Space and MemoryKind: the list of enabled spaces, and the way from a run-time
// Space to code compiled for its type.
//
// The pattern of every kernel of evenkeel:
//
//   template <class Instance>
//   void scale(const Instance& instance, double* values, std::int64_t count);   // namespace scope
//   ...
//   with_space(space, [&](const auto& instance) { scale(instance, values, count); });
//
// The generic lambda may only forward: nvcc accepts no extended lambda inside it. The kernel is in
// the function template that the lambda forwards to, or is a functor. It is compiled once per
// enabled space.

#include <evenkeel/backends/assert.hpp>
#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/exec/space.hpp>

#ifdef EVENKEEL_TEST_DEVICE
#include <evenkeel/backends/exec/test_device.hpp>
#endif

#include <memory>
#include <type_traits>

namespace evenkeel {

namespace exec {

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

}  // namespace detail

// The execution spaces that run on the host.
using HostSpaces = detail::Joined<detail::Joined<detail::SerialSpaces, detail::OpenMPSpaces>::type,
                                  detail::ThreadsSpaces>::type;
// All execution spaces of the Kokkos that this build links, hosts first.
using EnabledSpaces = detail::Joined<HostSpaces, detail::DeviceSpaces>::type;

static_assert(EnabledSpaces::size > 0,
              "this Kokkos enables no execution space that evenkeel knows");

// True when this build has a device, whether or not the host can reach its memory.
inline constexpr bool has_device = !std::is_same_v<exec::Device, Kokkos::DefaultHostExecutionSpace>;

// True for the type of that device's instances.
template <class Instance>
inline constexpr bool is_device = (has_device && std::is_same_v<Instance, exec::Device>);

namespace detail {

// The kind of a memory follows from who can reach it, and from whether there is a device at all.
constexpr MemoryKind kind_of_memory(bool host_reaches, bool device_reaches, bool device_exists) {
  if (!device_exists) return MemoryKind::host;
  if (host_reaches && device_reaches) return MemoryKind::shared;
  return host_reaches ? MemoryKind::host : MemoryKind::device;
}

}  // namespace detail

// The kind of a Kokkos memory space; `shared` for device memory that the host can reach.
template <class MemorySpace>
constexpr MemoryKind memory_kind_of() {
  constexpr bool host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
  constexpr bool device = Kokkos::SpaceAccessibility<exec::Device, MemorySpace>::accessible;
  static_assert(host || device, "neither host nor device reaches this memory space");
  // Where the device reaches all of the host's memory, plain host memory stays what it is.
  constexpr bool plain = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  return detail::kind_of_memory(host, device && !plain, has_device);
}

// Whether kernels of this type of instance can reach memory of a kind.
template <class Instance>
constexpr bool space_can_access(MemoryKind kind) {
  using Access = Kokkos::SpaceAccessibility<Instance, Kokkos::HostSpace>;
  switch (kind) {
    case MemoryKind::host: return Access::accessible;
    case MemoryKind::device: return is_device<Instance>;
    case MemoryKind::shared: return is_device<Instance> || Access::accessible;
  }
  return false;
}

namespace detail {

template <class Instance>
constexpr int type_of() {
  constexpr int type = IndexIn<Instance, EnabledSpaces>::value;
  static_assert(type < EnabledSpaces::size, "not an execution space of this build");
  return type;
}

// An instance that outlives Kokkos stays for good: Kokkos aborts where one is destroyed after it.
template <class Instance>
void let_go(const Instance* instance) noexcept {
  if (exec::kokkos_is_running()) delete instance;
}

}  // namespace detail

// The run-time value of a typed instance. The copy shares the instance (a stream, a thread pool).
template <class Instance>
Space space_of(const Instance& instance) {
  return Space(detail::type_of<Instance>(),
               std::shared_ptr<const Instance>(new Instance(instance), &detail::let_go<Instance>));
}

// The same for the default instance of a type. Holds nothing of Kokkos.
template <class Instance>
Space default_space() {
  return Space(detail::type_of<Instance>(), nullptr);
}

namespace detail {

template <class Result, class Function, class Instance>
Result call_with(Function& function, const void* instance) {
  return instance != nullptr ? function(*static_cast<const Instance*>(instance))
                             : function(Instance());
}

template <class Result, class Function, class... Instances>
Result dispatch(TypeList<Instances...>, const Space& space, Function& function) {
  using Call = Result (*)(Function&, const void*);
  constexpr Call calls[] = {&call_with<Result, Function, Instances>...};
  EVENKEEL_ASSERT(space.type() >= 0 && space.type() < EnabledSpaces::size, "A Space of this build");
  return calls[space.type()](function, space.instance());
}

template <class List>
struct First;
template <class Head, class... Tail>
struct First<TypeList<Head, Tail...>> {
  using type = Head;
};

}  // namespace detail

// Calls function(instance) with the typed instance that works on the host's memory. For code that
// no device can run.
template <class Function>
decltype(auto) with_host_space(Function&& function) {
  using Head = typename detail::First<HostSpaces>::type;
  using Result = std::invoke_result_t<Function&, const Head&>;
  return detail::dispatch<Result>(HostSpaces{}, Space::where(MemoryKind::host), function);
}

// The typed instance that works on device memory. Only builds with a device have one.
inline exec::Device device_instance() {
  const Space space = Space::where(MemoryKind::device);
  const auto* instance = static_cast<const exec::Device*>(space.instance());
  return instance != nullptr ? *instance : exec::Device();
}

// Calls function(instance) with the typed instance behind `space`, and returns its result.
template <class Function>
decltype(auto) with_space(const Space& space, Function&& function) {
  using Head = typename detail::First<EnabledSpaces>::type;
  using Result = std::invoke_result_t<Function&, const Head&>;
  return detail::dispatch<Result>(EnabledSpaces{}, space, function);
}

}  // namespace evenkeel
