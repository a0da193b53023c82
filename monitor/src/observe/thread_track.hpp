#pragma once

// What one thread times for one Clock: the scopes that are open, a ring of what has ended, and
// sums that take what the ring cannot. The thread writes and whoever ends the step reads, each
// without ever waiting for the other.

#include "observe/ring.hpp"

#include <evenkeel/backends/exec/cycle_counter.hpp>
#include <evenkeel/backends/exec/device_timer.hpp>
#include <evenkeel/monitor/clock.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace evenkeel {

// Ticks from one reading of a clock to another, bounded so that sums fit 63 bits even if the clock
// leaps from one end of all numbers to the other.
constexpr std::int64_t passed(std::int64_t from, std::int64_t to) noexcept {
  constexpr std::int64_t most = std::int64_t{1} << 52;  // two weeks, at the least
  const auto ticks =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
  return std::clamp(ticks, -most, most);
}

// A number for each kernel, which only grows and has a single writer. Numbers never move in memory,
// so that room for more kernels can be made while another thread writes.
class GrowingSums {
 public:
  // For kernels 0 to count - 1. Called by one thread at a time, which need not be the writer.
  void make_room(std::size_t count);

  void add(std::size_t kernel, std::int64_t value) noexcept {
    std::atomic<std::int64_t>& sum = at(kernel);
    sum.store(sum.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  std::int64_t of(std::size_t kernel) const noexcept {
    return at(kernel).load(std::memory_order_relaxed);
  }

 private:
  // Chunks of 32, 64, 128, ... numbers: the highest bit of kernel + 32 tells the chunk.
  static constexpr std::size_t first = 32, chunks = 27;
  static std::size_t chunk_of(std::size_t kernel) noexcept {
    return static_cast<std::size_t>(std::bit_width(kernel + first)) - std::bit_width(first);
  }
  std::atomic<std::int64_t>& at(std::size_t kernel) const noexcept {
    const std::size_t chunk = chunk_of(kernel);
    return chunks_[chunk].load(std::memory_order_acquire)[kernel + first - (first << chunk)];
  }

  std::array<std::unique_ptr<std::atomic<std::int64_t>[]>, chunks> owned_;
  std::array<std::atomic<std::atomic<std::int64_t>*>, chunks> chunks_{};
};

class ThreadTrack {
 public:
  // `now` null: the cycle counter. Room for `kernels` kernels.
  ThreadTrack(Clock* clock, Clock::Now now, std::size_t kernels);

  static std::int64_t read(Clock::Now now) noexcept {
    return now == nullptr ? cycle_ticks() : now();
  }

  // --- By the thread that it belongs to ----------------------------------------------------------

  // Return the number of the scope that begins, by which end() knows it.
  std::uint32_t begin(int kernel) noexcept;
  std::uint32_t begin(int kernel, const DeviceStream& stream,
                      const std::shared_ptr<DeviceEvents>& events) noexcept;
  void end(std::uint32_t number) noexcept;

  // Counts what open scopes have taken so far; they go on from here. A scope that is timed on a
  // device counts only when the device's time is known.
  void charge_open_scopes(std::int64_t now) noexcept;

  // --- By whoever ends the step ------------------------------------------------------------------

  void make_room(std::size_t kernels);

  // Adds to `ticks`, by kernel, what has ended since the last call.
  void drain(std::vector<std::int64_t>& ticks);
  // Appends the scopes that devices have passed since the last call.
  void take_device_times(std::vector<DeviceTimer::Measured>& into);
  // Whether the clock went backwards in this thread since the last call.
  bool take_backwards() noexcept {
    return backwards_.load(std::memory_order_relaxed) &&
           backwards_.exchange(false, std::memory_order_relaxed);
  }
  // The thread is gone: a drain that comes after this takes the last that it measured.
  bool is_finished() const noexcept { return ended_.load(std::memory_order_acquire); }
  bool waits_for_devices() const;

  // --- A clock may die before a thread, and the other way round ----------------------------------

  // Null once the clock is gone, so that a clock made at the same address is not taken for it.
  const Clock* clock() const noexcept { return clock_.load(std::memory_order_relaxed); }
  void forget_clock() noexcept { clock_.store(nullptr, std::memory_order_relaxed); }
  void end_thread() noexcept { ended_.store(true, std::memory_order_release); }

 private:
  struct Scope {
    int kernel = 0;
    std::uint32_t number = 0;
    std::int64_t began = 0;
    std::int64_t inside = 0;  // taken since then by scopes inside
    DeviceTimer::Scope* device = nullptr;
    std::int64_t before = 0;  // with a device: own ticks up to `began`
  };
  struct Record {
    std::int64_t ticks;
    std::size_t kernel;
  };

  std::int64_t read() noexcept;
  void end_innermost() noexcept;
  void end_before_others(std::uint32_t number) noexcept;
  void count(int kernel, std::int64_t ticks) noexcept;
  DeviceTimer* device_timer(const std::shared_ptr<DeviceEvents>& events) noexcept;

  static constexpr int deepest = 64;  // what is nested deeper counts for the kernel at this depth

  const Clock::Now now_;
  int depth_ = 0;
  std::uint32_t next_ = 0;
  std::int64_t last_;
  std::array<Scope, deepest> open_;  // innermost last
  std::atomic<bool> backwards_ = false;

  Ring<Record, 512> ring_;
  GrowingSums sums_;                             // of records that found the ring full
  std::atomic<std::uint64_t> spilled_ = 0;       // how often
  std::uint64_t seen_spilled_ = 0;               // by whoever drains
  std::vector<std::int64_t> seen_sums_;          // likewise
  std::atomic<DeviceTimer*> devices_ = nullptr;  // made when first needed
  std::unique_ptr<DeviceTimer> owned_devices_;

  std::atomic<const Clock*> clock_;
  std::atomic<bool> ended_ = false;
};

}  // namespace evenkeel
