#pragma once

// Launches kernels on the instance of a space. All kernels that evenkeel defines are launched here
// or in scan.hpp; the sorts of CUB and rocPRIM launch their own kernels. Labels are
// "evenkeel::stage::name".

#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/with_space.hpp>

#include <algorithm>

namespace evenkeel::exec {

namespace detail {

// The Kokkos execution space that runs the kernels of an instance.
template <class Instance>
struct ExecutorOf {
  using type = Instance;
};

// Lives while a kernel is launched on an instance.
template <class Instance>
struct Launch {
  explicit Launch(const Instance&) {}
};

#ifdef EVENKEEL_TEST_DEVICE
template <>
struct ExecutorOf<TestDevice> {
  using type = Kokkos::Serial;
};
template <>
struct Launch<TestDevice> {
  explicit Launch(const TestDevice& device) { test_device::count_launch(device.stream()); }
  test_device::Opened opened;
};
#endif

}  // namespace detail

// Contiguous values, which scans and gathers take in place of a View.
template <class T>
struct Values {
  using non_const_value_type = std::remove_const_t<T>;
  static constexpr unsigned rank = 1;
  T* data;
  std::int64_t count;
  KOKKOS_FUNCTION T& operator()(std::int64_t i) const { return data[i]; }
  // Like the extent of a View of rank 1.
  KOKKOS_FUNCTION std::size_t extent(int) const { return static_cast<std::size_t>(count); }
};

// The Kokkos space that runs the kernels of an instance.
template <class Instance>
using Executor = typename detail::ExecutorOf<Instance>::type;

// The policy of a kernel over indices of 64 bits.
template <class Instance>
using Indices = Kokkos::RangePolicy<Executor<Instance>, Kokkos::IndexType<std::int64_t>>;

// Calls body(i) for each i in [0, count). Does not block.
template <class Instance, class Body>
void for_each(const Instance& instance, const char* label, std::int64_t count, const Body& body) {
  if (count <= 0) return;
  const detail::Launch<Instance> launch(instance);
  Kokkos::parallel_for(label_for_tools(label), Indices<Instance>(instance, 0, count), body);
}

template <class Body>
void for_each(const Space& space, const char* label, std::int64_t count, const Body& body) {
  with_space(space, [&](const auto& instance) { for_each(instance, label, count, body); });
}

// The number of threads that run the host's kernels; 1 if Kokkos is not running.
inline int host_threads() {
  if (!kokkos_is_running()) return 1;
  return with_host_space([](const auto& instance) { return instance.concurrency(); });
}

// One of `shares` ranges of nearly the same length that together cover [0, count).
struct Share {
  std::int64_t begin, end;
};
inline Share share_of(std::int64_t count, std::int64_t shares, std::int64_t share) {
  const std::int64_t each = count / shares, rest = count % shares;
  const std::int64_t begin = each * share + std::min(share, rest);
  return {begin, begin + each + (share < rest ? 1 : 0)};
}

// Calls body(i) for each i in [0, count) on the host's threads; each thread gets a contiguous
// range. The body may be code that no device can run. Blocks.
template <class Body>
void for_each_on_host(const char* label, std::int64_t count, const Body& body) {
  if (count <= 1 || !kokkos_is_running()) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  with_host_space([&](const auto& instance) {
    using Instance = std::remove_cvref_t<decltype(instance)>;
    Kokkos::parallel_for(label_for_tools(label),
                         Kokkos::RangePolicy<Instance, Kokkos::Schedule<Kokkos::Static>,
                                             Kokkos::IndexType<std::int64_t>>(instance, 0, count),
                         body);
    fence(instance, label);
  });
}

// Calls body(i, result) for each i in [0, count), and joins the partial results: adds them up if
// `result` is a number, or uses `result` itself if it is a reducer. If count is 0, the result is
// the neutral element. Blocks.
template <class Instance, class Body, class Result>
void reduce(const Instance& instance, const char* label, std::int64_t count, const Body& body,
            Result&& result) {
  const detail::Launch<Instance> launch(instance);
  Kokkos::parallel_reduce(label_for_tools(label), Indices<Instance>(instance, 0, count), body,
                          static_cast<Result&&>(result));
}

// The argument of the body of for_each_team().
template <class Instance>
using TeamOf = typename Kokkos::TeamPolicy<Executor<Instance>>::member_type;

// Calls body(team) for each of `teams` teams. Each team has `scratch_bytes` of scratch memory. It
// has `threads` threads on a device, and one thread on a host. Does not block.
template <class Instance, class Body>
void for_each_team(const Instance& instance, const char* label, std::int64_t teams, int threads,
                   std::size_t scratch_bytes, const Body& body) {
  constexpr bool has_many = is_device<Executor<Instance>>;
  if (teams <= 0) return;
  const detail::Launch<Instance> launch(instance);
  Kokkos::TeamPolicy<Executor<Instance>> policy(instance, static_cast<int>(teams),
                                                has_many ? threads : 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
  Kokkos::parallel_for(label_for_tools(label), policy, body);
}

}  // namespace evenkeel::exec
