#pragma once

// Kernels: named regions of the application's own work, timed by scope. A kernel should not wait
// for other ranks, for example in MPI.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/exec/stopwatch.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkeel {

// --- Chunks --------------------------------------------------------------------------------------
// A loop over objects can be divided into chunks that are timed one by one. Then evenkeel knows the
// times of stretches of objects, and not only the time of a whole rank.

class Clock;
class Timer;

// A range of consecutive objects.
class EVENKEEL_API Chunk {
 public:
  std::int64_t begin() const noexcept { return begin_; }  // the first index
  std::int64_t end() const noexcept { return end_; }      // the index after the last
  std::int64_t size() const noexcept { return end_ - begin_; }

  // Times work on these objects until the returned Timer goes out of scope. The time counts for the
  // objects and for the kernel. Local, on any thread.
  [[nodiscard]] Timer time() const noexcept;

 private:
  friend class Chunks;
  Chunk(Clock* clock, int slot, std::int64_t begin, std::int64_t end)
      : clock_(clock), slot_(slot), begin_(begin), end_(end) {}
  Clock* clock_;
  int slot_;
  std::int64_t begin_, end_;
};

// All chunks of a loop, in order; no chunk is empty. The Kernel must outlive them.
class EVENKEEL_API Chunks {
 public:
  // For range-based loops.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Chunk;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Chunk;

    Chunk operator*() const noexcept { return (*chunks_)[index_]; }
    Iterator& operator++() noexcept {
      ++index_;
      return *this;
    }
    Iterator operator++(int) noexcept {
      Iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
      return a.index_ == b.index_;
    }

   private:
    friend class Chunks;
    Iterator(const Chunks* chunks, std::size_t index) : chunks_(chunks), index_(index) {}
    const Chunks* chunks_;
    std::size_t index_;
  };

  std::size_t size() const noexcept { return count_; }
  // Chunk number `index`, which is less than size().
  Chunk operator[](std::size_t index) const noexcept;
  Iterator begin() const noexcept { return {this, 0}; }
  Iterator end() const noexcept { return {this, count_}; }

 private:
  friend class Clock;
  Chunks(Clock* clock, int first_slot, std::size_t count, std::int64_t objects)
      : clock_(clock), first_slot_(first_slot), count_(count), objects_(objects) {}
  Clock* clock_;
  int first_slot_;
  std::size_t count_;
  std::int64_t objects_;
};

// --- Kernels -------------------------------------------------------------------------------------

class Clock;
class DeviceEvents;
class ThreadTrack;

// The number of phases. If ranks wait for each other between two kernels, in a barrier or an
// exchange, give the kernels different phases. Each phase then waits for its own slowest rank.
inline constexpr int kernel_phases = 8;

// A set of types of objects, given by their numbers, for example {0, 2}.
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
  constexpr bool is_fit() const noexcept { return is_fit_; }  // all numbers are valid
  friend bool operator==(const KernelTypes&, const KernelTypes&) = default;

 private:
  std::uint32_t bits_ = 0;
  bool is_fit_ = true;
};

// The properties of a kernel; the same wherever it is registered.
struct KernelOptions {
  int phase = 0;  // from 0 to kernel_phases - 1
  // The kernel does all or most of its work once in this many steps. If it is 0, evenkeel finds
  // this period itself.
  int every = 0;
  // The kernel works on the objects of these types in one set. `set` is the number of that set
  // among the sets that are given to a Balancer. Without types, it works on all objects of all
  // sets.
  KernelTypes types = {};
  int set = 0;
  // The kernel exchanges ghosts: Auto{} learns the costs of ghosts from its time.
  bool exchanges_ghosts = false;

  friend bool operator==(const KernelOptions&, const KernelOptions&) = default;
};

// Measures until the end of its scope, or until another Timer is moved into it. An empty Timer
// measures nothing. While a kernel is timed inside another one, the outer one is interrupted, so no
// time counts twice. The Kernel, or the object that returned it, must outlive the Timer. A Timer
// must end in the thread in which it began.
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

  // Stops the measurement; the Timer is then empty.
  void end() noexcept;

 private:
  friend class Chunk;
  friend class Kernel;
  Timer(Clock& clock, int slot) noexcept;
  Timer(Clock& clock, int slot, const detail::DeviceStream& stream) noexcept;
  ThreadTrack* track_ = nullptr;  // null if nothing is measured, or if the thread is ending
  std::uint32_t scope_ = 0;       // number of the scope in this thread
};

