#include "field/copy.hpp"
#include "weights/stage.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/core/weights/extract.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel {

namespace {

constexpr const char* extract_label = "evenkeel::extract::places";

template <class Real>
std::vector<double> places_as(const Space& space, const FieldLayout& at,
                              std::span<const std::int64_t> objects) {
  const auto count = std::ssize(objects);
  const auto bytes_of_list = static_cast<std::int64_t>(objects.size_bytes());
  const std::int64_t bytes = count * at.components * static_cast<std::int64_t>(sizeof(Real));
  const Buffer list(extract_label, at.memory, bytes_of_list),
      there(extract_label, at.memory, bytes);
  copy_bytes(space, list.data(), list.kind(), objects.data(), MemoryKind::host, bytes_of_list);
  FieldLayout to = packed_layout(reinterpret_cast<Real*>(there.data()), count, count, there.kind());
  to.components = at.components;
  to.object_stride_bytes = at.components * static_cast<std::int64_t>(sizeof(Real));
  copy_chosen_objects(space, to, nullptr, at, reinterpret_cast<const std::int64_t*>(list.data()),
                      count);
  std::vector<Real> values(static_cast<std::size_t>(count * at.components));
  copy_bytes(space, values.data(), MemoryKind::host, there.data(), there.kind(), bytes);
  space.fence(extract_label);
  return std::vector<double>(values.begin(), values.end());
}

// --- A stretch -----------------------------------------------------------------------------------

// A number between 0.1 and 0.9 that looks random.
KOKKOS_FUNCTION inline double place_of_choice(std::int64_t stretch) {
  const std::uint64_t mixed = (static_cast<std::uint64_t>(stretch) + 1) * 0x9e3779b97f4a7c15;
  return 0.1 + 0.8 * (static_cast<double>((mixed ^ mixed >> 32) & 0xffffffff) * 0x1p-32);
}

// Uses several independent sums, because in a single sum each addition would wait for the previous
// one. `weight` gives the weight of an object.
template <class Weight>
KOKKOS_FUNCTION double sum_between(const Weight& weight, std::int64_t begin, std::int64_t end) {
  double a = 0, b = 0, c = 0, d = 0;
  std::int64_t i = begin;
  for (; i + 4 <= end; i += 4) {
    a += weight(i);
    b += weight(i + 1);
    c += weight(i + 2);
    d += weight(i + 3);
  }
  for (; i < end; ++i) a += weight(i);
  return (a + b) + (c + d);
}

// Adds up the weights from `begin` on, and returns the first object at which the sum is greater
// than `target`. All weights up to `end` must have a greater sum.
template <class Weight>
KOKKOS_FUNCTION std::int64_t object_at(const Weight& weight, std::int64_t begin, std::int64_t end,
                                       double target) {
  while (end - begin > 1) {
    const std::int64_t middle = begin + (end - begin) / 2;
    const double before = sum_between(weight, begin, middle);
    if (target < before) {
      end = middle;
    } else {
      target -= before;
      begin = middle;
    }
  }
  return begin;
}

KOKKOS_FUNCTION inline std::int64_t middle_of(std::int64_t begin, std::int64_t end) {
  return begin + (end - begin - 1) / 2;
}

// --- Weights in memory that the host can access --------------------------------------------------

// Not a lambda: nvcc does not let functions for devices call those of the host.
template <class Number>
struct WeightInPlace {
  const void* data;
  std::int64_t stride;  // in bytes
  double* least;        // of the weights that were read, and 0

  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    const char* const at = static_cast<const char*>(data) + i * stride;
    const auto weight = static_cast<double>(*reinterpret_cast<const Number*>(at));
    *least = weight < *least ? weight : *least;
    return weight;
  }
};

// Reads the weights of each stretch twice, the second time from a cache. Copies nothing.
template <class Weight>
Extract extract_in_place(const Weight& weight, std::int64_t objects, std::int64_t most) {
  Extract extract;
  const std::int64_t length = (objects - 1) / most + 1;
  for (std::int64_t begin = 0; begin < objects; begin += length) {
    const std::int64_t end = std::min(objects, begin + length);
    const double sum = sum_between(weight, begin, end);
    extract.objects.push_back(
        sum > 0 ? object_at(weight, begin, end, place_of_choice(begin / length) * sum)
                : middle_of(begin, end));
    extract.weights.push_back(sum);
  }
  return extract;
}

template <class Number>
Extract extract_of_layout(const FieldLayout& at, std::int64_t objects, std::int64_t most) {
  double least = 0;
  const WeightInPlace<Number> weight = {at.data, at.object_stride_bytes, &least};
  Extract extract = extract_in_place(weight, objects, most);
  const double all = std::accumulate(extract.weights.begin(), extract.weights.end(), 0.0);
  if (least < 0 || !std::isfinite(all))
    refuse("A weight is negative or not finite.", "Weights are finite and not negative.");
  return extract;
}

// --- Weights in an array -------------------------------------------------------------------------

