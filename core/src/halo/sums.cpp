#include "halo/sums.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/sort.hpp>

namespace evenkeel {

namespace {

constexpr const char* sums_label = "evenkeel::halo::sums";

template <class T>
struct AddCopies {
  const std::uint64_t* copies;
  const std::int64_t *objects, *firsts;
  std::int64_t object_count, copy_count;
  const std::byte* memory;  // the values in the first record
  std::int64_t bytes;
  std::byte* data;
  std::int64_t object_bytes, component_bytes;
  int components;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::byte* const object = data + objects[k] * object_bytes;
    const std::int64_t end = k + 1 < object_count ? firsts[k + 1] : copy_count;
    for (int c = 0; c < components; ++c) {
      auto* const value = reinterpret_cast<T*>(object + c * component_bytes);
      T sum = *value;
      for (std::int64_t i = firsts[k]; i < end; ++i)
        sum = static_cast<T>(sum + reinterpret_cast<const T*>(
                                       memory + static_cast<std::int64_t>(copies[i]) * bytes)[c]);
      *value = sum;
    }
  }
};

template <class T>
void add_as(const Space& space, const Records& records, const Records::RecordColumn& column,
            const CopiesByObject& copies, const std::byte* memory) {
  if (copies.objects.empty()) return;
  const FieldLayout& at = column.owned;
  exec::for_each(space, sums_label, copies.objects.size(),
                 AddCopies<T>{copies.copies.data(), copies.objects.data(), copies.firsts.data(),
                              copies.objects.size(), copies.copies.size(), memory + column.offset,
                              records.bytes, static_cast<std::byte*>(at.data),
                              at.object_stride_bytes, at.component_stride_bytes, at.components});
}

}  // namespace

CopiesByObject by_object(const Space& space, const exec::Array<std::int64_t>& objects) {
  const std::int64_t count = objects.size();
  CopiesByObject sorted;
  sorted.copies = exec::counted_up<std::uint64_t>(space, sums_label, count);
  const exec::Array<std::uint64_t> keys(space, sums_label, count);
  exec::for_each(space, sums_label, count, exec::Copy{objects.data(), keys.data()});
  exec::sort_pairs(space, keys.data(), sorted.copies.data(), count, {0, 63});
  sorted.firsts = exec::numbers_that(space, sums_label, count, exec::StartsRun{keys.data()});
  sorted.objects = exec::chosen(space, sums_label,
                                reinterpret_cast<const std::int64_t*>(keys.data()), sorted.firsts);
  return sorted;
}

void add_copies(const Space& space, const Records& records, const CopiesByObject& copies,
                const std::byte* memory) {
  for (const Records::RecordColumn& column : records.columns) {
    const auto add = [&](auto zero) {
      add_as<decltype(zero)>(space, records, column, copies, memory);
    };
    switch (column.owned.scalar) {
      case ScalarType::int8: add(std::int8_t{}); break;
      case ScalarType::int16: add(std::int16_t{}); break;
      case ScalarType::int32: add(std::int32_t{}); break;
      case ScalarType::int64: add(std::int64_t{}); break;
      case ScalarType::uint8: add(std::uint8_t{}); break;
      case ScalarType::uint16: add(std::uint16_t{}); break;
      case ScalarType::uint32: add(std::uint32_t{}); break;
      case ScalarType::uint64: add(std::uint64_t{}); break;
      case ScalarType::float32: add(float{}); break;
      case ScalarType::float64: add(double{}); break;
      case ScalarType::none:
        throw Error(ErrorKind::internal, Where{"core/halo"}, "Bytes were to be added.",
                    "Please report it.");
    }
  }
}

}  // namespace evenkeel
