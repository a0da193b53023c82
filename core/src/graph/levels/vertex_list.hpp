#pragma once

// Lists of vertices to which threads append at the same time. Their order is arbitrary.

#include "graph/levels/atomics.hpp"
#include "graph/levels/level.hpp"

#include <cstdint>
#include <utility>

namespace evenkeel::graphs {

// Appends to a list, in kernels.
template <class Instance>
struct Appender {
  Vertex* vertices;
  std::int64_t* count;
  KOKKOS_FUNCTION void operator()(Vertex vertex) const {
    vertices[add<Instance>(count, std::int64_t{1})] = vertex;
  }
};

// Lists all marked vertices, by one thread.
struct InOrder {
  const int* marks;
  int mark;
  std::int64_t end;
  Vertex* list;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    std::int64_t next = 0;
    for (std::int64_t v = 0; v < end; ++v)
      if ((marks[v] & mark) != 0) list[next++] = static_cast<Vertex>(v);
  }
};

class VertexList {
 public:
  VertexList() = default;
  // An empty list with room for `most` vertices.
  VertexList(const Space& space, std::int64_t most)
      : vertices_(space, "evenkeel::graph::list", most),
        count_there_(space, "evenkeel::graph::list", 1) {
    clear();
  }

  const Vertex* data() const noexcept { return vertices_.data(); }
  std::int64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::int64_t capacity() const noexcept { return vertices_.size(); }

  // For kernels that append to the list. Call count_up() after them to update size().
  template <class Instance>
  Appender<Instance> appender() const {
    return {vertices_.data(), count_there_.data()};
  }
  // Blocks.
  void count_up() { count_there_.fetch(0, {&size_, 1}); }
  void clear() {
    size_ = in_order_ = 0;
    const Space space = count_there_.space();
    copy_bytes(space, count_there_.data(), count_there_.memory(), &size_, MemoryKind::host,
               sizeof size_);
    space.fence("evenkeel::graph::list");
  }
  // Puts a long list of vertices below `end` into ascending order, so that neighbours are near each
  // other in memory. The list has exactly the vertices whose marks have a bit of `mark`. A list
  // that has hardly grown since the last time stays as it is, and so do lists of several threads
  // and of devices.
  template <class Instance>
  void put_in_order(const Instance& instance, const int* marks, int mark, std::int64_t end) {
    constexpr std::int64_t long_share = 16, few = 8;
    if (size_ - in_order_ <= size_ / few) return;
    in_order_ = size_;
    if (has_one_thread<Instance> && size_ * long_share >= end)
      exec::for_each(instance, "evenkeel::graph::list", 1,
                     InOrder{marks, mark, end, vertices_.data()});
  }
  void swap(VertexList& other) noexcept { std::swap(*this, other); }

 private:
  exec::Array<Vertex> vertices_;
  exec::Array<std::int64_t> count_there_;
  std::int64_t size_ = 0, in_order_ = 0;
};

}  // namespace evenkeel::graphs