// A handle to a registered kernel. It is cheap to copy and may outlive the object that returned it.
class EVENKEEL_API Kernel {
 public:
  // Times from here until the returned Timer goes out of scope. Local, on any thread.
  [[nodiscard]] Timer time() const noexcept { return Timer(*clock_, slot_); }

  // The same for work that is launched on an instance of a Kokkos space. On a device the time of
  // the scope is the host's time or the instance's time, whichever is longer. It counts after the
  // device has passed the end of the scope. No fence is needed, and no fence is added. On a host
  // instance this is the same as time().
  template <detail::ExecutionInstance Instance>
  [[nodiscard]] Timer time(const Instance& instance) const {
    return Timer(*clock_, slot_, detail::stream_of(instance));
  }

  // Divides a loop over objects on the host into chunks that are timed one by one:
  //
  //   for (const auto chunk : force.chunks(count)) {
  //     const auto timing = chunk.time();
  //     for (auto i = chunk.begin(); i < chunk.end(); ++i) add_forces(i);
  //   }
  //
  // The objects are those of one set, in the order of their arrays; `set` is its number among the
  // sets that are given to a Balancer. There are at most 128 chunks. Unless a loop has only one
  // chunk, work on a chunk takes at least 400 times as long as timing it. Call chunks() in the
  // thread that ends steps; the chunks may run on several threads.
  [[nodiscard]] Chunks chunks(std::int64_t objects, int set = 0) const;

  std::string name() const;

 private:
  friend class Clock;
  Kernel(std::shared_ptr<Clock> clock, int index, int slot)
      : clock_(std::move(clock)), index_(index), slot_(slot) {}
  std::shared_ptr<Clock> clock_;
  int index_;
  int slot_;  // its number among all timed kernels and chunks
};

// The clock that measures the work of kernels.
enum class ClockKind : int {
  automatic,  // thread_cpu if ranks share cores; otherwise wall time by the cycle counter, minus
              // the time in which the thread waited for a core that another program used
  wall,       // the system's wall clock
  thread_cpu  // the CPU time of the timing thread, in which waiting for a core does not count
};

// --- A clock of your own -------------------------------------------------------------------------

// A clock of your own: a function, a lambda or another object that is called without arguments and
// returns nanoseconds as an integer of 64 bits. It must not throw: an exception ends the program by
// std::terminate. Every thread that times kernels reads it. Copies of an OwnClock share one object.
class OwnClock {
 public:
  OwnClock() = default;                 // no clock
  OwnClock(std::nullptr_t) noexcept {}  // no clock
  // A null pointer or an empty std::function is no clock either.
  template <class Callable>
  requires(!std::same_as<Callable, OwnClock> && std::invocable<Callable&>)
      OwnClock(Callable callable) {
    static_assert(is_64_bit_integer<std::invoke_result_t<Callable&>>(),
                  "a clock of your own returns nanoseconds as an integer of 64 bits, such as "
                  "std::int64_t");
    if constexpr (std::convertible_to<Callable, Function>)
      function_ = callable;
    else
      keep(std::make_shared<Callable>(std::move(callable)));
  }

  // The time now. There must be a clock.
  std::int64_t operator()() const noexcept {
    return function_ != nullptr ? function_() : read_(object_.get());
  }
  explicit operator bool() const noexcept { return function_ != nullptr || read_ != nullptr; }
  // True for the same function, for copies of one OwnClock, and if both are no clock.
  friend bool operator==(const OwnClock&, const OwnClock&) = default;

 private:
  using Function = std::int64_t (*)();

  template <class Result>
  static constexpr bool is_64_bit_integer() {
    if constexpr (std::integral<Result>)
      return sizeof(Result) == sizeof(std::int64_t);
    else
      return false;
  }

  template <class Own>
  static std::int64_t read(void* object) {
    return static_cast<std::int64_t>((*static_cast<Own*>(object))());
  }
  template <class Own>
  void keep(std::shared_ptr<Own> object) {
    if constexpr (std::is_pointer_v<Own> || requires { object->operator bool(); })
      if (!*object) return;
    read_ = &read<Own>;
    object_ = std::move(object);
  }

  Function function_ = nullptr;
  std::int64_t (*read_)(void* object) = nullptr;
  std::shared_ptr<void> object_;
};

}  // namespace evenkeel
