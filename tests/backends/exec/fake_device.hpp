#pragma once

// A device whose progress the test controls. A launch on a stream begins after the earlier launches
// on this stream, and takes the given time.

#include <evenkeel/backends/exec/device_timer.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace evenkeel::test {

class FakeDevice final : public DeviceEvents {
 public:
  Event create(const DeviceStream& stream) noexcept override {
    if (refuses_to_create) return nullptr;
    ++alive;
    moments_.push_back(std::make_unique<Moment>());
    moments_.back()->device = stream.device;
    return moments_.back().get();
  }
  void destroy(Event /*event*/) noexcept override { --alive; }
  bool record(Event event, const DeviceStream& stream) noexcept override {
    ++recorded;
    if (refuses_to_record || of(event)->device != stream.device) return false;
    of(event)->at = launched_[stream.handle];
    return true;
  }
  EventState query(Event event) noexcept override {
    if (fails) return EventState::failed;
    return of(event)->at <= worked ? EventState::passed : EventState::pending;
  }
  std::int64_t nanoseconds_between(Event begin, Event end) noexcept override {
    return refuses_to_tell ? -1 : of(end)->at - of(begin)->at;
  }

  void launch(void* stream, std::int64_t nanoseconds) { launched_[stream] += nanoseconds; }

  bool refuses_to_create = false, refuses_to_record = false, refuses_to_tell = false, fails = false;
  std::int64_t worked = 0;  // by all streams
  int alive = 0, recorded = 0;

 private:
  struct Moment {
    std::int64_t at = 0;
    int device = -1;
  };
  static Moment* of(Event event) noexcept { return static_cast<Moment*>(event); }

  std::vector<std::unique_ptr<Moment>> moments_;
  std::map<void*, std::int64_t> launched_;
};

// Looks like Kokkos::Cuda and like Kokkos::HIP to code that does not know these types, and is a
// host space.
struct FakeCuda {
  void* stream = nullptr;
  int device = 0;
  void* cuda_stream() const { return stream; }
  int cuda_device() const { return device; }
  void fence() const {}
};
struct FakeHip {
  void* stream = nullptr;
  void* hip_stream() const { return stream; }
  void fence() const {}
};
struct FakeHost {
  void fence() const {}
};

}  // namespace evenkeel::test
