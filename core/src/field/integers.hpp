#pragma once

// Integers that kernels read where they are, or a copy of them.

#include "field/numbers.hpp"

#include <cstdint>
#include <span>
#include <utility>

namespace evenkeel {

// Integers of 64 bits that kernels of a space read: those of a field, which must outlive them, if
// they are adjacent integers of 64 bits that the space can access; otherwise a copy.
class Integers {
 public:
  Integers() = default;
  explicit Integers(exec::Array<std::int64_t> own)
      : own_(std::move(own)),
        space_(own_.space()),
        data_(own_.data()),
        size_(own_.size()),
        memory_(own_.memory()) {}
  // The first `count` ones; throws as read_integers() does.
  Integers(const Space& space, const FieldLayout& at, std::int64_t count);
  Integers(Integers&&) noexcept = default;
  Integers& operator=(Integers&&) noexcept = default;
  Integers(const Integers&) = delete;
  Integers& operator=(const Integers&) = delete;
  ~Integers() = default;

  const std::int64_t* data() const noexcept { return data_; }
  std::int64_t size() const noexcept { return size_; }
  // Copies some of them to the host, after all work launched on the space before.
  void fetch(std::int64_t first, std::span<std::int64_t> into) const;

 private:
  exec::Array<std::int64_t> own_;  // empty: they are the field's
  Space space_ = Space(0, nullptr);
  const std::int64_t* data_ = nullptr;
  std::int64_t size_ = 0;
  MemoryKind memory_ = MemoryKind::host;
};

}  // namespace evenkeel
