#pragma once

// How long a device works for a scope: an event on the stream where the scope begins, another where
// it ends, and the time between them once the device has passed both. Nothing here waits, and no
// fence is added.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace evenkeel {

// The five operations on a device's events, for any thread. A refusal is a return value, not an
// exception, since a measurement must not end a run.
class EVENKEEL_API DeviceEvents {
 public:
  using Event = void*;
  // Whether the device has passed an event.
  enum class State { pending, passed, failed };

  DeviceEvents() = default;
  DeviceEvents(const DeviceEvents&) = delete;
  DeviceEvents& operator=(const DeviceEvents&) = delete;
  virtual ~DeviceEvents() = default;

  virtual Event create(const DeviceStream& stream) noexcept = 0;  // null if refused
  // record() puts the event on the stream, and is false if refused; query() does not wait.
  virtual void destroy(Event event) noexcept = 0;
  virtual bool record(Event event, const DeviceStream& stream) noexcept = 0;
  virtual State query(Event event) noexcept = 0;
  // The time between two events that have passed; negative if refused.
  virtual std::int64_t nanoseconds_between(Event begin, Event end) noexcept = 0;
};

// The events of this build's device; null in host-only builds.
EVENKEEL_API std::shared_ptr<DeviceEvents> device_events();

// The scopes that one thread times on devices. That thread begins and ends them; another thread may
// take the results.
class EVENKEEL_API DeviceTimer {
 public:
  class Scope;  // between begin and the moment at which its time is known

  // The times of one scope: on the host, as the caller gave it, and on the device, without the
  // inner scopes that are timed on the same stream; 0 if the device could not measure it.
  struct Measured {
    int kernel = 0;
    std::int64_t host = 0;
    std::int64_t device_nanoseconds = 0;
  };

  // With the events of a device; null: nothing is timed.
  explicit DeviceTimer(std::shared_ptr<DeviceEvents> events);
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;
  ~DeviceTimer();

  // `outer`: the innermost scope around this one, or null. Returns null if the scope cannot be
  // timed (for instance, while the stream is being captured).
  Scope* begin(const DeviceStream& stream, Scope* outer) noexcept;
  void end(Scope* scope, int kernel, std::int64_t host) noexcept;

  // Appends the scopes that the device has completed since the last call; scopes of one stream
  // appear in the order in which they ended.
  void take(std::vector<Measured>& into);

  // The number of scopes that have ended but whose time is not known yet.
  std::size_t pending() const;

 private:
  Scope* spare_for(const DeviceStream& stream);
  bool is_measured(Scope& scope) noexcept;
  void collect();

  std::shared_ptr<DeviceEvents> events_;
  mutable std::mutex mutex_;
  // A scope keeps its two events from use to use: the spare ones are the pool.
  std::vector<std::unique_ptr<Scope>> all_;
  std::vector<Scope*> spare_, pending_;  // pending: in the order of their ends
  std::vector<Measured> measured_;
  std::size_t collect_at_;
};

}  // namespace evenkeel
