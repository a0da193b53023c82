#pragma once

// Says at run time on which instance of which Kokkos execution space work runs. This header does
// not include Kokkos; exec/kokkos_spaces.hpp makes a Space from a typed instance.

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
// Kinds of memory, and raw memory of a kind. Code that describes fields uses them without Kokkos.

// Says whether host or device can reach a piece of memory. In a build without a device, memory of
// every Kokkos space is `host`.
enum class MemoryKind : int {
  host,    // only the host
  device,  // only the device
  shared   // both: managed or pinned memory
};

// The name in messages.
EVENKEEL_API const char* name_of(MemoryKind kind) noexcept;

namespace detail {

// Asks the system for large pages where this host memory has not been accessed yet. Does nothing
// for small arrays, and where the system has no such pages.
EVENKEEL_API void ask_for_large_pages(void* data, std::size_t bytes) noexcept;
// The same for memory that this thread will write completely. It also takes all pages at once,
// because one request for many pages takes less time than a fault for each.
EVENKEEL_API void touch_first(void* data, std::size_t bytes) noexcept;

// Owns uninitialised bytes of one kind. Movable. A refused allocation is an Error that names the
// label. Memory from Kokkos (all but plain host memory) that a Buffer still owns when Kokkos is
// finalized is freed only at process exit.
class EVENKEEL_API Buffer {
 public:
  Buffer() = default;
  // Allocates; the label is for messages and for the tools of Kokkos.
  Buffer(const std::string& label, MemoryKind kind, std::int64_t bytes);

  // Host memory to send from and receive into. If the build has a device and Kokkos is running, it
  // is page-locked, so that copies to and from the device run at full speed.
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

}  // namespace detail

class Space;

// Copies bytes between memory of any two kinds. The copy runs on `space`, after all work launched
// earlier on it, and concurrently with work on other instances. Fence the space before the host
// reads the copy or changes `from`. The ranges must not overlap.
EVENKEEL_API void copy_bytes(const Space& space, void* to, MemoryKind to_kind, const void* from,
                             MemoryKind from_kind, std::int64_t bytes);

// --- Streams -------------------------------------------------------------------------------------
// The device stream on which an instance of a Kokkos space launches. It is found through members
// that Kokkos::Cuda and Kokkos::HIP have, so this header needs no Kokkos.

namespace detail {

// A stream of CUDA or HIP, in a type that needs neither.
struct DeviceStream {
  bool on_device = false;  // if false, it is a host instance and the other members mean nothing
  int device = -1;         // -1 is the current device
  void* handle = nullptr;  // null is the default stream

  friend bool operator==(const DeviceStream&, const DeviceStream&) = default;
};

// An instance of a Kokkos execution space.
template <class Instance>
concept ExecutionInstance = requires(const Instance& instance) {
  instance.fence();
};

// The stream of an instance of Kokkos::Cuda or Kokkos::HIP. For other instances, `on_device` is
// false.
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

}  // namespace detail

// --- Space ---------------------------------------------------------------------------------------

// One instance of one Kokkos execution space of this build, as a run-time value. Copies share the
// instance.
class EVENKEEL_API Space {
 public:
  // Returns the instance that works on memory of this kind: the one in use (see InUse), or else the
  // default one. Kokkos must be running. To ask for device memory in a build without a device is an
  // Error.
  static Space where(MemoryKind kind);

  // The default instance of the space of this name ("Serial", "OpenMP", "Cuda", "HIP", ...), in
  // upper or lower case. An unknown name is an Error that lists the names of this build.
  static Space named(std::string_view name);

  // The names of all spaces of this build, hosts first.
  static std::vector<std::string> names();

  std::string_view name() const noexcept;
  // True if kernels on this space can reach memory of this kind.
  bool can_access(MemoryKind kind) const noexcept;
  bool is_device() const noexcept;

  // Waits until all work launched on this instance, but not on others, has ended.
  void fence(const char* label) const;

  // These are for exec/kokkos_spaces.hpp and exec/with_space.hpp. `type` is the position of the
  // type in the list of enabled spaces. `instance` is the typed instance, which every copy keeps
  // alive; it is null for the default instance.
  Space(int type, std::shared_ptr<const void> instance)
      : type_(type), instance_(std::move(instance)) {}
  int type() const noexcept { return type_; }
  const void* instance() const noexcept { return instance_.get(); }

 private:
  int type_;
  std::shared_ptr<const void> instance_;
};

// While this object lives, evenkeel's work in this thread runs on the given instance, as far as the
// work is on memory of that instance's kind. For example, device kernels run on a stream of the
// application. If such objects are nested, the innermost one counts for each kind of memory.
//
//   const ek::InUse in_use(ek::space_of(stream));
//   const ek::Cut parts = ek::cut(...);
//
// Work on other instances that writes data which evenkeel reads must end before the call. Results
// are complete when a function returns, unless its documentation says that it does not block.
class EVENKEEL_API InUse {
 public:
  explicit InUse(std::optional<Space> space);  // std::nullopt changes nothing
  ~InUse();
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  friend class Space;
  std::optional<Space> space_;
  const InUse* outer_;
};

}  // namespace evenkeel
