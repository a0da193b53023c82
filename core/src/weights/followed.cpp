#include "field/numbers.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/core/weights.hpp>

namespace evenkeel {

namespace {

constexpr const char* followed_label = "evenkeel::weights::followed";
constexpr double not_known = -1;  // values are not negative, so this marks an unknown one
constexpr std::int64_t nowhere = -1;

struct Recall {
  const std::uint64_t* sorted;   // the keys of earlier objects
  const std::uint64_t* objects;  // the object of each of these keys
  std::int64_t count;
  const double* values;  // null if all are 0
  const std::int64_t* now;
  std::int64_t* places;
  double* recalled;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto key = static_cast<std::uint64_t>(now[i]);
    const std::int64_t at = place_in(sorted, count, key);
    const bool is_known = at < count && sorted[at] == key;
    const auto place = is_known ? static_cast<std::int64_t>(objects[at]) : nowhere;
    places[i] = place;
    recalled[i] = !is_known ? not_known : values == nullptr ? 0 : values[place];
  }
};

struct KnownValue {
  const double* values;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return values[i] < 0 ? 0 : values[i]; }
};

struct ReplaceUnknown {
  double by;
  double* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (values[i] < 0) values[i] = by;
  }
};

}  // namespace

Followed followed(const Space& space, const exec::Array<std::int64_t>& keys,
                  const exec::Array<double>& values, const exec::Array<std::int64_t>& now) {
  Followed result;
  result.values = {space, followed_label, now.size()};
  result.places = {space, followed_label, now.size()};
  const exec::Array<std::uint64_t> sorted(space, followed_label, keys.size());
  exec::for_each(space, followed_label, keys.size(), exec::Copy{keys.data(), sorted.data()});
  const auto objects = exec::counted_up<std::uint64_t>(space, followed_label, keys.size());
  if (!keys.empty()) exec::sort_pairs(space, sorted.data(), objects.data(), keys.size());
  double* const recalled = result.values.data();
  exec::for_each(
      space, followed_label, now.size(),
      Recall{sorted.data(), objects.data(), keys.size(), values.empty() ? nullptr : values.data(),
             now.data(), result.places.data(), recalled});
  result.unknown = exec::sum<std::int64_t>(space, now.size(), exec::IsBelow{recalled, 0});
  const std::int64_t known = now.size() - result.unknown;
  if (result.unknown > 0) {
    const double sum = exec::sum<double>(space, now.size(), KnownValue{recalled});
    const double mean = known > 0 ? sum / static_cast<double>(known) : 0;
    exec::for_each(space, followed_label, now.size(), ReplaceUnknown{mean, recalled});
  }
  space.fence(followed_label);
  return result;
}

exec::Array<std::int64_t> keys_of(const Space& space, const Set& set) {
  return read_integers(space, set.options().key.layout(), set.count());
}

}  // namespace evenkeel
