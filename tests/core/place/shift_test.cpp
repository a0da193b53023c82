// Places objects by shifts. Objects of a region cost twice their weight. In each round, domains
// shift by the loads that the ranks would measure.

#include "core/migrate/cloud.hpp"

#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/load.hpp>

namespace evenkeel::shift_test {
namespace {

using Place = std::array<double, 3>;

const Method curves[] = {Hilbert{}, Morton{}, Snake{}};
const Method boxes[] = {Staggered{}, Tensor{}, RecursiveBisection{}};

// The objects that this rank owns.
struct Crew {
  std::vector<Place> x;
  std::vector<double> weights, costs;
  std::vector<std::int64_t> group;
  std::vector<char> pinned;

  double load() const { return std::accumulate(costs.begin(), costs.end(), 0.0); }
};

class PlaceByShift : public test::OnRanks {
 protected:
  static constexpr std::int64_t all = 6000;

  static Region region(bool is_bound = false) { return {3, {{0, 0, 0}, {1, 1, 1}}, is_bound}; }

  Crew crew_of(const Domains& domains) const {
    Crew crew;
    for (std::int64_t id = 0; id < all; ++id) {
      const Place place = test::place_in_unit(id);
      const bool is_mine =
          parts_of(domains) == 0 ? id % size == rank : owner_of(domains, place) == rank;
      if (!is_mine) continue;
      const double weight = test::mix(id, 7) % 2 == 0 ? 1 : 3;
      const bool is_dear = place[0] < 0.45 && place[1] < 0.8 && place[2] < 0.4;
      crew.x.push_back(place);
      crew.weights.push_back(weight);
      crew.costs.push_back(is_dear ? 2 * weight : weight);
      crew.group.push_back(id % 10 == 0 ? id / 500 : -1);
      crew.pinned.push_back(0);
    }
    return crew;
  }

  Assignment placed(Crew crew, const Method& method, const Goal& goal, const Domains& last) const {
    const Set one = set(crew.x);
    const std::span<const double> given = crew.weights;
    const Prepared prepared =
        prepare(communicator, Status(), {&one, 1}, region(), {.method = method});
    return place(communicator, Status(), prepared, Weights(&given, 1), goal, last);
  }

