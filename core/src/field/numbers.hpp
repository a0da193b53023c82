#pragma once

// Reads the numbers of a field into the memory of a space.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>

#include <span>

namespace evenkeel {

// One component of all objects.
FieldLayout component_of(FieldLayout at, int component);

// The first `count` numbers, of any number type and in any memory, as doubles or as 64-bit
// integers. Throws if the field does not hold numbers, or holds numbers of the wrong kind.
exec::Array<double> read_reals(const Space& space, const FieldLayout& at, std::int64_t count);
exec::Array<std::int64_t> read_integers(const Space& space, const FieldLayout& at,
                                        std::int64_t count);

// The coordinates of some objects, packed. `objects` and the positions are in memory that the space
// accesses. If `objects` is null, the first objects are read. Does not block.
exec::Array<double> read_places(const Space& space, const FieldLayout& at,
                                const std::int64_t* objects, std::int64_t count);

// Integers of 64 bits for kernels of a space. If a field holds adjacent integers of 64 bits that
// the space can access, this refers to the field, which must outlive it; otherwise it is a copy.
class Integers {
 public:
  Integers() = default;
  explicit Integers(exec::Array<std::int64_t> own)
      : own_(std::move(own)),
        space_(own_.space()),
        data_(own_.data()),
        size_(own_.size()),
        memory_(own_.memory()) {}
  // The first `count` integers of a field; throws like read_integers().
  Integers(const Space& space, const FieldLayout& at, std::int64_t count);
  Integers(Integers&&) noexcept = default;
  Integers& operator=(Integers&&) noexcept = default;
  Integers(const Integers&) = delete;
  Integers& operator=(const Integers&) = delete;
  ~Integers() = default;

  const std::int64_t* data() const noexcept { return data_; }
  std::int64_t size() const noexcept { return size_; }
  // Copies some of them to the host, after all work that was launched on the space before.
  void fetch(std::int64_t first, std::span<std::int64_t> into) const;

 private:
  exec::Array<std::int64_t> own_;  // empty if this refers to the field
  Space space_ = Space(0, nullptr);
  const std::int64_t* data_ = nullptr;
  std::int64_t size_ = 0;
  MemoryKind memory_ = MemoryKind::host;
};

}  // namespace evenkeel
