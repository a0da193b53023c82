#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/weights.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/weights";

// Weights of any numeric type, brought to the host.
template <class T>
std::vector<double> read(const Space& space, const FieldLayout& at, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  FieldLayout packed = packed_layout(values.data(), count, count);
  packed.element_bytes = at.element_bytes;
  copy_objects(space, packed, at, count);
  return std::vector<double>(values.begin(), values.end());
}

std::vector<double> read_any(const Space& space, const FieldLayout& at, std::int64_t count) {
  switch (at.scalar) {
    case ScalarType::int8: return read<std::int8_t>(space, at, count);
    case ScalarType::int16: return read<std::int16_t>(space, at, count);
    case ScalarType::int32: return read<std::int32_t>(space, at, count);
    case ScalarType::int64: return read<std::int64_t>(space, at, count);
    case ScalarType::uint8: return read<std::uint8_t>(space, at, count);
    case ScalarType::uint16: return read<std::uint16_t>(space, at, count);
    case ScalarType::uint32: return read<std::uint32_t>(space, at, count);
    case ScalarType::uint64: return read<std::uint64_t>(space, at, count);
    case ScalarType::float32: return read<float>(space, at, count);
    case ScalarType::float64: return read<double>(space, at, count);
    case ScalarType::none: break;
  }
  throw Error(ErrorKind::bad_input, Where{stage_name}, "Weights are no numbers.",
              "Give one float, double or integer per object.");
}

}  // namespace

std::vector<double> given_weights(const Space& space, const Set& set) {
  const WeightSource& source = set.options().weight;
  if (!source.given())
    throw Error(ErrorKind::bad_input, Where{stage_name}, "The set came without weights.",
                "Give it a .weight, or use the measured ones.");
  std::vector<double> weights = read_any(space, source.layout(), set.count());
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!std::isfinite(weights[i]) || weights[i] < 0)
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "The weight of object " + std::to_string(i) + " in '" + source.label() + "' is " +
                      text_of(weights[i]) + '.',
                  "Weights are finite and not negative.");
  return weights;
}

std::vector<double> measured_weights(std::int64_t objects, double cost, double mean_cost,
                                     std::span<const double> weights) {
  constexpr double widest = 100;
  constexpr double followed = 0.5;  // share of the earlier weights
  if (objects == 0) return {};
  const auto count = static_cast<double>(objects);
  const double mean = std::clamp(cost / count, mean_cost / widest, mean_cost * widest);
  std::vector<double> result(static_cast<std::size_t>(objects), mean);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (std::ssize(weights) != objects || !(sum > 0)) return result;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = (1 - followed) * mean + followed * mean * count * (weights[i] / sum);
  return result;
}

}  // namespace evenkeel
