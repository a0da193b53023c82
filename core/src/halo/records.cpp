#include "halo/records.hpp"
#include "halo/stage.hpp"

#include "field/copy.hpp"

#include <evenkeel/backends/exec/launch.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

constexpr const char* records_label = "evenkeel::halo::records";

void require_room(const std::string& name, std::int64_t room, std::int64_t needed,
                  const std::string& what) {
  if (room >= needed) return;
  refuse(name + " has room for " + std::to_string(room) + " objects, but must hold " + what + '.',
         "Give it that room, for example by make_room(), or make a new halo if the number of owned "
         "objects has changed.");
}

void require_reachable(const Space& space, const std::string& name, const FieldLayout& at) {
  if (space.can_access(at.memory) || at.capacity == 0) return;
  refuse(name + " is in " + name_of(at.memory) + " memory, which " + std::string(space.name()) +
             " does not reach.",
         "Keep fields with ghosts in the memory of the positions.");
}

FieldLayout from_object(FieldLayout at, std::int64_t first, std::int64_t count) {
  if (count > 0) at.data = static_cast<std::byte*>(at.data) + first * at.object_stride_bytes;
  at.count = at.capacity = count;
  return at;
}

// In a record, values are aligned as in an array.
std::int64_t alignment_of(const FieldLayout& at) {
  for (const std::int64_t bytes : {8, 4, 2})
    if (at.element_bytes % bytes == 0) return bytes;
  return 1;
}

std::int64_t rounded_up(std::int64_t bytes, std::int64_t step) {
  return (bytes + step - 1) / step * step;
}

FieldLayout in_record(const Records& records, const Records::RecordColumn& column,
                      std::byte* memory, std::int64_t count) {
  std::byte* const data = count > 0 ? memory + column.offset : memory;
  FieldLayout at = packed_like(column.owned, data, column.owned.memory, count);
  at.object_stride_bytes = records.bytes;
  return at;
}

Records::Position position_in(const Field& field, std::int64_t offset) {
  const FieldLayout whole = field.layout(), at = field.position();
  const auto inside = static_cast<const char*>(at.data) - static_cast<const char*>(whole.data);
  // If the position is a field, its components are adjacent in a record. If it is inside a
  // structure, they keep their places in the structure.
  const bool is_field = at.components == whole.components;
  return {at.scalar, at.components, offset + inside,
          is_field ? at.element_bytes : at.component_stride_bytes};
}

void require_alignment(const Records::RecordColumn& column) {
  const FieldLayout& at = column.owned;
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at.data));
  const auto aligned = [&](std::int64_t bytes) { return bytes % at.element_bytes == 0; };
  if (!aligned(address) || !aligned(at.object_stride_bytes) ||
      (at.components > 1 && !aligned(at.component_stride_bytes)))
    refuse(column.name + " is not aligned to its " + name_of(at.scalar) + "s.",
           "Remove the packing of the record, or keep the summed values outside of the record.");
}

template <class Real>
struct ShiftCoordinates {
  std::byte* memory;  // address of this coordinate in the first record
  std::int64_t bytes;
  const Image* images;
  int axis;
  double quarter;

  // Computes with quarters, because the length of a box may exceed the range of numbers.
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const int periods = images[i].periods[axis];
    if (periods == 0) return;
    auto* const place = reinterpret_cast<Real*>(memory + i * bytes);
    *place = static_cast<Real>((static_cast<double>(*place) * 0.25 + periods * quarter) / 0.25);
  }
};

template <class Real>
void shift_as(const Space& space, const Records& records, const exec::Array<Image>& images,
              const std::array<double, 3>& quarters, std::byte* memory) {
  if (images.empty()) return;
  const Records::Position& at = *records.position;
  for (int axis = 0; axis < at.components; ++axis)
    exec::for_each(
        space, records_label, images.size(),
        ShiftCoordinates<Real>{memory + at.offset + axis * at.component_bytes, records.bytes,
                               images.data(), axis, quarters[static_cast<std::size_t>(axis)]});
}

}  // namespace

std::int64_t room_of(const Field& field) {
  const FieldLayout at = field.layout();
  return field.ownership() == Ownership::borrowed ? at.capacity : at.count;
}

