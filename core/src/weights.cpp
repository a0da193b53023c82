#include "field/numbers.hpp"

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

}  // namespace

std::vector<double> given_weights(const Space& space, const Set& set) {
  const NumberSource& source = set.options().weight;
  if (!source.given())
    throw Error(ErrorKind::bad_input, Where{stage_name}, "The set came without weights.",
                "Give it a .weight, or use the measured ones.");
  if (source.layout().scalar == ScalarType::none)
    throw Error(ErrorKind::bad_input, Where{stage_name}, "Weights are no numbers.",
                "Give one float, double or integer per object.");
  std::vector<double> weights = read_reals(space, source.layout(), set.count());
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!std::isfinite(weights[i]) || weights[i] < 0)
      throw Error(ErrorKind::bad_input, Where{stage_name},
                  "The weight of object " + std::to_string(i) + " in '" + source.label() + "' is " +
                      text_of(weights[i]) + '.',
                  "Weights are finite and not negative.");
  return weights;
}

std::vector<double> measured_weights(std::int64_t objects, double cost, double mean_cost,
                                     std::span<const double> weights, double followed) {
  constexpr double widest = 100;
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
