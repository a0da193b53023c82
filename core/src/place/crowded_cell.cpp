#include "place/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/place/crowded_cell.hpp>

namespace evenkeel {

namespace {

// Returns true if `length` equal keys begin at index i of a sorted list.
struct BeginsRun {
  const CurveKey* keys;
  std::int64_t length;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return keys[i].value == keys[i + length - 1].value;
  }
};

struct IsKey {
  const CurveKey* keys;
  std::uint64_t key;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return keys[i].value == key ? 1 : 0;
  }
};

struct KeyRun {
  std::int64_t length = 0;
  std::uint64_t key = 0;
  std::int64_t objects = 0;  // number of all objects, not only of this run
  static void longest(KeyRun& into, const KeyRun& from) noexcept {
    const std::int64_t objects = into.objects + from.objects;
    if (from.length > into.length || (from.length == into.length && from.key < into.key))
      into = from;
    into.objects = objects;
  }
};

struct Sum {
  std::int64_t objects = 0;
  static void add(Sum& into, const Sum& from) noexcept { into.objects += from.objects; }
};

// Returns the longest run of equal keys. A run of some length contains runs of all shorter lengths,
// so bisection finds the greatest length.
KeyRun longest_run_in(const Space& space, const Order& order) {
  const std::int64_t count = order.keys.size();
  if (count == 0) return {};
  std::int64_t place = 0, length = 1, too_long = count + 1;
  while (too_long - length > 1) {
    const std::int64_t middle = length + (too_long - length) / 2;
    const std::int64_t starts = count - middle + 1;
    const std::int64_t at = exec::first_that(space, starts, BeginsRun{order.keys.data(), middle});
    if (at < starts) {
      place = at;
      length = middle;
    } else {
      too_long = middle;
    }
  }
  CurveKey key = {};
  order.keys.fetch(place, {&key, 1});
  return {length, key.value, count};
}

}  // namespace

CrowdedCell most_crowded_cell(const Communicator& communicator, const Status& status,
                              const Prepared& prepared) {
  KeyRun mine;
  const Status sought = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    for (const Order& order : prepared.orders)
      KeyRun::longest(mine, longest_run_in(prepared.space, order));
  });
  const KeyRun all = vote<&KeyRun::longest>(communicator, sought, mine);
  Sum here;
  const Status counted = attempt(stage_name, [&] {
    for (const Order& order : prepared.orders)
      here.objects += exec::sum<std::int64_t>(prepared.space, order.keys.size(),
                                              IsKey{order.keys.data(), all.key});
  });
  return {vote<&Sum::add>(communicator, counted, here).objects, all.objects};
}

}  // namespace evenkeel