std::uint64_t Records::signature() const noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto add = [&](std::int64_t value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x100000001B3U;
  };
  for (const RecordColumn& column : columns) {
    add(static_cast<std::int64_t>(column.owned.scalar));
    add(column.owned.element_bytes);
    add(column.owned.components);
    add(column.offset);
  }
  add(position ? 1 : 0);
  return hash;
}

Records records_of(const Space& space, const HaloFields& fields, const HaloCounts& counts) {
  if (!fields.ghosts.empty() && fields.ghosts.size() != fields.owned.size())
    refuse(std::to_string(fields.owned.size()) + " fields of owned objects and " +
               std::to_string(fields.ghosts.size()) + " of ghosts were given.",
           "Give the same fields of both, in the same order.");
  Records records;
  records.columns.reserve(fields.owned.size());
  std::int64_t widest = 1;
  for (std::size_t f = 0; f < fields.owned.size(); ++f) {
    const Field& field = fields.owned[f];
    const FieldLayout at = field.layout();
    std::string name = "Field " + std::to_string(f) + ", '" + field.label() + "',";
    require_reachable(space, name, at);
    Records::RecordColumn column{from_object(at, 0, counts.owned), {}, 0, name};
    if (fields.ghosts.empty()) {
      require_room(name, room_of(field), counts.owned + counts.ghosts,
                   std::to_string(counts.owned) + " owned ones and " +
                       std::to_string(counts.ghosts) + " ghosts");
      column.ghosts = from_object(at, counts.owned, counts.ghosts);
    } else {
      const Field& other = fields.ghosts[f];
      const FieldLayout there = other.layout();
      require_room(name, room_of(field), counts.owned,
                   std::to_string(counts.owned) + " owned ones");
      name = "Field " + std::to_string(f) + " of the ghosts, '" + other.label() + "',";
      require_reachable(space, name, there);
      require_room(name, room_of(other), counts.ghosts, std::to_string(counts.ghosts) + " ghosts");
      const bool known = at.components > 0 && there.components > 0;
      if (there.element_bytes != at.element_bytes || there.scalar != at.scalar ||
          (known && there.components != at.components))
        refuse(name + " has values of another type than the field of the owned objects.",
               "Give fields of one type and number of components.");
      if (!known) column.owned.components = std::max(at.components, there.components);
      column.ghosts = from_object(there, 0, counts.ghosts);
    }
    const std::int64_t step = alignment_of(at);
    widest = std::max(widest, step);
    column.offset = rounded_up(records.bytes, step);
    records.bytes = column.offset + column.owned.bytes_per_object();
    records.columns.push_back(std::move(column));
  }
  records.bytes = rounded_up(records.bytes, widest);
  if (fields.with_position && !fields.owned.empty())
    records.position = position_in(fields.owned.front(), records.columns.front().offset);
  return records;
}

void require_numbers(const Records& records) {
  for (const Records::RecordColumn& column : records.columns)
    if (column.owned.scalar == ScalarType::none)
      refuse(column.name + " holds bytes, which cannot be added.",
             "Sum fields of numbers; give each member of a record as a raw field.");
  for (const Records::RecordColumn& column : records.columns) require_alignment(column);
}

void write_copies(const Space& space, const Records& records,
                  const exec::Array<std::int64_t>& objects, std::byte* memory) {
  for (const Records::RecordColumn& column : records.columns)
    copy_chosen_objects(space, in_record(records, column, memory, objects.size()), nullptr,
                        column.owned, objects.data(), objects.size());
}

void shift(const Space& space, const Records& records, const exec::Array<Image>& images,
           const std::array<double, 3>& quarters, std::byte* memory) {
  if (!records.position) return;
  records.position->scalar == ScalarType::float32
      ? shift_as<float>(space, records, images, quarters, memory)
      : shift_as<double>(space, records, images, quarters, memory);
}

void write_ghosts(const Space& space, const Records& records, std::int64_t ghosts,
                  std::byte* memory) {
  for (const Records::RecordColumn& column : records.columns)
    copy_chosen_objects(space, in_record(records, column, memory, ghosts), nullptr, column.ghosts,
                        nullptr, ghosts);
}

void read_ghosts(const Space& space, const Records& records, std::int64_t ghosts,
                 const std::byte* memory) {
  for (const Records::RecordColumn& column : records.columns)
    copy_chosen_objects(
        space, column.ghosts, nullptr,
        in_record(records, column, const_cast<std::byte*>(memory), ghosts),  // only read from
        nullptr, ghosts);
}

}  // namespace evenkeel
