#include <evenkeel/core/lend/batch.hpp>

#include "lend/stage.hpp"

#include <string>

namespace evenkeel {

const FieldLayout& Batch::layout(std::size_t number, ScalarType scalar, std::size_t bytes) const {
  if (number >= fields_->size())
    refuse("A kernel asks for field " + std::to_string(number) + " of a batch that has " +
               std::to_string(fields_->size()) + " fields.",
           "Fields count from 0 on, in the order in which they are given to the loan.");
  const FieldLayout& at = (*fields_)[number];
  if (at.scalar != scalar || static_cast<std::size_t>(at.element_bytes) != bytes)
    refuse("A kernel asks for field " + std::to_string(number) + " as values of " +
               std::to_string(bytes) + " bytes (" + name_of(scalar) + "), but it has values of " +
               std::to_string(at.element_bytes) + " bytes (" + name_of(at.scalar) + ").",
           "Ask for the type of the values of the field.");
  return at;
}

Error Batch::failure(std::int64_t i, const std::string& what) const {
  std::int64_t index = indices_.first + i;
  if (indices_.list != nullptr) {
    const Space space = Space::where(memory());
    copy_bytes(space, &index, MemoryKind::host, indices_.list + i, memory(), sizeof index);
    space.fence("evenkeel::lend::failure");
  }
  return {ErrorKind::application, Where{stage_name},
          "The kernel failed on object " + std::to_string(index) + " of rank " +
              std::to_string(owner_) + ": " + what,
          "Objects that were lent keep their old values; other objects may have new ones."};
}

}  // namespace evenkeel
