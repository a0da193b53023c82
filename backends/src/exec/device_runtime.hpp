#pragma once

// Events of the device's runtime. CUDA and HIP differ only in names. Include Kokkos's macros before
// this header, which does not include Kokkos.

#include <evenkeel/backends/exec/device_timer.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#define EVENKEEL_HAS_DEVICE_RUNTIME
#include <cuda_runtime.h>
#elif defined(KOKKOS_ENABLE_HIP)
#define EVENKEEL_HAS_DEVICE_RUNTIME
#include <hip/hip_runtime.h>
#endif

namespace evenkeel::detail {

#if defined(KOKKOS_ENABLE_CUDA)

struct Runtime {
  using Stream = cudaStream_t;
  using Event = cudaEvent_t;
  using Result = cudaError_t;
  static constexpr Result success = cudaSuccess, not_ready = cudaErrorNotReady;

  static Result current_device(int* device) { return cudaGetDevice(device); }
  static Result use_device(int device) { return cudaSetDevice(device); }
  static Result create(Event* event) { return cudaEventCreate(event); }
  static Result destroy(Event event) { return cudaEventDestroy(event); }
  static Result record(Event event, Stream stream) { return cudaEventRecord(event, stream); }
  static Result query(Event event) { return cudaEventQuery(event); }
  static Result milliseconds(float* time, Event begin, Event end) {
    return cudaEventElapsedTime(time, begin, end);
  }
  static bool is_captured(Stream stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) != success ||
           status != cudaStreamCaptureStatusNone;
  }
  static void forget_last_error() { static_cast<void>(cudaGetLastError()); }
};

#elif defined(KOKKOS_ENABLE_HIP)

struct Runtime {
  using Stream = hipStream_t;
  using Event = hipEvent_t;
  using Result = hipError_t;
  static constexpr Result success = hipSuccess, not_ready = hipErrorNotReady;

  static Result current_device(int* device) { return hipGetDevice(device); }
  static Result use_device(int device) { return hipSetDevice(device); }
  static Result create(Event* event) { return hipEventCreate(event); }
  static Result destroy(Event event) { return hipEventDestroy(event); }
  static Result record(Event event, Stream stream) { return hipEventRecord(event, stream); }
  static Result query(Event event) { return hipEventQuery(event); }
  static Result milliseconds(float* time, Event begin, Event end) {
    return hipEventElapsedTime(time, begin, end);
  }
  static bool is_captured(Stream stream) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    return hipStreamIsCapturing(stream, &status) != success || status != hipStreamCaptureStatusNone;
  }
  static void forget_last_error() { static_cast<void>(hipGetLastError()); }
};

#endif

#if defined(EVENKEEL_HAS_DEVICE_RUNTIME)

class RuntimeEvents final : public DeviceEvents {
 public:
  Event create(const DeviceStream& stream) noexcept override {
    int before = 0;
    if (!worked(Runtime::current_device(&before))) return nullptr;
    const bool elsewhere = stream.device >= 0 && stream.device != before;
    if (elsewhere && !worked(Runtime::use_device(stream.device))) return nullptr;
    Runtime::Event event = nullptr;
    const bool made = worked(Runtime::create(&event));
    if (elsewhere) worked(Runtime::use_device(before));
    return made ? static_cast<void*>(event) : nullptr;
  }

  void destroy(Event event) noexcept override { worked(Runtime::destroy(of(event))); }

  // While a stream is captured, an event would become part of the captured graph.
  bool record(Event event, const DeviceStream& stream) noexcept override {
    auto* const handle = static_cast<Runtime::Stream>(stream.handle);
    if (Runtime::is_captured(handle)) {
      Runtime::forget_last_error();
      return false;
    }
    return worked(Runtime::record(of(event), handle));
  }

  EventState query(Event event) noexcept override {
    const Runtime::Result result = Runtime::query(of(event));
    if (worked(result)) return EventState::passed;
    return result == Runtime::not_ready ? EventState::pending : EventState::failed;
  }

  std::int64_t nanoseconds_between(Event begin, Event end) noexcept override {
    float milliseconds = 0;
    if (!worked(Runtime::milliseconds(&milliseconds, of(begin), of(end)))) return -1;
    return static_cast<std::int64_t>(1e6 * static_cast<double>(milliseconds));
  }

 private:
  static Runtime::Event of(Event event) noexcept { return static_cast<Runtime::Event>(event); }

  // The runtime keeps the last failure, including "not ready", until it is queried. This clears it.
  // Otherwise the application, or Kokkos after a launch, would take it for a failure of its own
  // calls.
  static bool worked(Runtime::Result result) noexcept {
    if (result != Runtime::success) Runtime::forget_last_error();
    return result == Runtime::success;
  }
};

#endif

}  // namespace evenkeel::detail
