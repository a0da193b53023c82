#pragma once

// Measures how long a device works in a scope. It puts an event on the stream at the begin of the
// scope and another at its end. After the device has passed both, the time between them is the
// result. The timer never waits and adds no fence.

#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace evenkeel {

// The five operations on a device's events, for any thread. They report a failure by a return
// value, not by an exception, since a measurement must not end a run.
class EVENKEEL_API DeviceEvents {
 public:
  using Event = void*;
  // Says whether the device has passed an event.
  enum class EventState { pending, passed, failed };

  DeviceEvents() = default;
  DeviceEvents(const DeviceEvents&) = delete;
  DeviceEvents& operator=(const DeviceEvents&) = delete;
  virtual ~DeviceEvents() = default;

  virtual Event create(const DeviceStream& stream) noexcept = 0;  // null if it fails
  // record() puts the event on the stream, and returns false if it fails. query() does not wait.
  virtual void destroy(Event event) noexcept = 0;
  virtual bool record(Event event, const DeviceStream& stream) noexcept = 0;
  virtual EventState query(Event event) noexcept = 0;
  // The time between two events that the device has passed; negative if it fails.
  virtual std::int64_t nanoseconds_between(Event begin, Event end) noexcept = 0;
};

// The events of this build's device; null in host-only builds.
EVENKEEL_API std::shared_ptr<DeviceEvents> device_events();

// The scopes that one thread times on devices. Only that thread begins and ends scopes; another
// thread may take the results.
class EVENKEEL_API DeviceTimer {
 public:
  class Scope;  // in use from begin() until its time is known

  // The times of one scope. The time on the host is the one that the caller passed to end(). The
  // time on the device excludes inner scopes that are timed on the same stream; it is 0 if the
  // device could not measure it.
  struct Measured {
    int kernel = 0;
    std::int64_t host = 0;
    std::int64_t device_nanoseconds = 0;
  };

  // The events must not be null.
  explicit DeviceTimer(std::shared_ptr<DeviceEvents> events);
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;
  ~DeviceTimer();

  // `outer` is the innermost scope around this one, or null. Returns null if the scope cannot be
  // timed, for example while the stream is being captured.
  Scope* begin(const DeviceStream& stream, Scope* outer) noexcept;
  void end(Scope* scope, int kernel, std::int64_t host) noexcept;

  // Appends the scopes that the device has completed since the last call; scopes of one stream
  // appear in the order in which they ended.
  void take(std::vector<Measured>& into);

  // The number of scopes that have ended and whose time is not known yet.
  std::size_t pending() const;

 private:
  Scope* spare_for(const DeviceStream& stream);
  bool is_measured(Scope& scope) noexcept;
  void collect();

  std::shared_ptr<DeviceEvents> events_;
  mutable std::mutex mutex_;
  // Scopes that are not in use are in spare_. They keep their two events for the next use.
  std::vector<std::unique_ptr<Scope>> all_;
  std::vector<Scope*> spare_, pending_;  // pending: in the order of their ends
  std::vector<Measured> measured_;
  std::size_t collect_at_;
};

}  // namespace evenkeel
