#include "field/numbers.hpp"
#include "weights/stage.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/histogram.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/work_amounts.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* work_amounts_label = "evenkeel::weights::work";

struct IsNoType {
  const std::int64_t* types;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return types[i] < no_type || types[i] >= most_types;
  }
};

// Type t is counted in bin t + 1.
struct BinOf {
  const std::int64_t* types;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return types[i] - no_type; }
};

struct One {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t) const { return 1; }
};

struct CostsOfTypes {
  double of[most_types];  // NOLINT(modernize-avoid-c-arrays): captured by a kernel
};

struct AddTypeCost {
  const std::int64_t* types;
  CostsOfTypes cost;
  double* costs;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (types[i] != no_type) costs[i] += cost.of[types[i]];
  }
};

struct AddFeatureCost {
  const double* values;
  double cost;
  double* costs;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { costs[i] += cost * values[i]; }
};

exec::Array<std::int64_t> types_of(const Space& space, const Set& set, int component) {
  const NumberSource& source = set.options().type;
  exec::Array<std::int64_t> types =
      read_integers(space, component_of(source.layout(), component), set.count());
  const std::int64_t bad = exec::first_that(space, types.size(), IsNoType{types.data()});
  if (bad == types.size()) return types;
  std::int64_t type = 0;
  types.fetch(bad, {&type, 1});
  refuse("The type of object " + std::to_string(bad) + " in '" + source.label() + "' is " +
             std::to_string(type) + '.',
         "Types are from 0 to " + std::to_string(most_types - 1) + "; " + std::to_string(no_type) +
             " means no type.");
}

exec::Array<double> feature_of(const Space& space, const Set& set, int component) {
  const NumberSource& source = set.options().features;
  exec::Array<double> values =
      read_reals(space, component_of(source.layout(), component), set.count());
  const std::int64_t bad = exec::first_that(space, values.size(), exec::IsNoAmount{values.data()});
  if (bad == values.size()) return values;
  double value = 0;
  values.fetch(bad, {&value, 1});
  refuse("Feature " + std::to_string(component) + " of object " + std::to_string(bad) + " in '" +
             source.label() + "' is " + text_of(value) + '.',
         "Features are finite and not negative.");
}

int components_of(const NumberSource& source) {
  return source.given() ? source.layout().components : 0;
}

template <class Instance>
void count_types(const Instance& instance, const exec::Array<std::int64_t>& types,
                 const exec::Array<std::int64_t>& counts) {
  using Bins = Kokkos::View<std::int64_t*, typename Instance::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  exec::weighted_histogram(instance, types.size(), BinOf{types.data()}, One{},
                           Bins(counts.data(), static_cast<std::size_t>(counts.size())));
}

}  // namespace

PerColumn amounts_of(const Space& space, const Set& set) {
  PerColumn amounts;
  const std::int64_t count = set.count();
  if (count == 0) return amounts;
  if (!set.options().type.given()) amounts.types[0] = static_cast<double>(count);
  const exec::Array<std::int64_t> counts =
      exec::filled(space, work_amounts_label, most_types - no_type, std::int64_t{0});
  for (int c = 0; c < components_of(set.options().type); ++c) {
    const exec::Array<std::int64_t> types = types_of(space, set, c);
    with_space(space, [&](const auto& instance) { count_types(instance, types, counts); });
  }
  const std::vector<std::int64_t> of_bins = counts.on_host();
  for (std::size_t type = 0; type < amounts.types.size(); ++type)
    amounts.types[type] += static_cast<double>(of_bins[type + 1]);
  for (int f = 0; f < components_of(set.options().features); ++f) {
    const exec::Array<double> values = feature_of(space, set, f);
    amounts.features[static_cast<std::size_t>(f)] =
        exec::sum<double>(space, count, exec::ValueAt{values.data()});
  }
  return amounts;
}

exec::Array<double> costs_of(const Space& space, const Set& set, const PerColumn& costs) {
  const std::int64_t count = set.count();
  const bool has_types = set.options().type.given();
  exec::Array<double> result =
      exec::filled(space, work_amounts_label, count, has_types ? 0 : costs.types[0]);
  if (count == 0) return result;
  CostsOfTypes by_type{};
  for (std::size_t type = 0; type < costs.types.size(); ++type)
    by_type.of[type] = costs.types[type];
  for (int c = 0; c < components_of(set.options().type); ++c) {
    const exec::Array<std::int64_t> types = types_of(space, set, c);
    exec::for_each(space, work_amounts_label, count,
                   AddTypeCost{types.data(), by_type, result.data()});
    space.fence(work_amounts_label);
  }
  for (int f = 0; f < components_of(set.options().features); ++f) {
    const exec::Array<double> values = feature_of(space, set, f);
    const double cost = costs.features[static_cast<std::size_t>(f)];
    exec::for_each(space, work_amounts_label, count,
                   AddFeatureCost{values.data(), cost, result.data()});
    space.fence(work_amounts_label);
  }
  return result;
}

}  // namespace evenkeel
