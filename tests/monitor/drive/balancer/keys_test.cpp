#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"

namespace evenkeel::keys_test {
namespace {

using namespace test;

// The first place of an object along an axis.
double place_of(std::int64_t id, int axis) {
  return static_cast<double>(mix(id, axis) % 1000) / 1000;
}

// Objects that begin in one region of the box are heavy, and stay heavy.
std::int64_t nanoseconds_of(std::int64_t id) { return place_of(id, 0) < 0.2 ? 2000 : 100; }

enum class Habit : std::uint8_t { keeps_order, shuffles, shuffles_with_keys };

// Objects of very different costs drift along x. Depending on `habit`, the application shuffles
// them before each rebalance. Returns lambda by the true costs after each rebalance.
std::vector<double> lambdas_of(Habit habit) {
  const Communicator communicator = test::world();
  virtual_time = 0;
  Ids ids = test::ids_here(communicator, test::in_turn, 400 * communicator.size());
  std::vector<std::array<double, 3>> x(ids.size());
  Balancer balancer(communicator, {.trigger = Never{},
                                   .box = Box{{0, 0, 0}, {1, 1, 1}},
                                   .periodic = {true, false, false},
                                   .target_lambda = 0,
                                   .epoch_steps = 6,
                                   .own_clock = &virtual_now,
                                   .log = LogLevel::off});
  auto work = balancer.kernel("work");
  const auto all_of = [&] {
    SetOptions options;
    if (habit == Habit::shuffles_with_keys) options.key = ids;
    return set(x, carry(ids), options);
  };
  const auto place = [&](int step) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d)
        x[i][d] = place_of(ids[i], static_cast<int>(d)) + (d == 0 ? 0.002 * step : 0);
  };
  place(0);
  balancer.rebalance(all_of());
  std::vector<double> lambdas;
  std::mt19937_64 random(7);
  for (int step = 1; step <= 240; ++step) {
    std::int64_t load = 0;
    for (const std::int64_t id : ids) load += nanoseconds_of(id);
    spend(work, load);
    place(step);
    balancer.step(all_of());
    if (step % 20 != 0) continue;
    if (habit != Habit::keeps_order) {
      std::shuffle(ids.begin(), ids.end(), random);
      place(step);
    }
    EXPECT_EQ(balancer.rebalance(all_of()).forgotten, 0);
    load = 0;
    for (const std::int64_t id : ids) load += nanoseconds_of(id);
    lambdas.push_back(lambda_of(communicator.all_gather(static_cast<double>(load))));
  }
  balancer.finish();
  return lambdas;
}

double mean_of_last(const std::vector<double>& values, std::ptrdiff_t count) {
  double sum = 0;
  for (auto value = values.end() - count; value != values.end(); ++value) sum += *value;
  return sum / static_cast<double>(count);
}

using Keys = test::OnRanks;

// With keys, learned costs must follow shuffled objects as well as objects that keep their order.
TEST_F(Keys, CostsFollowObjectsThatAreSortedAnew) {
  const std::vector<double> plain = lambdas_of(Habit::keeps_order),
                            keyed = lambdas_of(Habit::shuffles_with_keys),
                            lost = lambdas_of(Habit::shuffles);
  RecordProperty("lambda_in_order", std::to_string(mean_of_last(plain, 6)));
  RecordProperty("lambda_with_keys", std::to_string(mean_of_last(keyed, 6)));
  RecordProperty("lambda_without", std::to_string(mean_of_last(lost, 6)));
  for (std::size_t k = 0; k < plain.size(); ++k)
    EXPECT_NEAR(keyed[k], plain[k], 0.02) << "after rebalance " << k;
  if (test::world().size() == 1) return;
  EXPECT_LT(mean_of_last(keyed, 6), mean_of_last(lost, 6));
}

