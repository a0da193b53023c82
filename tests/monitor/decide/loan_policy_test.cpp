#include "decide/loan_policy.hpp"

#include "support/harness.hpp"

namespace evenkeel::loan_policy_test {
namespace {

constexpr LoanPolicy::Expected uneven = {10'000'000, 30'000'000},
                               nearly_even = {10'000'000, 10'050'000};

TEST(LoanPolicy, PlansWhereThereIsWorkToLend) {
  LoanPolicy policy;
  EXPECT_TRUE(policy.plans(uneven));
  EXPECT_FALSE(policy.plans(nearly_even));
  EXPECT_FALSE(policy.plans({0, 0}));
}

TEST(LoanPolicy, ComparesTheGainWithBytes) {
  LoanPolicy policy;
  EXPECT_TRUE(policy.pays(uneven, {10'000'000, 1'000'000}));
  EXPECT_FALSE(policy.pays(uneven, {10'000'000, 1'000'000'000}));
  EXPECT_FALSE(policy.pays(uneven, {30'000'000, 0}));
}

// Plans that do not pay become rare, until there is more to gain.
TEST(LoanPolicy, PausesAfterPlansThatDoNotPay) {
  LoanPolicy policy;
  int plans = 0;
  for (int call = 0; call < 1000; ++call)
    if (policy.plans(uneven)) {
      ++plans;
      EXPECT_FALSE(policy.pays(uneven, {10'000'000, 1'000'000'000}));
    }
  EXPECT_GE(plans, 8);
  EXPECT_LE(plans, 12);
  EXPECT_TRUE(policy.plans({10'000'000, 80'000'000}));
}

TEST(LoanPolicy, LearnsThePrice) {
  LoanPolicy policy;
  const LoanPolicy::Plan plan = {10'000'000, 1'000'000};
  for (int call = 0; call < 100; ++call) policy.learn(plan, {15'000'000, 10'000'000, 30'000'000});
  EXPECT_NEAR(policy.price(plan.bytes), 5'000'000, 50'000);
}

TEST(LoanPolicy, StopsWhenItLoses) {
  LoanPolicy policy;
  const LoanPolicy::Plan plan = {10'000'000, 1'000};
  int lent = 0;
  for (int call = 0; call < 1000; ++call)
    if (policy.plans(uneven) && policy.pays(uneven, plan)) {
      ++lent;
      policy.learn(plan, {31'000'000, 30'900'000, 30'000'000});  // costs were not as expected
    }
  EXPECT_LE(lent, 15);
}

}  // namespace
}  // namespace evenkeel::loan_policy_test
