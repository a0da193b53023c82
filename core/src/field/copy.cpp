#include "field/copy.hpp"
#include "field/stage.hpp"

#include <evenkeel/backends/exec/launch.hpp>

namespace evenkeel {

namespace {

// Copies objects word by word. `Word` is the widest type that divides the size of a value and every
// stride.
template <class Word>
struct CopyValues {
  char* to;
  const char* from;
  std::int64_t to_object, to_component, from_object, from_component;
  int components, words;
  const std::int64_t *to_objects, *from_objects;  // null if objects are 0, 1, 2, ...

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    char* target_object = to + (to_objects == nullptr ? i : to_objects[i]) * to_object;
    const char* source_object =
        from + (from_objects == nullptr ? i : from_objects[i]) * from_object;
    for (int c = 0; c < components; ++c) {
      auto* target = reinterpret_cast<Word*>(target_object + c * to_component);
      const auto* source = reinterpret_cast<const Word*>(source_object + c * from_component);
      for (int w = 0; w < words; ++w) target[w] = source[w];
    }
  }
};

template <class Word>
CopyValues<Word> copy_of(const FieldLayout& to, const std::int64_t* to_objects,
                         const FieldLayout& from, const std::int64_t* from_objects) {
  return {static_cast<char*>(to.data),
          static_cast<const char*>(from.data),
          to.object_stride_bytes,
          to.component_stride_bytes,
          from.object_stride_bytes,
          from.component_stride_bytes,
          to.components,
          static_cast<int>(to.element_bytes / static_cast<int>(sizeof(Word))),
          to_objects,
          from_objects};
}

template <class Word, class Instance>
void copy_values(const Instance& instance, const CopyValues<Word>& copy, std::int64_t count) {
  exec::for_each(instance, "evenkeel::field::copy_objects", count, copy);
}

// On hosts, prefetches memory that will be read soon.
KOKKOS_INLINE_FUNCTION void read_ahead([[maybe_unused]] const char* at) {
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__) && !defined(__SYCL_DEVICE_ONLY__)
  __builtin_prefetch(at);
#endif
}

// Copies objects whose values are adjacent. `words` is the number of eight-byte words of an object.
// A host prefetches objects that it will need soon if there is a list of them.
template <int words, bool on_device>
struct CopyWhole {
  char* to;
  const char* from;
  std::int64_t to_object, from_object;
  const std::int64_t *to_objects, *from_objects;  // null if objects are 0, 1, 2, ...
  std::int64_t count;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto* target = reinterpret_cast<std::uint64_t*>(
        to + (to_objects == nullptr ? i : to_objects[i]) * to_object);
    const auto* source = reinterpret_cast<const std::uint64_t*>(
        from + (from_objects == nullptr ? i : from_objects[i]) * from_object);
    if constexpr (!on_device) {
      constexpr std::int64_t ahead = 24, last_byte = std::int64_t{8} * words - 1;
      if (from_objects != nullptr && i + ahead < count) {
        const char* next = from + from_objects[i + ahead] * from_object;
        read_ahead(next);
        if constexpr (words > 1) read_ahead(next + last_byte);
      }
    }
    for (int w = 0; w < words; ++w) target[w] = source[w];
  }
};

constexpr int most_words = 8;

// Chooses the copy for the number of words of an object, which must be at least `words`.
template <int words, class Instance>
void copy_whole(const Instance& instance, const FieldLayout& to, const std::int64_t* to_objects,
                const FieldLayout& from, const std::int64_t* from_objects, std::int64_t count) {
  if (to.bytes_per_object() != std::int64_t{8} * words) {
    if constexpr (words < most_words)
      copy_whole<words + 1>(instance, to, to_objects, from, from_objects, count);
    return;
  }
  exec::for_each(
      instance, "evenkeel::field::copy_objects", count,
      CopyWhole<words, is_device<Instance>>{
          static_cast<char*>(to.data), static_cast<const char*>(from.data), to.object_stride_bytes,
          from.object_stride_bytes, to_objects, from_objects, count});
}

bool is_whole(const FieldLayout& layout) {
  return (layout.components == 1 || layout.component_stride_bytes == layout.element_bytes) &&
         layout.bytes_per_object() <= std::int64_t{8} * most_words;
}

bool divides_all(std::int64_t word, const FieldLayout& layout) {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(layout.data));
  return layout.element_bytes % word == 0 && layout.object_stride_bytes % word == 0 &&
         (layout.components == 1 || layout.component_stride_bytes % word == 0) &&
         address % word == 0;
}

