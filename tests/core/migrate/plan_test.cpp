#include "core/migrate/cloud.hpp"

namespace evenkeel::plan_test {
namespace {

using test::Ids;

class PlanOn : public test::OnRanks {
 protected:
  // Makes objects of these keys, in this order.
  static test::Listed of_keys(const std::vector<std::uint64_t>& keys) {
    return test::order_by(test::counting<std::int64_t>(std::ssize(keys)),
                          [&](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; });
  }
  // Makes keys of part `to`.
  static std::vector<std::uint64_t> keys_of(int to, std::size_t objects) {
    std::vector<std::uint64_t> keys(objects, test::keys_per_part * static_cast<std::uint64_t>(to));
    for (std::size_t i = 0; i < objects; ++i) keys[i] += i % test::keys_per_part;
    return keys;
  }
  Plan plan_of(const std::vector<test::Listed>& orders, const Status& status = {}) const {
    return plan({communicator, status}, test::even_splitters(size), test::made(orders));
  }
};

// The oracle: the number of objects that move between each two ranks, by the owner of every key.
using Traffic = std::vector<std::vector<std::int64_t>>;

Traffic traffic_of(const Communicator& communicator, const test::Listed& order,
                   const Splitters& splitters) {
  const auto size = static_cast<std::size_t>(communicator.size());
  Traffic traffic(size, std::vector<std::int64_t>(size));
  const auto keys = communicator.all_gather(std::span<const CurveKey>(order.keys));
  for (int from = 0; from < communicator.size(); ++from)
    for (const CurveKey key : keys.of_rank(from)) {
      const int to = test::owner_by_search(splitters, key.value);
      ++traffic[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
    }
  return traffic;
}

using Pairs = std::vector<std::pair<int, std::int64_t>>;

Pairs pairs_of(const std::vector<Parcel>& parcels) {
  Pairs pairs;
  for (const Parcel& parcel : parcels) pairs.emplace_back(parcel.rank, parcel.objects);
  return pairs;
}

Ids firsts_of(const std::vector<Parcel>& parcels) {
  Ids firsts;
  for (const Parcel& parcel : parcels) firsts.push_back(parcel.first);
  return firsts;
}

void expect_set_plan(const SetPlan& plan, const Traffic& traffic, std::size_t rank) {
  Pairs exports, imports;
  std::int64_t after = 0;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int64_t> firsts;
  for (std::size_t other = 0; other < traffic.size(); ++other) {
    const std::int64_t out = traffic[rank][other], in = traffic[other][rank];
    offsets.push_back(offsets.back() + out);
    after += in;
    if (other == rank) continue;
    if (out > 0) firsts.push_back(offsets[other]);
    if (out > 0) exports.emplace_back(static_cast<int>(other), out);
    if (in > 0) imports.emplace_back(static_cast<int>(other), in);
  }
  EXPECT_EQ(pairs_of(plan.exports), exports);
  EXPECT_EQ(pairs_of(plan.imports), imports);
  EXPECT_EQ(firsts_of(plan.exports), firsts);
  EXPECT_EQ(plan.first_staying, offsets[rank]);
  EXPECT_EQ(plan.staying, traffic[rank][rank]);
  EXPECT_EQ(plan.count_after, after);
}

void expect_plan(const Communicator& communicator, const Splitters& splitters,
                 const std::vector<test::Listed>& orders) {
  const Plan made = plan(communicator, splitters, test::made(orders));
  ASSERT_EQ(made.sets.size(), orders.size());
  std::int64_t moved = 0;
  for (std::size_t s = 0; s < orders.size(); ++s) {
    const Traffic traffic = traffic_of(communicator, orders[s], splitters);
    expect_set_plan(made.sets[s], traffic, static_cast<std::size_t>(communicator.rank()));
    for (std::size_t from = 0; from < traffic.size(); ++from)
      for (std::size_t to = 0; to < traffic.size(); ++to)
        moved += from == to ? 0 : traffic[from][to];
  }
  EXPECT_EQ(made.objects_moved, moved);
  EXPECT_EQ(made.empty(), moved == 0);
}

// Splitters differ from round to round. Some parts are empty, and some keys equal a splitter.
Splitters some_splitters(int parts, int round) {
  Splitters splitters = {{0}};
  for (int part = 1; part < parts; ++part) splitters.push_back({test::mix(part, round) % 40});
  splitters.push_back({40});
  std::sort(splitters.begin(), splitters.end());
  return splitters;
}

TEST_F(PlanOn, RandomKeys) {
  for (int round = 0; round < 30; ++round) {
    std::vector<test::Listed> orders;
    for (int s = 0; s < 1 + round % 3; ++s) {
      const int salt = 100 * round + 10 * s;
      std::vector<std::uint64_t> keys(test::mix(rank, salt) % 50);
      if ((rank + round + s) % 3 == 0) keys.clear();
      for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = test::mix(1000 * rank + static_cast<std::int64_t>(i), salt) % 40;
      orders.push_back(of_keys(keys));
    }
    expect_plan(communicator, some_splitters(size, round), orders);
  }
}

TEST_F(PlanOn, ByHand) {
  if (size != 3) GTEST_SKIP() << "for three ranks";
  const std::vector<std::vector<std::uint64_t>> keys = {{0, 99, 100, 299}, {}, {250, 1, 2, 3, 199}};
  const Plan made = plan_of({of_keys(keys[static_cast<std::size_t>(rank)])});
  const SetPlan& mine = made.sets.front();
  EXPECT_EQ(made.objects_moved, 6);
  struct ExpectedOfRank {
    Ids firsts;
    std::int64_t first_staying, staying, count_after;
    Pairs exports, imports;
  };
  const ExpectedOfRank of_ranks[] = {{{2, 3}, 0, 2, 5, {{1, 1}, {2, 1}}, {{2, 3}}},
                                     {{}, 0, 0, 2, {}, {{0, 1}, {2, 1}}},
                                     {{0, 3}, 4, 1, 2, {{0, 3}, {1, 1}}, {{0, 1}}}};
  const ExpectedOfRank& expected = of_ranks[rank];
  EXPECT_EQ(firsts_of(mine.exports), expected.firsts);
  EXPECT_EQ(mine.first_staying, expected.first_staying);
  EXPECT_EQ(pairs_of(mine.exports), expected.exports);
  EXPECT_EQ(pairs_of(mine.imports), expected.imports);
  EXPECT_EQ(mine.staying, expected.staying);
  EXPECT_EQ(mine.count_after, expected.count_after);
}

TEST_F(PlanOn, NothingMoves) {
  const Plan made = plan_of({of_keys(keys_of(rank, 30)), of_keys({})});
  EXPECT_TRUE(made.empty());
  EXPECT_EQ(made.objects_moved, 0);
  EXPECT_TRUE(made.sets[0].exports.empty());
  EXPECT_TRUE(made.sets[0].imports.empty());
  EXPECT_EQ(made.sets[0].staying, 30);
  EXPECT_EQ(made.sets[0].count_after, 30);
  EXPECT_EQ(made.sets[1].count_after, 0);
  EXPECT_TRUE(plan_of({}).empty()) << "no sets";
}

// All ranks must learn of a single object that moves.
TEST_F(PlanOn, OneMoves) {
  if (size == 1) GTEST_SKIP() << "there is nowhere to go";
  const Plan made = plan_of({of_keys(rank == size - 1 ? keys_of(0, 1) : keys_of(rank, 3))});
  EXPECT_FALSE(made.empty());
  EXPECT_EQ(made.objects_moved, 1);
}

TEST_F(PlanOn, AllToOne) {
  for (int to = 0; to < size; ++to) {
    const Plan made = plan_of({of_keys(keys_of(to, static_cast<std::size_t>(rank + 1)))});
    const SetPlan& mine = made.sets.front();
    const int all = size * (size + 1) / 2;
    EXPECT_EQ(mine.count_after, rank == to ? all : 0);
    EXPECT_EQ(made.objects_moved, all - (to + 1));
    EXPECT_EQ(pairs_of(mine.exports), rank == to ? Pairs{} : (Pairs{{to, rank + 1}}));
    EXPECT_EQ(std::ssize(mine.imports), rank == to ? size - 1 : 0);
  }
}

TEST_F(PlanOn, RanksWithoutPartOrObjects) {
  // The first or the last rank owns all keys.
  Splitters splitters(static_cast<std::size_t>(size) + 1, CurveKey{20});
  splitters.front() = {0};
  splitters.back() = {40};
  for (int has = 0; has < size; ++has)
    expect_plan(communicator, splitters,
                {of_keys(rank == has ? std::vector<std::uint64_t>{19, 20, 21, 39, 0}
                                     : std::vector<std::uint64_t>{})});
}

TEST_F(PlanOn, SetsAreKeptApart) {
  const int next = (rank + 1) % size;
  const Plan made =
      plan_of({of_keys(keys_of(next, 5)), of_keys(keys_of(rank, 7)), of_keys(keys_of(0, 2))});
  EXPECT_EQ(made.sets[0].count_after, 5);
  EXPECT_EQ(made.sets[0].staying, size == 1 ? 5 : 0);
  EXPECT_EQ(made.sets[1].staying, 7);
  EXPECT_TRUE(made.sets[1].exports.empty());
  EXPECT_EQ(made.sets[2].count_after, rank == 0 ? 2 * size : 0);
  EXPECT_EQ(made.objects_moved, size == 1 ? 0 : 5 * size + 2 * (size - 1));
}

TEST_F(PlanOn, AFailureThatACallerBringsIsTheSameErrorOnAllRanks) {
  const std::vector<test::Listed> orders = {of_keys(keys_of((rank + 1) % size, 5))};
  for (int culprit = 0; culprit < size; ++culprit) {
    Status status;
    if (rank == culprit)
      status = Status(Error(ErrorKind::bad_input, Where{"core/order"}, "No order.", "Mend it."));
    const std::string text = test::error_everywhere([&] { plan_of(orders, status); });
    EXPECT_EQ(text,
              "evenkeel: rank " + std::to_string(culprit) + ": core/order: No order. Mend it.");
    EXPECT_EQ(plan_of(orders).objects_moved, size == 1 ? 0 : 5 * size) << "and continues";
  }
}

// There is one part per rank. A larger number would name ranks that do not exist, which only some
// ranks would notice.
TEST_F(PlanOn, PartsThatAreNoRanksAreTheSameErrorOnAllRanks) {
  const std::vector<test::Listed> orders = {of_keys(keys_of(rank, 3))};
  for (const int parts : {size + 1, size - 1, 2 * size}) {
    EXPECT_ERROR_EVERYWHERE(plan(communicator, test::even_splitters(parts), test::made(orders)),
                            std::to_string(parts) + " parts");
  }
  EXPECT_ERROR_EVERYWHERE(plan(communicator, {}, test::made(orders)), "0 parts");
}

TEST_F(PlanOn, KeysThatNobodyOwnsAreTheSameErrorOnAllRanks) {
  for (int culprit = 0; culprit < size; ++culprit) {
    const int to = rank == culprit ? size : rank;  // behind the last part
    EXPECT_ERROR_EVERYWHERE(plan_of({of_keys(keys_of(to, 4))}),
                            "A plan would result in " + std::to_string(4 * size - 4) +
                                " objects where there are " + std::to_string(4 * size));
  }
}

// --- Parts that are not numbered as ranks are ----------------------------------------------------

TEST_F(PlanOn, PartsGoToTheRanksThatAreNamed) {
  for (const int shift : {0, 1, size - 1}) {
    std::vector<int> rank_of_part;
    for (int part = 0; part < size; ++part) rank_of_part.push_back((part + shift) % size);
    std::vector<std::uint64_t> keys;
    for (int part = 0; part < size; ++part)
      for (const std::uint64_t key : keys_of(part, static_cast<std::size_t>(part + rank + 1)))
        keys.push_back(key);
    const std::vector<test::Listed> orders = {of_keys(keys)};
    const Plan found = plan(communicator, test::even_splitters(size), test::made(orders),
                            {.rank_of_part = rank_of_part});
    const SetPlan& set = found.sets.front();
    const auto objects = [&](int to, int from) {  // the objects of the part that `to` owns
      return static_cast<std::int64_t>((to - shift + size) % size + from + 1);
    };
    Pairs exports, imports;
    std::int64_t after = objects(rank, rank);
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      exports.emplace_back(other, objects(other, rank));
      imports.emplace_back(other, objects(rank, other));
      after += objects(rank, other);
    }
    EXPECT_EQ(pairs_of(set.exports), exports);
    EXPECT_EQ(pairs_of(set.imports), imports);
    EXPECT_EQ(set.staying, objects(rank, rank));
    EXPECT_EQ(set.count_after, after);
  }
}

TEST_F(PlanOn, RanksThatAreNoPermutationAreTheSameErrorOnAllRanks) {
  const std::vector<test::Listed> orders = {of_keys({})};
  std::vector<int> rank_of_part(static_cast<std::size_t>(size));
  const auto refused = [&] {
    EXPECT_ERROR_EVERYWHERE(plan(communicator, test::even_splitters(size), test::made(orders),
                                 {.rank_of_part = rank_of_part}),
                            "core/migrate: The ranks do not own one part each.");
  };
  if (size > 1) refused();  // rank 0 owns all keys
  rank_of_part.assign(rank_of_part.size(), size);
  refused();
  rank_of_part.assign(rank_of_part.size(), -1);
  refused();
  rank_of_part.assign(rank_of_part.size() + 1, 0);
  refused();
}

}  // namespace
}  // namespace evenkeel::plan_test
