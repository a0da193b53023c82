#include "weights/blend.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/core/weights.hpp>

namespace evenkeel {

namespace {

constexpr const char* blend_label = "evenkeel::weights::blend";

const double* data_of(std::span<const double> weights) {
  return weights.empty() ? nullptr : weights.data();
}

struct Blend {
  const double* weights;  // null if all are 1
  double mean, by_count;
  double* blended;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double weight = weights == nullptr ? 1 : weights[i];
    blended[i] = weight + by_count * (mean - weight);
  }
};

// Divides by the sum first: weights may be so small that load / sum exceeds the range of numbers.
struct ScaleToLoad {
  const double* weights;  // null if all are 1
  double sum, load;
  double* scaled;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    scaled[i] = load * ((weights == nullptr ? 1 : weights[i]) / sum);
  }
};

struct Greater {
  const double* first;  // null if all are 1
  double first_factor;
  const double* second;  // null if all are 1
  double second_factor;
  double* greater;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double one = first_factor * (first == nullptr ? 1 : first[i]);
    const double other = second_factor * (second == nullptr ? 1 : second[i]);
    greater[i] = one > other ? one : other;
  }
};

}  // namespace

exec::Array<double> blended(const Space& space, std::span<const double> weights,
                            std::int64_t objects, double mean, double by_count) {
  exec::Array<double> all(space, blend_label, objects);
  exec::for_each(space, blend_label, objects, Blend{data_of(weights), mean, by_count, all.data()});
  return all;
}

exec::Array<double> scaled(const Space& space, std::span<const double> weights,
                           std::int64_t objects, double sum, double load) {
  exec::Array<double> all(space, blend_label, objects);
  exec::for_each(space, blend_label, objects, ScaleToLoad{data_of(weights), sum, load, all.data()});
  return all;
}

exec::Array<double> greater_of(const Space& space, std::span<const double> first,
                               double first_factor, std::span<const double> second,
                               double second_factor, std::int64_t objects) {
  exec::Array<double> all(space, blend_label, objects);
  exec::for_each(space, blend_label, objects,
                 Greater{data_of(first), first_factor, data_of(second), second_factor, all.data()});
  return all;
}

double sum_over(const Space& space, std::span<const double> weights, std::int64_t objects) {
  return weights.empty() ? static_cast<double>(objects) : sum_of(space, weights);
}

}  // namespace evenkeel
