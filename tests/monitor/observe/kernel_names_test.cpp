#include "observe/kernel_names.hpp"
#include "support/harness.hpp"

#include <evenkeel/monitor/trigger.hpp>

namespace evenkeel::kernel_names_test {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

KernelNames knowing(const Names& names) {
  KernelNames known;
  known.learn(names);
  return known;
}

std::string named(const char* what, int number) { return what + std::to_string(number); }

// --- One rank ------------------------------------------------------------------------------------

TEST(KernelNames, AtFirstNone) {
  const KernelNames none;
  EXPECT_TRUE(none.own().empty());
  EXPECT_TRUE(none.sorted().empty());
  EXPECT_TRUE(none.in_order(Numbers()).empty());
}

TEST(KernelNames, LearnsFromTheClock) {
  KernelNames names = knowing({"push", "field", "sort"});
  EXPECT_EQ(names.own(), (Names{"push", "field", "sort"}));
  EXPECT_EQ(names.sorted(), (Names{"field", "push", "sort"}));
  EXPECT_EQ(names.in_order(Numbers{1, 2, 3}), (Numbers{2, 1, 3}));
  EXPECT_EQ(names.in_order(Numbers{1}), (Numbers{0, 1, 0})) << "of a step before the others";
  const Names more = {"push", "field", "sort", "gather"};
  names.learn(more);
  EXPECT_EQ(names.own(), more);
  EXPECT_EQ(names.sorted(), (Names{"field", "gather", "push", "sort"}));
  EXPECT_EQ(names.in_order(Numbers{1, 2, 3, 4}), (Numbers{2, 4, 1, 3}));
}

TEST(KernelNames, TheHashIsThatOfTheNamesInAnyOrder) {
  const std::uint64_t hash = knowing({"push", "field", "sort"}).hash();
  EXPECT_EQ(knowing({"sort", "field", "push"}).hash(), hash);
  for (const Names& other : {Names{}, Names{"push", "field"}, Names{"push", "field", "sort", "a"},
                             Names{"pushfield", "sort"}, Names{"pus", "hfield", "sort"},
                             Names{"push", "field", "sort "}, Names{"Push", "field", "sort"}})
    EXPECT_NE(knowing(other).hash(), hash);
  KernelNames grown = knowing({"sort"});
  grown.learn(Names{"sort", "field", "push"});
  EXPECT_EQ(grown.hash(), hash);
}

// --- Over ranks ----------------------------------------------------------------------------------

class Union : public test::OnRanks {
 protected:
  void expect_same_hash(const KernelNames& names) const {
    EXPECT_EQ(communicator.all_reduce(names.hash(), Reduction::least), names.hash());
    EXPECT_EQ(communicator.all_reduce(names.hash(), Reduction::greatest), names.hash());
  }
};

TEST_F(Union, OfDifferentNames) {
  KernelNames names = knowing({named("only ", rank), "common", named("pair ", rank / 2)});
  names.unite(communicator, false);
  Names expected = {"common"};
  for (int r = 0; r < size; ++r) expected.push_back(named("only ", r));
  for (int pair = 0; 2 * pair < size; ++pair) expected.push_back(named("pair ", pair));
  std::ranges::sort(expected);
  EXPECT_EQ(names.sorted(), expected);
  EXPECT_EQ(names.own(), (Names{named("only ", rank), "common", named("pair ", rank / 2)}));
  expect_same_hash(names);

  Numbers in_order = names.in_order(Numbers{11, 22, 33});
  ASSERT_EQ(in_order.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::int64_t nanoseconds = 0;
    if (expected[i] == named("only ", rank)) nanoseconds = 11;
    if (expected[i] == "common") nanoseconds = 22;
    if (expected[i] == named("pair ", rank / 2)) nanoseconds = 33;
    EXPECT_EQ(in_order[i], nanoseconds) << expected[i];
  }
}

TEST_F(Union, OfNothing) {
  for (const bool strict : {false, true}) {
    KernelNames names;
    names.unite(communicator, strict);
    EXPECT_TRUE(names.sorted().empty());
    expect_same_hash(names);
  }
}

TEST_F(Union, WhereSomeRanksKnowNone) {
  for (int knowing_rank = 0; knowing_rank < size; ++knowing_rank) {
    KernelNames names = rank == knowing_rank ? knowing({"b", "a"}) : KernelNames();
    names.unite(communicator, false);
    EXPECT_EQ(names.sorted(), (Names{"a", "b"}));
    EXPECT_EQ(names.own().size(), rank == knowing_rank ? 2U : 0U);
    expect_same_hash(names);
    EXPECT_EQ(names.in_order(Numbers()), (Numbers{0, 0}));
  }
}

TEST_F(Union, OfTheSameNamesInOtherOrders) {
  Names mine = {"a", "b", "c", "d", "e"};
  std::rotate(mine.begin(), mine.begin() + rank % 5, mine.end());
  for (const bool strict : {false, true}) {
    KernelNames names = knowing(mine);
    const std::uint64_t before = names.hash();
    names.unite(communicator, strict);
    EXPECT_EQ(names.sorted(), (Names{"a", "b", "c", "d", "e"}));
    EXPECT_EQ(names.hash(), before);
    Numbers numbers;  // a is 1, b is 2, ...
    for (const std::string& name : mine) numbers.push_back(name[0] - 'a' + 1);
    EXPECT_EQ(names.in_order(numbers), (Numbers{1, 2, 3, 4, 5}));
  }
}

// Names may have any bytes except control characters, which a clock refuses.
TEST_F(Union, OfStrangeNames) {
  const Names strange = {" ", "a ", "a", " a", "\"'\\", "\xC3\xA4", "\xFF", "\x7F"};
  KernelNames names = knowing({strange[static_cast<std::size_t>(rank) % strange.size()]});
  names.unite(communicator, false);
  Names expected(strange.begin(), strange.begin() + std::min(size, 8));
  std::ranges::sort(expected);
  EXPECT_EQ(names.sorted(), expected);
}

TEST_F(Union, GrowsWithWhatIsLearnedLater) {
  KernelNames names = knowing({named("only ", rank)});
  names.unite(communicator, false);
  const std::uint64_t united = names.hash();
  names.unite(communicator, false);
  EXPECT_EQ(names.hash(), united) << "again";
  if (rank == size - 1) names.learn(Names{named("only ", rank), "late", "also late"});
  EXPECT_EQ(names.sorted().size(), static_cast<std::size_t>(rank == size - 1 ? size + 2 : size));
  names.unite(communicator, false);
  EXPECT_EQ(names.sorted().size(), static_cast<std::size_t>(size + 2));
  EXPECT_EQ(names.sorted()[0], "also late");
  expect_same_hash(names);
  // Names that were learned from another rank may also be registered here.
  names.learn(rank == size - 1 ? Names{named("only ", rank), "late", "also late", "only 0"}
                               : Names{named("only ", rank), "late"});
  expect_same_hash(names);
}

TEST_F(Union, ManyRandomNames) {
  for (unsigned round = 0; round < 20; ++round) {
    Names all, mine;
    for (int r = 0; r < size; ++r) {
      std::mt19937 random(100 * round + static_cast<unsigned>(r));
      Names of_rank;
      for (auto count = random() % 60; count > 0; --count) {
        const std::string name(1 + random() % 3, static_cast<char>('a' + random() % 26));
        if (std::ranges::find(of_rank, name) == of_rank.end()) of_rank.push_back(name);
      }
      all.insert(all.end(), of_rank.begin(), of_rank.end());
      if (r == rank) mine = of_rank;
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    KernelNames names = knowing(mine);
    names.unite(communicator, false);
    EXPECT_EQ(names.sorted(), all);
    Numbers numbers;
    for (std::size_t i = 0; i < mine.size(); ++i) numbers.push_back(static_cast<int>(i) + 1);
    const Numbers in_order = names.in_order(numbers);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto at = std::ranges::find(mine, all[i]);
      EXPECT_EQ(in_order[i], at == mine.end() ? 0 : at - mine.begin() + 1);
    }
  }
}

// --- Strict --------------------------------------------------------------------------------------

class Strict : public Union {
 protected:
  // The Error if rank `odd` has other kernels than the rest. It is the same on all ranks.
  std::string error_of(int odd, const Names& of_odd, const Names& of_others) {
    KernelNames names = knowing(rank == odd ? of_odd : of_others);
    const std::string text = test::error_everywhere([&] { names.unite(communicator, true); });
    expect_same_hash(names);
    EXPECT_NO_THROW(names.unite(communicator, false)) << "and continues";
    return text;
  }
};

TEST_F(Strict, NamesTheRankThatLacksAKernel) {
  for (int odd = 0; odd < size; ++odd) {
    const std::string text = error_of(odd, {"sort", "push"}, {"push", "field", "sort"});
    EXPECT_MENTIONS(text, size == 1 ? "nothing was thrown"
                                    : named("Rank ", odd) + " does not know the kernel 'field'.");
  }
}

TEST_F(Strict, NamesARankThatLacksTheKernelOfAnother) {
  if (size == 1) GTEST_SKIP() << "needs two ranks";
  for (int odd = 0; odd < size; ++odd) {
    const std::string text = error_of(odd, {"sort", "push", "odd"}, {"push", "sort"});
    EXPECT_MENTIONS(text, named("Rank ", odd == 0 ? 1 : 0) +
                              " does not know the kernel 'odd'. Register the same ");
  }
}

TEST_F(Strict, ARankWithoutKernelsIsAnError) {
  if (size == 1) GTEST_SKIP() << "needs two ranks";
  for (int odd = 0; odd < size; ++odd)
    EXPECT_MENTIONS(error_of(odd, {}, {"push", "field"}),
                    named("Rank ", odd) + " does not know the kernel 'field'.");
}

}  // namespace
}  // namespace evenkeel::kernel_names_test
