#include "rebalance/domain_history.hpp"

#include "support/harness.hpp"

namespace evenkeel::domain_history_test {
namespace {

std::shared_ptr<const Domains> domains_of(std::int64_t generation) {
  const Domains all =
      GridDomains::uniform({2, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}, GridScheme::tensor);
  return std::make_shared<const Domains>(renumbered(all, generation));
}

TEST(DomainHistory, KnowsWhatWasBefore) {
  DomainHistory history;
  EXPECT_EQ(parts_of(history.present()), 0);
  EXPECT_FALSE(history.nothing_moved().has_new_domains());
  const std::shared_ptr<const Domains> last = history.shared();
  history.adopt(domains_of(1), -1);
  EXPECT_EQ(history.generation(), 1);
  MoveReport report;
  history.report(last, report);
  EXPECT_TRUE(report.has_new_domains());
  EXPECT_EQ(report.generation, 1);
  EXPECT_EQ(report.last_domains, last);
}

TEST(DomainHistory, FindsTheMostEvenDomainsAndThoseOnRecord) {
  RankRecords records(0);
  DomainHistory history;
  history.adopt(domains_of(1), -1);
  history.adopt(domains_of(2), 1);  // the first ones were the most even
  history.adopt(domains_of(3), 1);
  ASSERT_NE(history.find(1, records), nullptr);
  EXPECT_EQ(generation_of(*history.find(1, records)), 1);
  EXPECT_EQ(history.find(2, records), nullptr);
  EXPECT_EQ(history.find(-1, records), nullptr);
  history.forget_best();
  EXPECT_EQ(history.find(1, records), nullptr);
  records.begin_rebalance(domains_of(1), 0, false);
  records.end_rebalance(-1, 4);
  EXPECT_EQ(history.find(1, records), records.first());
}

TEST(DomainHistory, RemembersHowEvenACutForPhasesWas) {
  DomainHistory history;
  history.adopt(domains_of(1), -1);
  history.note_lambda(1.3, false);
  EXPECT_EQ(history.best_lambda(), 1.0);
  history.note_lambda(1.3, true);
  EXPECT_EQ(history.best_lambda(), 1.3);
  history.note_lambda(0.9, true);
  EXPECT_EQ(history.best_lambda(), 1.0);
}

}  // namespace
}  // namespace evenkeel::domain_history_test
