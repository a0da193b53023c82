#include "support/harness.hpp"

#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/lend.hpp>

namespace evenkeel::choose_test {
namespace {

using Costs = std::vector<std::int64_t>;

struct Choice {
  std::vector<std::int64_t> sums;  // of each trade
  std::vector<std::int64_t> lent, kept;
};

// Checks that the choice is valid, and returns it.
Choice chosen(const Costs& costs, const std::vector<std::int64_t>& amounts,
              std::int64_t least = 0) {
  std::vector<Trade> trades;
  for (std::size_t t = 0; t < amounts.size(); ++t)
    trades.push_back({static_cast<int>(3 * t + 1), amounts[t]});
  const exec::Array<std::int64_t> there(test::space(), "costs",
                                        std::span<const std::int64_t>(costs));
  const LentObjects lent = choose(test::space(), there, trades, least);
  const std::vector<std::int64_t> objects = lent.objects.on_host();
  Choice choice;
  choice.sums.resize(amounts.size());
  EXPECT_EQ(objects.size(), costs.size());
  std::vector<bool> seen(costs.size());
  for (const std::int64_t object : objects) {
    EXPECT_FALSE(seen[static_cast<std::size_t>(object)]);
    seen[static_cast<std::size_t>(object)] = true;
  }
  std::int64_t next = 0, nanoseconds = 0;
  for (const Parcel& parcel : lent.parcels) {
    EXPECT_EQ(parcel.first, next);
    EXPECT_GT(parcel.objects, 0);
    next += parcel.objects;
    const auto first = objects.begin() + parcel.first, last = first + parcel.objects;
    EXPECT_TRUE(std::is_sorted(first, last));
    choice.lent.insert(choice.lent.end(), first, last);
    for (auto at = first; at != last; ++at) {
      const std::int64_t cost = costs[static_cast<std::size_t>(*at)];
      EXPECT_GE(cost, std::max<std::int64_t>(least, 1));
      choice.sums[static_cast<std::size_t>(parcel.rank / 3)] += cost;
      nanoseconds += cost;
    }
  }
  EXPECT_EQ(lent.count, next);
  EXPECT_EQ(lent.nanoseconds, nanoseconds);
  choice.kept.assign(objects.begin() + next, objects.end());
  EXPECT_TRUE(std::is_sorted(choice.kept.begin(), choice.kept.end()));
  for (std::size_t t = 0; t < amounts.size(); ++t) EXPECT_LE(choice.sums[t], amounts[t]);
  return choice;
}

// The fewest objects whose costs have this sum.
std::int64_t fewest_for(Costs costs, std::int64_t sum) {
  std::sort(costs.rbegin(), costs.rend());
  std::int64_t count = 0;
  while (sum > 0) sum -= costs[static_cast<std::size_t>(count++)];
  return count;
}

TEST(Choose, FillsTradesWithFewObjects) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    Costs costs(1 + random() % 5000);
    std::lognormal_distribution<double> spread(8, 1.5);
    for (std::int64_t& cost : costs) cost = 1 + static_cast<std::int64_t>(spread(random));
    const std::int64_t all = std::accumulate(costs.begin(), costs.end(), std::int64_t{0});
    std::vector<std::int64_t> amounts(1 + random() % 7);
    for (std::int64_t& amount : amounts)
      amount = all / 2 / std::ssize(amounts) * (1 + static_cast<std::int64_t>(random() % 3)) / 3;
    const Choice choice = chosen(costs, amounts);
    if (costs.size() < 500) continue;
    std::int64_t lent = 0;
    for (std::size_t t = 0; t < amounts.size(); ++t) {
      EXPECT_GT(static_cast<double>(choice.sums[t]), 0.99 * static_cast<double>(amounts[t]));
      lent += choice.sums[t];
    }
    EXPECT_LE(static_cast<double>(choice.lent.size()),
              1.2 * static_cast<double>(fewest_for(costs, lent) + 10 * std::ssize(amounts)));
  }
}

TEST(Choose, EqualCosts) {
  const Choice choice = chosen(Costs(1000, 10), {995, 2000, 9});
  EXPECT_EQ(choice.sums, (std::vector<std::int64_t>{990, 2000, 0}));
}

TEST(Choose, AnObjectThatIsHeavierThanEverythingStays) {
  const Choice choice = chosen({5, 1'000'000'000'000'000, 7, 0, 3}, {10});
  EXPECT_EQ(choice.lent, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(choice.kept, (std::vector<std::int64_t>{0, 1, 3}));
}

TEST(Choose, CheapObjectsStay) {
  EXPECT_EQ(chosen({5, 6, 7, 8}, {100}, 7).lent, (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(chosen({0, 0, 0}, {100}).lent.empty());
}

TEST(Choose, NoObjects) { EXPECT_TRUE(chosen({}, {100}).kept.empty()); }

TEST(Choose, AmountsThatAreNotWholeNanosecondsOrNotFinite) {
  std::vector<double> costs = {1, 2, -1};
  EXPECT_ERROR(read_amounts(test::space(), field_of(costs).layout(), "cost", 3),
               "core/lend: The cost of object 2 is -1 in 'cost'. Costs are finite and not "
               "negative.");
  costs[2] = std::nan("");
  EXPECT_ERROR(read_amounts(test::space(), field_of(costs).layout(), "cost", 3),
               "The cost of object 2 is nan in 'cost'.");
  costs[2] = 1e30;
  const auto there = read_amounts(test::space(), field_of(costs).layout(), "cost", 3);
  EXPECT_EQ(in_nanoseconds(there, 1.5).on_host(), (Costs{1, 3, 1'000'000'000'000}));
  EXPECT_EQ(sum_of(in_nanoseconds(there, 1.5)), 1'000'000'000'004);
  EXPECT_ERROR(read_amounts(test::space(), field_of(costs).layout(), "cost", 4),
               "'cost' has 1 numbers for each of 3 objects, but costs are one number for each of 4 "
               "objects. Give one cost per object.");
}

}  // namespace
}  // namespace evenkeel::choose_test
