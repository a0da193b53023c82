#include "costs/object_costs.hpp"

#include "support/harness.hpp"

#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::object_costs_test {
namespace {

using Places = std::vector<std::array<double, 2>>;

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Nothing is learned, for example in a deterministic run.
TEST(ObjectCosts, WeighByWhatIsGiven) {
  Places x(3);
  const std::vector<double> weights = {1, 2, 4};
  const std::vector<int> types = {0, 1, 1};
  const Set plain = set(x), weighted = set(x, {}, {.weight = weights});
  const Set typed = set(x, {}, {.type = types, .type_costs = {5, 7}});
  const std::array<Set, 3> all = {plain, weighted, typed};
  EXPECT_EQ(objects_in(all), 9);
  EXPECT_EQ(weight_of({&plain, 1}), 3.0);
  EXPECT_EQ(weight_of({&weighted, 1}), 7.0);
  EXPECT_EQ(weight_of({&typed, 1}), 19.0);
  EXPECT_EQ(weight_of(all), 29.0);
  const std::vector<double> bad = {1, std::numeric_limits<double>::quiet_NaN(), 1};
  const std::array<Set, 2> some = {plain, set(x, {}, {.weight = bad})};
  EXPECT_EQ(weight_of(some), 3.0) << "what makes no sense counts as far as it can be read";

  ObjectCosts costs({.deterministic = true}, [](const CostTable&) {});
  const Space space = Space::where(MemoryKind::host);
  RankRecords records(0);
  std::vector<Set> travelling(all.begin(), all.end());
  const auto now = [] { return std::int64_t{0}; };
  EXPECT_EQ(costs.arrive(space, travelling, records, {.load = 5}, 1, now).load, 5);
  EXPECT_EQ(travelling[0].fields().size(), 1U) << "no costs travel";
  const ObjectWeights known = costs.weigh(all, {}, {});
  EXPECT_TRUE(known.of_sets[0].empty()) << "each object counts as one";
  EXPECT_EQ(sum_of(known.of_sets[1]), 7.0);
  EXPECT_EQ(sum_of(known.of_sets[2]), 19.0);
}

TEST(ObjectCosts, SpreadWhatARankHasMeasured) {
  const Communicator ranks = test::world();
  Places x(4);
  std::vector<Set> sets = {set(x)};
  RankRecords records(ranks.rank());
  ObjectCosts costs({}, [](const CostTable&) {});
  const RankMeasurements measured = {.load = 800, .first = 800, .last = 800};
  const Space space = Space::where(MemoryKind::host);
  const auto now = [] { return std::int64_t{0}; };
  const CostStatement mine = costs.arrive(space, sets, records, measured, ranks.size(), now);
  EXPECT_EQ(sets[0].fields().size(), 2U) << "costs travel with the objects";
  EXPECT_EQ(mine.load, 800);
  EXPECT_EQ(mine.objects, 4);
  EXPECT_EQ(mine.fits, 0);
  CostStatement all = mine;
  for (int r = 1; r < ranks.size(); ++r) all.add(mine);
  const AgreedCosts agreed = agreed_from(mine, all, ranks.size());
  EXPECT_EQ(agreed.mean_per_object, 200.0);
  EXPECT_FALSE(agreed.fits);
  costs.fit(ranks, sets, agreed, measured, {});
  const ObjectWeights weights = costs.weigh(sets, agreed, measured);
  for (const double cost : weights.of_sets[0]) EXPECT_EQ(cost, 200.0);
  costs.keep(true);

  // With one more object, no object has known costs, since objects have no keys.
  x.resize(5);
  std::vector<Set> more = {set(x)};
  EXPECT_EQ(costs.arrive(space, more, records, measured, ranks.size(), now).forgotten, 5);
  costs.give_back();
  costs.clear_forgotten();
  EXPECT_EQ(costs.forgotten(), 0);
}

}  // namespace
}  // namespace evenkeel::object_costs_test
