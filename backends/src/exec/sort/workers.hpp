#pragma once

// The threads of a host space, and how they share work. Free of Kokkos: the caller supplies the
// function that launches on the space.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace evenkeel::exec::host_sort {

// Bodies must not throw, and must not wait for each other: a space may run them one after the
// other.
struct Workers {
  int count = 1;
  const void* instance = nullptr;
  void (*launch)(const void* instance, int count, void (*body)(void*, int),
                 void* context) = nullptr;

  // Calls body(worker) once for each worker, and returns when all are done.
  template <class Body>
  void run(Body&& body) const {
    using Plain = std::remove_reference_t<Body>;
    launch(
        instance, count, [](void* context, int worker) { (*static_cast<Plain*>(context))(worker); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

  // Calls body(worker, task) once for each task below `tasks`; free threads take them in this
  // order.
  template <class Body>
  void share(std::int64_t tasks, const Body& body) const {
    std::atomic<std::int64_t> next{0};
    run([&](int worker) {
      for (std::int64_t task = next++; task < tasks; task = next++) body(worker, task);
    });
  }

  // The greatest number of these workers that gives each at least `least` objects; at least one.
  Workers for_objects(std::int64_t objects, std::int64_t least) const {
    Workers fewer = *this;
    fewer.count = static_cast<int>(
        std::clamp<std::int64_t>(objects / least, 1, static_cast<std::int64_t>(count)));
    return fewer;
  }

  // The beginning of a worker's share of `objects` objects; for worker `count`, the end of the last
  // share.
  std::int64_t begin_of_share(int worker, std::int64_t objects) const {
    return objects / count * worker + std::min<std::int64_t>(worker, objects % count);
  }
};

}  // namespace evenkeel::exec::host_sort
