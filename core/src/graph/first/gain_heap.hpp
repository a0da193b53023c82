#pragma once

// Vertices in the order of the gains of their moves.

#include "graph/levels/level.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace evenkeel::graphs {

// Vertices, with the greatest gain first; names settle ties. An entry whose gain is out of date
// stays in the heap, and the caller skips it.
class GainHeap {
 public:
  struct HeapEntry {
    std::int64_t gain;
    std::uint64_t tie;
    Vertex vertex;
    bool operator<(const HeapEntry& other) const {
      return gain != other.gain ? gain < other.gain : tie < other.tie;
    }
  };
  void clear() { entries_.clear(); }
  bool empty() const { return entries_.empty(); }
  const HeapEntry& top() const { return entries_.front(); }
  void push(std::int64_t gain, std::uint64_t tie, Vertex vertex) {
    entries_.push_back({gain, tie, vertex});
    std::push_heap(entries_.begin(), entries_.end());
  }
  HeapEntry pop() {
    std::pop_heap(entries_.begin(), entries_.end());
    const HeapEntry entry = entries_.back();
    entries_.pop_back();
    return entry;
  }

 private:
  std::vector<HeapEntry> entries_;
};

}  // namespace evenkeel::graphs
