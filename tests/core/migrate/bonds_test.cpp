#include "core/migrate/cloud.hpp"

namespace evenkeel::bonds_test {
namespace {

using test::everywhere;
using test::Ids;
using test::ids_here;
using test::mix;
using test::Prepared;

// A cloud with the group and the pin of each object. Both travel with the object.
struct Bonded {
  test::Vectors cloud;
  Ids group;
  std::vector<char> pinned;

  explicit Bonded(const Ids& ids) : cloud(ids.size()), group(ids.size(), -1), pinned(ids.size()) {
    write_objects(set(cloud.x, carry(cloud.id)), everywhere, ids);
  }
  Set as_set() {
    return set(cloud.x, carry(cloud.id, group, pinned), {.group = group, .pinned = pinned});
  }
};

class BondsOn : public test::OnRanks {
 protected:
  Bonded bonded(const Ids& ids, int groups, int pins_in_a_hundred, int salt) const {
    Bonded all(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (groups > 0 && mix(ids[i], salt) % 3 > 0)
        all.group[i] =
            static_cast<std::int64_t>(mix(ids[i], salt + 1) % static_cast<std::uint64_t>(groups)) *
            1'000'003;
      // Only objects without a group are pinned, so that no group is pinned twice.
      const bool pins = mix(ids[i], salt + 2) % 100 < static_cast<unsigned>(pins_in_a_hundred);
      all.pinned[i] = all.group[i] < 0 && pins ? 1 : 0;
    }
    return all;
  }

  Prepared prepare(std::span<const Set> sets, int salt) const {
    Prepared prepared = test::prepare_shuffle(communicator, sets, salt);
    std::vector<Order> orders = test::made(prepared.orders);
    const Bonds bonds = hold_together(communicator, sets, orders);
    prepared.orders = test::listed(orders);
    prepared.plan = plan(communicator, prepared.splitters, std::move(orders), {.held = bonds.held});
    return prepared;
  }
  void move_all(std::span<const Set> sets, int salt) const {
    const Prepared prepared = prepare(sets, salt);
    move(communicator, sets, prepared.shapes, prepared.plan);
  }

