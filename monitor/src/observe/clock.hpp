#pragma once

// The clock behind kernels, and the times of loops in chunks.

#include <evenkeel/monitor/clock.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace evenkeel {

// The time of a loop in chunks, summed over all threads, for each stretch of its objects.
struct StretchTimes {
  int set = 0;
  std::int64_t objects = 0;              // that the last loop divided into stretches
  double steps = 0, all_steps = 0;       // steps in which the loop was timed: recent ones, and all
  std::vector<double> nanoseconds = {};  // the time of each stretch in recent steps
  double all_nanoseconds = 0;            // the time of all stretches in all steps
};

// Sums the nanoseconds of kernels in each step. Any thread may time kernels. Only one thread at a
// time may register kernels, end steps and read the measurements.
class EVENKEEL_API Clock : public std::enable_shared_from_this<Clock> {
 public:
  // Kernel::time(instance) times the device by `events`; the default is the events of this build's
  // device. If `events` is null, it times only the host.
  static std::shared_ptr<Clock> make(const OwnClock& now);
  static std::shared_ptr<Clock> make(const OwnClock& now, std::shared_ptr<DeviceEvents> events);
  // Makes a clock that uses the cycle counter, or wall time if the counter is not reliable.
  static std::shared_ptr<Clock> by_cycles();

  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  ~Clock();

  // Registers a kernel, or returns the one with this name. Throws an Error if the name is
  // registered with other options.
  Kernel kernel(const std::string& name, const KernelOptions& options = {});
  const std::vector<std::string>& names() const noexcept { return names_; }
  const std::vector<KernelOptions>& options() const noexcept { return options_; }

  // Adds a part to a kernel, and returns a handle that times it. The time of a part counts for the
  // kernel, too. Parts are numbered in the order in which they are added.
  Kernel add_part(const Kernel& kernel);
  int parts() const noexcept { return static_cast<int>(of_parts_.size()); }
  // Adds time to a part in this step that the application has measured itself. For the thread that
  // ends steps.
  void add_to_part(int part, std::int64_t nanoseconds) noexcept;
  // Returns the nanoseconds of a part, over all threads, in the steps since the last call.
  double take_part(int part) noexcept;

  // The times of one step, in nanoseconds.
  struct Step {
    std::int64_t duration = 0;  // since the last step ended
    std::int64_t load = 0;      // in kernels
    bool fit = true;            // false if the clock went backwards
  };
  // Ends the step. The time of a kernel is the time of its busiest thread. It contains scopes that
  // ended in this step, the part of open scopes of the calling thread that is in this step, and
  // device work that has completed by now. of_step() returns the nanoseconds of each kernel; the
  // reference is valid until the next end_step().
  Step end_step() noexcept;
  const std::vector<std::int64_t>& of_step() const noexcept { return of_step_; }

  // The times of each loop in chunks since the last call of forget_stretches(). Call that when the
  // order of the objects changes, because it makes earlier times useless.
  const std::vector<StretchTimes>& of_stretches() const noexcept;
  void forget_stretches() noexcept;

 private:
  friend class Kernel;
  friend class Timer;
  struct Impl;

  Clock(const OwnClock& now, std::shared_ptr<DeviceEvents> events, bool by_cycles);
  ThreadTrack* track() noexcept;
  ThreadTrack* known_track() const noexcept;
  ThreadTrack* make_track();
  std::size_t add_slots(std::size_t count);
  Chunks chunks(int kernel, std::int64_t objects, int set);

  std::vector<std::string> names_;
  std::vector<KernelOptions> options_;
  std::vector<std::int64_t> of_step_;
  std::vector<double> of_parts_;  // nanoseconds
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
