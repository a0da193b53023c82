#include "domains/answers.hpp"
#include "domains/stage.hpp"
#include "domains/write_parts.hpp"
#include "field/numbers.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/domains/strays.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel {

namespace {

constexpr const char* strays_label = "evenkeel::domains::strays";

struct IsOwnedElsewhere {
  const int* owners;
  const std::int64_t* pinned;  // by object; null if no object is pinned
  const std::int64_t* objects;
  int here;
  KOKKOS_FUNCTION bool operator()(std::int64_t k) const {
    return owners[k] != here && (pinned == nullptr || pinned[objects[k]] == 0);
  }
};

void require_finite(const Space& space, const exec::Array<double>& places, int components,
                    const exec::Array<std::int64_t>& objects) {
  const Coordinate<double> numbers{reinterpret_cast<const char*>(places.data()), sizeof(double)};
  const std::int64_t bad = exec::first_that(space, places.size(), IsNotFinite<double>{numbers});
  if (bad == places.size()) return;
  std::int64_t object = 0;
  objects.fetch(bad / components, {&object, 1});
  refuse("The position of object " + std::to_string(object) + " is not finite.",
         "Mend the position before objects move.");
}

// Returns the rank that owns each of a few objects.
exec::Array<int> owners_among(const Space& space, const Domains& domains, const FieldLayout& at,
                              const exec::Array<std::int64_t>& objects) {
  const exec::Array<double> places = read_places(space, at, objects.data(), objects.size());
  require_finite(space, places, at.components, objects);
  RawField<double> field = raw_field(places.data(), {.count = objects.size(),
                                                     .components = at.components,
                                                     .memory = places.memory(),
                                                     .label = "positions of a few objects"});
  return owners_of(space, domains, set(field));
}

}  // namespace

StrayFinder::StrayFinder(const Space& space, const Domains& domains, int rank, std::int64_t objects)
    : space_(space), domains_(domains), rank_(rank) {
  check_has_parts(stage_name, parts_of(domains));
  home_ = ask_places(stage_name, domains, [&](const auto& all) {
    return all.has_part(rank) ? all.home_test(space, all.part_of(rank), objects)
                              : std::unique_ptr<HomeTest>();
  });
}
StrayFinder::StrayFinder(StrayFinder&&) noexcept = default;
StrayFinder::~StrayFinder() = default;

Strays StrayFinder::strays_of(const Set& set) const {
  if (!has_objects(stage_name, space_, decomposition_of(domains_), set)) return {};
  const FieldLayout at = set.position();
  const exec::Array<std::int64_t> suspects =
      home_ ? home_->suspects_among(space_, at)
            : exec::counted_up<std::int64_t>(space_, strays_label, at.count);
  if (suspects.empty()) return {};
  const exec::Array<int> owners = owners_among(space_, domains_, at, suspects);
  exec::Array<std::int64_t> pinned;
  if (set.options().pinned.given())
    pinned = read_integers(space_, set.options().pinned.layout(), at.count);
  const exec::Array<std::int64_t> gone =
      exec::numbers_that(space_, strays_label, suspects.size(),
                         IsOwnedElsewhere{owners.data(), pinned.empty() ? nullptr : pinned.data(),
                                          suspects.data(), rank_});
  return {exec::chosen(space_, strays_label, suspects.data(), gone),
          exec::chosen(space_, strays_label, owners.data(), gone)};
}

}  // namespace evenkeel
