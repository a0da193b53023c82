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

// Reads numbers in memory that the host can access, in one pass, without a copy.
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
    // Several independent sums, because in a single sum each addition would wait for the previous
    // one.
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
    refuse("A weight is negative or not finite.", "Weights are finite and not negative.");
  return extract;
}

// --- Weights in an array -------------------------------------------------------------------------

// A summary of some objects: of a stretch, or of every n-th object of a stretch.
struct Some {
  double sum, most;
  std::int64_t object;  // first object with the weight `most`; -1 if there are no objects
};

template <class Instance>
inline constexpr std::int64_t lanes_of = is_device<Instance> ? 64 : 1;

template <std::int64_t lanes>
struct LookAtSome {
  const double* weights;
  std::int64_t objects, length;
  Some* found;  // by stretch, then by lane
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const std::int64_t begin = index / lanes * length;
    const std::int64_t end = begin + length < objects ? begin + length : objects;
    Some some{0, 0, -1};
    for (std::int64_t i = begin + index % lanes; i < end; i += lanes) {
      some.sum += weights[i];
      if (some.object >= 0 && !(weights[i] > some.most)) continue;
      some.most = weights[i];
      some.object = i;
    }
    found[index] = some;
  }
};

struct JoinLanes {
  const Some* found;
  std::int64_t lanes;
  Some* joined;
  KOKKOS_FUNCTION void operator()(std::int64_t stretch) const {
    Some all{0, 0, -1};
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const Some& some = found[stretch * lanes + lane];
      all.sum += some.sum;
      const bool is_heavier =
          some.object >= 0 && (all.object < 0 || some.most > all.most ||
                               (some.most == all.most && some.object < all.object));
      if (!is_heavier) continue;
      all.most = some.most;
      all.object = some.object;
    }
    joined[stretch] = all;
  }
};

template <class Instance>
void look_at_stretches(const Instance& instance, const exec::Array<double>& weights,
                       std::int64_t length, const exec::Array<Some>& joined) {
  constexpr std::int64_t lanes = lanes_of<Instance>;
  const exec::Array<Some> found(space_of(instance), extract_label, joined.size() * lanes);
  exec::for_each(instance, extract_label, found.size(),
                 LookAtSome<lanes>{weights.data(), weights.size(), length, found.data()});
  exec::for_each(instance, extract_label, joined.size(),
                 JoinLanes{found.data(), lanes, joined.data()});
  exec::fence(instance, extract_label);
}

}  // namespace

Extract extract_of(const exec::Array<double>& weights, std::int64_t most) {
  Extract extract;
  if (weights.empty() || most <= 0) return extract;
  const std::int64_t length = (weights.size() - 1) / most + 1;
  const Space space = weights.space();
  const exec::Array<Some> joined(space, extract_label, (weights.size() - 1) / length + 1);
  with_space(space,
             [&](const auto& instance) { look_at_stretches(instance, weights, length, joined); });
  for (const Some& some : joined.on_host()) {
    extract.objects.push_back(some.object);
    extract.weights.push_back(some.sum);
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
    if (at.scalar == ScalarType::float64) return extract_in_place<double>(at, objects, most);
    if (at.scalar == ScalarType::float32) return extract_in_place<float>(at, objects, most);
    if (at.scalar == ScalarType::int32) return extract_in_place<std::int32_t>(at, objects, most);
    if (at.scalar == ScalarType::int64) return extract_in_place<std::int64_t>(at, objects, most);
  }
  return extract_of(given_weights(space, set), most);
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
    refuse("Object " + std::to_string(*least < 0 ? *least : *greatest) + " of a set of " +
               std::to_string(at.count) + " was asked for.",
           "Count objects from 0.");
  return at.scalar == ScalarType::float32 ? places_as<float>(space, at, objects)
                                          : places_as<double>(space, at, objects);
}

}  // namespace evenkeel
