#pragma once

// The device stream that an instance of a Kokkos space launches on. Free of Kokkos: it is found by
// the members that Kokkos::Cuda and Kokkos::HIP have.

namespace evenkeel {

// A stream of CUDA or HIP, as a value that names neither.
struct DeviceStream {
  bool on_device = false;  // false: a host instance; the other members mean nothing
  int device = -1;         // -1: the current one
  void* handle = nullptr;  // null is a stream too, the default one

  friend bool operator==(const DeviceStream&, const DeviceStream&) = default;
};

// An instance of a Kokkos execution space.
template <class Instance>
concept ExecutionInstance = requires(const Instance& instance) {
  instance.fence();
};

// The stream of an instance of Kokkos::Cuda or Kokkos::HIP; for all others one that is not on a
// device.
template <ExecutionInstance Instance>
DeviceStream stream_of([[maybe_unused]] const Instance& instance) {
  DeviceStream stream;
  if constexpr (requires { instance.cuda_stream(); }) {
    stream.on_device = true;
    stream.handle = static_cast<void*>(instance.cuda_stream());
    if constexpr (requires { instance.cuda_device(); }) stream.device = instance.cuda_device();
  } else if constexpr (requires { instance.hip_stream(); }) {
    stream.on_device = true;
    stream.handle = static_cast<void*>(instance.hip_stream());
    if constexpr (requires { instance.hip_device(); }) stream.device = instance.hip_device();
  }
  return stream;
}

}  // namespace evenkeel
