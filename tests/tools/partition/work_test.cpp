#include "partition/work.hpp"

#include "clouds.hpp"
#include "support/harness.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <vector>

namespace evenkeel::tool {
namespace {

using test::Cloud;

// Part p has every object whose number is p modulo `parts`.
std::vector<std::int32_t> round_robin(const Communicator& ranks, const Objects& objects,
                                      int parts) {
  const std::int64_t first = ranks.exclusive_scan(objects.count());
  std::vector<std::int32_t> part_of;
  for (std::int64_t i = 0; i < objects.count(); ++i)
    part_of.push_back(static_cast<std::int32_t>((first + i) % parts));
  return part_of;
}

std::vector<double> counted(const Communicator& ranks, const Cloud& cloud, int parts) {
  const Objects objects = test::share_of(cloud, ranks.rank(), ranks.size());
  return WorkCounter(ranks, objects).of_parts(Status(), round_robin(ranks, objects, parts), parts);
}

TEST(Work, IsCounted) {
  const Communicator ranks = test::world();
  const Cloud cloud{"seven", 2, std::vector<double>(14), {}};
  EXPECT_EQ(counted(ranks, cloud, 3), (std::vector<double>{3, 2, 2}));
  EXPECT_EQ(counted(ranks, cloud, 9), (std::vector<double>{1, 1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(Work, IsWeighed) {
  const Communicator ranks = test::world();
  const Cloud cloud{"five", 2, std::vector<double>(10), {1, 0, 2.5, 0, 4}};
  EXPECT_EQ(counted(ranks, cloud, 2), (std::vector<double>{7.5, 0}));
  const Objects objects = test::share_of(cloud, ranks.rank(), ranks.size());
  EXPECT_EQ(WorkCounter(ranks, objects).heaviest_object(), 4);
}

// To the last bit, whatever the weights.
TEST(Work, IsTheSameOnAnyNumberOfRanks) {
  const Communicator ranks = test::world();
  for (const double scale : {1.0, 1e-310, 1e300})
    for (const int parts : {1, 4}) {
      Cloud cloud = test::random_cloud(2, 1000, true, 4);
      double largest = 0;
      for (double& weight : cloud.weights) largest = std::max(largest, weight *= scale);
      const std::vector<double> work = counted(ranks, cloud, parts);
      EXPECT_EQ(work, counted(Communicator::self(), cloud, parts));
      std::vector<long double> sums(work.size());
      for (std::size_t i = 0; i < cloud.weights.size(); ++i)
        sums[i % sums.size()] += cloud.weights[i];
      for (std::size_t p = 0; p < work.size(); ++p)
        EXPECT_NEAR(work[p] / largest, static_cast<double>(sums[p] / largest), 1e-9);
    }
}

TEST(Work, OfNothing) {
  const Communicator ranks = test::world();
  EXPECT_EQ(counted(ranks, {"none", 3, {}, {}}, 2), (std::vector<double>{0, 0}));
  EXPECT_EQ(counted(ranks, {"weightless", 2, {1, 2, 3, 4}, {0, 0}}, 2),
            (std::vector<double>{0, 0}));
  const Objects none = test::share_of({"none", 3, {}, {}}, ranks.rank(), ranks.size());
  EXPECT_EQ(WorkCounter(ranks, none).heaviest_object(), 0);
}

TEST(Work, FarApart) {
  const Communicator ranks = test::world();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(counted(ranks, {"tiny", 2, {1, 2, 3, 4}, {least, 3 * least}}, 2),
            (std::vector<double>{least, 3 * least}));
  EXPECT_EQ(counted(ranks, {"apart", 2, {1, 2, 3, 4}, {1e-30, 1e30}}, 2),
            (std::vector<double>{0, 1e30}));
  EXPECT_ERROR(counted(ranks, {"heavy", 2, {1, 2, 3, 4}, {1.5e308, 1.5e308}}, 1),
               "tools/partition: The weights add up to more than a number can hold.");
}

TEST(Work, AFailureIsEverybodys) {
  const Communicator ranks = test::world();
  const Objects objects = test::share_of({"two", 2, {1, 2, 3, 4}, {}}, ranks.rank(), ranks.size());
  const WorkCounter counter(ranks, objects);
  const bool fails = ranks.rank() == ranks.size() - 1;
  const Status mine = attempt("tests", [&] {
    if (fails) throw std::bad_alloc();
  });
  const std::string text =
      test::error_of([&] { counter.of_parts(mine, round_robin(ranks, objects, 2), 2); });
  EXPECT_TRUE(test::mentions(text, "tests: "));
  EXPECT_TRUE(test::same_everywhere(ranks, text));
}

}  // namespace
}  // namespace evenkeel::tool
