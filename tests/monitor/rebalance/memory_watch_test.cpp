#include "rebalance/memory_watch.hpp"

#include "options/system_memory.hpp"
#include "support/harness.hpp"

#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::memory_watch_test {
namespace {

class Watch : public test::OnRanks {
 protected:
  std::vector<std::array<double, 2>> x;  // 16 bytes each
  std::vector<std::string> warnings, notes;
  RebalanceLog log = {[this](const std::string& text) { warnings.push_back(text); },
                      [this](const std::string& text) { notes.push_back(text); }};
  MemoryWatch watch{"monitor/test", log};

  void open(std::vector<double> memory) { watch.open(communicator, {.memory = std::move(memory)}); }
  RankMemory look(std::size_t objects, std::int64_t step) {
    x.resize(objects);
    const Set all = set(x);
    last_ = watch.at_look(rank, {&all, 1}, step);
    return last_.fullest;
  }
  bool asks() const { return last_.asked != RankMemory::never; }
  double share(double bytes, bool frees_memory) {
    return watch.most_share(communicator, bytes, frees_memory);
  }
  // A cut after which all ranks have these bytes.
  void judge(double bytes, bool is_first = false) {
    watch.judge(rank, std::vector<double>(static_cast<std::size_t>(size), bytes), is_first);
  }

 private:
  MemoryTotals last_;
};

TEST_F(Watch, WithoutALimitSaysNothing) {
  open({});
  EXPECT_FALSE(watch.is_limited());
  EXPECT_FALSE(look(100, 8).is_known());
}

TEST_F(Watch, KnowsTheLimitOfEachRank) {
  open({1600});
  EXPECT_EQ(watch.limits().size(), static_cast<std::size_t>(size));
  EXPECT_EQ(watch.limits().back(), 1600);
  std::vector<double> each;
  for (int r = 0; r < size; ++r) each.push_back(1000 + r);
  MemoryWatch other("monitor/test", log);
  other.open(communicator, {.memory = each});
  for (int r = 0; r < size; ++r) EXPECT_EQ(other.limits()[static_cast<std::size_t>(r)], 1000 + r);
}

// All ranks of a test are on one node.
TEST_F(Watch, TakesHalfOfTheShareInTheNode) {
  open({system_memory});
  const std::optional<std::int64_t> node = memory_of_node();
  ASSERT_TRUE(node);
  EXPECT_EQ(watch.limits().front(), static_cast<double>(*node) / 2 / size);
}

TEST_F(Watch, FollowsTheGrowth) {
  open({1600});
  EXPECT_EQ(look(10, 8).bytes, 160);
  EXPECT_FALSE(asks()) << "one look shows no growth";
  EXPECT_EQ(look(20, 16).steps_left, 64) << "16 bytes x 10 objects in 8 steps";
  EXPECT_TRUE(asks());
  EXPECT_EQ(look(40, 24).steps_left, 32) << "30 objects in 16 steps";
  for (std::int64_t step = 32; step < 72; step += 8) look(40, step);
  EXPECT_EQ(look(40, 72).steps_left, RankMemory::never) << "old growth is forgotten";
  EXPECT_EQ(look(100, 80).steps_left, 0);
  EXPECT_EQ(look(101, 88).steps_left, 0);
}

TEST_F(Watch, AsksAgainOnlyAfterFurtherGrowth) {
  open({1600});
  look(110, 8);
  EXPECT_TRUE(asks());
  share(1760, true);
  judge(1700);
  watch.rebalanced(8, false);
  look(111, 16);
  EXPECT_FALSE(asks());
  look(114, 24);
  EXPECT_TRUE(asks());
  share(1824, false);
  judge(800);
  watch.rebalanced(24, true);
  EXPECT_EQ(look(60, 32).steps_left, 32) << "10 objects in 8 steps, since 50 were there";
}

TEST_F(Watch, LeavesRoomOnceMemoryWasShort) {
  open({1000});
  const double bytes = rank == 0 ? 900 : 300;  // the average share is below 0.9
  const double average = (900.0 + 300 * (size - 1)) / (1000.0 * size);
  EXPECT_EQ(share(bytes, false), 1);
  EXPECT_DOUBLE_EQ(share(bytes, true), (average + 0.9) / 2);
  EXPECT_DOUBLE_EQ(share(bytes, false), (average + 1) / 2);
  EXPECT_DOUBLE_EQ(share(2 * bytes, true), 2 * average < 1 ? (2 * average + 1) / 2 : 1);
  EXPECT_EQ(share(1000, true), 1);
}

TEST_F(Watch, WarnsOnceOfCutsThatDoNotFit) {
  open({1000});
  share(1200, true);
  const std::string problem =
      "No cut fits into the memory of the ranks: rank 0 gets 1.1 kB of its 1.0 kB. Use more ranks, "
      "or allow them more memory.";
  EXPECT_ERROR(judge(1100, true), "monitor/test: " + problem);
  judge(900);
  watch.rebalanced(8, false);
  EXPECT_TRUE(notes.empty()) << "the cut was not used";
  watch.rebalanced(8, true);
  EXPECT_EQ(notes,
            std::vector<std::string>{"the fullest rank is now rank 0, with 900 B of its 1.0 kB"});
  judge(1100);
  judge(1100);
  EXPECT_EQ(warnings, std::vector<std::string>{problem});
}

TEST_F(Watch, InvalidSetsSayNothing) {
  open({1600});
  x.resize(3);
  const std::vector<double> bad = {1, -1, 1};
  const Set all = set(x, {}, {.bytes = bad});
  EXPECT_FALSE(watch.at_look(rank, {&all, 1}, 8).fullest.is_known());
}

}  // namespace
}  // namespace evenkeel::memory_watch_test
