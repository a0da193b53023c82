#pragma once

// Typed memory of a space, for orders, weights, parts and lists. This header does not include
// Kokkos.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <limits>
#include <span>
#include <type_traits>

namespace evenkeel::exec {

// The kind of memory that a space works on.
inline MemoryKind memory_of(const Space& space) {
  return space.is_device() ? MemoryKind::device : MemoryKind::host;
}

// Uninitialised values of one type in the memory that a space works on. A copy has the same values
// in memory of its own. Only kernels and copies can reach the values of an array on a device. A
// refused allocation is an Error that names the label.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>, "an array holds values that kernels copy");

 public:
  Array() = default;
  Array(const Space& space, const std::string& label, std::int64_t size)
      : buffer_(label, memory_of(space), bytes_of(size)), space_(space), size_(size) {}
  // Has room to grow to `capacity` values.
  Array(const Space& space, const std::string& label, std::int64_t size, std::int64_t capacity)
      : Array(space, label, capacity > size ? capacity : size) {
    size_ = size;
  }
  // Copies values from the host. Blocks until the copy is complete.
  Array(const Space& space, const std::string& label, std::span<const T> values)
      : Array(space, label, std::ssize(values)) {
    copy_bytes(space, data(), memory(), values.data(), MemoryKind::host, bytes());
    if (size_ > 0) space.fence(label.c_str());
  }
  Array(const Array& other) {
    if (!other.space_) return;
    Array copy(*other.space_, "evenkeel::exec::copy", other.size_);
    copy_bytes(*copy.space_, copy.data(), copy.memory(), other.data(), other.memory(),
               copy.bytes());
    if (copy.size_ > 0) copy.space_->fence("evenkeel::exec::copy");
    *this = std::move(copy);
  }
  Array& operator=(const Array& other) {
    if (this != &other) *this = Array(other);
    return *this;
  }
  Array(Array&& other) noexcept
      : buffer_(std::move(other.buffer_)),
        space_(std::move(other.space_)),
        size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    buffer_ = std::move(other.buffer_);
    space_ = std::move(other.space_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~Array() = default;

  T* data() const noexcept { return reinterpret_cast<T*>(buffer_.data()); }
  std::int64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::int64_t capacity() const noexcept {
    return buffer_.bytes() / static_cast<std::int64_t>(sizeof(T));
  }
  // New values are uninitialised. The size must not exceed the capacity.
  void resize(std::int64_t size) noexcept { size_ = size; }
  std::int64_t bytes() const noexcept { return size_ * static_cast<std::int64_t>(sizeof(T)); }
  MemoryKind memory() const noexcept { return buffer_.kind(); }
  bool is_on_host() const noexcept { return memory() == MemoryKind::host; }
  // The space that the array was made on; the host's space for a default-constructed array.
  Space space() const { return space_ ? *space_ : Space::where(MemoryKind::host); }

  // Points into the array's memory: pass it to kernels; read it on the host only if is_on_host().
  std::span<T> span() const noexcept { return {data(), static_cast<std::size_t>(size_)}; }

  // Copies some or all values to the host, after all work launched earlier on the space. Blocks.
  void fetch(std::int64_t first, std::span<T> into) const {
    if (into.empty()) return;
    copy_bytes(*space_, into.data(), MemoryKind::host, data() + first, memory(),
               static_cast<std::int64_t>(into.size_bytes()));
    space_->fence("evenkeel::exec::array");
  }
  std::vector<T> on_host() const {
    std::vector<T> values(static_cast<std::size_t>(size_));
    fetch(0, values);
    return values;
  }

 private:
  static std::int64_t bytes_of(std::int64_t size) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr auto each = static_cast<std::int64_t>(sizeof(T));
    return size > most / each ? most : size * each;
  }

  evenkeel::detail::Buffer buffer_;
  std::optional<Space> space_;  // empty in a default-constructed array
  std::int64_t size_ = 0;
};

// Values that `space` can reach: the originals, or a copy in its memory. The originals must outlive
// this object. If there are no values, data() is null, so that a read fails at once.
template <class T>
class Reached {
 public:
  // Takes values in any memory, on the host, or in an array. Copies them only if `space` cannot
  // reach them, and then blocks until the copy is complete.
  Reached(const Space& space, const char* label, const T* values, std::int64_t size,
          MemoryKind memory)
      : data_(size > 0 ? values : nullptr), size_(size) {
    if (space.can_access(memory) || size == 0) return;
    copy_ = Array<T>(space, label, size);
    copy_bytes(space, copy_.data(), copy_.memory(), values, memory, copy_.bytes());
    space.fence(label);
    data_ = copy_.data();
  }
  Reached(const Space& space, const char* label, std::span<const T> on_host)
      : Reached(space, label, on_host.data(), std::ssize(on_host), MemoryKind::host) {}
  Reached(const Space& space, const char* label, const std::vector<T>& on_host)
      : Reached(space, label, std::span<const T>(on_host)) {}
  Reached(const Space& space, const char* label, const Array<T>& array)
      : Reached(space, label, array.data(), array.size(), array.memory()) {}

  const T* data() const noexcept { return data_; }
  std::int64_t size() const noexcept { return size_; }

 private:
  Array<T> copy_;
  const T* data_;
  std::int64_t size_;
};

}  // namespace evenkeel::exec
