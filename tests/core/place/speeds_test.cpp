// Domains for ranks of different speeds, by every method.

#include "core/migrate/cloud.hpp"

#include <evenkeel/core/place/choice.hpp>
#include <evenkeel/core/place/phases.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::place_speeds_test {
namespace {

using Place = std::array<double, 3>;
using Speeds = std::vector<double>;

const Method methods[] = {Hilbert{}, Morton{},  Snake{}, Staggered{},
                          Tensor{},  Voronoi{}, Mesh{},  RecursiveBisection{}};

// A tensor grid and a mesh cannot follow every pattern of speeds.
double most_lambda_of(const Method& method) {
  if (std::holds_alternative<Tensor>(method)) return 1.6;
  return std::holds_alternative<Mesh>(method) ? 1.1 : 1.05;
}

class PlaceBySpeed : public test::OnRanks {
 protected:
  std::vector<Place> x;
  std::vector<double> weights;

  void make(std::int64_t all) {
    for (std::int64_t id = rank; id < all; id += size) {
      x.push_back(test::place_in_unit(id));
      weights.push_back(1 + static_cast<double>(test::mix(id, 7) % 4));
    }
  }
  // 1, 2, 4, 8, 1, 2, ... or, backwards, from the last rank on.
  Speeds in_classes(bool backwards = false) const {
    Speeds speeds;
    for (int r = 0; r < size; ++r)
      speeds.push_back(static_cast<double>(1U << (backwards ? size - 1 - r : r) % 4));
    return speeds;
  }
  static Region region() { return {3, {{0, 0, 0}, {1, 1, 1}}, false}; }

  Assignment placed(const Set& all, const PlaceOptions& options, const Goal& goal = {},
                    const Domains& last = {}) const {
    const std::span<const double> given = weights;
    return place(communicator, Status(),
                 prepare(communicator, Status(), {&all, 1}, region(), options), Weights(&given, 1),
                 goal, last);
  }
  // The weight of each rank under some domains.
  std::vector<double> loads_under(const Domains& domains) const {
    std::vector<double> loads(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto part = static_cast<std::size_t>(owner_of(domains, x[i]));
      loads[part] += weights[i];
    }
    communicator.all_reduce(std::span<double>(loads), Reduction::sum);
    return loads;
  }
};

TEST_F(PlaceBySpeed, SharesAreProportionalToSpeeds) {
  make(6000);
  const Set all = set(x);
  for (const Method& method : methods)
    for (const bool backwards : {false, true}) {
      SCOPED_TRACE(to_text(method));
      const Speeds speeds = in_classes(backwards);
      const PlaceOptions options = {.method = method, .speeds = speeds};
      const Assignment found = placed(all, options, EvenGoal{1.02});
      EXPECT_NEAR(found.lambda, lambda_of(loads_under(found.domains), speeds), 1e-9);
      EXPECT_LT(found.lambda, most_lambda_of(method));

      const Assignment again = placed(all, options, EvenGoal{found.lambda * 1.001}, found.domains);
      EXPECT_FALSE(again.is_changed);
      EXPECT_NEAR(again.lambda, found.lambda, 1e-9);
    }
}

TEST_F(PlaceBySpeed, EqualSpeedsChangeNothing) {
  make(3000);
  const Set all = set(x);
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const Speeds equal(static_cast<std::size_t>(size), 0.7);
    const Assignment found = placed(all, {.method = method, .speeds = equal}, EvenGoal{1.02});
    const Assignment expected = placed(all, {.method = method}, EvenGoal{1.02});
    EXPECT_TRUE(is_same_division(found.domains, expected.domains));
    EXPECT_EQ(rank_of_part(found.domains), rank_of_part(expected.domains));
    EXPECT_EQ(found.lambda, expected.lambda);
  }
}

// New domains may follow the last ones, whose parts other ranks owned.
TEST_F(PlaceBySpeed, NewSpeedsMakeNewDomains) {
  make(6000);
  const Set all = set(x);
  std::vector<int> turned;
  for (int r = 0; r < size; ++r) turned.push_back((r + 1) % size);
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const Assignment first =
        placed(all, {.method = method, .rank_of_part = turned}, EvenGoal{1.02});
    const Speeds speeds = in_classes();
    const Assignment next =
        placed(all, {.method = method, .speeds = speeds}, EvenGoal{1.02}, first.domains);
    EXPECT_NEAR(next.lambda, lambda_of(loads_under(next.domains), speeds), 1e-9);
    EXPECT_LT(next.lambda, most_lambda_of(method));
    const Assignment named =
        placed(all, {.method = method, .rank_of_part = turned, .speeds = speeds}, EvenGoal{1.02});
    EXPECT_EQ(rank_of_part(named.domains), turned);
    EXPECT_NEAR(named.lambda, lambda_of(loads_under(named.domains), speeds), 1e-9);
    EXPECT_LT(named.lambda, most_lambda_of(method));
  }
}

TEST_F(PlaceBySpeed, AFreshCutTakesTheSpeedsOfItsParts) {
  make(6000);
  const Set all = set(x);
  const std::span<const double> given = weights;
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    Speeds speeds = {8, 1, 2, 1, 4, 4};
    const PreparedToCut ready =
        prepare_to_cut(Status(), {&all, 1}, region(), {.method = method, .speeds = speeds});
    const FreshCut found =
        cut_anew(communicator, Status(), ready, Weights(&given, 1), {.parts = 6}, {});
    std::vector<double> loads(6);
    for (std::size_t i = 0; i < x.size(); ++i)
      loads[static_cast<std::size_t>(owner_of(found.domains, x[i]))] += weights[i];
    communicator.all_reduce(std::span<double>(loads), Reduction::sum);
    EXPECT_NEAR(found.lambda, lambda_of(loads, speeds), 1e-9);
    EXPECT_LT(found.lambda, std::holds_alternative<Tensor>(method) ? 2.5 : most_lambda_of(method));
    EXPECT_ERROR(cut_anew(communicator, Status(), ready, Weights(&given, 1), {.parts = 7}, {}),
                 "core/place: 6 speeds came for 7 parts.");
  }
}

