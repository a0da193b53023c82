// Compares the model of bench/scale with the library, and its parts with serial oracles.

#include "scale/check.hpp"
#include "scale/cloud.hpp"
#include "scale/drift.hpp"
#include "scale/network.hpp"
#include "scale/stages.hpp"
#include "support/harness.hpp"

namespace evenkeel::scale::scale_test {
namespace {

TEST(Model, PredictsEachCallOfMpi) {
  const Communicator world = test::world();
  for (const Compared& one : compare_with_library(world)) {
    SCOPED_TRACE(one.protocol);
    EXPECT_FALSE(one.made.empty());
    EXPECT_EQ(text_of(collectives_of(one.predicted)), text_of(collectives_of(one.made)));
    EXPECT_TRUE(one.agree()) << text_of(one.predicted) << "\n" << text_of(one.made);
  }
}

std::vector<CurveKey> keys_of(const Cloud& cloud) {
  std::vector<std::uint64_t> numbers;
  cloud.write_keys(cloud.whole(), numbers);
  std::vector<CurveKey> keys;
  for (const std::uint64_t number : numbers) keys.push_back({number});
  return keys;
}

TEST(Cloud, IsAskedWhatItsObjectsWouldSay) {
  for (const double crowding : {0.0, 0.2}) {
    const Cloud cloud(5001, crowding, 0.1);
    const std::vector<CurveKey> keys = keys_of(cloud);
    ASSERT_EQ(std::ssize(keys), cloud.objects());
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    for (const std::size_t i : {0U, 17U, 2500U, 5000U}) {
      const auto before = std::lower_bound(keys.begin(), keys.end(), keys[i]) - keys.begin();
      EXPECT_EQ(cloud.objects_before(keys[i].value), before);
    }
    std::vector<std::int64_t> pieces(16);
    cloud.divide(cloud.whole(), 4, pieces.data());
    for (std::uint64_t piece = 0; piece < 16; ++piece)
      EXPECT_EQ(pieces[piece], std::count_if(keys.begin(), keys.end(), [=](CurveKey key) {
                  return key.value >> (Cloud::bits - 4) == piece;
                }));
  }
}

// The search asks the cloud for counts, and must find the same as among real objects.
TEST(Cloud, IsSearchedAsItsObjectsAre) {
  for (const double crowding : {0.0, 0.2}) {
    const Cloud cloud(60'000, crowding);
    const std::vector<CurveKey> keys = keys_of(cloud);
    const WeightedKeys set = {keys};
    const Searched real = search(std::span(&set, 1), 300);
    const Searched imagined = search(cloud, 300, 0, {});
    EXPECT_EQ(imagined.splitters, real.splitters);
    EXPECT_EQ(imagined.calls.size(), real.calls.size());
  }
}

TEST(Network, PlaysRoundsOneByOne) {
  Network network;
  network.ranks_per_node = 2;
  const double within = network.within.latency + 2 * network.overhead +
                        8 / network.within.bytes_per_second + 8 / network.combined_bytes_per_second;
  const Call word = {CallKind::reduction, 8};
  EXPECT_EQ(cost_of(network, 1, word).seconds, 0);
  EXPECT_EQ(cost_of(network, 2, word).rounds, 1);
  EXPECT_DOUBLE_EQ(cost_of(network, 2, word).seconds, within);
  // The second round is between nodes, whose wire two ranks share.
  const double across = network.across.latency + 2 * network.overhead +
                        8 / (network.across.bytes_per_second / 2) +
                        8 / network.combined_bytes_per_second;
  EXPECT_EQ(cost_of(network, 4, word).rounds, 2);
  EXPECT_DOUBLE_EQ(cost_of(network, 4, word).seconds, within + across);
  for (const CallKind kind :
       {CallKind::reduction, CallKind::scan, CallKind::broadcast, CallKind::barrier}) {
    double before = 0;
    for (std::int64_t ranks = 2; ranks < 1'000'000; ranks *= 4) {
      const double seconds = cost_of(network, ranks, Call{kind, 1 << 20}).seconds;
      EXPECT_GE(seconds, before) << name_of(kind) << " on " << ranks << " ranks";
      before = seconds;
    }
  }
}

TEST(Drift, CountsWhatChangesItsRank) {
  const Cloud even(4096, 0);
  const std::uint64_t quarter = std::uint64_t{1} << (Cloud::bits - 2);
  const Splitters before = {{0}, {quarter}, {2 * quarter}, {3 * quarter}, {4 * quarter}};
  Splitters after = before;
  EXPECT_EQ(drift_between(even, before, after, 2).moved, 0);
  after[2] = {2 * quarter + quarter / 4};  // rank 2 gives a quarter of its objects to rank 1
  const Drift drift = drift_between(even, before, after, 2);
  EXPECT_DOUBLE_EQ(drift.moved, 1.0 / 16);
  EXPECT_DOUBLE_EQ(drift.moved_across_nodes, 1.0 / 16);
  EXPECT_DOUBLE_EQ(drift.partners, 0.25);
  EXPECT_EQ(drift.most_partners, 1);
}

}  // namespace
}  // namespace evenkeel::scale::scale_test
