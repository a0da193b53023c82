#include "field/numbers.hpp"

#include <string>
#include <type_traits>
#include <utility>

namespace evenkeel {

namespace {

template <class Result, class T>
std::vector<Result> read(const Space& space, const FieldLayout& at, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  copy_objects(space, packed_layout(values.data(), count, count), at, count);
  for (const T value : values)
    if constexpr (std::is_same_v<Result, std::int64_t>)
      if (!std::in_range<Result>(value))
        throw Error(ErrorKind::bad_input, Where{"core/field"},
                    std::to_string(value) + " is beyond 63 bits.", "Use smaller numbers.");
  return std::vector<Result>(values.begin(), values.end());
}

template <class Result>
std::vector<Result> read_integers_as(const Space& space, const FieldLayout& at,
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
  throw Error(ErrorKind::bad_input, Where{"core/field"},
              "Numbers of type " + std::string(name_of(at.scalar)) + " are not what is asked for.",
              "Give one integer per object; weights may be float or double.");
}

}  // namespace

std::vector<double> read_reals(const Space& space, const FieldLayout& at, std::int64_t count) {
  if (at.scalar == ScalarType::float32) return read<double, float>(space, at, count);
  if (at.scalar == ScalarType::float64) return read<double, double>(space, at, count);
  return read_integers_as<double>(space, at, count);
}

std::vector<std::int64_t> read_integers(const Space& space, const FieldLayout& at,
                                        std::int64_t count) {
  return read_integers_as<std::int64_t>(space, at, count);
}

}  // namespace evenkeel
