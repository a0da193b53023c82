#include "partition/work.hpp"

#include "clouds.hpp"
#include "support/harness.hpp"

#include <new>

namespace evenkeel::tool::work_test {
namespace {

using test::Cloud;
using Work = test::OnRanks;

// Part p gets every object whose number is p modulo `parts`.
std::vector<std::int32_t> round_robin(const Communicator& ranks, const FileObjects& objects,
                                      int parts) {
  const std::int64_t first = ranks.exclusive_scan(objects.count());
  std::vector<std::int32_t> part_of;
  for (std::int64_t i = 0; i < objects.count(); ++i)
    part_of.push_back(static_cast<std::int32_t>((first + i) % parts));
  return part_of;
}

std::vector<double> counted(const Communicator& ranks, const Cloud& cloud, int parts) {
  const FileObjects objects = test::share_of(cloud, ranks);
  return WorkCounter(ranks, objects).of_parts(Status(), round_robin(ranks, objects, parts), parts);
}

TEST_F(Work, IsCounted) {
  const Cloud cloud{"seven", 2, std::vector<double>(14), {}};
  EXPECT_EQ(counted(communicator, cloud, 3), (std::vector<double>{3, 2, 2}));
  EXPECT_EQ(counted(communicator, cloud, 9), (std::vector<double>{1, 1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST_F(Work, IsWeighed) {
  const Cloud cloud{"five", 2, std::vector<double>(10), {1, 0, 2.5, 0, 4}};
  EXPECT_EQ(counted(communicator, cloud, 2), (std::vector<double>{7.5, 0}));
  const FileObjects objects = test::share_of(cloud, communicator);
  EXPECT_EQ(WorkCounter(communicator, objects).heaviest_object(), 4);
}

// The work must be the same to the last bit, for all weights.
TEST_F(Work, IsTheSameOnAnyNumberOfRanks) {
  for (const double scale : {1.0, 1e-310, 1e300})
    for (const int parts : {1, 4}) {
      Cloud cloud = test::random_cloud(2, 1000, true, 4);
      double largest = 0;
      for (double& weight : cloud.weights) largest = std::max(largest, weight *= scale);
      const std::vector<double> work = counted(communicator, cloud, parts);
      EXPECT_EQ(work, counted(Communicator::self(), cloud, parts));
      std::vector<long double> sums(work.size());
      for (std::size_t i = 0; i < cloud.weights.size(); ++i)
        sums[i % sums.size()] += cloud.weights[i];
      for (std::size_t p = 0; p < work.size(); ++p)
        EXPECT_NEAR(work[p] / largest, static_cast<double>(sums[p] / largest), 1e-9);
    }
}

TEST_F(Work, OfNothing) {
  EXPECT_EQ(counted(communicator, {"none", 3, {}, {}}, 2), (std::vector<double>{0, 0}));
  EXPECT_EQ(counted(communicator, {"weightless", 2, {1, 2, 3, 4}, {0, 0}}, 2),
            (std::vector<double>{0, 0}));
  const FileObjects none = test::share_of({"none", 3, {}, {}}, communicator);
  EXPECT_EQ(WorkCounter(communicator, none).heaviest_object(), 0);
}

TEST_F(Work, FarApart) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(counted(communicator, {"tiny", 2, {1, 2, 3, 4}, {least, 3 * least}}, 2),
            (std::vector<double>{least, 3 * least}));
  EXPECT_EQ(counted(communicator, {"apart", 2, {1, 2, 3, 4}, {1e-30, 1e30}}, 2),
            (std::vector<double>{0, 1e30}));
  EXPECT_ERROR(counted(communicator, {"heavy", 2, {1, 2, 3, 4}, {1.5e308, 1.5e308}}, 1),
               "tools/partition: The weights add up to more than a number can hold.");
}

TEST_F(Work, AFailureIsEverybodys) {
  const FileObjects objects = test::share_of({"two", 2, {1, 2, 3, 4}, {}}, communicator);
  const WorkCounter counter(communicator, objects);
  const bool fails = rank == size - 1;
  const Status mine = attempt("tests", [&] {
    if (fails) throw std::bad_alloc();
  });
  EXPECT_ERROR_EVERYWHERE(counter.of_parts(mine, round_robin(communicator, objects, 2), 2),
                          "tests: ");
}

}  // namespace
}  // namespace evenkeel::tool::work_test
