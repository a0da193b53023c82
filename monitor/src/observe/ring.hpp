#pragma once

// A queue of fixed length between one thread that pushes and one thread that drains. Neither thread
// takes a lock or waits.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace evenkeel {

template <class T, std::size_t length>
class Ring {
 public:
  static_assert(length > 0 && (length & (length - 1)) == 0, "a power of two");
  static constexpr std::size_t capacity = length;

  // Called by the thread that pushes. Returns false, and changes nothing, if the ring is full.
  bool push(const T& value) noexcept {
    const std::uint64_t at = pushed_.load(std::memory_order_relaxed);
    if (at - seen_drained_ == length) {
      seen_drained_ = drained_.load(std::memory_order_acquire);
      if (at - seen_drained_ == length) return false;
    }
    slots_[at % length] = value;
    pushed_.store(at + 1, std::memory_order_release);
    return true;
  }

  // Called by the thread that drains: calls take(value) for each value, the oldest first.
  template <class Take>
  void drain(const Take& take) {
    const std::uint64_t end = pushed_.load(std::memory_order_acquire);
    std::uint64_t at = drained_.load(std::memory_order_relaxed);
    for (; at != end; ++at) take(slots_[at % length]);
    drained_.store(end, std::memory_order_release);
  }

 private:
  // The two threads write to different cache lines.
  static constexpr std::size_t line = 64;
  alignas(line) std::atomic<std::uint64_t> pushed_ = 0;
  std::uint64_t seen_drained_ = 0;  // drained_, as the pushing thread last read it
  alignas(line) std::atomic<std::uint64_t> drained_ = 0;
  alignas(line) std::array<T, length> slots_;
};

}  // namespace evenkeel
