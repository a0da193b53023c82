#include <evenkeel/core/field.hpp>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/field";

// The same values for `count` objects in memory of our own: objects or components adjacent,
// whichever runs faster through the container's memory.
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

// What a container's own FieldTraits::allocate must have given.
void require_room_like(const FieldLayout& now, const FieldLayout& staged, std::int64_t count,
                       const std::string& label) {
  if (staged.count == count && staged.capacity >= count && staged.components == now.components &&
      staged.element_bytes == now.element_bytes)
    return;
  throw Error(ErrorKind::application, Where{stage_name},
              "'" + label + "' was asked for room for " + std::to_string(count) + " objects of " +
                  std::to_string(now.bytes_per_object()) + " bytes and gave " +
                  std::to_string(staged.count) + " of " +
                  std::to_string(staged.bytes_per_object()) + '.',
              "Mend FieldTraits::allocate of its type.");
}

}  // namespace

StagedField Field::stage(std::int64_t count, Placement placement) const {
  if (count < 0)
    throw Error(ErrorKind::bad_input, Where{stage_name},
                "'" + label() + "' cannot hold " + std::to_string(count) + " objects.",
                "Counts cannot be negative.");
  const FieldLayout now = layout();
  StagedField staged;
  staged.operations_ = operations_;
  staged.container_ = container_;
  const bool replaces = placement == Placement::replace && operations_->allocate != nullptr &&
                        ownership() != Ownership::borrowed;
  if (replaces) {
    staged.staged_ = operations_->allocate(container_, count);
    staged.layout_ = operations_->staged_layout(staged.staged_);
    require_room_like(now, staged.layout_, count, label());
    return staged;
  }
  if (count > now.capacity)
    throw Error(ErrorKind::out_of_memory, Where{stage_name},
                "'" + label() + "' has room for " + std::to_string(now.capacity) + " objects and " +
                    std::to_string(count) + " would arrive.",
                "Give it more capacity, or a container that evenkeel may re-allocate.");
  staged.buffer_ = Buffer("evenkeel::field::staged", now.memory, count * now.bytes_per_object());
  staged.layout_ = buffer_layout(now, count, staged.buffer_.data());
  staged.target_ = now;
  return staged;
}

StagedField::StagedField(StagedField&& other) noexcept
    : operations_(std::exchange(other.operations_, nullptr)),
      container_(other.container_),
      staged_(std::exchange(other.staged_, nullptr)),
      buffer_(std::move(other.buffer_)),
      layout_(other.layout_),
      target_(other.target_) {}

StagedField& StagedField::operator=(StagedField&& other) noexcept {
  if (this != &other) {
    discard();
    operations_ = std::exchange(other.operations_, nullptr);
    container_ = other.container_;
    staged_ = std::exchange(other.staged_, nullptr);
    buffer_ = std::move(other.buffer_);
    layout_ = other.layout_;
    target_ = other.target_;
  }
  return *this;
}

StagedField::~StagedField() { discard(); }

void StagedField::discard() noexcept {
  if (staged_ != nullptr) operations_->discard(staged_);
  staged_ = nullptr;
}

bool StagedField::tells_count() const noexcept {
  if (operations_ == nullptr) return true;  // committed, or moved from
  return staged_ != nullptr || operations_->resized != nullptr || layout_.count == target_.count;
}

void StagedField::commit() noexcept {
  if (operations_ == nullptr) return;
  if (staged_ != nullptr) {
    operations_->commit(container_, staged_);
    discard();
  } else {
    copy_objects(target_, layout_, layout_.count);
    if (operations_->changed != nullptr) operations_->changed(container_);
    if (operations_->resized != nullptr) operations_->resized(container_, layout_.count);
    buffer_ = Buffer();
  }
  operations_ = nullptr;
}

}  // namespace evenkeel
