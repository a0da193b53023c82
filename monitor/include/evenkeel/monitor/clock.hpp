#pragma once

// Kernels: named regions of the application's own work, timed by scope. Waiting (in MPI, mostly)
// does not belong in one.

#include <evenkeel/backends/export.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {

class Clock;

// Measures until the end of the scope. A kernel timed inside another interrupts it, so that no time
// counts twice. On the thread that calls step. Its Kernel, or what that came from, lives longer.
class EVENKEEL_API Timer {
 public:
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

 private:
  friend class Kernel;
  Timer(Clock& clock, int kernel) noexcept;
  Clock* clock_;
};

// A registered kernel; a handle, cheap to copy, which may outlive what gave it.
class EVENKEEL_API Kernel {
 public:
  // Times from here to the end of the scope of what is returned. Local.
  [[nodiscard]] Timer time() const noexcept { return Timer(*clock_, index_); }
  std::string name() const;

 private:
  friend class Clock;
  Kernel(std::shared_ptr<Clock> clock, int index) : clock_(std::move(clock)), index_(index) {}
  std::shared_ptr<Clock> clock_;
  int index_;
};

// Adds up the nanoseconds of kernels, step by step. One thread.
class EVENKEEL_API Clock : public std::enable_shared_from_this<Clock> {
 public:
  using Now = std::int64_t (*)() noexcept;  // wall_nanoseconds or thread_cpu_nanoseconds
  static std::shared_ptr<Clock> make(Now now);

  Kernel kernel(const std::string& name);
  const std::vector<std::string>& names() const noexcept { return names_; }

  void begin(int kernel) noexcept;
  void end() noexcept;

  struct Step {
    std::int64_t duration = 0;  // since the last step ended
    std::int64_t load = 0;      // of which in kernels
    bool fit = true;            // false when the clock went backwards
  };
  // Ends the step. of_step(): nanoseconds of each kernel in it, until the next end_step().
  Step end_step() noexcept;
  const std::vector<std::int64_t>& of_step() const noexcept { return finished_; }

 private:
  explicit Clock(Now now);
  void charge() noexcept;

  static constexpr int deepest = 64;  // what is nested deeper counts for the kernel at this depth
  Now now_;
  std::int64_t last_ = 0, step_began_ = 0;
  bool fit_ = true;
  std::vector<std::string> names_;
  std::array<int, deepest> running_{};  // kernels, innermost last
  int depth_ = 0;
  std::vector<std::int64_t> current_, finished_;
};

}  // namespace evenkeel
