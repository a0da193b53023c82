// A load moves within ranks whose objects have no known costs. The log must report this once, with
// a remedy.

#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/users_logger.hpp"
#include "monitor/drive/virtual_clock.hpp"

namespace evenkeel::guessed_costs_test {
namespace {

using namespace test;

enum class Known : std::uint8_t { nothing, weights, chunks };

// In a slab, objects cost 60 times as much. The slab moves along x, and re-enters at the other end.
double microseconds_of(std::int64_t id, int step) {
  constexpr double width = 0.1, pace = 0.004;
  const double behind = place_of(id, 0) - pace * step;
  return behind - std::floor(behind) < width ? 60 : 1;
}

// The number of times that the log has given the advice. Only rank 0 has a log.
int advices_of(Known known) {
  const Communicator communicator = test::world();
  virtual_time = 0;
  Ids ids = test::ids_here(communicator, test::in_turn, 1000 * communicator.size());
  std::vector<Point> x = places_of(ids);
  const test::UsersLogger log;
  Options options;
  options.box = Box{{0, 0, 0}, {1, 1, 1}};
  options.watcher = false;
  options.own_clock = &virtual_now;
  options.log = LogLevel::summary;
  Balancer balancer(communicator, options);
  auto work = balancer.kernel("work");
  balancer.rebalance(set(x, carry(ids)));
  balancer.before_move([] { virtual_time += 15'000'000; });  // about two steps
  std::vector<double> weight;
  for (int step = 0; step < 400; ++step) {
    weight.clear();
    for (const std::int64_t id : ids) weight.push_back(microseconds_of(id, step));
    const auto spend = [&](std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i)
        virtual_time += std::llround(1e3 * weight[static_cast<std::size_t>(i)]);
    };
    if (known == Known::chunks) {
      for (const auto chunk : work.chunks(std::ssize(ids))) {
        const auto timing = chunk.time();
        spend(chunk.begin(), chunk.end());
      }
    } else {
      const auto timing = work.time();
      spend(0, std::ssize(ids));
    }
    virtual_time += 1000;
    const SetOptions weighed = {.weight = weight};
    balancer.step(set(x, carry(ids), known == Known::weights ? weighed : SetOptions()));
  }
  balancer.finish();
  return log.count_of("costs of objects are only guessed");
}

TEST(GuessedCosts, OneWarningAndALineAtTheEndSaySo) {
  const bool tells = test::world().rank() == 0;
  EXPECT_EQ(advices_of(Known::nothing), tells ? 2 : 0);
}

TEST(GuessedCosts, WhoGivesWeightsOrChunksIsNotAdvisedTo) {
  EXPECT_EQ(advices_of(Known::weights), 0);
  EXPECT_EQ(advices_of(Known::chunks), 0);
}

}  // namespace
}  // namespace evenkeel::guessed_costs_test
