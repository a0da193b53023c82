#include "costs/cost_refit.hpp"

#include "support/harness.hpp"

namespace evenkeel::cost_refit_test {
namespace {

const Space& host() {
  static const Space space = Space::where(MemoryKind::host);
  return space;
}

// Two objects. One comes from this rank, the other from the next rank.
struct Objects {
  explicit Objects(int here, int next) {
    costs[0] = exec::Array<double>(host(), "costs", 2);
    records = exec::Array<std::int64_t>(host(), "records", 2);
    for (int i = 0; i < 2; ++i) costs[0].data()[i] = 10;
    records.data()[0] = std::int64_t{here} << 32;
    records.data()[1] = std::int64_t{next} << 32;
  }
  std::array<exec::Array<double>, 1> costs;
  exec::Array<std::int64_t> records;
};

using CostRefitOn = test::OnRanks;

TEST_F(CostRefitOn, NeedsALoadBeforeTheLastMove) {
  Objects objects(0, 0);
  CostRefit refit;
  EXPECT_FALSE(refit.prepare(size, {&objects.records}, objects.costs));
  refit.note_load(100, true);
  EXPECT_FALSE(refit.prepare(size, {&objects.records}, objects.costs));
  refit.keep(false);
  EXPECT_FALSE(refit.prepare(size, {&objects.records}, objects.costs)) << "nothing moved";
  refit.note_load(100, true);
  refit.keep(true);
  EXPECT_TRUE(refit.prepare(size, {&objects.records}, objects.costs));
  EXPECT_FALSE(refit.prepare(size, {nullptr}, objects.costs)) << "records are not known";
}

TEST_F(CostRefitOn, ExplainsBothLoads) {
  Objects objects(rank, (rank + 1) % size);
  CostRefit refit;
  refit.note_load(20, true);  // the sum of the costs
  refit.keep(true);
  ASSERT_TRUE(refit.prepare(size, {&objects.records}, objects.costs));
  refit.restart(objects.costs);
  refit.fit(communicator, 30);
  EXPECT_EQ(refit.first_load(), 30.0);
  refit.apply(objects.costs);
  const double sum = objects.costs[0].data()[0] + objects.costs[0].data()[1];
  EXPECT_GT(sum, 20.0) << "the load after the move asks for more";
  EXPECT_LE(sum, 30.0 + 1e-9);
  refit.give_back();
}

}  // namespace
}  // namespace evenkeel::cost_refit_test