TEST_F(Keys, ObjectsMayComeAndGo) {
  virtual_time = 0;
  Ids ids = test::ids_here(communicator, test::in_turn, 100 * communicator.size());
  std::vector<std::array<double, 3>> x(ids.size());
  Balancer balancer(communicator, {.trigger = Never{},
                                   .box = Box{{0, 0, 0}, {1, 1, 1}},
                                   .epoch_steps = 6,
                                   .own_clock = &virtual_now,
                                   .log = LogLevel::off});
  auto work = balancer.kernel("work");
  const auto go_on = [&](bool with_keys) {
    x.resize(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) x[i][d] = place_of(ids[i], static_cast<int>(d));
    SetOptions options;
    if (with_keys) options.key = ids;
    const Set all = set(x, carry(ids), options);
    const MoveReport report = balancer.rebalance(all);
    for (int step = 0; step < 20; ++step) {
      spend(work, 1000 * std::ssize(ids));
      balancer.step(all);
    }
    return report.forgotten;
  };
  EXPECT_EQ(go_on(true), 0) << "nothing is known yet";
  EXPECT_EQ(go_on(true), 0);
  EXPECT_EQ(go_on(true), 0);
  for (std::int64_t k = 0; k < 3; ++k) ids.push_back(1'000'000 + 10 * communicator.rank() + k);
  EXPECT_EQ(go_on(true), 3 * communicator.size());
  std::erase_if(ids, [](std::int64_t id) { return id % 7 == 0; });
  EXPECT_EQ(go_on(true), 0);
  EXPECT_EQ(go_on(false), 0) << "as many as before";
  ids.push_back(2'000'000 + communicator.rank());
  const std::int64_t all = communicator.all_reduce(std::ssize(ids), Reduction::sum);
  EXPECT_EQ(go_on(false), all);
  balancer.finish();
}

TEST_F(Keys, MustBeCarried) {
  std::vector<std::array<double, 3>> x(3);
  const Ids ids(3);
  Balancer balancer(communicator, {.log = LogLevel::off});
  EXPECT_ERROR(balancer.rebalance(x, carry(), {.key = ids}), "are not among the fields");
  std::vector<float> wrong(3);
  EXPECT_ERROR(balancer.rebalance(x, carry(wrong), {.key = wrong}), "are not one integer");
  balancer.finish();
}

// --- Seconds of objects --------------------------------------------------------------------------

using Costs = test::OnRanks;

TEST_F(Costs, AreWeightsInSeconds) {
  std::vector<std::array<double, 3>> x(40), y(40);
  std::vector<double> seconds(40);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = {0.5 * (communicator.rank() + static_cast<double>(i) / 40) / communicator.size(), 0, 0};
    y[i] = {0.5 + x[i][0], 0, 0};
    seconds[i] = 1e-6 * static_cast<double>(1 + i % 3);
  }
  virtual_time = 0;
  Balancer balancer(communicator, {.trigger = Never{},
                                   .target_lambda = 0,
                                   .epoch_steps = 6,
                                   .own_clock = &virtual_now,
                                   .log = LogLevel::off});
  auto work = balancer.kernel("work");
  const auto a = [&] { return set(x, carry(seconds), {.weight = costs(seconds)}); };
  const auto b = [&] { return set(y); };
  for (int step = 0; step < 20; ++step) {
    spend(work, 3000 * std::ssize(x) + 3000 * std::ssize(y));
    balancer.step(a(), b());
  }
  // All objects take 3 microseconds on average. For those of the first set, the application gives
  // 2.
  const MoveReport report = balancer.rebalance(a(), b());
  double mine = 3e-6 * static_cast<double>(y.size());
  for (const double each : seconds) mine += each;
  EXPECT_NEAR(report.lambda, lambda_of(communicator.all_gather(mine)), 1e-3);
  std::vector<int> units(y.size(), 1);
  EXPECT_ERROR(balancer.rebalance(a(), set(y, carry(units), {.weight = units})),
               "Some sets have weights in seconds, others without a unit.");
  balancer.finish();
}

}  // namespace
}  // namespace evenkeel::keys_test
