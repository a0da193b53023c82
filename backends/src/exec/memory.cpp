#include "exec/host_memory.hpp"

#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/exec/with_space.hpp>

#include <limits>

namespace evenkeel {

namespace {

using DeviceMemory = exec::Device::memory_space;

template <class MemorySpace>
void* allocate_kokkos(const std::string& label, std::int64_t bytes) {
  if (!exec::kokkos_is_running()) return nullptr;
  try {  // Kokkos 3.4 throws std::runtime_error, 5.2 its own type; neither is a std::bad_alloc
    return Kokkos::kokkos_malloc<MemorySpace>(label, static_cast<std::size_t>(bytes));
  } catch (const std::exception&) {
    return nullptr;
  }
}

// Plain host memory is not from Kokkos, so host-only programs work before Kokkos is initialised and
// after it is finalized.
void* allocate(const std::string& label, MemoryKind kind, bool pinned, std::int64_t bytes) {
  switch (kind) {
    case MemoryKind::host:
      if constexpr (has_device)
        if (pinned) return allocate_kokkos<exec::PinnedSpace>(label, bytes);
      return exec::allocate_host(static_cast<std::size_t>(bytes));
    case MemoryKind::device:
      if constexpr (has_device) return allocate_kokkos<DeviceMemory>(label, bytes);
      break;
    case MemoryKind::shared:
      if constexpr (has_device) return allocate_kokkos<exec::SharedSpace>(label, bytes);
      return exec::allocate_host(static_cast<std::size_t>(bytes));
  }
  return nullptr;
}

template <class MemorySpace>
using Bytes = Kokkos::View<char*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class MemorySpace>
using ConstBytes = Kokkos::View<const char*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class To, class From, class Instance>
void copy_between(const Instance& instance, void* to, const void* from, std::int64_t bytes) {
  const auto count = static_cast<std::size_t>(bytes);
  Kokkos::deep_copy(instance, Bytes<To>(static_cast<char*>(to), count),
                    ConstBytes<From>(static_cast<const char*>(from), count));
}

// Chooses the memory spaces for Kokkos's copy. Managed memory is treated as device memory, so that
// the copy is ordered with the kernels of the instance.
template <class Instance>
void copy_on(const Instance& instance, void* to, bool to_host, const void* from, bool from_host,
             std::int64_t bytes) {
  using Host = Kokkos::HostSpace;
  if (to_host && from_host) return copy_between<Host, Host>(instance, to, from, bytes);
  if (to_host) return copy_between<Host, DeviceMemory>(instance, to, from, bytes);
  if (from_host) return copy_between<DeviceMemory, Host>(instance, to, from, bytes);
  copy_between<DeviceMemory, DeviceMemory>(instance, to, from, bytes);
}

}  // namespace

const char* name_of(MemoryKind kind) noexcept {
  switch (kind) {
    case MemoryKind::host: return "host";
    case MemoryKind::device: return "device";
    case MemoryKind::shared: return "shared";
  }
  return "unknown";
}

Buffer::Buffer(const std::string& label, MemoryKind kind, bool pinned, std::int64_t bytes)
    : bytes_(bytes), kind_(kind), pinned_(pinned) {
  if (bytes == 0) return;
  if (bytes > 0 && bytes <= std::numeric_limits<std::int64_t>::max() / 2)
    data_ = static_cast<std::byte*>(allocate(label, kind, pinned, bytes));
  if (data_ == nullptr)
    throw Error(ErrorKind::out_of_memory, Where{"backends/exec"},
                std::to_string(bytes) + " bytes of " + name_of(kind) + " memory for '" + label +
                    "' were refused.",
                "Use more ranks, fewer objects, or a smaller staging_bytes.");
}

Buffer::Buffer(const std::string& label, MemoryKind kind, std::int64_t bytes)
    : Buffer(label, kind, false, bytes) {}

Buffer Buffer::for_staging(const std::string& label, std::int64_t bytes) {
  return Buffer(label, MemoryKind::host, has_device && exec::kokkos_is_running(), bytes);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      kind_(other.kind_),
      pinned_(other.pinned_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    kind_ = other.kind_;
    pinned_ = other.pinned_;
  }
  return *this;
}

Buffer::~Buffer() { release(); }

void Buffer::release() noexcept {
  if (data_ == nullptr) return;
  if (!has_device || (kind_ == MemoryKind::host && !pinned_)) {
    exec::free_host(data_, static_cast<std::size_t>(bytes_));
  } else if (exec::kokkos_is_running()) {
    if (pinned_)
      Kokkos::kokkos_free<exec::PinnedSpace>(data_);
    else if (kind_ == MemoryKind::device)
      Kokkos::kokkos_free<DeviceMemory>(data_);
    else
      Kokkos::kokkos_free<exec::SharedSpace>(data_);
  }
  data_ = nullptr;
}

void copy_bytes(const Space& space, void* to, MemoryKind to_kind, const void* from,
                MemoryKind from_kind, std::int64_t bytes) {
  if (bytes == 0) return;
  if (bytes < 0)
    throw Error(ErrorKind::bad_input, Where{"backends/exec"},
                "A copy of " + std::to_string(bytes) + " bytes was asked for.",
                "Sizes cannot be negative.");
  const bool to_host = to_kind == MemoryKind::host || !has_device;
  const bool from_host = from_kind == MemoryKind::host || !has_device;
  const bool unknown =
      !has_device && (to_kind == MemoryKind::device || from_kind == MemoryKind::device);
  if (unknown)
    throw Error(ErrorKind::bad_input, Where{"backends/exec"},
                "Device memory was named, but this evenkeel was built without a device.",
                "Build evenkeel with a Kokkos that enables CUDA or HIP, or pass host memory.");
  if (to_host && from_host && !space.is_device()) {
    space.fence("evenkeel::exec::copy_bytes");  // kernels of the space may still be writing `from`
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  with_space(space,
             [&](const auto& instance) { copy_on(instance, to, to_host, from, from_host, bytes); });
}

}  // namespace evenkeel
