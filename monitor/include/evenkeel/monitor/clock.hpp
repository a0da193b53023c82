#pragma once

// Kernels: named regions of the application's own work, timed by scope. Waiting (in MPI, mostly)
// does not belong in one.

#include <evenkeel/backends/exec/device_stream.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/monitor/chunks.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

class Clock;
class DeviceEvents;
class ThreadTrack;

// Kernels between which ranks wait for each other, in a barrier or an exchange, are put in phases:
// every phase then waits for its own slowest rank.
inline constexpr int kernel_phases = 8;

// Types of objects, by their numbers: {0, 2}.
class KernelTypes {
 public:
  static constexpr int most = 16;

  constexpr KernelTypes() = default;
  // Numbers from 0 to most - 1.
  constexpr KernelTypes(std::initializer_list<int> types) noexcept {
    for (const int type : types) {
      if (type < 0 || type >= most)
        is_fit_ = false;
      else
        bits_ |= std::uint32_t{1} << type;
    }
  }
  constexpr std::uint32_t bits() const noexcept { return bits_; }
  constexpr bool is_fit() const noexcept { return is_fit_; }  // all of them can be types
  friend bool operator==(const KernelTypes&, const KernelTypes&) = default;

 private:
  std::uint32_t bits_ = 0;
  bool is_fit_ = true;
};

// What is known of a kernel; the same wherever it is registered.
struct KernelOptions {
  int phase = 0;  // from 0 to kernel_phases - 1
  int every = 0;  // runs, or does most of its work, once in this many steps; 0: found by itself
  // The objects that it works on, if it is known: those of these types in the set with this number
  // among the sets that are given to a Balancer. Without types, all of all sets.
  KernelTypes types = {};
  int set = 0;

  friend bool operator==(const KernelOptions&, const KernelOptions&) = default;
};

// Measures until the end of its scope, or until something else is moved into it; empty, it measures
// nothing. A kernel timed inside another interrupts it, so that no time counts twice. Its Kernel,
// or the object that the Kernel came from, must outlive it, and it ends in the thread in which it
// began.
class EVENKEEL_API Timer {
 public:
  Timer() = default;
  Timer(Timer&& other) noexcept
      : track_(std::exchange(other.track_, nullptr)), scope_(other.scope_) {}
  Timer& operator=(Timer&& other) noexcept {
    if (this != &other) {
      end();
      track_ = std::exchange(other.track_, nullptr);
      scope_ = other.scope_;
    }
    return *this;
  }
  ~Timer() { end(); }

  // Measures no longer, and is empty.
  void end() noexcept;

 private:
  friend class Chunk;
  friend class Kernel;
  Timer(Clock& clock, int slot) noexcept;
  Timer(Clock& clock, int slot, const DeviceStream& stream) noexcept;
  ThreadTrack* track_ = nullptr;  // null: nothing is measured; also in a thread that is ending
  std::uint32_t scope_ = 0;       // its number in this thread
};

// A handle to a registered kernel: cheap to copy; it may outlive the object that returned it.
class EVENKEEL_API Kernel {
 public:
  // Times from here until the returned Timer goes out of scope. Local, on any thread.
  [[nodiscard]] Timer time() const noexcept { return Timer(*clock_, slot_); }

  // The same for work that is launched on an instance of a Kokkos space. On a device the scope
  // counts as the longer of the host's time and the instance's time for it, once the device has
  // passed its end: no fence is needed, and none is added. On a host this is time().
  template <ExecutionInstance Instance>
  [[nodiscard]] Timer time(const Instance& instance) const {
    return Timer(*clock_, slot_, stream_of(instance));
  }

  // Divides a loop over objects on the host into chunks that are timed one by one:
  //
  //   for (const auto chunk : force.chunks(count)) {
  //     const auto timing = chunk.time();
  //     for (auto i = chunk.begin(); i < chunk.end(); ++i) add_forces(i);
  //   }
  //
  // The objects are those of the set with this number among the sets that are given to a Balancer,
  // in the order of their arrays. So many chunks that timing them takes a four-hundredth of the
  // loop's time, and 128 at most. By the thread that ends steps; the chunks may be spread over
  // threads.
  [[nodiscard]] Chunks chunks(std::int64_t objects, int set = 0) const;

  std::string name() const;

 private:
  friend class Clock;
  Kernel(std::shared_ptr<Clock> clock, int index, int slot)
      : clock_(std::move(clock)), index_(index), slot_(slot) {}
  std::shared_ptr<Clock> clock_;
  int index_;
  int slot_;  // among all that is timed
};

// What a loop in chunks has taken, of all threads together, by stretch of its objects.
struct StretchTimes {
  int set = 0;
  std::int64_t objects = 0;              // that were divided into stretches, at last
  double steps = 0, all_steps = 0;       // in which it was timed: recent ones, and all
  std::vector<double> nanoseconds = {};  // by stretch, in recent steps
  double all_nanoseconds = 0;            // of all stretches in all steps
};

// Adds up the nanoseconds of kernels, step by step. Any thread may time; only one thread at a time
// may register kernels, end steps and read what was measured.
class EVENKEEL_API Clock : public std::enable_shared_from_this<Clock> {
 public:
  using Now = std::int64_t (*)() noexcept;  // wall_nanoseconds or thread_cpu_nanoseconds

  // `events`: with which time(instance) times the device; null: it times the host alone.
  static std::shared_ptr<Clock> make(Now now);
  static std::shared_ptr<Clock> make(Now now, std::shared_ptr<DeviceEvents> events);
  // By the cycle counter, or by wall time where the counter cannot be trusted.
  static std::shared_ptr<Clock> by_cycles();

  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  ~Clock();

  // The same name again is the same kernel; with other options it is an Error.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});
  const std::vector<std::string>& names() const noexcept { return names_; }
  const std::vector<KernelOptions>& options() const noexcept { return options_; }

  // One step in nanoseconds.
  struct Step {
    std::int64_t duration = 0;  // since the last step ended
    std::int64_t load = 0;      // in kernels
    bool fit = true;            // false when the clock went backwards
  };
  // Ends the step. A kernel counts as the time of its busiest thread: scopes that ended in this
  // step, on the calling thread also the part of open scopes that lies in it, and what devices have
  // passed by now. of_step(): nanoseconds of each kernel, valid until the next end_step().
  Step end_step() noexcept;
  const std::vector<std::int64_t>& of_step() const noexcept { return of_step_; }

  // By loop in chunks, since the objects were put in another order.
  const std::vector<StretchTimes>& of_stretches() const noexcept;
  void forget_stretches() noexcept;

 private:
  friend class Kernel;
  friend class Timer;
  struct Impl;

  Clock(Now now, std::shared_ptr<DeviceEvents> events, bool by_cycles);
  ThreadTrack* track() noexcept;
  ThreadTrack* known_track() const noexcept;
  ThreadTrack* make_track();
  std::size_t add_slots(std::size_t count);
  Chunks chunks(int kernel, std::int64_t objects, int set);

  std::vector<std::string> names_;
  std::vector<KernelOptions> options_;
  std::vector<std::int64_t> of_step_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
