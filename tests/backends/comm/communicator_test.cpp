#include "support/harness.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace evenkeel::communicator_test {
namespace {

// Every collective must behave the same with whole messages and with pieces of three bytes or more.
class Collectives : public testing::TestWithParam<std::int64_t> {
 protected:
  Communicator communicator = test::world({.piece_bytes = GetParam()});
  int rank = communicator.rank(), size = communicator.size();
};

INSTANTIATE_TEST_SUITE_P(Pieces, Collectives, testing::Values(std::int64_t{1} << 30, 24, 1));

TEST_P(Collectives, AllReduceOfEveryType) {
  const auto expect = [&]<class T>(T mine) {
    EXPECT_EQ(communicator.all_reduce(mine, Reduction::sum), static_cast<T>(size * (size + 1) / 2));
    EXPECT_EQ(communicator.all_reduce(mine, Reduction::least), T{1});
    EXPECT_EQ(communicator.all_reduce(mine, Reduction::greatest), static_cast<T>(size));
  };
  const auto expect_each = [&]<class... T>() { (expect(static_cast<T>(rank + 1)), ...); };
  expect_each
      .template operator()<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                           std::uint16_t, std::uint32_t, std::uint64_t, float, double>();
}

TEST_P(Collectives, SumsHave64Bits) {
  const std::int64_t big = std::int64_t{1} << 40;
  EXPECT_EQ(communicator.all_reduce(big, Reduction::sum), big * size);
}

TEST_P(Collectives, AllReduceInPlace) {
  std::vector<std::int64_t> values(100);
  std::iota(values.begin(), values.end(), rank);
  communicator.all_reduce(std::span(values), Reduction::sum);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(i)], i * size + size * (size - 1) / 2);
}

TEST_P(Collectives, AllReduceOfNothing) {
  EXPECT_NO_THROW(communicator.all_reduce(std::span<double>(), Reduction::sum));
}

TEST_P(Collectives, ExclusiveScanStartsWithZero) {
  EXPECT_EQ(communicator.exclusive_scan(rank + 1), rank * (rank + 1) / 2);
  std::vector<double> values(17, rank + 1);
  communicator.exclusive_scan(std::span(values));
  for (const double value : values) EXPECT_EQ(value, rank * (rank + 1) / 2);
}

TEST_P(Collectives, ExclusiveScanOfExtremes) {
  const std::vector<int> sequence = {5, -3, 8, 8, -9, 2, 0, 11, 7, -20, 1, 3};
  const auto of = [&](int r) { return sequence[static_cast<std::size_t>(r) % sequence.size()]; };
  int greatest = std::numeric_limits<int>::lowest(), least = std::numeric_limits<int>::max();
  for (int r = 0; r < rank; ++r) {
    greatest = std::max(greatest, of(r));
    least = std::min(least, of(r));
  }
  EXPECT_EQ(communicator.exclusive_scan(of(rank), Reduction::greatest), greatest);
  EXPECT_EQ(communicator.exclusive_scan(of(rank), Reduction::least), least);
  std::vector<double> values(17, of(rank));
  communicator.exclusive_scan(std::span(values), Reduction::least);
  const double first = std::numeric_limits<double>::max();
  for (const double value : values) EXPECT_EQ(value, rank == 0 ? first : least);
}

TEST_P(Collectives, BroadcastFromEveryRoot) {
  struct Record {
    int root;
    double values[5];
  };
  for (int root = 0; root < size; ++root) {
    Record record{-1, {}};
    if (rank == root) record = {root, {1, 2, 3, 4, 5.5}};
    record = communicator.broadcast(record, root);
    EXPECT_EQ(record.root, root);
    EXPECT_EQ(record.values[4], 5.5);
  }
}

TEST_P(Collectives, AllGatherOneEach) {
  const auto all = communicator.all_gather(100 + rank);
  ASSERT_EQ(std::ssize(all), size);
  for (int r = 0; r < size; ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], 100 + r);
}

// Rank r gives r % 3 values, so some ranks give nothing.
TEST_P(Collectives, GatherAnyNumber) {
  const std::vector<int> mine(static_cast<std::size_t>(rank % 3), rank);
  const auto expect = [&](const Gathered<int>& gathered) {
    ASSERT_EQ(std::ssize(gathered.offsets), size + 1);
    for (int r = 0; r < size; ++r) {
      ASSERT_EQ(std::ssize(gathered.of_rank(r)), r % 3);
      for (const int value : gathered.of_rank(r)) EXPECT_EQ(value, r);
    }
  };
  expect(communicator.all_gather(std::span<const int>(mine)));
  for (int root = 0; root < size; ++root) {
    const auto gathered = communicator.gather(std::span<const int>(mine), root);
    if (rank == root)
      expect(gathered);
    else
      EXPECT_TRUE(gathered.values.empty() && gathered.of_rank(size - 1).empty());
  }
}

