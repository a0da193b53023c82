// Compares predictions of steps with the domains that a method makes of all objects.

#include "core/migrate/cloud.hpp"

#include <evenkeel/core/place/choice.hpp>

#include <cmath>

namespace evenkeel::choice_test {
namespace {

using Place = std::array<double, 3>;

const Method methods[] = {Hilbert{}, Staggered{}, RecursiveBisection{}, Voronoi{}};
constexpr double width = 0.15;

class Choice : public test::OnRanks {
 protected:
  std::vector<Place> x, everywhere;
  std::vector<double> weights;

  // More objects near one corner, which are heavy there. The last rank has no objects.
  void make(std::int64_t all) {
    for (std::int64_t id = 0; id < all; ++id) {
      Place place = test::place_in_unit(id);
      for (double& along : place) along *= along;
      everywhere.push_back(place);
      if (id % std::max(1, size - 1) != rank) continue;
      x.push_back(place);
      weights.push_back(place[0] < 0.2 ? 3 : 1);
    }
  }
  static Region region() { return {3, {{0, 0, 0}, {1, 1, 1}}, false}; }

  MethodTrial trial(const Set& all) const {
    const std::span<const double> given = weights;
    return {communicator, Status(), {&all, 1}, region(), {}, Weights(&given, 1)};
  }
  Domains domains_by(const Method& method, const Set& all) const {
    const std::span<const double> given = weights;
    const PreparedToCut prepared =
        prepare_to_cut(Status(), {&all, 1}, region(), {.method = method});
    return cut_anew(communicator, Status(), prepared, Weights(&given, 1), {}, {}).domains;
  }

  // The ghosts of a rank whose domain is a union of boxes.
  double ghosts_by_hand(const Domains& domains, int of_rank) const {
    const std::vector<Box> boxes = boxes_of(domains, of_rank);
    double ghosts = 0;
    for (const Place& place : everywhere)
      if (owner_of(domains, place) != of_rank)
        ghosts += std::ranges::any_of(boxes, [&](const Box& box) {
          double square = 0;
          for (std::size_t d = 0; d < 3; ++d) {
            const double gap = std::max({box.lower[d] - place[d], place[d] - box.upper[d], 0.0});
            square += gap * gap;
          }
          return square < width * width;
        });
    return ghosts;
  }
};

TEST_F(Choice, GhostsOfARankAreThoseOfItsDomain) {
  make(500 * size);
  const Set all = set(x);
  const MethodTrial all_objects = trial(all);
  for (const Method& method : methods) {
    if (std::holds_alternative<Voronoi>(method)) continue;  // whose domains are no boxes
    const Domains domains = domains_by(method, all);
    const HaloSize found = all_objects.halos_under(domains, width)[static_cast<std::size_t>(rank)];
    EXPECT_EQ(found.ghosts, ghosts_by_hand(domains, rank)) << to_text(method);
    EXPECT_EQ(found.neighbours, std::ssize(neighbours_of(domains, rank)));
    EXPECT_EQ(all_objects.halos_under(domains, 0).front().ghosts, 0);
  }
}

TEST_F(Choice, AStepTakesAsLongAsTheRankWithMostWorkAndGhosts) {
  make(500 * size);
  const Set all = set(x);
  const MethodTrial all_objects = trial(all);
  const StepCosts costs = {.halo = width, .ghost = 0.5, .neighbour = 7, .move = 0.25};
  for (const Method& method : methods) {
    const MethodForecast found = all_objects.forecast(method, costs, {});
    const Domains domains = domains_by(method, all);
    const HaloSize mine = all_objects.halos_under(domains, width)[static_cast<std::size_t>(rank)];
    std::vector<double> loads(static_cast<std::size_t>(size));
    double leaving = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const int owner = owner_of(domains, x[i]);
      loads[static_cast<std::size_t>(owner)] += weights[i];
      leaving += owner != rank ? 1 : 0;
    }
    communicator.all_reduce(std::span<double>(loads), Reduction::sum);
    const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / size;
    const double objects = static_cast<double>(everywhere.size()) / size;
    const double step =
        communicator.all_reduce(loads[static_cast<std::size_t>(rank)] / mean +
                                    (0.5 * mine.ghosts + 7 * mine.neighbours) / objects,
                                Reduction::greatest);
    const double moved = communicator.all_reduce(leaving, Reduction::sum) / (objects * size);
    EXPECT_NEAR(found.step, step + 0.25 * moved, 1e-9) << to_text(method);
    EXPECT_NEAR(found.moved_share, moved, 1e-12);
    EXPECT_NEAR(found.lambda, *std::ranges::max_element(loads) / mean, 1e-12);
    EXPECT_EQ(found.greatest.ghosts, communicator.all_reduce(mine.ghosts, Reduction::greatest));
  }
}

TEST_F(Choice, ASampleTellsGhostsToAFewPercent) {
  make(12'000 * size);
  const Set all = set(x);
  const MethodTrial sample = trial(all);
  for (const Method& method : {Method(Hilbert{}), Method(RecursiveBisection{})}) {
    const Domains domains = domains_by(method, all);
    const double truth = ghosts_by_hand(domains, rank);
    EXPECT_NEAR(sample.halos_under(domains, width)[static_cast<std::size_t>(rank)].ghosts, truth,
                0.1 * truth)
        << to_text(method);
  }
}

TEST_F(Choice, FailuresOfARankAreErrorsOfAll) {
  make(100 * size);
  const Set all = set(x);
  const std::span<const double> given = weights;
  const Status mine =
      rank == size - 1
          ? Status(Error(ErrorKind::bad_input, Where{"test"}, "This rank fails.", "Mend it."))
          : Status();
  const auto make_trial = [&] {
    const MethodTrial trial(communicator, mine, {&all, 1}, region(), {}, Weights(&given, 1));
  };
  EXPECT_ERROR(make_trial(), "This rank fails.");
}

TEST_F(Choice, CostsOfAHaloAreLearnedFromTimes) {
  const HaloSize mine = {100.0 + 40 * rank, static_cast<double>(3 + rank % 2)};
  const HaloCosts both = halo_costs(communicator, mine, 2 * mine.ghosts + 30 * mine.neighbours);
  if (size > 2) {
    EXPECT_NEAR(both.ghost, 2, 1e-9);
    EXPECT_NEAR(both.neighbour, 30, 1e-9);
  }
  EXPECT_GT(both.ghost + both.neighbour, 0);
  const HaloCosts ghosts = halo_costs(communicator, mine, 2 * mine.ghosts);
  EXPECT_NEAR(ghosts.ghost, 2, 1e-9);
  EXPECT_NEAR(ghosts.neighbour, 0, 1e-9);
  const HaloCosts none = halo_costs(communicator, {}, 5);
  EXPECT_EQ(none.ghost, 0);
  EXPECT_EQ(none.neighbour, 0);
}

TEST(BestMethod, AChangeMustBeWorthwhile) {
  std::vector<MethodForecast> forecasts = {{.method = Hilbert{}, .step = 1.2},
                                           {.method = Staggered{}, .step = 1.17},
                                           {.method = Voronoi{}, .step = 1.18}};
  EXPECT_EQ(best_of(forecasts, -1), 1);
  EXPECT_EQ(best_of(forecasts, 0), 0) << "not 3 % shorter";
  forecasts[2].step = 1.15;
  EXPECT_EQ(best_of(forecasts, 0), 2);
}

}  // namespace
}  // namespace evenkeel::choice_test
