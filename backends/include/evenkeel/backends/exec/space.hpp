#pragma once

// Where work runs, as a run-time value: one instance of one Kokkos execution space of this build.
// Free of Kokkos; exec/kokkos_spaces.hpp turns it back into the typed instance.

#include <evenkeel/backends/config.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel {

// --- Memory --------------------------------------------------------------------------------------
// Memory kinds, and raw memory of a kind. Free of Kokkos, so that a field can be described
// anywhere.

// Who can reach a piece of memory. In a build without a device every memory is `host`.
enum class MemoryKind : int {
  host,    // the host alone
  device,  // the device alone
  shared   // both: managed or pinned memory
};

// The name in messages.
EVENKEEL_API const char* name_of(MemoryKind kind) noexcept;

// Owns uninitialised bytes of one kind. Movable. A refused allocation is an Error that names the
// label. Device memory that is still owned when Kokkos is finalized is freed only at process exit.
class EVENKEEL_API Buffer {
 public:
  Buffer() = default;
  // Allocates; the label is for messages and for the tools of Kokkos.
  Buffer(const std::string& label, MemoryKind kind, std::int64_t bytes);

  // Host memory to send from and receive into: page-locked where the build has a device (copies to
  // and from it then run at full speed), plain host memory elsewhere.
  static Buffer for_staging(const std::string& label, std::int64_t bytes);

  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::byte* data() const noexcept { return data_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  MemoryKind kind() const noexcept { return kind_; }

 private:
  Buffer(const std::string& label, MemoryKind kind, bool pinned, std::int64_t bytes);
  void release() noexcept;

  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
  MemoryKind kind_ = MemoryKind::host;
  bool pinned_ = false;
};

class Space;

// Copies bytes between any two kinds, on `space`: after all work launched there before,
// concurrently with work elsewhere. Fence the space before the host reads the copy or `from`
// changes. The ranges must not overlap.
EVENKEEL_API void copy_bytes(const Space& space, void* to, MemoryKind to_kind, const void* from,
                             MemoryKind from_kind, std::int64_t bytes);

// --- Streams -------------------------------------------------------------------------------------
// The device stream that an instance of a Kokkos space launches on. Free of Kokkos: it is found by
// the members that Kokkos::Cuda and Kokkos::HIP have.

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

// --- Space ---------------------------------------------------------------------------------------

class EVENKEEL_API Space {
 public:
  // The instance that works on memory of this kind: the one in use (see InUse), or the default one.
  // Kokkos must be initialised. Asking for device memory in a build without a device is an Error.
  static Space where(MemoryKind kind);

  // The default instance of the space of this name ("Serial", "OpenMP", "Cuda", "HIP", ...), upper
  // or lower case. An unknown name is an Error that lists the names of this build.
  static Space named(std::string_view name);

  // The names of all spaces of this build, hosts first.
  static std::vector<std::string> names();

  std::string_view name() const noexcept;
  // Whether its kernels reach memory of this kind.
  bool can_access(MemoryKind kind) const noexcept;
  bool is_device() const noexcept;

  // Waits until all work launched on this instance, and on no other, has ended.
  void fence(const char* label) const;

  // For exec/kokkos_spaces.hpp: the position of the type in the list of enabled spaces, and the
  // typed instance, kept alive by every copy; null for the default instance.
  Space(int type, std::shared_ptr<const void> instance)
      : type_(type), instance_(std::move(instance)) {}
  int type() const noexcept { return type_; }
  const void* instance() const noexcept { return instance_.get(); }

 private:
  int type_;
  std::shared_ptr<const void> instance_;
};

// While this object lives, evenkeel's work in this thread on the memory of the space runs on the
// given instance: for example, device kernels on a stream of the application. Objects nest; the
// innermost one counts.
//
//   const ek::InUse in_use(ek::space_of(stream));
//   const ek::Cut parts = ek::cut(...);
//
// Work on other instances that writes what evenkeel reads must have ended before. What evenkeel
// writes is complete when its function returns, except for functions documented as non-blocking.
class EVENKEEL_API InUse {
 public:
  explicit InUse(std::optional<Space> space);  // none: changes nothing
  ~InUse();
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  friend class Space;
  std::optional<Space> space_;
  const InUse* outer_;
};

}  // namespace evenkeel