TEST(Communicator, DuplicatesDoNotMix) {
  const Communicator a = test::world(), b = a.duplicate();
  EXPECT_EQ(a.rank(), b.rank());
  EXPECT_EQ(a.size(), b.size());
  EXPECT_EQ(b.all_reduce(1, Reduction::sum), b.size());
}

// All ranks of a test share memory.
TEST(Communicator, RanksOfANode) {
  const Communicator all = test::world({.piece_bytes = 64}), node = all.on_node();
  EXPECT_EQ(node.size(), all.size());
  EXPECT_EQ(node.rank(), all.rank());
  EXPECT_EQ(node.options().piece_bytes, 64);
  EXPECT_EQ(node.all_reduce(1, Reduction::sum), all.size());
  EXPECT_EQ(Communicator::self().on_node().size(), 1);
}

TEST(Communicator, IsMovable) {
  Communicator a = test::world();
  Communicator b = std::move(a);
  a = b.duplicate();
  b = std::move(a);
  EXPECT_EQ(b.all_reduce(1, Reduction::sum), test::size());
}

TEST(Communicator, SelfIsOneRank) {
  const Communicator self = Communicator::self();
  EXPECT_EQ(self.rank(), 0);
  EXPECT_EQ(self.size(), 1);
  EXPECT_EQ(self.all_reduce(5, Reduction::sum), 5);
  EXPECT_EQ(self.exclusive_scan(5), 0);
  EXPECT_EQ(self.broadcast(7, 0), 7);
  EXPECT_EQ(self.all_gather(9), std::vector<int>{9});
  const std::vector<int> three = {1, 2, 3};
  EXPECT_EQ(self.all_gather(std::span<const int>(three)).values, three);
  EXPECT_EQ(self.duplicate().size(), 1);
  EXPECT_NO_THROW(self.barrier());
}

TEST(Communicator, RefusesARootThatIsNoRank) {
  const Communicator communicator = test::world();
  EXPECT_ERROR(communicator.broadcast(1, communicator.size()), "The root is rank");
  EXPECT_ERROR(communicator.broadcast(1, -1), "The root is rank -1");
  const std::vector<int> mine;
  EXPECT_ERROR(communicator.gather(std::span<const int>(mine), communicator.size()), "The root");
}

// Assertions at level `collective` check the values on which ranks must agree. If ranks disagree,
// all throw the same Error, instead of hanging or computing nonsense.
TEST(Communicator, DisagreementIsCaughtAtTheHeaviestLevel) {
#if EVENKEEL_ASSERTION_LEVEL >= 2
  const Communicator communicator = test::world();
  if (communicator.size() < 2) GTEST_SKIP() << "needs two ranks";
  std::vector<double> values(communicator.rank() == 0 ? 3 : 4);
  const std::span<double> mine(values);
  EXPECT_ERROR(communicator.all_reduce(mine, Reduction::sum), "The length of a reduction");
  EXPECT_ERROR(communicator.exclusive_scan(mine), "The length of a scan");
  EXPECT_ERROR(communicator.broadcast(mine, 0), "The length of a broadcast");
  EXPECT_ERROR(communicator.broadcast(1, communicator.rank() % 2), "The root of a broadcast");
  EXPECT_EQ(communicator.all_reduce(1, Reduction::sum), communicator.size());
#else
  GTEST_SKIP() << "assertions are below `collective`";
#endif
}

TEST(Communicator, RefusesImpossiblePieces) {
  EXPECT_ERROR(test::world({.piece_bytes = 0}), "piece_bytes");
  EXPECT_ERROR(test::world({.piece_bytes = std::int64_t{1} << 31}), "piece_bytes");
}

TEST(Communicator, OptionsThatDifferAreTheSameErrorOnAllRanks) {
  if (test::size() < 2) GTEST_SKIP() << "needs two ranks";
  for (const std::int64_t odd : {std::int64_t{0}, std::int64_t{24}})
    EXPECT_ERROR_EVERYWHERE(test::world({.piece_bytes = test::rank() == 1 ? odd : 48}),
                            "piece_bytes is " + std::to_string(odd) + " to 48");
}

TEST(Communicator, LetGoWhileUnwinding) {
  const Communicator outer = test::world();
  for (int i = 0; i < 20; ++i) {
    try {
      const Communicator inner = outer.duplicate();
      if (inner.rank() == 0) throw std::runtime_error("rank 0 alone gives up");
    } catch (const std::runtime_error&) {
    }
  }
  EXPECT_EQ(outer.all_reduce(1, Reduction::sum), outer.size());
}

TEST(Communicator, ManyComeAndGo) {
  const Communicator outer = test::world();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(outer.duplicate().size(), outer.size());
}

class DeviceAware : public testing::Test {
 protected:
  void TearDown() override { unsetenv("EVENKEEL_DEVICE_AWARE_MPI"); }
  static void set(const char* value) { setenv("EVENKEEL_DEVICE_AWARE_MPI", value, 1); }
};

