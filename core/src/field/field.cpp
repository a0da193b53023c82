#include "field/stage.hpp"

#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/field/staging.hpp>

#include <exception>

namespace evenkeel {

namespace {

// Returns the layout of a buffer for `count` objects with the same values as `like`. If the object
// stride of the container is smaller than its component stride, each component is contiguous in the
// buffer; otherwise each object is.
FieldLayout buffer_layout(const FieldLayout& like, std::int64_t count, void* data) {
  FieldLayout layout = like;
  layout.data = data;
  layout.count = layout.capacity = count;
  const bool by_component =
      like.components > 1 && like.component_stride_bytes > like.object_stride_bytes;
  layout.object_stride_bytes = by_component ? like.element_bytes : like.bytes_per_object();
  layout.component_stride_bytes = by_component ? count * like.element_bytes : like.element_bytes;
  return layout;
}

// Checks the room that the container's FieldTraits::allocate has given.
void require_room_like(const FieldLayout& now, const FieldLayout& staged, std::int64_t count,
                       const std::string& label) {
  if (staged.count == count && staged.capacity >= count && staged.components == now.components &&
      staged.element_bytes == now.element_bytes && staged.memory == now.memory)
    return;
  throw Error(ErrorKind::application, Where{stage_name},
              "'" + label + "' was asked to allocate " + std::to_string(count) + " objects of " +
                  std::to_string(now.bytes_per_object()) + " bytes in " + name_of(now.memory) +
                  " memory, but allocated " + std::to_string(staged.count) + " objects of " +
                  std::to_string(staged.bytes_per_object()) + " bytes in " +
                  name_of(staged.memory) + " memory.",
              "Mend FieldTraits::allocate of the type of this field.");
}

// Turns all refusals of memory into an Error. Kokkos throws types of its own, which are not derived
// from std::bad_alloc.
void* allocate(const detail::FieldOperations& operations, void* container, const Room& room,
               const std::string& label) {
  try {
    return operations.allocate(container, room);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& exception) {
    throw Error(ErrorKind::out_of_memory, Where{stage_name},
                "Room for " + std::to_string(room.count) + " objects of '" + label +
                    "' was refused: " + exception.what() + '.',
                "Use more ranks or fewer objects.");
  }
}

}  // namespace

bool Field::is_replaced(Placement placement) const {
  return placement == Placement::replace && operations_->allocate != nullptr &&
         ownership() != Ownership::borrowed;
}

bool Field::knows_its_count(Placement placement) const {
  return is_replaced(placement) || operations_->resized != nullptr;
}

bool Field::can_hold(std::int64_t count, bool is_counted) const {
  const FieldLayout now = layout();
  if (operations_->resized != nullptr) return count <= now.capacity;
  return is_counted ? count <= now.count : count == now.count;
}

void Field::resize_in_place(std::int64_t count) noexcept {
  if (operations_->resized != nullptr) operations_->resized(container_, count);
}

StagedField Field::stage(const Space& space, std::int64_t count, Placement placement) const {
  return stage(space, Room{count, layout().components}, placement);
}

StagedField Field::stage(const Space& space, const Room& room, Placement placement) const {
  const std::int64_t count = room.count;
  if (count < 0)
    refuse("'" + label() + "' cannot hold " + std::to_string(count) + " objects.",
           "Counts cannot be negative.");
  FieldLayout now = layout();
  if (count > 0 && now.components == 0 && room.components == 0)
    refuse("'" + label() + "' was never given extents on this rank, and " + std::to_string(count) +
               " objects would arrive.",
           "Make it with 0 objects and as many components as on other ranks.");
  if (now.components == 0) now.components = room.components;
  if (count > 0 && now.components != room.components)
    refuse("'" + label() + "' has " + std::to_string(now.components) +
               " components, but objects of " + std::to_string(room.components) + " would arrive.",
           "Give it as many components as on other ranks.");
  StagedField staged(space);
  if (is_replaced(placement)) {
    staged.staged_ =
        allocate(*operations_, container_, {count, now.components, room.capacity}, label());
    staged.operations_ = operations_;  // now the destructor of `staged` discards staged_
    staged.container_ = container_;
    staged.layout_ = operations_->staged_layout(staged.staged_);
    require_room_like(now, staged.layout_, count, label());
    return staged;
  }
  if (count > now.capacity)
    throw Error(ErrorKind::out_of_memory, Where{stage_name},
                "'" + label() + "' has room for " + std::to_string(now.capacity) + " objects and " +
                    std::to_string(count) + " would arrive.",
                "Give it more capacity, or a container that evenkeel may re-allocate.");
  staged.operations_ = operations_;
  staged.container_ = container_;
  staged.buffer_ = Buffer("evenkeel::field::staged", now.memory, count * now.bytes_per_object());
  staged.layout_ = buffer_layout(now, count, staged.buffer_.data());
  return staged;
}

StagedField::StagedField(StagedField&& other) noexcept
    : space_(std::move(other.space_)),
      operations_(std::exchange(other.operations_, nullptr)),
      container_(other.container_),
      staged_(std::exchange(other.staged_, nullptr)),
      buffer_(std::move(other.buffer_)),
      layout_(other.layout_) {}

StagedField& StagedField::operator=(StagedField&& other) noexcept {
  if (this != &other) {
    discard();
    space_ = std::move(other.space_);
    operations_ = std::exchange(other.operations_, nullptr);
    container_ = other.container_;
    staged_ = std::exchange(other.staged_, nullptr);
    buffer_ = std::move(other.buffer_);
    layout_ = other.layout_;
  }
  return *this;
}

StagedField::~StagedField() { discard(); }

// If Kokkos is finalized already, destroying a staged View would abort, so it is leaked.
void StagedField::discard() noexcept {
  if (staged_ != nullptr && exec::kokkos_is_running()) operations_->discard(staged_);
  staged_ = nullptr;
}

void StagedField::commit() noexcept {
  if (operations_ == nullptr) return;
  if (staged_ != nullptr) {
    space_.fence("evenkeel::field::commit");
    operations_->commit(container_, staged_);
    discard();
  } else {
    if (operations_->resized != nullptr) operations_->resized(container_, layout_.count);
    // A View without objects may have no extents yet, so its number of components may differ from
    // the staged one.
    if (layout_.count > 0)
      copy_objects(space_, operations_->layout(container_), layout_, layout_.count);
    if (operations_->changed != nullptr) operations_->changed(container_);
    buffer_ = Buffer();
  }
  operations_ = nullptr;
}

}  // namespace evenkeel