template <class Instance>
void copy_strided(const Instance& instance, const FieldLayout& to, const std::int64_t* to_objects,
                  const FieldLayout& from, const std::int64_t* from_objects, std::int64_t count) {
  const auto fits = [&](std::int64_t word) {
    return divides_all(word, to) && divides_all(word, from);
  };
  if (fits(8) && is_whole(to) && is_whole(from))
    copy_whole<1>(instance, to, to_objects, from, from_objects, count);
  else if (fits(8))
    copy_values(instance, copy_of<std::uint64_t>(to, to_objects, from, from_objects), count);
  else if (fits(4))
    copy_values(instance, copy_of<std::uint32_t>(to, to_objects, from, from_objects), count);
  else
    copy_values(instance, copy_of<unsigned char>(to, to_objects, from, from_objects), count);
}

// If the values of each component are adjacent, both in `to` and in `from`, a component is copied
// as one piece of memory.
bool by_component(const FieldLayout& layout) {
  return layout.object_stride_bytes == layout.element_bytes;
}

const char* offset(const FieldLayout& layout, int component) {
  return static_cast<const char*>(layout.data) + component * layout.component_stride_bytes;
}

void require_same_values(const FieldLayout& to, const FieldLayout& from, std::int64_t count) {
  if (to.element_bytes == from.element_bytes && to.components == from.components && count >= 0 &&
      count <= to.capacity && count <= from.capacity)
    return;
  refuse(std::to_string(count) + " objects of " + std::to_string(from.components) + " x " +
             std::to_string(from.element_bytes) + " bytes (room for " +
             std::to_string(from.capacity) + ") cannot be copied to " +
             std::to_string(to.components) + " x " + std::to_string(to.element_bytes) +
             " bytes (room for " + std::to_string(to.capacity) + ").",
         "Give both layouts the same components and element size, and enough room.");
}

}  // namespace

FieldLayout packed_like(const FieldLayout& like, void* data, MemoryKind memory,
                        std::int64_t count) {
  FieldLayout packed = like;
  packed.data = data;
  packed.memory = memory;
  packed.count = packed.capacity = count;
  packed.object_stride_bytes = like.bytes_per_object();
  packed.component_stride_bytes = like.element_bytes;
  return packed;
}

namespace {

// Copies between host and device. Packs strided values where they are, transfers them, and unpacks
// them on the other side.
void copy_across(const Space& space, const FieldLayout& to, const FieldLayout& from,
                 std::int64_t count) {
  const std::int64_t bytes = count * from.bytes_per_object();
  const Buffer leaving("evenkeel::field::crossing", from.memory, bytes);
  const Buffer landed("evenkeel::field::crossing", to.memory, bytes);
  const FieldLayout here = packed_like(from, leaving.data(), from.memory, count);
  const FieldLayout there = packed_like(to, landed.data(), to.memory, count);
  copy_objects(space, here, from, count);
  copy_objects(space, there, here, count);
  copy_objects(space, to, there, count);
}

}  // namespace

void copy_objects(const Space& space, const FieldLayout& to, const FieldLayout& from,
                  std::int64_t count) {
  constexpr const char* label = "evenkeel::field::copy_objects";
  require_same_values(to, from, count);
  if (count == 0) return;
  if (to.is_packed() && from.is_packed()) {
    copy_bytes(space, to.data, to.memory, from.data, from.memory, count * to.bytes_per_object());
    return space.fence(label);
  }
  if (by_component(to) && by_component(from)) {
    for (int c = 0; c < to.components; ++c)
      copy_bytes(space, const_cast<char*>(offset(to, c)), to.memory, offset(from, c), from.memory,
                 count * to.element_bytes);
    return space.fence(label);
  }
  const bool crosses = (to.memory == MemoryKind::host && from.memory == MemoryKind::device) ||
                       (to.memory == MemoryKind::device && from.memory == MemoryKind::host);
  if (crosses) return copy_across(space, to, from, count);
  const MemoryKind memory = to.memory == MemoryKind::shared ? from.memory : to.memory;
  const bool reaches = space.can_access(to.memory) && space.can_access(from.memory);
  if (!reaches) space.fence(label);  // another space will read what this one has written
  const Space where = reaches ? space : Space::where(memory);
  copy_chosen_objects(where, to, nullptr, from, nullptr, count);
  where.fence(label);
}

void copy_chosen_objects(const Space& space, const FieldLayout& to, const std::int64_t* to_objects,
                         const FieldLayout& from, const std::int64_t* from_objects,
                         std::int64_t count) {
  if (count == 0) return;
  with_space(space, [&](const auto& instance) {
    copy_strided(instance, to, to_objects, from, from_objects, count);
  });
}

}  // namespace evenkeel