  double lambda_of_loads(const Crew& crew) const {
    const std::vector<double> loads = communicator.all_gather(crew.load());
    return lambda_of(loads);
  }
};

TEST_F(PlaceByShift, CuresWhatWeightsDoNotTell) {
  for (const Method& method : curves)
    for (const double penalty : {1.0, 1.25}) {
      SCOPED_TRACE(to_text(method));
      Domains domains = placed(crew_of({}), method, {}, {}).domains;
      Crew crew = crew_of(domains);
      const double before = lambda_of_loads(crew);
      EXPECT_TRUE(size == 1 || before > 1.05);
      int rounds = 0;
      for (; rounds < 8 && lambda_of_loads(crew) > 1.03; ++rounds) {
        const Assignment found =
            placed(crew, method, CurveGoal{0, ShiftBy{penalty, crew.load()}}, domains);
        EXPECT_TRUE(found.is_shifted);
        EXPECT_TRUE(found.is_changed);
        EXPECT_EQ(rank_of_part(found.domains), rank_of_part(domains));
        domains = found.domains;
        crew = crew_of(domains);
      }
      EXPECT_LE(lambda_of_loads(crew), 1.03) << "after " << rounds << " rounds";
      // A new cut by the weights would not reduce the imbalance.
      const Domains again = placed(crew, method, {}, domains).domains;
      EXPECT_NEAR(lambda_of_loads(crew_of(again)), before, 1e-9);
    }
}

TEST_F(PlaceByShift, KeepsWhatIsEvenEnoughByTheLoads) {
  const Domains domains = placed(crew_of({}), Hilbert{}, {}, {}).domains;
  const Crew crew = crew_of(domains);
  const double lambda = lambda_of_loads(crew);
  const Assignment kept =
      placed(crew, Hilbert{}, CurveGoal{lambda * 1.001, ShiftBy{1, crew.load()}}, domains);
  EXPECT_FALSE(kept.is_changed);
  EXPECT_FALSE(kept.is_shifted);
  EXPECT_NEAR(kept.lambda, lambda, 1e-9);
  // The reported lambda is that of the measured loads, which objects share in proportion to their
  // weights.
  const Assignment shifted =
      placed(crew, Hilbert{}, CurveGoal{0, ShiftBy{1, crew.load()}}, domains);
  EXPECT_LT(shifted.lambda, 1.01);
}

// If domains are not ranges of the curve, or if no load was measured, there must be a new cut.
TEST_F(PlaceByShift, FallsBackToANewCut) {
  const Crew crew = crew_of({});
  const Goal goal = CurveGoal{0, ShiftBy{1, crew.load()}};
  for (const Method& method : boxes) {
    const Domains domains = placed(crew, method, {}, {}).domains;
    const Assignment found = placed(crew, method, goal, domains);
    EXPECT_FALSE(found.is_shifted);
    EXPECT_TRUE(is_same_division(found.domains, placed(crew, method, {}, domains).domains));
  }
  const Domains hilbert = placed(crew, Hilbert{}, {}, {}).domains;
  EXPECT_FALSE(placed(crew, Hilbert{}, goal, {}).is_shifted);
  EXPECT_FALSE(placed(crew, Morton{}, goal, hilbert).is_shifted);
  EXPECT_FALSE(placed(crew, Hilbert{}, CurveGoal{0, ShiftBy{1, 0}}, hilbert).is_shifted);
  EXPECT_TRUE(placed(crew, Hilbert{}, goal, hilbert).is_shifted);
}

// Objects of a group must stay together. If a rank would have too few objects, there must be a new
// cut.
TEST_F(PlaceByShift, RespectsGroupsAndLeastObjects) {
  Domains domains = placed(crew_of({}), Hilbert{}, {}, {}).domains;
  Crew crew = crew_of(domains);
  const Set one = set(crew.x, carry(), {.group = crew.group, .pinned = crew.pinned});
  const std::span<const double> given = crew.weights;
  const Prepared prepared =
      prepare(communicator, Status(), {&one, 1}, region(true), {.method = Hilbert{}});
  const Assignment bound = place(communicator, Status(), prepared, Weights(&given, 1),
                                 CurveGoal{0, ShiftBy{1, crew.load()}}, domains, true);
  EXPECT_TRUE(bound.is_shifted);
  EXPECT_LT(bound.lambda, 1.2);
  Prepared again = prepare(communicator, Status(), {&one, 1}, region(true), {.method = Hilbert{}});
  EXPECT_NO_THROW(plan(communicator, std::move(again), bound));

  const CurveGoal all_on_one = {0, ShiftBy{1, rank == 0 ? 1.0 : 0.0}};
  const Allowed allowed = place_allowed(communicator, Status(), prepared, Weights(&given, 1),
                                        all_on_one, {all / size / 4}, domains);
  EXPECT_GE(allowed.assignment.fewest_objects, all / size / 4);
}

TEST_F(PlaceByShift, RefusesLoadsAndPenaltiesOnAllRanksAlike) {
  const Crew crew = crew_of({});
  const Domains domains = placed(crew, Hilbert{}, {}, {}).domains;
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const double load = rank == size - 1 ? bad : 1;
    const std::string text = test::error_everywhere([&] {
      placed(crew, Hilbert{}, CurveGoal{0, ShiftBy{1, load}}, domains);
    });
    EXPECT_TRUE(size == 1 || test::mentions(text, "The load of this rank"));
  }
  for (const double penalty : {0.0, 0.5, std::numeric_limits<double>::infinity()})
    EXPECT_ERROR(placed(crew, Hilbert{}, CurveGoal{0, ShiftBy{penalty, 1}}, domains), "penalty");
  EXPECT_NO_THROW(placed(crew, Hilbert{}, CurveGoal{0, ShiftBy{1, 1}}, domains));
}

}  // namespace
}  // namespace evenkeel::shift_test
