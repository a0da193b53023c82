#include "monitor/drive/balancer/crew.hpp"

#include <cmath>

namespace evenkeel {
namespace {

using test::Ids;
using test::mix;

std::int64_t virtual_time = 0;
std::int64_t virtual_now() noexcept { return virtual_time; }

double place_of(std::int64_t id, int axis) {
  return static_cast<double>(mix(id, axis) % 100003) / 100003;
}

// Where objects are dear: in a slab, in a ball, ever more along an axis, in stripes.
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

enum class Timed : std::uint8_t { whole, in_chunks };

// Objects at rest, whose costs the Balancer is not told. How even the ranks are after each of its
// rebalances, by the true costs; the first makes the first domains.
std::vector<double> lambdas_of(Costs costs, Timed timed, int rebalances) {
  const Communicator communicator = test::world();
  virtual_time = 0;
  Ids ids = test::ids_here(communicator, test::in_turn, 4000 * communicator.size());
  std::vector<std::array<double, 3>> x(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (int d = 0; d < 3; ++d) x[i][static_cast<std::size_t>(d)] = place_of(ids[i], d);
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
    std::int64_t load = 0;
    for (const std::int64_t id : ids) load += nanoseconds_of(id, costs);
    const auto sum = static_cast<double>(communicator.all_reduce(load, Reduction::sum));
    const auto most = static_cast<double>(communicator.all_reduce(load, Reduction::greatest));
    lambdas.push_back(most / sum * communicator.size());
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
      balancer.step(set(x, carry(ids)));
    }
  }
  balancer.finish();
  return lambdas;
}

void expect_even(Timed timed, std::size_t from) {
  for (const Costs costs : {Costs::slab, Costs::ball, Costs::slope, Costs::stripes}) {
    const std::vector<double> lambdas = lambdas_of(costs, timed, 12);
    std::string all;
    for (const double lambda : lambdas) all += ' ' + std::to_string(lambda);
    for (std::size_t k = from; k < lambdas.size(); ++k)
      EXPECT_LE(lambdas[k], 1.05) << "costs " << static_cast<int>(costs) << ", after" << all;
  }
}

TEST(LearnedCosts, RanksAreEvenAfterSixRebalancesAndStaySo) { expect_even(Timed::whole, 6); }

TEST(LearnedCosts, WithChunksAfterTwo) { expect_even(Timed::in_chunks, 2); }

}  // namespace
}  // namespace evenkeel