  // The ranks that have objects of each group.
  std::map<std::int64_t, std::set<int>> ranks_of_groups(const std::vector<Ids>& groups) const {
    struct Seen {
      std::int64_t group;
      int rank;
    };
    std::vector<Seen> mine;
    for (const Ids& of_set : groups)
      for (const std::int64_t group : of_set)
        if (group >= 0) mine.push_back({group, rank});
    std::map<std::int64_t, std::set<int>> ranks;
    for (const Seen& seen : communicator.all_gather(std::span<const Seen>(mine)).values)
      ranks[seen.group].insert(seen.rank);
    return ranks;
  }
  void expect_together(const std::vector<Ids>& groups) const {
    for (const auto& [group, ranks] : ranks_of_groups(groups))
      EXPECT_EQ(ranks.size(), 1U) << "group " << group;
  }
};

// Compares with the lowest key of all members, on all ranks.
TEST_F(BondsOn, MembersGetTheLeastKey) {
  for (int round = 0; round < 10; ++round) {
    const Ids ids = ids_here(communicator, test::at_random, 120);
    Bonded all = bonded(ids, 1 + 7 * round, 0, round);
    const Set now = all.as_set();
    Prepared prepared = test::prepare_shuffle(communicator, {&now, 1}, round);
    struct Member {
      std::int64_t group;
      std::uint64_t key;
    };
    std::vector<Member> mine;
    for (std::size_t k = 0; k < prepared.orders[0].objects.size(); ++k)
      mine.push_back({all.group[static_cast<std::size_t>(prepared.orders[0].objects[k])],
                      prepared.orders[0].keys[k].value});
    std::map<std::int64_t, std::uint64_t> least;
    for (const Member& member : communicator.all_gather(std::span<const Member>(mine)).values) {
      const auto [at, is_new] = least.emplace(member.group, member.key);
      at->second = std::min(at->second, member.key);
    }
    const test::Listed before = prepared.orders[0];
    std::vector<Order> orders = test::made(prepared.orders);
    hold_together(communicator, {&now, 1}, orders);
    const test::Listed after = test::listed(orders[0]);
    EXPECT_TRUE(std::ranges::is_sorted(after.keys, {}, &CurveKey::value));
    std::map<std::int64_t, std::uint64_t> key_before;
    for (std::size_t k = 0; k < before.objects.size(); ++k)
      key_before[before.objects[k]] = before.keys[k].value;
    EXPECT_EQ(after.objects.size(), before.objects.size());
    for (std::size_t k = 0; k < after.objects.size(); ++k) {
      const std::int64_t group = all.group[static_cast<std::size_t>(after.objects[k])];
      EXPECT_EQ(after.keys[k].value, group < 0 ? key_before[after.objects[k]] : least[group]);
    }
  }
}

TEST_F(BondsOn, GroupsMoveAsOneAndPinnedObjectsStay) {
  for (int round = 0; round < 12; ++round) {
    const Ids ids = ids_here(communicator, test::in_turn, 150);
    Bonded all = bonded(ids, round % 3 == 0 ? 0 : 5 * round, round % 2 == 0 ? 20 : 0, 10 * round);
    const Set now = all.as_set();
    const std::uint64_t sum = test::checksum(communicator, now);
    std::set<std::int64_t> pinned;
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (all.pinned[i] != 0) pinned.insert(ids[i]);
    for (int again = 0; again < 3; ++again) {
      move_all({&now, 1}, 100 * round + again);
      expect_together({all.group});
      for (const std::int64_t id : pinned)
        EXPECT_EQ(std::ranges::count(all.cloud.id, id), 1) << "on rank " << rank;
      EXPECT_EQ(test::checksum(communicator, now), sum);
    }
  }
}

// If the members of a group are on several ranks, the group must go to the rank of its pinned
// member.
TEST_F(BondsOn, AGroupGoesToItsPinnedMember) {
  const Ids ids = ids_here(communicator, test::in_turn, 20 * size);
  Bonded all(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    all.group[i] = ids[i] / size % 4;  // on all ranks
    // Group g is pinned on rank g if that rank exists.
    all.pinned[i] = all.group[i] == rank && i == static_cast<std::size_t>(rank) ? 1 : 0;
  }
  const Set now = all.as_set();
  move_all({&now, 1}, 1);
  expect_together({all.group});
  for (const std::int64_t group : all.group)
    EXPECT_TRUE(group >= std::min(4, size) || group == rank) << group;
}

TEST_F(BondsOn, GroupsReachOverSets) {
  const Ids some = ids_here(communicator, test::in_turn, 90);
  const Ids others = ids_here(communicator, test::on_the_last, 60);
  Bonded first = bonded(some, 20, 0, 1), second = bonded(others, 20, 0, 1);
  std::vector<Set> sets = {first.as_set(), second.as_set()};
  move_all(sets, 3);
  expect_together({first.group, second.group});
}

TEST_F(BondsOn, NobodyIsBound) {
  test::Filled<test::Vectors> cloud(ids_here(communicator, test::in_turn, 50));
  const Prepared prepared = test::prepare_shuffle(communicator, {&cloud.set, 1}, 1);
  std::vector<Order> orders = test::made(prepared.orders);
  const Bonds bonds = hold_together(communicator, {&cloud.set, 1}, orders);
  ASSERT_EQ(bonds.held.size(), 1U);
  EXPECT_TRUE(bonds.held[0].empty());
  EXPECT_EQ(test::listed(orders[0]).objects, prepared.orders[0].objects);
}

// --- Faults --------------------------------------------------------------------------------------

TEST_F(BondsOn, AGroupThatIsPinnedTwiceIsTheSameErrorOnAll) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  Bonded all({2 * rank, 2 * rank + 1});
  all.group = {7, -1};
  all.pinned = {static_cast<char>(rank == 0 || rank == size - 1), 1};
  const Set now = all.as_set();
  Prepared prepared = test::prepare_shuffle(communicator, {&now, 1}, 1);
  const std::string text = test::error_everywhere([&] {
    std::vector<Order> orders = test::made(prepared.orders);
    hold_together(communicator, {&now, 1}, orders);
  });
  EXPECT_MENTIONS(text, "core/migrate: Group 7 is pinned on rank 0 and on rank " +
                            std::to_string(size - 1) + ". Pin objects of one group on one rank.");
}

TEST_F(BondsOn, GroupsThatAreNoIntegersAreTheSameErrorOnAll) {
  for (int culprit = 0; culprit < size; ++culprit) {
    test::Vectors cloud(4);
    std::vector<double> real(4);
    Ids whole(4), few(3);
    const bool bad = rank == culprit;
    const auto refused = [&](const SetOptions& options, const std::string& told) {
      const Set now = cloud.as_set(bad ? options : SetOptions{.group = whole});
      EXPECT_ERROR_EVERYWHERE(
          agree_on_sets(communicator, {&now, 1}),
          "evenkeel: rank " + std::to_string(culprit) + ": core/field: " + told);
    };
    refused({.group = real}, "The groups 'std::vector' are not one integer per object.");
    refused({.pinned = real}, "The pins 'std::vector' are not one integer per object.");
    refused({.group = few}, "There are 3 groups for 4 objects. Give one group per owned object.");
  }
}

TEST_F(BondsOn, WhatIsWrongBeforeIsTheSameErrorOnAll) {
  for (int culprit = 0; culprit < size; ++culprit) {
    Bonded all = bonded(ids_here(communicator, test::in_turn, 40), 5, 0, 1);
    const Set now = all.as_set();
    Prepared prepared = test::prepare_shuffle(communicator, {&now, 1}, 1);
    const Status status = rank != culprit ? Status()
                                          : Status(Error(ErrorKind::application, Where{"ship"},
                                                         "The anchor is down.", "Weigh it."));
    const std::string text = test::error_everywhere([&] {
      std::vector<Order> orders = test::made(prepared.orders);
      hold_together({communicator, status}, {&now, 1}, orders);
    });
    EXPECT_EQ(text, "evenkeel: rank " + std::to_string(culprit) +
                        ": ship: The anchor is down. Weigh it.");
  }
}

TEST_F(BondsOn, RanksThatHoldOtherObjectsAreAnError) {
  test::Filled<test::Vectors> cloud(ids_here(communicator, test::in_turn, 10 * size));
  const Prepared prepared = test::prepare_shuffle(communicator, {&cloud.set, 1}, 1);
  const auto with = [&](const std::vector<int>& held) {
    std::vector<exec::Array<int>> all;
    all.emplace_back(test::space(), "held", std::span<const int>(held));
    return test::error_of([&] {
      plan(communicator, prepared.splitters, test::made(prepared.orders), {.held = all});
    });
  };
  EXPECT_MENTIONS(with(std::vector<int>(9)),
                  "The list of held ranks has 9 entries for 10 objects.");
  EXPECT_MENTIONS(with(std::vector<int>(10, size)), "would go to rank ");
  EXPECT_EQ(with(std::vector<int>(10, Bonds::free)), "nothing was thrown");
}

}  // namespace
}  // namespace evenkeel::bonds_test