TEST_F(DeviceAware, CanBeForcedOnAndOff) {
  set("0");
  EXPECT_EQ(test::world().transport(), Transport::host_staged);
  set("1");
  EXPECT_EQ(test::world().transport(), Transport::device_aware);
  EXPECT_EQ(test::world({.transport = Transport::host_staged}).transport(), Transport::host_staged);
}

TEST_F(DeviceAware, RankZeroDecidesForAll) {
  set(test::rank() == 0 ? "1" : "0");
  EXPECT_EQ(test::world().transport(), Transport::device_aware);
}

TEST_F(DeviceAware, NonsenseIsTheSameErrorOnAllRanks) {
  const Communicator outer = test::world();
  if (test::rank() == 0) set("perhaps");
  const std::string text = test::error_of([] { test::world(); });
  EXPECT_MENTIONS(text, "EVENKEEL_DEVICE_AWARE_MPI is neither 0 nor 1");
  EXPECT_TRUE(test::same_everywhere(outer, text));
}

TEST(SharedCores, OneProcessHasItsOwn) { EXPECT_FALSE(Communicator::self().ranks_share_cores()); }

TEST(SharedCores, TheAnswerIsTheSameOnAllRanks) {
  const Communicator communicator = test::world();
  const int shared = communicator.ranks_share_cores() ? 1 : 0;
  EXPECT_EQ(communicator.all_reduce(shared, Reduction::sum), shared * communicator.size());
  EXPECT_LE(shared, communicator.size() - 1) << "one rank alone shares with no rank";
}

#ifdef __linux__

// Chooses the cores that this rank may use. All ranks are on one node.
class ChosenCores : public testing::Test {
 protected:
  ChosenCores() { sched_getaffinity(0, sizeof before_, &before_); }
  ~ChosenCores() override { use(before_); }

  static bool use(const cpu_set_t& cores) {
    return sched_setaffinity(0, sizeof cores, &cores) == 0;
  }

  // The cores that any rank could use at the start.
  std::vector<int> all_cores() const {
    std::vector<int> cores;
    const std::vector<cpu_set_t> of_ranks = communicator.all_gather(before_);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (std::ranges::any_of(of_ranks, [&](const auto& set) { return CPU_ISSET(core, &set); }))
        cores.push_back(core);
    return cores;
  }

  bool shared_when_this_rank_uses(int core) const {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    const int refused = use(one) ? 0 : 1;
    EXPECT_EQ(communicator.all_reduce(refused, Reduction::sum), 0);
    return communicator.ranks_share_cores();
  }

  Communicator communicator = test::world();

 private:
  cpu_set_t before_;
};

TEST_F(ChosenCores, AllRanksOnOneCoreShareIt) {
  EXPECT_EQ(shared_when_this_rank_uses(all_cores().front()), communicator.size() > 1);
}

// The result depends on the number of cores of all ranks together, and not on which rank may use
// which core.
TEST_F(ChosenCores, MoreRanksThanCoresShareThem) {
  const std::vector<int> cores = all_cores();
  const auto used = std::min<std::ptrdiff_t>(std::ssize(cores), communicator.size());
  const bool expected = used < communicator.size();
  const auto mine = static_cast<std::size_t>(communicator.rank() % used);
  EXPECT_EQ(shared_when_this_rank_uses(cores[mine]), expected);
}

#endif

#if EVENKEEL_HAS_MPI

TEST(CommunicatorFromMpi, TakesASubset) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, test::rank() % 2, test::rank(), &half);
  {
    const Communicator communicator(half);
    int expected = 0;
    MPI_Comm_size(half, &expected);
    EXPECT_EQ(communicator.size(), expected);
    EXPECT_EQ(communicator.all_reduce(1, Reduction::sum), expected);
  }
  MPI_Comm_free(&half);
}

TEST(CommunicatorFromMpi, RefusesNull) {
  EXPECT_ERROR(Communicator(MPI_COMM_NULL), "MPI_COMM_NULL");
}

TEST(CommunicatorFromMpi, RefusesAnIntercommunicator) {
  if (test::size() < 2) GTEST_SKIP() << "needs two ranks";
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  const int color = test::rank() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, test::rank(), &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - color, 0, &between);
  EXPECT_ERROR(Communicator{between}, "connects two groups");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

// Messages of the application on its own communicator must never match ours.
TEST(CommunicatorFromMpi, UsersMessagesAreApart) {
  const Communicator communicator(MPI_COMM_WORLD);
  const int right = (test::rank() + 1) % test::size();
  const int left = (test::rank() + test::size() - 1) % test::size();
  int sent = test::rank(), received = -1;
  MPI_Request request;
  MPI_Irecv(&received, 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  EXPECT_EQ(communicator.all_reduce(1, Reduction::sum), test::size());
  MPI_Send(&sent, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(received, left);
}

#endif

}  // namespace
}  // namespace evenkeel::communicator_test
