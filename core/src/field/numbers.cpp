#include "field/numbers.hpp"
#include "field/places.hpp"
#include "field/stage.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

namespace evenkeel {

namespace {

constexpr const char* numbers_label = "evenkeel::field::numbers";

template <class Real>
struct CopyPlaces {
  Places<Real> places;
  int dimensions;
  const std::int64_t* objects;  // null if objects are 0, 1, 2, ...
  double* copies;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t object = objects == nullptr ? k : objects[k];
    for (int axis = 0; axis < dimensions; ++axis)
      copies[k * dimensions + axis] = places.at(object, axis);
  }
};

template <class T, class Result>
struct Convert {
  const char* data;
  std::int64_t stride;  // in bytes
  Result* results;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8 is a number here
    results[i] = static_cast<Result>(*reinterpret_cast<const T*>(data + i * stride));
  }
};

template <class T>
struct IsBeyond63Bits {
  const char* data;
  std::int64_t stride;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return *reinterpret_cast<const T*>(data + i * stride) >> 63 != 0 ? 1 : 0;
  }
};

template <class Result, class T, class Instance>
void convert(const Instance& instance, const char* data, std::int64_t stride,
             const exec::Array<Result>& results) {
  if constexpr (std::is_same_v<T, std::uint64_t> && std::is_same_v<Result, std::int64_t>)
    if (exec::sum<std::int64_t>(instance, results.size(), IsBeyond63Bits<T>{data, stride}) > 0)
      refuse("An integer is beyond 63 bits.", "Use smaller numbers.");
  exec::for_each(instance, numbers_label, results.size(),
                 Convert<T, Result>{data, stride, results.data()});
  exec::fence(instance, numbers_label);
}

template <class Result, class T>
exec::Array<Result> read(const Space& space, const FieldLayout& at, std::int64_t count) {
  exec::Array<Result> results(space, numbers_label, count);
  exec::Array<T> copy;
  const auto* data = static_cast<const char*>(at.data);
  std::int64_t stride = at.object_stride_bytes;
  if (!space.can_access(at.memory) && count > 0) {
    copy = exec::Array<T>(space, numbers_label, count);
    copy_objects(space, packed_layout(copy.data(), count, count, copy.memory()), at, count);
    data = reinterpret_cast<const char*>(copy.data());
    stride = sizeof(T);
  }
  with_space(space,
             [&](const auto& instance) { convert<Result, T>(instance, data, stride, results); });
  return results;
}

template <class Result>
exec::Array<Result> read_integers_as(const Space& space, const FieldLayout& at,
                                     std::int64_t count) {
  switch (at.scalar) {
    case ScalarType::int8: return read<Result, std::int8_t>(space, at, count);
    case ScalarType::int16: return read<Result, std::int16_t>(space, at, count);
    case ScalarType::int32: return read<Result, std::int32_t>(space, at, count);
    case ScalarType::int64: return read<Result, std::int64_t>(space, at, count);
    case ScalarType::uint8: return read<Result, std::uint8_t>(space, at, count);
    case ScalarType::uint16: return read<Result, std::uint16_t>(space, at, count);
    case ScalarType::uint32: return read<Result, std::uint32_t>(space, at, count);
    case ScalarType::uint64: return read<Result, std::uint64_t>(space, at, count);
    default: break;
  }
  refuse("Numbers of type " + std::string(name_of(at.scalar)) + " cannot be used here.",
         "Give one integer per object; weights may be float or double.");
}

}  // namespace

FieldLayout component_of(FieldLayout at, int component) {
  at.data = static_cast<char*>(at.data) + component * at.component_stride_bytes;
  at.components = 1;
  return at;
}

exec::Array<double> read_reals(const Space& space, const FieldLayout& at, std::int64_t count) {
  if (at.scalar == ScalarType::float32) return read<double, float>(space, at, count);
  if (at.scalar == ScalarType::float64) return read<double, double>(space, at, count);
  return read_integers_as<double>(space, at, count);
}

exec::Array<std::int64_t> read_integers(const Space& space, const FieldLayout& at,
                                        std::int64_t count) {
  return read_integers_as<std::int64_t>(space, at, count);
}

exec::Array<double> read_places(const Space& space, const FieldLayout& at,
                                const std::int64_t* objects, std::int64_t count) {
  exec::Array<double> copies(space, numbers_label, count * at.components);
  with_places(at, [&]<class Real>(const Places<Real>& places) {
    exec::for_each(space, numbers_label, count,
                   CopyPlaces<Real>{places, at.components, objects, copies.data()});
  });
  return copies;
}

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
  space_.fence(numbers_label);
}

}  // namespace evenkeel
