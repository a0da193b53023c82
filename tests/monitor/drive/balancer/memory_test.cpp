// Programs in memory of a fixed size. Objects are in arenas: a rank that would hold more than its
// arena ends the program.

#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/users_logger.hpp"
#include "monitor/drive/virtual_clock.hpp"

namespace evenkeel::balancer_memory_test {
namespace {

using namespace test;

constexpr double bytes_of_object = 32;  // of place and id

class InArenas : public test::OnRanks {
 protected:
  Ids ids;
  std::vector<Point> x;
  std::vector<double> weight;
  std::int64_t made = 0;
  double greatest_share = 0;

  // A rank that is full has died.
  struct Full : std::runtime_error {
    Full() : std::runtime_error("an arena is full") {}
  };
  double arena() const { return bytes_of_object * 1500; }

  void add(std::int64_t id, const Point& at) {
    ids.push_back(id);
    x.push_back(at);
  }
  // The heavy objects, which are everywhere.
  void make_heavy() {
    made = 200 * size;
    for (const std::int64_t id : test::ids_here(communicator, test::in_turn, made))
      add(id, {place_of(id, 0), place_of(id, 1), place_of(id, 2)});
  }
  // Light objects near the lower corner, on the rank that owns their place.
  void make_light(std::int64_t count, const Domains& domains) {
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t id = made++;
      const Point at = {0.3 * place_of(id, 0), 0.3 * place_of(id, 1), 0.3 * place_of(id, 2)};
      if (owner_of(domains, at) == rank) add(id, at);
    }
  }
  static double weight_of(std::int64_t id, std::int64_t heavy) { return id < heavy ? 1 : 1e-4; }
  void weigh(std::int64_t heavy) {
    weight.clear();
    for (const std::int64_t id : ids) weight.push_back(weight_of(id, heavy));
  }

  // Makes a run in which objects appear at each step, on the rank that owns their place.
  void run(const Method& method, std::vector<double> memory, int steps, const Trigger& trigger = {},
           std::int64_t per_step = 5) {
    virtual_time = 0;
    greatest_share = 0;
    ids.clear(), x.clear();
    make_heavy();
    const std::int64_t heavy = made;
    Balancer balancer(communicator, {.method = method,
                                     .trigger = trigger,
                                     .box = Box{{0, 0, 0}, {1, 1, 1}},
                                     .memory = std::move(memory),
                                     .epoch_steps = 6,
                                     .warmup_steps = 0,
                                     .own_clock = &virtual_now,
                                     .log = LogLevel::decisions});
    const Kernel kernel = balancer.kernel("work");
    weigh(heavy);
    balancer.rebalance(set(x, carry(ids), {.weight = weight}));
    for (int step = 0; step < steps; ++step) {
      make_light(per_step * size, balancer.domains());
      weigh(heavy);
      const double share = bytes_of_object * static_cast<double>(ids.size()) / arena();
      greatest_share =
          std::max(greatest_share, communicator.all_reduce(share, Reduction::greatest));
      if (greatest_share > 1) throw Full();
      double load = 0;
      for (const double each : weight) load += each;
      spend(kernel, std::llround(1e4 * load));
      balancer.step(set(x, carry(ids), {.weight = weight}));
    }
    balancer.finish();
  }
};

const Method methods[] = {Hilbert{}, Staggered{}, RecursiveBisection{}, Voronoi{}};

// At the end all arenas together are at most 80 % full.
TEST_F(InArenas, AProgramThatDiesWithoutALimitFinishesWithIt) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  for (const Method& method : methods) {
    SCOPED_TRACE(to_text(method));
    const UsersLogger log;
    EXPECT_THROW(run(method, {}, 200), Full);
    EXPECT_NO_THROW(run(method, {arena()}, 200));
    EXPECT_LE(greatest_share, 1);
  }
}

TEST_F(InArenas, TheLogSaysWhyARebalanceIsMade) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  const UsersLogger log;
  run(Hilbert{}, {arena()}, 200, Threshold{.lambda = 100});
  if (rank != 0) return;
  EXPECT_GE(log.count_of("steps at this growth"), 1) << log.text();
  EXPECT_GE(log.count_of("the fullest rank is now rank "), 1);
  EXPECT_LE(log.count_of("steps at this growth"), 8) << "it must not act at each look";
  EXPECT_EQ(log.count_of("No cut fits"), 0);
}

// If a limit cannot be kept, the program continues with the best cut, and the log says so once.
TEST_F(InArenas, WithoutACutThatFitsTheProgramContinues) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  const UsersLogger log;
  run(Hilbert{}, {bytes_of_object * 400}, 200, Threshold{.lambda = 100});
  if (rank != 0) return;
  EXPECT_EQ(log.count_of("warning: No cut fits into the memory of the ranks: rank "), 1)
      << log.text();
}

TEST_F(InArenas, AFirstDistributionThatDoesNotFitIsAnError) {
  make_heavy();
  weigh(0);
  Balancer balancer(communicator, {.memory = {bytes_of_object * 100}, .log = LogLevel::off});
  const std::size_t before = x.size();
  EXPECT_ERROR_EVERYWHERE(balancer.rebalance(set(x, carry(ids), {.weight = weight})),
                          "monitor/balancer: No cut fits into the memory of the ranks: rank ");
  EXPECT_EQ(x.size(), before);
  EXPECT_EQ(parts_of(balancer.domains()), 0);
  balancer.finish();
}

TEST_F(InArenas, GivenBytesCount) {
  make_heavy();
  weigh(made);
  std::vector<double> bytes;
  for (const Point& at : x) bytes.push_back(at[0] < 0.5 ? 1000 : 1);
  double all = 0;
  for (const double each : bytes) all += each;
  all = communicator.all_reduce(all, Reduction::sum);
  const double limit = 1.2 * all / size;
  Balancer balancer(communicator, {.memory = {limit}, .log = LogLevel::off});
  balancer.rebalance(set(x, carry(ids), {.weight = weight, .bytes = bytes}));
  double here = 0;
  for (const Point& at : x) here += at[0] < 0.5 ? 1000 : 1;
  EXPECT_LE(here, limit);
  balancer.finish();
}

TEST_F(InArenas, LimitsForOtherNumbersOfRanksAreErrors) {
  EXPECT_ERROR_EVERYWHERE(Balancer(communicator, {.memory = std::vector<double>(
                                                      static_cast<std::size_t>(size) + 1, 1e9)}),
                          "monitor/options: memory has " + std::to_string(size + 1) +
                              " numbers, and there are " + std::to_string(size) +
                              " ranks. Give one number for all ranks, one per rank, or no limit.");
}

}  // namespace
}  // namespace evenkeel::balancer_memory_test
