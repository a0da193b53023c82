#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/core/field.hpp>

#include <algorithm>

namespace evenkeel {

namespace {

// One value at a time, in the widest word that divides its size and every stride.
template <class Word>
struct CopyValues {
  char* to;
  const char* from;
  std::int64_t to_object, to_component, from_object, from_component;
  int components, words;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (int c = 0; c < components; ++c) {
      auto* target = reinterpret_cast<Word*>(to + i * to_object + c * to_component);
      const auto* source =
          reinterpret_cast<const Word*>(from + i * from_object + c * from_component);
      for (int w = 0; w < words; ++w) target[w] = source[w];
    }
  }
};

template <class Word>
CopyValues<Word> copy_of(const FieldLayout& to, const FieldLayout& from) {
  return {static_cast<char*>(to.data),
          static_cast<const char*>(from.data),
          to.object_stride_bytes,
          to.component_stride_bytes,
          from.object_stride_bytes,
          from.component_stride_bytes,
          to.components,
          static_cast<int>(to.element_bytes / static_cast<int>(sizeof(Word)))};
}

template <class Word, class Instance>
void copy_values(const Instance& instance, const FieldLayout& to, const FieldLayout& from,
                 std::int64_t count) {
  Kokkos::parallel_for(
      "evenkeel::field::copy_objects",
      Kokkos::RangePolicy<Instance, Kokkos::IndexType<std::int64_t>>(instance, 0, count),
      copy_of<Word>(to, from));
  exec::fence(instance, "evenkeel::field::copy_objects");
}

bool divides_all(std::int64_t word, const FieldLayout& layout) {
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(layout.data));
  return layout.element_bytes % word == 0 && layout.object_stride_bytes % word == 0 &&
         (layout.components == 1 || layout.component_stride_bytes % word == 0) &&
         address % word == 0;
}

template <class Instance>
void copy_strided(const Instance& instance, const FieldLayout& to, const FieldLayout& from,
                  std::int64_t count) {
  const auto fits = [&](std::int64_t word) {
    return divides_all(word, to) && divides_all(word, from);
  };
  if (fits(8)) return copy_values<std::uint64_t>(instance, to, from, count);
  if (fits(4)) return copy_values<std::uint32_t>(instance, to, from, count);
  copy_values<unsigned char>(instance, to, from, count);
}

void copy_serially(const FieldLayout& to, const FieldLayout& from, std::int64_t count) {
  const auto copy = copy_of<unsigned char>(to, from);
  for (std::int64_t i = 0; i < count; ++i) copy(i);
}

// A component whose values are adjacent on both sides is one piece of memory.
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
  throw Error(ErrorKind::bad_input, Where{"core/field"},
              std::to_string(count) + " objects of " + std::to_string(from.components) + " x " +
                  std::to_string(from.element_bytes) + " bytes (room for " +
                  std::to_string(from.capacity) + ") cannot be copied to " +
                  std::to_string(to.components) + " x " + std::to_string(to.element_bytes) +
                  " bytes (room for " + std::to_string(to.capacity) + ").",
              "Copy between layouts of the same values.");
}

}  // namespace

void copy_objects(const FieldLayout& to, const FieldLayout& from, std::int64_t count) {
  require_same_values(to, from, count);
  if (count == 0) return;
  if (to.is_packed() && from.is_packed())
    return copy_bytes(to.data, to.memory, from.data, from.memory, count * to.bytes_per_object());
  if (by_component(to) && by_component(from)) {
    for (int c = 0; c < to.components; ++c)
      copy_bytes(const_cast<char*>(offset(to, c)), to.memory, offset(from, c), from.memory,
                 count * to.element_bytes);
    return;
  }
  // Host memory needs no Kokkos: a commit must work wherever it is called.
  if (!exec::kokkos_is_running() && to.memory == MemoryKind::host &&
      from.memory == MemoryKind::host)
    return copy_serially(to, from, count);
  const MemoryKind memory = to.memory == MemoryKind::shared ? from.memory : to.memory;
  const bool crosses = (to.memory == MemoryKind::host && from.memory == MemoryKind::device) ||
                       (to.memory == MemoryKind::device && from.memory == MemoryKind::host);
  if (crosses) {  // strides on one side, packed beside it, then across
    const Buffer buffer("evenkeel::field::crossing", from.memory, count * from.bytes_per_object());
    FieldLayout packed = from;
    packed.data = buffer.data();
    packed.count = packed.capacity = count;
    packed.object_stride_bytes = from.bytes_per_object();
    packed.component_stride_bytes = from.element_bytes;
    copy_objects(packed, from, count);
    const Buffer landed("evenkeel::field::crossing", to.memory, count * to.bytes_per_object());
    FieldLayout arrived = packed;
    arrived.data = landed.data();
    arrived.memory = to.memory;
    copy_objects(arrived, packed, count);
    return copy_objects(to, arrived, count);
  }
  with_space(Space::where(memory),
             [&](const auto& instance) { copy_strided(instance, to, from, count); });
}

}  // namespace evenkeel
