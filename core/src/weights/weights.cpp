#include "field/numbers.hpp"
#include "field/places.hpp"
#include "weights/stage.hpp"

#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/weights.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

struct Mix {
  double even;            // the same for each object: its share of the cost that is spread evenly
  double following;       // sum over all objects of the cost that follows earlier weights
  const double* earlier;  // earlier weights; null if no cost follows them
  double sum;             // sum of the earlier weights
  double* weights;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    weights[i] = earlier == nullptr ? even : even + following * (earlier[i] / sum);
  }
};

template <class Real>
struct WeightedCoordinate {
  Coordinate<Real> coordinate;
  const double* weights;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return weights[i] * coordinate(i); }
};

}  // namespace

exec::Array<double> given_weights(const Space& space, const Set& set) {
  const NumberSource& source = set.options().weight;
  if (!source.given())
    refuse("The set came without weights.", "Give it a .weight, or use the measured ones.");
  if (source.layout().scalar == ScalarType::none)
    refuse("The weights are not numbers.", "Give one float, double or integer per object.");
  exec::Array<double> weights = read_reals(space, source.layout(), set.count());
  const std::int64_t bad =
      exec::first_that(space, weights.size(), exec::IsNoAmount{weights.data()});
  if (bad < weights.size()) {
    double weight = 0;
    weights.fetch(bad, {&weight, 1});
    refuse("The weight of object " + std::to_string(bad) + " in '" + source.label() + "' is " +
               text_of(weight) + '.',
           "Weights are finite and not negative.");
  }
  return weights;
}

double sum_of(const Space& space, std::span<const double> weights) {
  if (weights.empty()) return 0;
  return exec::sum<double>(space, std::ssize(weights), exec::ValueAt{weights.data()});
}

CentreOfWeight centre_of_weight(const Space& space, const Set& set) {
  check(set);
  const FieldLayout at = set.position();
  exec::Array<double> weights;
  if (set.options().weight.given())
    weights = given_weights(space, set);
  else
    weights = measured_weights(space, at.count,
                               {.cost = static_cast<double>(at.count), .mean_cost = 1}, {});
  CentreOfWeight all{.weight = sum_of(space, weights.span())};
  if (!(all.weight > 0)) return all;
  all.centre.emplace();
  with_places(at, [&]<class Real>(const Places<Real>& places) {
    for (int axis = 0; axis < at.components; ++axis)
      (*all.centre)[static_cast<std::size_t>(axis)] =
          exec::sum<double>(space, at.count,
                            WeightedCoordinate<Real>{places.along(axis), weights.data()}) /
          all.weight;
  });
  return all;
}

exec::Array<double> measured_weights(const Space& space, std::int64_t objects,
                                     const MeasuredLoad& measured,
                                     const exec::Array<double>& earlier) {
  constexpr double widest = 100;
  exec::Array<double> weights(space, "evenkeel::weights::measured", objects);
  if (objects == 0) return weights;
  const auto count = static_cast<double>(objects);
  const double mean =
      std::clamp(measured.cost / count, measured.mean_cost / widest, measured.mean_cost * widest);
  const double sum = earlier.size() == objects ? sum_of(earlier) : 0;
  const exec::Reached<double> before(space, "evenkeel::weights::earlier", earlier);
  Mix mix = {mean, 0, nullptr, sum, weights.data()};
  if (sum > 0) {
    mix.even = (1 - measured.followed) * mean;
    mix.following = measured.followed * mean * count;
    mix.earlier = before.data();
  }
  exec::for_each(space, "evenkeel::weights::measured", objects, mix);
  space.fence("evenkeel::weights::measured");
  return weights;
}

}  // namespace evenkeel
