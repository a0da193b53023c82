#pragma once

// Calls code that is compiled for the type of the instance behind a Space.
//
// Every kernel of evenkeel follows this pattern:
//
//   template <class Instance>
//   void scale(const Instance& instance, double* values, std::int64_t count);   // namespace scope
//   ...
//   with_space(space, [&](const auto& instance) { scale(instance, values, count); });
//
// The generic lambda may only forward, because nvcc accepts no extended lambda inside it. The
// kernel is in the function template that the lambda calls, or is a functor. That template is
// compiled once for each enabled space.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>

#include <type_traits>

namespace evenkeel {

// True if kernels of this type of instance can reach memory of a kind.
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

// The Space of the default instance of a type. It holds no object of Kokkos.
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
  EVENKEEL_ASSERT(space.type() >= 0 && space.type() < EnabledSpaces::size,
                  "This build has the Space");
  return calls[space.type()](function, space.instance());
}

template <class List>
struct First;
template <class Head, class... Tail>
struct First<TypeList<Head, Tail...>> {
  using type = Head;
};

}  // namespace detail

// Calls function(instance) with the typed instance that works on the host's memory. This is for
// code that no device can run.
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