// A stretch has this many pieces of equal length, so that enough threads work on it.
template <class Instance>
inline constexpr std::int64_t pieces_of = is_device<Instance> ? 64 : 1;

struct Pieces {
  const double* weights;
  std::int64_t objects, length, pieces;  // of a stretch

  KOKKOS_FUNCTION std::int64_t begin(std::int64_t stretch, std::int64_t piece) const {
    const std::int64_t of_piece = (length + pieces - 1) / pieces;
    const std::int64_t inside = of_piece * piece < length ? of_piece * piece : length;
    const std::int64_t at = stretch * length + inside;
    return at < objects ? at : objects;
  }
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return weights[i]; }
};

struct SumPiece {
  Pieces pieces;
  double* sums;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t stretch = index / pieces.pieces, piece = index % pieces.pieces;
    sums[index] =
        sum_between(pieces, pieces.begin(stretch, piece), pieces.begin(stretch, piece + 1));
  }
};

struct Chosen {
  double sum;
  std::int64_t object;
};

struct ChooseObject {
  Pieces pieces;
  const double* sums;
  Chosen* chosen;
  KOKKOS_FUNCTION void operator()(std::int64_t stretch) const {
    const double* const mine = sums + stretch * pieces.pieces;
    double sum = 0;
    for (std::int64_t piece = 0; piece < pieces.pieces; ++piece) sum += mine[piece];
    const std::int64_t begin = pieces.begin(stretch, 0), end = pieces.begin(stretch + 1, 0);
    chosen[stretch] = {sum, middle_of(begin, end)};
    if (!(sum > 0)) return;
    double target = place_of_choice(stretch) * sum;
    std::int64_t piece = 0;
    for (; piece + 1 < pieces.pieces && target >= mine[piece]; ++piece) target -= mine[piece];
    chosen[stretch].object =
        object_at(pieces, pieces.begin(stretch, piece), pieces.begin(stretch, piece + 1), target);
  }
};

template <class Instance>
void choose_objects(const Instance& instance, const exec::Array<double>& weights,
                    std::int64_t length, const exec::Array<Chosen>& chosen) {
  const Pieces pieces = {weights.data(), weights.size(), length, pieces_of<Instance>};
  const exec::Array<double> sums(space_of(instance), extract_label, chosen.size() * pieces.pieces);
  exec::for_each(instance, extract_label, sums.size(), SumPiece{pieces, sums.data()});
  exec::for_each(instance, extract_label, chosen.size(),
                 ChooseObject{pieces, sums.data(), chosen.data()});
  exec::fence(instance, extract_label);
}

}  // namespace

Extract extract_of(const exec::Array<double>& weights, std::int64_t most) {
  Extract extract;
  if (weights.empty() || most <= 0) return extract;
  const std::int64_t length = (weights.size() - 1) / most + 1;
  const Space space = weights.space();
  const exec::Array<Chosen> chosen(space, extract_label, (weights.size() - 1) / length + 1);
  with_space(space,
             [&](const auto& instance) { choose_objects(instance, weights, length, chosen); });
  for (const Chosen& one : chosen.on_host()) {
    extract.objects.push_back(one.object);
    extract.weights.push_back(one.sum);
  }
  return extract;
}

Extract extract_by_weight(const Space& space, const Set& set, std::int64_t most) {
  const NumberSource& source = set.options().weight;
  const std::int64_t objects = set.count();
  if (!source.given() || objects <= 0 || most <= 0)
    return extract_of(given_weights(space, set), most);
  check(set);
  const FieldLayout at = source.layout();
  if (Space::where(MemoryKind::host).can_access(at.memory)) {
    if (at.scalar == ScalarType::float64) return extract_of_layout<double>(at, objects, most);
    if (at.scalar == ScalarType::float32) return extract_of_layout<float>(at, objects, most);
    if (at.scalar == ScalarType::int32) return extract_of_layout<std::int32_t>(at, objects, most);
    if (at.scalar == ScalarType::int64) return extract_of_layout<std::int64_t>(at, objects, most);
  }
  return extract_of(given_weights(space, set), most);
}

Extract extract_of(std::int64_t objects, std::span<const double> weights, std::int64_t most) {
  Extract extract;
  if (objects <= 0 || most <= 0) return extract;
  if (!weights.empty()) {
    double least = 0;
    return extract_in_place(WeightInPlace<double>{weights.data(), sizeof(double), &least}, objects,
                            most);
  }
  const std::int64_t length = (objects - 1) / most + 1;
  for (std::int64_t begin = 0; begin < objects; begin += length) {
    const std::int64_t end = std::min(objects, begin + length);
    extract.objects.push_back(middle_of(begin, end));
    extract.weights.push_back(static_cast<double>(end - begin));
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
    refuse("Object " + std::to_string(*least < 0 ? *least : *greatest) + " of a set of " +
               std::to_string(at.count) + " was asked for.",
           "Count objects from 0.");
  return at.scalar == ScalarType::float32 ? places_as<float>(space, at, objects)
                                          : places_as<double>(space, at, objects);
}

}  // namespace evenkeel
