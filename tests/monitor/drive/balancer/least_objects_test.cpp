#include "monitor/drive/balancer/crew.hpp"

namespace evenkeel::least_objects_test {
namespace {

using namespace test;

class LeastObjects : public test::OnRanks {
 protected:
  std::int64_t fewest(const Ids& ids) const {
    return communicator.all_reduce(std::ssize(ids) + std::int64_t{0}, Reduction::least);
  }
  // A few objects weigh more than all others together.
  static double weight_of(std::int64_t id) { return id % 40 == 3 ? 1e6 : 1; }

  struct Outcome {
    MoveReport report;
    std::int64_t fewest;
    double lambda;  // by the actual weights
  };
  Outcome rebalanced(const Options& options, std::int64_t objects) const {
    const Ids ids = ids_here(communicator, test::in_turn, objects);
    test::Vectors cloud(ids.size());
    std::vector<double> weights;
    for (const std::int64_t id : ids) weights.push_back(weight_of(id));
    write_objects(cloud.as_set(), everywhere, ids);
    Balancer balancer(communicator, options);
    Outcome outcome;
    outcome.report = balancer.rebalance(cloud.as_set({.weight = weights}));
    balancer.finish();
    expect_intact(communicator, cloud.as_set(), everywhere, test::counting<std::int64_t>(objects));
    outcome.fewest = fewest(cloud.id);
    double load = 0;
    for (const std::int64_t id : cloud.id) load += weight_of(id);
    outcome.lambda = lambda_of(communicator.all_gather(load));
    return outcome;
  }
};

// One part has the objects before a heavy object, one has the heavy object, and one has the objects
// behind it.
TEST_F(LeastObjects, HeavyObjectsMayEmptyRanksWhereNothingForbidsIt) {
  if (size < 4) GTEST_SKIP() << "takes four ranks";
  const Outcome outcome = rebalanced({}, 40);
  EXPECT_EQ(outcome.fewest, 0);
  EXPECT_EQ(outcome.report.refused, 0);
}

TEST_F(LeastObjects, NoRankIsLeftWithFewer) {
  for (const Method& method : all_methods)
    for (const int least : {1, 5}) {
      if (size > 5 && least > 1 && method.index() % 2 == 0) continue;
      SCOPED_TRACE("method " + std::to_string(method.index()));
      const Outcome outcome = rebalanced({.method = method, .least_objects = least}, 40 * size);
      EXPECT_GE(outcome.fewest, least);
      EXPECT_NEAR(outcome.report.lambda, outcome.lambda, 1e-9);
    }
}

TEST_F(LeastObjects, OneHeavyObjectAndOneForEachOther) {
  if (size < 2) GTEST_SKIP() << "takes two ranks";
  const Outcome outcome = rebalanced({.least_objects = 1}, 4 * size);
  EXPECT_GE(outcome.fewest, 1);
  EXPECT_GE(outcome.report.refused, size > 3 ? 1 : 0);
}

// Domains that are even enough must not be cut again, unless a rank has too few objects.
TEST_F(LeastObjects, AKeptDecompositionIsNotKeptWhereItEmptiesRanks) {
  if (size < 3) GTEST_SKIP() << "takes three ranks";
  Options options{.target_lambda = 1000};
  Vectors cloud = cloud_of(ids_here(communicator, test::in_turn, 40 * size));
  options.least_objects = 20;
  Balancer balancer(communicator, options);
  balancer.rebalance(cloud.as_set());
  EXPECT_GE(fewest(cloud.id), 20);
  // Nearly all objects move close to the first object of rank 0.
  std::array<double, 3> place = cloud.x.empty() ? std::array<double, 3>{} : cloud.x[0];
  place = communicator.broadcast(place, 0);
  for (std::size_t i = 2; i < cloud.x.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d)
      cloud.x[i][d] = place[d] + 1e-3 * (cloud.x[i][d] - place[d]);
  const MoveReport report = balancer.rebalance(cloud.as_set());
  EXPECT_GE(report.refused, 1);
  EXPECT_GE(fewest(cloud.id), 20);
  balancer.finish();
}

void expect_error(const Communicator& communicator, const Options& options, const Ids& ids,
                  const test::Scene& scene, const std::string& told) {
  Vectors cloud = cloud_of(ids, scene);
  Balancer balancer(communicator, options);
  const test::Snapshot before = test::snapshot_of({{cloud.as_set()}});
  EXPECT_ERROR_EVERYWHERE(balancer.rebalance(cloud.as_set()), told);
  EXPECT_TRUE(test::snapshot_of({{cloud.as_set()}}) == before);
  EXPECT_EQ(parts_of(balancer.domains()), 0);
  balancer.finish();
}

TEST_F(LeastObjects, FewerObjectsThanAskedForAreTheSameErrorOnAll) {
  expect_error(communicator, {.least_objects = 7},
               ids_here(communicator, test::on_the_last, 7 * size - 1), everywhere,
               "core/place: There are " + std::to_string(7 * size - 1) + " objects for " +
                   std::to_string(size) +
                   " ranks, and least_objects is 7. Use fewer ranks, or ask for fewer objects on "
                   "each.");
}

TEST_F(LeastObjects, ObjectsThatCannotBePartedAreTheSameErrorOnAll) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  expect_error(communicator, {.least_objects = 1}, ids_here(communicator, test::in_turn, 10 * size),
               test::in_one_point, " with 0 objects, and least_objects is 1.");
}

}  // namespace
}  // namespace evenkeel::least_objects_test
