#pragma once

// The times that one thread measures for one Clock: the open scopes, a ring of records of ended
// scopes, and sums for scopes that ended while the ring was full. The measuring thread writes, and
// the thread that ends the step reads; neither ever waits for the other.

#include "observe/ring.hpp"

#include <evenkeel/backends/exec/cycle_counter.hpp>
#include <evenkeel/backends/exec/device_timer.hpp>
#include "observe/clock.hpp"

#include <algorithm>
#include <bit>

namespace evenkeel {

// Returns the ticks from one reading of a clock to another. The result is bounded: sums of results
// fit 63 bits even if the clock jumps from the least number to the greatest.
constexpr std::int64_t passed(std::int64_t from, std::int64_t to) noexcept {
  constexpr std::int64_t most = std::int64_t{1} << 52;  // at least two weeks on any clock
  const auto ticks =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
  return std::clamp(ticks, -most, most);
}

// A sum for each kernel. One thread writes the sums. They never move in memory, so another thread
// can make room for more kernels while the first one writes.
class GrowingSums {
 public:
  // Makes room for kernels 0 to count - 1. One thread at a time may call it; this need not be the
  // writer.
  void make_room(std::size_t count);

  void add(std::size_t kernel, std::int64_t value) noexcept {
    std::atomic<std::int64_t>& sum = at(kernel);
    sum.store(sum.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  std::int64_t of(std::size_t kernel) const noexcept {
    return at(kernel).load(std::memory_order_relaxed);
  }

 private:
  // Chunks of 32, 64, 128, ... numbers: the highest bit of kernel + 32 gives the chunk.
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

// For each kernel, the time of the scopes that ended while the ring was full. One thread calls
// add(), and another calls take().
class Spill {
 public:
  void make_room(std::size_t kernels) {
    sums_.make_room(kernels);
    taken_.resize(kernels);
  }
  void add(std::size_t kernel, std::int64_t ticks) noexcept {
    sums_.add(kernel, ticks);
    times_.store(times_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  // Adds to `ticks` what was summed up since the last call of take().
  void take(std::vector<std::int64_t>& ticks);

 private:
  GrowingSums sums_;
  std::atomic<std::uint64_t> times_ = 0;  // the number of additions
  // The values of times_ and sums_ at the last call of take().
  std::uint64_t taken_times_ = 0;
  std::vector<std::int64_t> taken_;
};

class ThreadTrack {
 public:
  // If `now` is empty, the track reads the cycle counter. `kernels` is the number of kernels to
  // make room for.
  ThreadTrack(Clock* clock, OwnClock now, std::size_t kernels);

  static std::int64_t read(const OwnClock& now) noexcept { return now ? now() : cycle_ticks(); }

  // --- For the thread that owns the track --------------------------------------------------------

  // Both functions begin a scope, and return its number for end().
  std::uint32_t begin(int kernel) noexcept;
  std::uint32_t begin(int kernel, const DeviceStream& stream,
                      const std::shared_ptr<DeviceEvents>& events) noexcept;
  void end(std::uint32_t number) noexcept;

  // Counts the time of open scopes up to `now`; the scopes stay open, and their later time is
  // counted later. A scope that is timed on a device is counted when its time on the device is
  // known.
  void charge_open_scopes(std::int64_t now) noexcept;

  // --- For the thread that ends the step ---------------------------------------------------------

  void make_room(std::size_t kernels);

  // Adds the times of scopes that have ended since the last call to `ticks`, by kernel.
  void drain(std::vector<std::int64_t>& ticks);
  // Appends the scopes that devices have completed since the last call.
  void take_device_times(std::vector<DeviceTimer::Measured>& into);
  // True if the clock went backwards in this thread since the last call.
  bool take_backwards() noexcept {
    return backwards_.load(std::memory_order_relaxed) &&
           backwards_.exchange(false, std::memory_order_relaxed);
  }
  // True if the thread has ended. A drain after that takes its last measurements.
  bool is_finished() const noexcept { return ended_.load(std::memory_order_acquire); }
  bool waits_for_devices() const;

  // --- A clock may end before a thread, and a thread before a clock ------------------------------

  // Null after the clock has ended. A new clock at the same address is then not taken for the old
  // one.
  const Clock* clock() const noexcept { return clock_.load(std::memory_order_relaxed); }
  void forget_clock() noexcept { clock_.store(nullptr, std::memory_order_relaxed); }
  void end_thread() noexcept { ended_.store(true, std::memory_order_release); }

 private:
  struct Scope {
    int kernel = 0;
    std::uint32_t number = 0;
    std::int64_t began = 0;   // ticks
    std::int64_t inside = 0;  // ticks in inner scopes since `began`
    DeviceTimer::Scope* device = nullptr;
    std::int64_t before = 0;  // if there is a device: own ticks up to `began`
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

  static constexpr int deepest = 64;  // the time of deeper scopes counts for the kernel at this
                                      // depth

  const OwnClock now_;
  int depth_ = 0;
  std::uint32_t next_ = 0;
  std::int64_t last_;
  std::array<Scope, deepest> open_;  // innermost last
  std::atomic<bool> backwards_ = false;

  Ring<Record, 512> ring_;
  Spill spill_;                                  // for scopes that end while the ring is full
  std::atomic<DeviceTimer*> devices_ = nullptr;  // made when first needed
  std::unique_ptr<DeviceTimer> owned_devices_;

  std::atomic<const Clock*> clock_;
  std::atomic<bool> ended_ = false;
};

}  // namespace evenkeel
