#include "bisect.hpp"
#include "field/numbers.hpp"

#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/core/weights.hpp>

namespace evenkeel {

namespace {

constexpr const char* label = "evenkeel::weights::followed";
constexpr double not_known = -1;  // no value is negative
constexpr std::int64_t nowhere = -1;

struct Recall {
  const std::uint64_t* sorted;   // keys,
  const std::uint64_t* objects;  // and whose they are
  std::int64_t count;
  const double* values;
  const std::int64_t* now;
  std::int64_t* places;
  double* recalled;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto key = static_cast<std::uint64_t>(now[i]);
    const std::uint64_t* const all = sorted;
    const std::int64_t at =
        count_before(count, [all, key](std::int64_t k) { return all[k] < key; });
    const bool is_known = at < count && all[at] == key;
    const auto place = is_known ? static_cast<std::int64_t>(objects[at]) : nowhere;
    places[i] = place;
    recalled[i] = is_known ? values[place] : not_known;
  }
};

struct IsUnknown {
  const double* values;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return values[i] < 0 ? 1 : 0; }
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

struct CopyKey {
  const std::int64_t* from;
  std::uint64_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = static_cast<std::uint64_t>(from[i]);
  }
};

}  // namespace

Followed followed(const Space& space, const exec::Array<std::int64_t>& keys,
                  const exec::Array<double>& values, const exec::Array<std::int64_t>& now) {
  Followed result;
  result.values = {space, label, now.size()};
  result.places = {space, label, now.size()};
  const exec::Array<std::uint64_t> sorted(space, label, keys.size());
  exec::for_each(space, label, keys.size(), CopyKey{keys.data(), sorted.data()});
  const auto objects = exec::counted_up<std::uint64_t>(space, label, keys.size());
  if (!keys.empty()) exec::sort_pairs(space, sorted.data(), objects.data(), keys.size());
  double* const recalled = result.values.data();
  exec::for_each(space, label, now.size(),
                 Recall{sorted.data(), objects.data(), keys.size(), values.data(), now.data(),
                        result.places.data(), recalled});
  result.unknown = exec::sum<std::int64_t>(space, now.size(), IsUnknown{recalled});
  const std::int64_t known = now.size() - result.unknown;
  if (result.unknown > 0) {
    const double sum = exec::sum<double>(space, now.size(), KnownValue{recalled});
    const double mean = known > 0 ? sum / static_cast<double>(known) : 0;
    exec::for_each(space, label, now.size(), ReplaceUnknown{mean, recalled});
  }
  space.fence(label);
  return result;
}

exec::Array<std::int64_t> keys_of(const Space& space, const Set& set) {
  return read_integers(space, set.options().key.layout(), set.count());
}

}  // namespace evenkeel
