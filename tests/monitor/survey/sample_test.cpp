#include "survey/sample.hpp"

#include "survey/rank_records.hpp"

#include "support/harness.hpp"

#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::sample_test {
namespace {

using SamplePoint = std::array<double, 2>;

std::vector<SamplePoint> row_of(std::size_t objects) {
  std::vector<SamplePoint> places(objects);
  for (std::size_t i = 0; i < objects; ++i) places[i] = {static_cast<double>(i), 1};
  return places;
}

double sum_of(std::span<const double> costs) {
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

TEST(ObjectSample, RepresentsAllObjects) {
  std::vector<SamplePoint> places = row_of(5000);
  std::vector<double> weights(5000, 1.0);
  weights[4321] = 1000;
  ObjectSample sample(9);
  sample.add(set(places, carry(weights), {.weight = weights}), {});
  EXPECT_EQ(sample.count(), 1000);
  EXPECT_EQ(sample.weight(), 5999.0);
  EXPECT_EQ(sum_of(sample.costs()), 5999.0);
  sample.scale_to(300);
  EXPECT_NEAR(sum_of(sample.costs()), 300, 1e-9);
  const SampleStatement mine = sample.statement();
  EXPECT_TRUE(mine.can_be_cut());
  EXPECT_EQ(mine.unweighed, 0);
  EXPECT_FALSE(mine.is_on_record());
  EXPECT_FALSE(mine.is_on_advice());
  EXPECT_EQ(sample.as_set(2).count(), 1000);
}

// Each object has 24 bytes, and the sample represents all objects of both sets.
TEST(ObjectSample, KnowsTheBytesOfAllObjects) {
  std::vector<SamplePoint> places = row_of(5000), few = row_of(3);
  std::vector<double> masses(5000, 1.0);
  ObjectSample sample(9);
  sample.add(set(places, carry(masses)), {});
  ASSERT_EQ(std::ssize(sample.bytes()), sample.count());
  EXPECT_NEAR(sum_of(sample.bytes()), 5000 * 24, 1e-6);
  sample.add(set(few), {});
  ASSERT_EQ(std::ssize(sample.bytes()), sample.count());
  EXPECT_NEAR(sum_of(sample.bytes()), 5000 * 24 + 3 * 16, 1e-6);
  EXPECT_EQ(sample.bytes().back(), 16);
}

TEST(ObjectSample, KnowsTheBytesOfBlocks) {
  std::vector<SamplePoint> places = row_of(5000);
  ObjectSample sample(9);
  sample.add(set(places, {}, {.bytes_per_object = 1000}), {});
  EXPECT_NEAR(sum_of(sample.bytes()), 5e6, 1e-6);
}

TEST(ObjectSample, SharesALoadEvenlyAmongObjectsThatCostNothing) {
  std::vector<SamplePoint> places = row_of(10);
  std::vector<double> weights(10, 0.0);
  ObjectSample sample(9);
  sample.add(set(places, carry(weights), {.weight = weights}), {});
  sample.scale_to(30);
  for (const double cost : sample.costs()) EXPECT_EQ(cost, 3.0);
}

TEST(ObjectSample, KnowsWhereObjectsWere) {
  std::vector<SamplePoint> places = row_of(3);
  const Space space = Space::where(MemoryKind::host);
  exec::Array<std::int64_t> records(space, "records", 3);
  exec::Array<int> advised(space, "advised", 3);
  for (int i = 0; i < 3; ++i) {
    records.data()[i] = (std::int64_t{4} << 32) + i;
    advised.data()[i] = 10 * i;
  }
  ObjectSample sample(9);
  sample.add(set(places), {.records = &records, .advised = &advised});
  EXPECT_TRUE(sample.statement().is_on_record());
  EXPECT_TRUE(sample.statement().is_on_advice());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sample.first_ranks()[i], static_cast<int>(i));
    EXPECT_EQ(sample.advised_ranks()[i], static_cast<int>(10 * i));
  }
  sample.scale_to(6);
  EXPECT_EQ(std::vector<double>(sample.by_first_rank().begin(), sample.by_first_rank().end()),
            (std::vector<double>{2, 2, 2, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(sample.by_previous_rank()[4], 6);
  // The first rank of one object is unknown, and one set has no records.
  records.data()[1] = (std::int64_t{4} << 32) + 0xFFFFFFFF;
  ObjectSample unknown(9);
  unknown.add(set(places), {.records = &records});
  EXPECT_FALSE(unknown.statement().is_on_record());
  sample.add(set(places), {});
  EXPECT_FALSE(sample.statement().is_on_record());
}

// Objects are at 0, 1, 2, 3 and 4. The first and the last one began on ranks 7 and 8.
TEST(ObjectSample, ANewObjectCountsLikeItsNearestNeighbour) {
  std::vector<SamplePoint> places = row_of(5);
  constexpr std::int64_t unknown = 0xFFFFFFFF;
  exec::Array<std::int64_t> records(Space::where(MemoryKind::host), "records", 5);
  for (std::int64_t i = 0; i < 5; ++i)
    records.data()[i] = (std::int64_t{3} << 32) + (i == 0 ? 7 : i == 4 ? 8 : unknown);
  ObjectSample sample(9);
  sample.add(set(places), {.records = &records});
  EXPECT_FALSE(sample.statement().is_on_record());
  EXPECT_TRUE(sample.statement().is_known_enough());
  EXPECT_EQ(sample.statement().share_guessed(), 0.6);
  sample.fill_first_ranks();
  const std::vector<int> first(sample.first_ranks().begin(), sample.first_ranks().end());
  EXPECT_EQ(first, (std::vector<int>{7, 7, 7, 8, 8})) << "of two equally near, the first counts";
  EXPECT_EQ(sample.by_first_rank()[7], 3);
  EXPECT_EQ(sample.by_first_rank()[8], 2);

  for (std::int64_t i = 0; i < 5; ++i) records.data()[i] = (std::int64_t{3} << 32) + unknown;
  ObjectSample new_ones(9);
  new_ones.add(set(places), {.records = &records});
  new_ones.fill_first_ranks();
  for (const int rank : new_ones.first_ranks()) EXPECT_EQ(rank, 3) << "no neighbour is known";
}

TEST(ObjectSample, IsKnownEnoughIfATwentiethIs) {
  SampleStatement all;
  all.objects = 100;
  all.first_unknown = 95;
  EXPECT_TRUE(all.is_known_enough());
  all.first_unknown = 96;
  EXPECT_FALSE(all.is_known_enough());
  all.first_unknown = 0;
  all.off_record = 1;
  EXPECT_FALSE(all.is_known_enough());
}

TEST(ObjectSample, RefusesWhatHasNoPlace) {
  std::vector<SamplePoint> places = row_of(4);
  places[2][1] = std::numeric_limits<double>::quiet_NaN();
  ObjectSample sample(9);
  sample.add(set(places), {});
  EXPECT_THROW(static_cast<void>(sample.statement()), Error);
  std::vector<std::array<double, 3>> elsewhere(2);
  EXPECT_THROW(sample.add(set(elsewhere), {}), Error);
}

}  // namespace
}  // namespace evenkeel::sample_test