// Each rank holds the objects of the next part of its speed, and keeps them.
TEST_F(PlaceBySpeed, OnlyRanksOfTheSameSpeedExchangeParts) {
  Speeds speeds;
  for (int r = 0; r < size; ++r) speeds.push_back(r % 2 == 0 ? 1 : 3);
  const auto next_of = [&](int r) {
    do r = (r + 1) % size;
    while (speeds[static_cast<std::size_t>(r)] != (rank % 2 == 0 ? 1 : 3));
    return r;
  };
  make(6000);
  const Set dealt = set(x);
  const std::span<const double> given = weights;
  const PreparedToCut ready = prepare_to_cut(Status(), {&dealt, 1}, region(), {.speeds = speeds});
  const Domains parts =
      cut_anew(communicator, Status(), ready, Weights(&given, 1), {.parts = size}, {}).domains;
  x.clear();
  weights.clear();
  for (std::int64_t id = 0; id < 6000; ++id) {
    const Place place = test::place_in_unit(id);
    if (owner_of(parts, place) != next_of(rank)) continue;
    x.push_back(place);
    weights.push_back(1 + static_cast<double>(test::mix(id, 7) % 4));
  }
  const Set all = set(x);
  const Assignment found = placed(all, {.speeds = speeds});
  for (const Place& place : x) ASSERT_EQ(owner_of(found.domains, place), rank);
  EXPECT_NEAR(found.lambda, lambda_of(loads_under(found.domains), speeds), 1e-9);
  EXPECT_LT(found.lambda, 1.02);
}

TEST_F(PlaceBySpeed, AShiftLeadsToSharesBySpeed) {
  if (size == 1) GTEST_SKIP();
  make(6000);
  const Set all = set(x);
  const Speeds speeds = in_classes();
  const PlaceOptions options = {.method = Hilbert{}, .speeds = speeds};
  const Assignment equal = placed(all, {.method = Hilbert{}});
  // All objects cost what they weigh, so that a shift of penalty 1 leads to even times at once.
  double load = 0;
  for (const double weight : weights) load += weight;
  const Assignment shifted = placed(all, options, CurveGoal{0, ShiftBy{1, load}}, equal.domains);
  EXPECT_TRUE(shifted.is_shifted);
  EXPECT_LT(lambda_of(loads_under(shifted.domains), speeds), 1.05);
}

TEST_F(PlaceBySpeed, FewerObjectsThanRanks) {
  make(1);
  const Set all = set(x);
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const Speeds speeds = in_classes();
    const Assignment found = placed(all, {.method = method, .speeds = speeds});
    EXPECT_NEAR(found.lambda, lambda_of(loads_under(found.domains), speeds), 1e-9);
  }
}

TEST_F(PlaceBySpeed, AMethodIsChosenByTimes) {
  make(6000);
  const Set all = set(x);
  const std::span<const double> given = weights;
  const Speeds speeds = in_classes();
  const MethodTrial trial(communicator, Status(), {&all, 1}, region(), {.speeds = speeds},
                          Weights(&given, 1));
  for (const Method& method :
       {Method(Hilbert{}), Method(RecursiveBisection{}), Method(Voronoi{})}) {
    const MethodForecast found = trial.forecast(method, {}, {});
    EXPECT_LT(found.lambda, 1.1) << to_text(method);
    EXPECT_NEAR(found.step, found.lambda, 1e-9) << to_text(method);
  }
}

TEST_F(PlaceBySpeed, SpeedsThatMakeNoSenseAreErrors) {
  make(300);
  const Set all = set(x);
  const auto place_with = [&](const Method& method, const Speeds& speeds) {
    placed(all, {.method = method, .speeds = speeds});
  };
  const auto ranks = static_cast<std::size_t>(size);
  for (const Method& method : methods) {
    EXPECT_ERROR(place_with(method, Speeds(ranks + 1, 1.0)),
                 "core/place: " + std::to_string(size + 1) + " speeds came for " +
                     std::to_string(size) + " parts. Give one speed per part, or no speeds.");
    EXPECT_ERROR(place_with(method, Speeds(ranks, 0.0)),
                 "A speed is zero, negative, NaN or infinite.");
  }
}

TEST_F(PlaceBySpeed, PhasesAreNotCutBySpeed) {
  if (size == 1) GTEST_SKIP();
  make(300);
  const Set all = set(x);
  const std::vector<std::span<const double>> phases = {weights, weights};
  const auto place_with = [&](const Speeds& speeds) {
    const Prepared ready = prepare(communicator, Status(), {&all, 1}, region(), {.speeds = speeds});
    return place_phases(communicator, Status(), ready, {&phases, 1}, 2, 0, {}, {});
  };
  EXPECT_ERROR(place_with(in_classes()),
               "core/place: Several phases cannot be cut along a curve by speed. Choose the method "
               "graph, add up the costs of all phases, or give no speeds.");
  EXPECT_LT(place_with(Speeds(static_cast<std::size_t>(size), 3.0)).allowed.assignment.lambda, 1.3);
}

}  // namespace
}  // namespace evenkeel::place_speeds_test
