#pragma once

// Reads the numbers of a field into the memory of a space.

#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field.hpp>

#include <span>

namespace evenkeel {

// Returns the layout of one component of all objects.
FieldLayout component_of(FieldLayout at, int component);

// Return the first `count` numbers of a field as doubles, or as 64-bit integers. The field may have
// any type of numbers, in any memory. Throws if the field has no numbers, or if integers are needed
// and the numbers are real.
exec::Array<double> read_reals(const Space& space, const FieldLayout& at, std::int64_t count);
exec::Array<std::int64_t> read_integers(const Space& space, const FieldLayout& at,
                                        std::int64_t count);

// Returns the packed coordinates of the objects in a list, or of the first objects if `objects` is
// null. The space can access the list and the positions. Does not block.
exec::Array<double> read_places(const Space& space, const FieldLayout& at,
                                const std::int64_t* objects, std::int64_t count);

// Integers of 64 bits, for kernels of a space. If the integers of a field have 64 bits and are
// adjacent, and the space can access them, this refers to the field, which must outlive it.
// Otherwise this has a copy.
class Integers {
 public:
  Integers() = default;
  explicit Integers(exec::Array<std::int64_t> own)
      : own_(std::move(own)),
        space_(own_.space()),
        data_(own_.data()),
        size_(own_.size()),
        memory_(own_.memory()) {}
  // Takes the first `count` integers of a field. Throws in the same cases as read_integers().
  Integers(const Space& space, const FieldLayout& at, std::int64_t count);
  Integers(Integers&&) noexcept = default;
  Integers& operator=(Integers&&) noexcept = default;
  Integers(const Integers&) = delete;
  Integers& operator=(const Integers&) = delete;
  ~Integers() = default;

  const std::int64_t* data() const noexcept { return data_; }
  std::int64_t size() const noexcept { return size_; }
  // Copies to the host the integers that begin at index `first`. Waits for all work that was
  // launched earlier on the space.
  void fetch(std::int64_t first, std::span<std::int64_t> into) const;

 private:
  exec::Array<std::int64_t> own_;  // empty if this refers to the field
  Space space_ = Space(0, nullptr);
  const std::int64_t* data_ = nullptr;
  std::int64_t size_ = 0;
  MemoryKind memory_ = MemoryKind::host;
};

}  // namespace evenkeel
