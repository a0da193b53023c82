#pragma once

// Where work runs, as a run-time value: one instance of one Kokkos execution space of this build.
// Free of Kokkos; exec/kokkos_spaces.hpp turns it back into the typed instance.

#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/backends/export.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel {

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
