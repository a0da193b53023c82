#pragma once

// Memory kinds, and raw memory of a kind. Free of Kokkos, so that a field can be described
// anywhere.

#include <evenkeel/backends/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace evenkeel {

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

}  // namespace evenkeel
