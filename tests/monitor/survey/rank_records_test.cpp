#include "survey/rank_records.hpp"

#include "support/harness.hpp"

#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::rank_records_test {
namespace {

std::shared_ptr<const Domains> domains_of(std::int64_t generation) {
  const Domains first =
      GridDomains::uniform({2, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}, GridScheme::tensor);
  return std::make_shared<const Domains>(renumbered(first, generation));
}

const Space& host() {
  static const Space space = Space::where(MemoryKind::host);
  return space;
}

// A rebalance in which all objects stay.
void rebalance(RankRecords& records, std::int64_t generation, std::int64_t objects,
               std::int64_t back_to = -1) {
  records.begin_rebalance(domains_of(generation), 1, false);
  records.make(host(), 0, objects);
  records.end_rebalance(back_to, generation + 1);
}

TEST(RankRecords, RememberTheRankAtFirstAndBeforeTheLastRebalance) {
  RankRecords records(7);
  EXPECT_EQ(records.known(0, 3), nullptr);
  rebalance(records, 1, 3);
  const exec::Array<std::int64_t>* const known = records.known(0, 3);
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(records.known(0, 4), nullptr) << "the application has made an object";
  EXPECT_EQ(records.known(1, 3), nullptr);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(RankRecords::first_rank(known->data()[i]), 7);
    EXPECT_EQ(RankRecords::previous_rank(known->data()[i]), 7);
  }
  EXPECT_EQ(generation_of(*records.first()), 1);
  // An object from rank 5 keeps its first rank. An unknown object has no first rank.
  records.begin_rebalance(domains_of(2), 1, false);
  exec::Array<std::int64_t>& travelling = records.make(host(), 0, 3);
  travelling.data()[1] = (std::int64_t{5} << 32) + 2;
  records.end_rebalance(-1, 3);
  EXPECT_EQ(RankRecords::first_rank(records.known(0, 3)->data()[1]), 2);
  EXPECT_EQ(RankRecords::previous_rank(records.known(0, 3)->data()[1]), 5);
  EXPECT_EQ(generation_of(*records.previous()), 2);
  rebalance(records, 3, 4);
  EXPECT_EQ(RankRecords::first_rank(records.known(0, 4)->data()[0]), RankRecords::unknown_rank);
  EXPECT_EQ(RankRecords::previous_rank(records.known(0, 4)->data()[0]), 7);
}

TEST(RankRecords, FollowObjectsThatTheApplicationSorts) {
  RankRecords records(7);
  rebalance(records, 1, 2);
  std::vector<exec::Array<int>> advised(1);
  advised[0] = exec::Array<int>(host(), "advised", 2);
  advised[0].data()[0] = 10;
  advised[0].data()[1] = 11;
  records.note_advice(std::move(advised));
  exec::Array<std::int64_t> places(host(), "places", 3);
  places.data()[0] = 1;
  places.data()[1] = -1;
  places.data()[2] = 0;
  records.follow(0, 2, places);
  const exec::Array<std::int64_t>* const known = records.known(0, 3);
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(RankRecords::first_rank(known->data()[0]), 7);
  EXPECT_EQ(RankRecords::first_rank(known->data()[1]), RankRecords::unknown_rank);
  const exec::Array<int>* const notes = records.known_advice(0, 3);
  ASSERT_NE(notes, nullptr);
  EXPECT_EQ(notes->data()[0], 11);
  EXPECT_EQ(notes->data()[1], 7) << "a new object would have stayed";
  EXPECT_EQ(notes->data()[2], 10);
}

TEST(RankRecords, FindDomainsThatCanBeTakenAgain) {
  RankRecords records(0);
  records.begin_rebalance(domains_of(1), 1, true);
  records.end_rebalance(-1, 2);
  EXPECT_EQ(records.find(1), nullptr) << "no step was made under these";
  rebalance(records, 2, 1);
  rebalance(records, 3, 1);
  ASSERT_NE(records.find(2), nullptr);
  EXPECT_EQ(generation_of(*records.find(3)), 3);
  EXPECT_EQ(records.find(4), nullptr);
  rebalance(records, 4, 1, 2);  // takes the first domains again, as generation 5
  EXPECT_EQ(records.find(2), nullptr);
  EXPECT_EQ(records.find(5), records.first());
}

TEST(RankRecords, AreGivenUpOnceObjectsMigrate) {
  RankRecords records(0);
  rebalance(records, 1, 2);
  records.note_migration();
  EXPECT_EQ(records.known(0, 2), nullptr);
  EXPECT_EQ(records.of_last_rebalance(0, 2), nullptr);
  rebalance(records, 2, 2);
  EXPECT_EQ(records.known(0, 2), nullptr);
}

// The rank before the last rebalance is still known if records migrate with their objects.
TEST(RankRecords, MayMigrate) {
  RankRecords records(0);
  rebalance(records, 1, 2);
  std::vector<std::array<double, 3>> place(2);
  std::vector<Set> sets = {set(place)};
  for (const bool migrate_too : {true, false}) {
    records.begin_migration();
    if (migrate_too) records.migrate_with(Space::where(MemoryKind::host), sets);
    records.note_migration();
    EXPECT_EQ(records.known(0, 2), nullptr);
    const auto* const kept = records.of_last_rebalance(0, 2);
    ASSERT_EQ(kept != nullptr, migrate_too);
    if (!migrate_too) continue;
    for (const std::int64_t record : kept->on_host())
      EXPECT_EQ(RankRecords::previous_rank(record), 0);
    EXPECT_EQ(records.of_last_rebalance(0, 3), nullptr);
  }
}

}  // namespace
}  // namespace evenkeel::rank_records_test
