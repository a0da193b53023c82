#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"

namespace evenkeel::learned_costs_test {
namespace {

using namespace test;

// The region of expensive objects: a slab, a ball, a slope along an axis, or stripes.
enum class Costs : std::uint8_t { slab, ball, slope, stripes };

std::int64_t nanoseconds_of(std::int64_t id, Costs costs) {
  const double x = place_of(id, 0), y = place_of(id, 1), z = place_of(id, 2);
  switch (costs) {
    case Costs::slab: return x < 0.27 ? 1000 : 100;
    case Costs::ball: return std::hypot(x - 0.4, y - 0.3, z - 0.6) < 0.3 ? 1000 : 100;
    case Costs::slope: return 100 + static_cast<std::int64_t>(900 * x);
    case Costs::stripes: return static_cast<int>(6 * y) % 2 == 0 ? 1000 : 100;
  }
  return 0;
}

std::int64_t load_of_all(const Ids& ids, Costs costs) {
  std::int64_t load = 0;
  for (const std::int64_t id : ids) load += nanoseconds_of(id, costs);
  return load;
}

enum class Timed : std::uint8_t { whole, in_chunks };

// Objects are at rest, and the Balancer does not know their costs. Returns lambda by the true costs
// after each of its rebalances. The first rebalance makes the first domains.
// If objects wander, they move to and fro, and are sent to the owner of their place in each step.
std::vector<double> lambdas_of(Costs costs, Timed timed, int rebalances, bool wander = false) {
  const Communicator communicator = test::world();
  virtual_time = 0;
  Ids ids = test::ids_here(communicator, test::in_turn, 4000 * communicator.size());
  std::vector<Point> x = places_of(ids);
  Balancer balancer(communicator, {.trigger = Never{},
                                   .box = Box{{0, 0, 0}, {1, 1, 1}},
                                   .target_lambda = 0,
                                   .epoch_steps = 6,
                                   .own_clock = &virtual_now,
                                   .log = LogLevel::off});
  auto work = balancer.kernel("work");
  std::vector<double> lambdas;
  for (int count = 0; count <= rebalances; ++count) {
    balancer.rebalance(set(x, carry(ids)));
    std::int64_t load = load_of_all(ids, costs);
    lambdas.push_back(lambda_of(communicator.all_gather(static_cast<double>(load))));
    for (int step = 0; step < 20; ++step) {
      if (timed == Timed::whole) {
        const auto timing = work.time();
        virtual_time += load;
      } else {
        for (const auto chunk : work.chunks(std::ssize(ids))) {
          const auto timing = chunk.time();
          for (auto i = chunk.begin(); i < chunk.end(); ++i)
            virtual_time += nanoseconds_of(ids[static_cast<std::size_t>(i)], costs);
        }
      }
      if (wander) {
        x = places_of(ids);
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i][0] = std::clamp(
              x[i][0] + 0.01 * std::sin(0.3 * (20 * count + step) + static_cast<double>(ids[i])),
              0.0, 1.0);
        balancer.migrate(set(x, carry(ids)));
        load = load_of_all(ids, costs);
      }
      balancer.step(set(x, carry(ids)));
    }
  }
  balancer.finish();
  return lambdas;
}

void expect_even(Timed timed, std::size_t from, bool wander = false) {
  for (const Costs costs : {Costs::slab, Costs::ball, Costs::slope, Costs::stripes}) {
    const std::vector<double> lambdas = lambdas_of(costs, timed, 12, wander);
    std::string all;
    for (const double lambda : lambdas) all += ' ' + std::to_string(lambda);
    for (std::size_t k = from; k < lambdas.size(); ++k)
      EXPECT_LE(lambdas[k], 1.05) << "costs " << static_cast<int>(costs) << ", after" << all;
  }
}

TEST(LearnedCosts, RanksAreEvenAfterSixRebalancesAndStaySo) { expect_even(Timed::whole, 6); }

TEST(LearnedCosts, AlsoIfObjectsMigrate) { expect_even(Timed::whole, 6, true); }

TEST(LearnedCosts, WithChunksAfterTwo) { expect_even(Timed::in_chunks, 2); }

}  // namespace
}  // namespace evenkeel::learned_costs_test
