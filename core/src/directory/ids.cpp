#include "directory/ids.hpp"
#include "directory/stage.hpp"

#include "field/copy.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>

#include <bit>

namespace evenkeel {

namespace {

constexpr const char* ids_label = "evenkeel::directory::ids";

bool is_integer(ScalarType type) {
  return type != ScalarType::none && type != ScalarType::float32 && type != ScalarType::float64;
}

template <class T>
struct ReadIds {
  const char* data;
  std::int64_t object_bytes, component_bytes;
  int components;
  std::uint64_t* ids;
  // Numbers below 0 keep their value as 64-bit integers.
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const char* const object = data + i * object_bytes;
    for (int c = 0; c < components; ++c)
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8 is a number here
      ids[i * components + c] = static_cast<std::uint64_t>(
          static_cast<std::int64_t>(*reinterpret_cast<const T*>(object + c * component_bytes)));
  }
};

template <class T>
void read_as(const Space& space, const FieldLayout& at, std::int64_t count,
             const exec::Array<std::uint64_t>& ids) {
  exec::for_each(space, ids_label, count,
                 ReadIds<T>{static_cast<const char*>(at.data), at.object_stride_bytes,
                            at.component_stride_bytes, at.components, ids.data()});
}

void read_from(const Space& space, const FieldLayout& at, std::int64_t count,
               const exec::Array<std::uint64_t>& ids) {
  switch (at.scalar) {
    case ScalarType::int8: return read_as<std::int8_t>(space, at, count, ids);
    case ScalarType::int16: return read_as<std::int16_t>(space, at, count, ids);
    case ScalarType::int32: return read_as<std::int32_t>(space, at, count, ids);
    case ScalarType::int64: return read_as<std::int64_t>(space, at, count, ids);
    case ScalarType::uint8: return read_as<std::uint8_t>(space, at, count, ids);
    case ScalarType::uint16: return read_as<std::uint16_t>(space, at, count, ids);
    case ScalarType::uint32: return read_as<std::uint32_t>(space, at, count, ids);
    case ScalarType::uint64: return read_as<std::uint64_t>(space, at, count, ids);
    default: break;
  }
  throw Error(ErrorKind::internal, Where{"core/directory"}, "Ids were not checked.",
              "Please report it.");
}

// The slot that an id gets depends on the order of threads, but the result of a search does not.
struct Insert {
  PlaceOfId table;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const std::uint64_t id = table.ids[place];
    for (std::uint64_t slot = table.first_slot(id);; slot = table.next(slot)) {
      std::int64_t* const here = table.slots + slot;
      const std::int64_t taken =
          Kokkos::atomic_compare_exchange(here, std::int64_t{PlaceOfId::none}, place);
      if (taken == PlaceOfId::none) return;
      if (table.ids[taken] != id) continue;
      Kokkos::atomic_fetch_min(here, place);
      return;
    }
  }
};

}  // namespace

std::int64_t count_of(const NumberSource& ids, const OwnedCount& count) {
  if (!ids.given()) refuse("No ids were given.", "Give one integer per object.");
  const std::int64_t objects = count.given() ? count.value() : ids.layout().count;
  check_ids(ids.layout(), ids.label(), objects);
  return objects;
}

void check_ids(const FieldLayout& at, const std::string& label_of_ids, std::int64_t count) {
  if (!is_integer(at.scalar))
    refuse("The ids '" + label_of_ids + "' are of type " + name_of(at.scalar) + '.',
           "Give integers.");
  if (count < 0 || at.count < count)
    refuse("There are " + std::to_string(at.count) + " ids in '" + label_of_ids + "' for " +
               std::to_string(count) + " objects.",
           "Give an id for each object.");
}

exec::Array<std::uint64_t> read_ids(const Space& space, const NumberSource& source,
                                    std::int64_t count) {
  FieldLayout at = source.layout();
  exec::Array<std::uint64_t> ids(space, ids_label, count * at.components);
  if (ids.empty()) return ids;
  Buffer copy;
  if (!space.can_access(at.memory)) {
    copy = Buffer(ids_label, exec::memory_of(space), count * at.bytes_per_object());
    const FieldLayout packed = packed_like(at, copy.data(), copy.kind(), count);
    copy_objects(space, packed, at, count);
    at = packed;
  }
  read_from(space, at, count, ids);
  space.fence(ids_label);
  return ids;
}

PlaceOfId IdTable::of(const exec::Array<std::uint64_t>& ids,
                      const exec::Array<std::int64_t>& slots) {
  return {ids.data(), slots.data(), std::countr_zero(static_cast<std::uint64_t>(slots.size()))};
}

exec::Array<std::int64_t> IdTable::slots_for(const Space& space,
                                             const exec::Array<std::uint64_t>& ids) {
  const auto most = static_cast<std::uint64_t>(ids.size());
  exec::Array<std::int64_t> slots = exec::filled(
      space, ids_label, static_cast<std::int64_t>(std::bit_ceil(2 * most + 2)), PlaceOfId::none);
  exec::for_each(space, ids_label, ids.size(), Insert{of(ids, slots)});
  space.fence(ids_label);
  return slots;
}

}  // namespace evenkeel
