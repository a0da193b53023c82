#pragma once

// The threads of a host space, and how they share work. This header does not need Kokkos: the
// caller gives the function that launches on the space.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace evenkeel::exec::host_sort {

// A body must not throw, and bodies must not wait for each other, because a space may run them one
// after the other.
struct Workers {
  int count = 1;
  const void* instance = nullptr;
  void (*launch)(const void* instance, int count, void (*body)(void*, int),
                 void* context) = nullptr;

  // Calls body(worker) once for each worker, and returns when all calls have returned.
  template <class Body>
  void run(Body&& body) const {
    using Plain = std::remove_reference_t<Body>;
    launch(
        instance, count, [](void* context, int worker) { (*static_cast<Plain*>(context))(worker); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

  // Calls body(worker, task) once for each task below `tasks`. A thread that is free takes the next
  // task.
  template <class Body>
  void share(std::int64_t tasks, const Body& body) const {
    std::atomic<std::int64_t> next{0};
    run([&](int worker) {
      for (std::int64_t task = next++; task < tasks; task = next++) body(worker, task);
    });
  }

  // Returns as many of these workers as can have at least `least` objects each, but at least one.
  Workers for_objects(std::int64_t objects, std::int64_t least) const {
    Workers fewer = *this;
    fewer.count = static_cast<int>(
        std::clamp<std::int64_t>(objects / least, 1, static_cast<std::int64_t>(count)));
    return fewer;
  }

  // Returns the begin of a worker's share of `objects` objects. For worker `count`, this is the end
  // of the last share.
  std::int64_t begin_of_share(int worker, std::int64_t objects) const {
    return objects / count * worker + std::min<std::int64_t>(worker, objects % count);
  }
};

}  // namespace evenkeel::exec::host_sort
