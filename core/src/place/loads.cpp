#include "place/loads.hpp"
#include "place/stage.hpp"

#include "cut/add_up.hpp"
#include "cut/units.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/comm/ballot.hpp>

namespace evenkeel {

namespace {

constexpr const char* loads_label = "evenkeel::place::loads";

// Finds the rank that owns an object by the number of the object.
struct ByObject {
  const int* ranks;
  KOKKOS_FUNCTION int operator()(std::int64_t, std::int64_t object) const { return ranks[object]; }
};

// Finds the rank that owns an object by its place in the order, unless the object is held by a
// rank.
struct ByPlace {
  OwnerOfPlace owner_of;
  const int* held;  // by object; null if no object is held
  KOKKOS_FUNCTION int operator()(std::int64_t place, std::int64_t object) const {
    return held != nullptr && held[object] != Bonds::free ? held[object] : owner_of(place);
  }
};

// Collective. add(set, summands) must launch the kernel that adds up the objects of one set.
template <class Add>
Loads sum_up(const Communicator& communicator, const Status& status, const Prepared& prepared,
             Weights weights, const Add& add) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const Space& space = prepared.space;
  Census mine;
  std::vector<std::int64_t> sums;
  exec::Array<std::int64_t> there;
  Loads loads;
  const Status ready = attempt(stage_name, [&] {
    if (!status.ok()) throw Error(*status.error());
    loads.weights.reserve(ranks);
    loads.objects.reserve(ranks);
    std::vector<WeightedKeys> all;
    for (std::size_t s = 0; s < prepared.orders.size(); ++s)
      all.push_back({prepared.orders[s].keys.span(), weights[s], prepared.orders[s].keys.memory()});
    mine = census_of_weights(all);
    sums.resize(2 * ranks);
    there = {space, loads_label, std::span<const std::int64_t>(sums)};
  });
  const Units units(vote<&combine>(communicator, ready, mine));
  const Status added = attempt(stage_name, [&] {
    for (std::size_t s = 0; s < prepared.orders.size(); ++s) {
      const bool alike = weights[s].empty() || units.weightless();
      add(s, Summands{nullptr, alike ? nullptr : weights[s].data(),
                      prepared.orders[s].objects.size(), units, there.data(), communicator.size()});
    }
    there.fetch(0, sums);
  });
  vote(communicator, added);
  communicator.all_reduce(std::span<std::int64_t>(sums), Reduction::sum);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    loads.weights.push_back(units.weight_of(sums[rank]));
    loads.objects.push_back(sums[ranks + rank]);
  }
  require_finite_sum(loads.weights);
  return loads;
}

}  // namespace

Loads loads_by_object(const Communicator& communicator, const Status& status,
                      const Prepared& prepared, Weights weights,
                      const std::vector<exec::Array<int>>& parts) {
  return sum_up(communicator, status, prepared, weights, [&](std::size_t s, const Summands& into) {
    const ByObject rank_of{parts[s].data()};
    with_space(prepared.space,
               [&](const auto& instance) { add_up(instance, loads_label, into, rank_of); });
  });
}

Loads loads_by_assignment(const Communicator& communicator, const Status& status,
                          const Prepared& prepared, Weights weights, const Assignment& assignment) {
  const Space& space = prepared.space;
  return sum_up(communicator, status, prepared, weights, [&](std::size_t s, const Summands& alike) {
    const auto& orders = assignment.orders.empty() ? prepared.orders : assignment.orders;
    const exec::Reached<std::int64_t> offsets(space, loads_label, assignment.offsets[s]);
    const exec::Reached<int> owners(space, loads_label, rank_of_part(assignment.domains));
    const bool is_bound = s < prepared.bonds.held.size() && !prepared.bonds.held[s].empty();
    const ByPlace rank_of{
        {offsets.data(), offsets.size() - 1, owners.size() == 0 ? nullptr : owners.data()},
        is_bound ? prepared.bonds.held[s].data() : nullptr};
    Summands into = alike;
    into.objects = orders[s].objects.data();
    with_space(space, [&](const auto& instance) { add_up(instance, loads_label, into, rank_of); });
    space.fence(loads_label);
  });
}

}  // namespace evenkeel
