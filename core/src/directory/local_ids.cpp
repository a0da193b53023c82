#include "directory/ids.hpp"
#include "directory/stage.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/core/directory.hpp>

#include <limits>

namespace evenkeel {

namespace {

constexpr const char* local_ids_label = "evenkeel::directory::local";

template <class T>
struct WriteLocalIds {
  PlaceOfId index_of;
  const std::uint64_t* wanted;
  char* data;
  std::int64_t object_bytes, component_bytes;
  int components;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int c = 0; c < components; ++c)
      *reinterpret_cast<T*>(data + i * object_bytes + c * component_bytes) =
          static_cast<T>(index_of(wanted[i * components + c]));
  }
};

template <class T>
void write_as(const Space& space, const PlaceOfId& index_of, std::int64_t ids,
              const exec::Array<std::uint64_t>& wanted, const FieldLayout& at) {
  if (ids > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
    refuse("Indices of type " + std::string(name_of(at.scalar)) + " cannot count " +
               std::to_string(ids) + " objects.",
           "Use wider integers.");
  exec::for_each(
      space, local_ids_label, at.count,
      WriteLocalIds<T>{index_of, wanted.data(), static_cast<char*>(at.data), at.object_stride_bytes,
                       at.component_stride_bytes, at.components});
  space.fence(local_ids_label);
}

}  // namespace

LocalIds::LocalIds(const NumberSource& ids, const OwnedCount& count) {
  const std::int64_t objects = count_of(ids, count);
  const Space space = Space::where(ids.layout().memory);
  if (objects > 0 && ids.layout().components != 1)
    refuse("Objects have " + std::to_string(ids.layout().components) + " ids each.",
           "Give one id per object.");
  ids_ = read_ids(space, ids, objects);
  slots_ = IdTable::slots_for(space, ids_);
}

void LocalIds::write_indices(const NumberSource& ids, const Field& indices) const {
  const std::int64_t count = count_of(ids, {});
  const FieldLayout from = ids.layout(), to = indices.layout();
  if (to.count != from.count || (count > 0 && to.components != from.components))
    refuse(std::to_string(from.count) + " x " + std::to_string(from.components) +
               " ids do not fit '" + indices.label() + "', which has " + std::to_string(to.count) +
               " x " + std::to_string(to.components) + '.',
           "Give room for one index per id.");
  const Space space = ids_.space();
  if (!space.can_access(to.memory) && count > 0)
    refuse("'" + indices.label() + "' is in " + name_of(to.memory) + " memory, which " +
               std::string(space.name()) + " does not reach.",
           "Keep the indices in the memory of the ids.");
  const exec::Array<std::uint64_t> wanted = read_ids(space, ids, count);
  const PlaceOfId index_of = IdTable::of(ids_, slots_);
  switch (to.scalar) {
    case ScalarType::int8: return write_as<std::int8_t>(space, index_of, ids_.size(), wanted, to);
    case ScalarType::int16: return write_as<std::int16_t>(space, index_of, ids_.size(), wanted, to);
    case ScalarType::int32: return write_as<std::int32_t>(space, index_of, ids_.size(), wanted, to);
    case ScalarType::int64: return write_as<std::int64_t>(space, index_of, ids_.size(), wanted, to);
    default: break;
  }
  refuse("'" + indices.label() + "' is of type " + name_of(to.scalar) + ", which cannot hold -1.",
         "Give an array of signed integers for the indices.");
}

}  // namespace evenkeel
