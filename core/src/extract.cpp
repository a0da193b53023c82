#include "field/copy.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/extract.hpp>
#include <evenkeel/core/weights.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::extract";

template <class Real>
std::vector<double> places_as(const Space& space, const FieldLayout& at,
                              std::span<const std::int64_t> objects) {
  const auto count = std::ssize(objects);
  const auto bytes_of_list = static_cast<std::int64_t>(objects.size_bytes());
  const std::int64_t bytes = count * at.components * static_cast<std::int64_t>(sizeof(Real));
  const Buffer list(label, at.memory, bytes_of_list), there(label, at.memory, bytes);
  copy_bytes(space, list.data(), list.kind(), objects.data(), MemoryKind::host, bytes_of_list);
  FieldLayout to = packed_layout(reinterpret_cast<Real*>(there.data()), count, count, there.kind());
  to.components = at.components;
  to.object_stride_bytes = at.components * static_cast<std::int64_t>(sizeof(Real));
  copy_chosen_objects(space, to, nullptr, at, reinterpret_cast<const std::int64_t*>(list.data()),
                      count);
  std::vector<Real> values(static_cast<std::size_t>(count * at.components));
  copy_bytes(space, values.data(), MemoryKind::host, there.data(), there.kind(), bytes);
  space.fence(label);
  return std::vector<double>(values.begin(), values.end());
}

// Of numbers that the host reaches, where they are: one pass, nothing is copied.
template <class Number>
Extract extract_in_place(const FieldLayout& at, std::int64_t objects, std::int64_t most) {
  Extract extract;
  const std::int64_t length = (objects - 1) / most + 1;
  const auto* const data = static_cast<const char*>(at.data);
  double all = 0;
  bool is_negative = false;
  for (std::int64_t begin = 0; begin < objects; begin += length) {
    const std::int64_t end = std::min(objects, begin + length);
    const auto weight = [&](std::int64_t i) {
      return static_cast<double>(
          *reinterpret_cast<const Number*>(data + i * at.object_stride_bytes));
    };
    // Several sums at once: each addition waits for the one before it.
    constexpr std::int64_t lanes = 4;
    double sums[lanes] = {}, most_of[lanes] = {}, least = 0;
    std::int64_t i = begin;
    for (; i + lanes <= end; i += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const double one = weight(i + lane);
        sums[lane] += one;
        most_of[lane] = std::max(most_of[lane], one);
        least = std::min(least, one);
      }
    for (; i < end; ++i) {
      const double one = weight(i);
      sums[0] += one;
      most_of[0] = std::max(most_of[0], one);
      least = std::min(least, one);
    }
    const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    const double greatest = *std::max_element(most_of, most_of + lanes);
    std::int64_t chosen = begin;
    while (chosen + 1 < end && weight(chosen) != greatest) ++chosen;
    extract.objects.push_back(chosen);
    extract.weights.push_back(sum);
    all += sum;
    is_negative = is_negative || least < 0;
  }
  if (is_negative || !std::isfinite(all))
    throw Error(ErrorKind::bad_input, Where{"core/extract"}, "A weight is negative or not finite.",
                "Weights are finite and not negative.");
  return extract;
}

}  // namespace

Extract extract_by_weight(const Space& space, const Set& set, std::int64_t most) {
  const NumberSource& source = set.options().weight;
  const std::int64_t objects = set.count();
  if (!source.given() || objects <= 0 || most <= 0)
    return extract_of(objects, given_weights(space, set), most);
  check(set);
  const FieldLayout at = source.layout();
  if (Space::where(MemoryKind::host).can_access(at.memory)) {
    if (at.scalar == ScalarType::float64) return extract_in_place<double>(at, objects, most);
    if (at.scalar == ScalarType::float32) return extract_in_place<float>(at, objects, most);
    if (at.scalar == ScalarType::int32) return extract_in_place<std::int32_t>(at, objects, most);
    if (at.scalar == ScalarType::int64) return extract_in_place<std::int64_t>(at, objects, most);
  }
  return extract_of(objects, given_weights(space, set), most);
}

Extract extract_of(std::int64_t objects, std::span<const double> weights, std::int64_t most) {
  Extract extract;
  if (objects <= 0 || most <= 0) return extract;
  const std::int64_t length = (objects - 1) / most + 1;
  for (std::int64_t begin = 0; begin < objects; begin += length) {
    const std::int64_t end = std::min(objects, begin + length);
    std::int64_t chosen = begin + (end - begin - 1) / 2;
    auto weight = static_cast<double>(end - begin);
    if (!weights.empty()) {
      const auto first = weights.begin() + begin, last = weights.begin() + end;
      chosen = std::max_element(first, last) - weights.begin();
      weight = std::accumulate(first, last, 0.0);
    }
    extract.objects.push_back(chosen);
    extract.weights.push_back(weight);
  }
  return extract;
}

std::vector<double> places_of(const Space& space, const Set& set,
                              std::span<const std::int64_t> objects) {
  check(set);
  const FieldLayout at = set.position();
  if (objects.empty()) return {};
  const auto [least, greatest] = std::minmax_element(objects.begin(), objects.end());
  if (*least < 0 || *greatest >= at.count)
    throw Error(ErrorKind::bad_input, Where{"core/extract"},
                "Object " + std::to_string(*least < 0 ? *least : *greatest) + " of a set of " +
                    std::to_string(at.count) + " was asked for.",
                "Count objects from 0.");
  return at.scalar == ScalarType::float32 ? places_as<float>(space, at, objects)
                                          : places_as<double>(space, at, objects);
}

}  // namespace evenkeel
