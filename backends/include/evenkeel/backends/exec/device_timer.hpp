#pragma once

// How long a device works for a scope: an event on the stream where the scope begins, another where
// it ends, and the time between them once the device has passed both. Nothing here waits, and no
// fence is added.

#include <evenkeel/backends/exec/device_stream.hpp>
#include <evenkeel/backends/export.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace evenkeel {

// The five things that are asked of a device. Any thread; refusals are answers, not exceptions,
// since a measurement must not end a run.
class EVENKEEL_API DeviceEvents {
 public:
  using Event = void*;
  enum class State { pending, passed, failed };

  DeviceEvents() = default;
  DeviceEvents(const DeviceEvents&) = delete;
  DeviceEvents& operator=(const DeviceEvents&) = delete;
  virtual ~DeviceEvents() = default;

  virtual Event create(const DeviceStream& stream) noexcept = 0;  // null: refused
  virtual void destroy(Event event) noexcept = 0;
  virtual bool record(Event event, const DeviceStream& stream) noexcept = 0;
  virtual State query(Event event) noexcept = 0;
  // Between two that have passed; negative: refused.
  virtual std::int64_t nanoseconds_between(Event begin, Event end) noexcept = 0;
};

// Those of the device that this build has; null in builds for hosts.
EVENKEEL_API std::shared_ptr<DeviceEvents> device_events();

// The scopes that one thread times on devices. That thread begins and ends them; another may take
// what has been measured.
class EVENKEEL_API DeviceTimer {
 public:
  class Scope;  // between begin and the moment at which its time is known

  // What one scope took: on the host, as the caller has said, and on the device, without the scopes
  // inside that are timed on the same stream. 0 where the device could not say.
  struct Measured {
    int kernel = 0;
    std::int64_t host = 0;
    std::int64_t device_nanoseconds = 0;
  };

  explicit DeviceTimer(std::shared_ptr<DeviceEvents> events);
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;
  ~DeviceTimer();

  // `outer`: the innermost scope around this one, null without. Null: it cannot be timed here (a
  // stream that is being captured, say).
  Scope* begin(const DeviceStream& stream, Scope* outer) noexcept;
  void end(Scope* scope, int kernel, std::int64_t host) noexcept;

  // Appends what the device has passed since the last call, in the order in which scopes ended as
  // far as they lie on one stream.
  void take(std::vector<Measured>& into);

  // Scopes that have ended, and whose time is not known yet.
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
