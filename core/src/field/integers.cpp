#include "field/integers.hpp"

namespace evenkeel {

Integers::Integers(const Space& space, const FieldLayout& at, std::int64_t count) {
  const bool is_as_wanted = at.scalar == ScalarType::int64 && at.components == 1 &&
                            at.object_stride_bytes == std::int64_t{sizeof(std::int64_t)} &&
                            space.can_access(at.memory);
  if (!is_as_wanted) {
    *this = Integers(read_integers(space, at, count));
    return;
  }
  space_ = space;
  data_ = static_cast<const std::int64_t*>(at.data);
  size_ = count;
  memory_ = at.memory;
}

void Integers::fetch(std::int64_t first, std::span<std::int64_t> into) const {
  if (into.empty()) return;
  copy_bytes(space_, into.data(), MemoryKind::host, data_ + first, memory_,
             static_cast<std::int64_t>(into.size_bytes()));
  space_.fence("evenkeel::field::integers");
}

}  // namespace evenkeel
