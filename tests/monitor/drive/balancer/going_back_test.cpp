// A balancer whose ranks take what the test says, by its own clock: fresh cuts turn out worse than
// is foreseen of them, while by the domains before the last one the same objects would be more
// even. Those are taken again.

#include "monitor/drive/balancer/crew.hpp"
#include "support/scratch.hpp"

#include <cmath>
#include <set>

namespace evenkeel {
namespace {

using test::expect_agreed;
using test::expect_at_owners;
using test::ids_everywhere;

std::int64_t now = 0;
std::int64_t own_time() noexcept { return now; }

using Position = Kokkos::View<double* [3], Kokkos::HostSpace>;
using Numbers = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;

class GoingBack : public testing::Test {
 protected:
  static constexpr std::int64_t objects = 1000;
  // Long beside what a rebalance takes, whose cost is told in the system's time.
  static constexpr std::int64_t mean_work = 100'000'000'000;

  Communicator communicator = test::world();
  int rank = communicator.rank(), size = communicator.size();
  test::ScratchDirectory scratch;
  Position position{"position", 0};
  Numbers id{"id", 0};

  GoingBack() {
    now = 0;
    const std::int64_t mine = objects / size + (rank < objects % size ? 1 : 0);
    const std::int64_t first =
        rank * (objects / size) + std::min<std::int64_t>(rank, objects % size);
    position = Position("position", static_cast<std::size_t>(mine));
    id = Numbers("id", static_cast<std::size_t>(mine));
    for (std::int64_t i = 0; i < mine; ++i) {
      id(static_cast<std::size_t>(i)) = first + i;
      for (int d = 0; d < 3; ++d)
        position(static_cast<std::size_t>(i), d) = test::everywhere.coordinate(first + i, d);
    }
  }

  Options options(const Method& method) const {
    Options options;
    options.trigger = CostAware{};
    options.method = method;
    options.own_clock = &own_time;
    options.cooldown_steps = 0;
    options.floor_percent = 0;
    options.warmup_steps = 0;
    options.target_lambda = 0;
    options.log = LogLevel::off;
    options.journal = scratch.path_of("journal");
    return options;
  }

  // The last rank works longer than the mean by so much, or shorter.
  void step_of(const Kernel& kernel, double waste) const {
    const double others = 1 - waste / std::max(1, size - 1);
    const double load = rank == size - 1 ? 1 + waste : others;
    const std::int64_t work = std::llround(load * static_cast<double>(mean_work));
    {
      const auto timing = kernel.time();
      now += work;
    }
    now += 3 * mean_work - work;
  }

  // Where each object is owned, whatever the generation.
  std::vector<int> owners(const Domains& domains) const {
    std::vector<int> all;
    for (std::int64_t i = 0; i < objects; ++i) {
      std::array<double, 3> point{};
      for (int d = 0; d < 3; ++d)
        point[static_cast<std::size_t>(d)] = test::everywhere.coordinate(i, d);
      all.push_back(owner_of(domains, point));
    }
    return all;
  }

  void run(const Method& method) {
    SCOPED_TRACE(method.index());
    Balancer balancer(communicator, options(method));
    const Kernel kernel = balancer.kernel("work");
    // By generation: the last rank has too little to do, so that the next cut gives it too much.
    const auto waste_of = [](std::int64_t generation) {
      return generation == 0 ? 0.9 : generation % 2 == 1 ? -0.6 : 0.6;
    };
    std::vector<std::vector<int>> owners_of = {{}};
    bool is_back = false;
    for (int step = 1; step <= 600 && !is_back; ++step) {
      const std::int64_t generation = generation_of(balancer.domains());
      step_of(kernel, waste_of(generation));
      const MoveReport moved = balancer.step(position, carry(id));
      expect_agreed(communicator, balancer, moved);
      if (moved.generation == generation) continue;
      expect_at_owners(balancer, set(position, carry(id)));
      owners_of.push_back(owners(balancer.domains()));
      const std::size_t last = owners_of.size() - 1;
      EXPECT_NE(owners_of[last], owners_of[last - 1]);
      is_back = last > 2 && owners_of[last] == owners_of[last - 2];
    }
    balancer.finish();
    if (size == 1) return;
    EXPECT_TRUE(is_back) << "after " << owners_of.size() - 1 << " rebalances";
    if (rank == 0) {
      EXPECT_TRUE(
          test::mentions(test::content_of(scratch.path_of("journal")), R"("cause":"goes_back")"));
    }
    const test::Ids here(id.data(), id.data() + id.extent(0));
    EXPECT_EQ(ids_everywhere(communicator, here), test::counting<std::int64_t>(objects));
  }
};

TEST_F(GoingBack, TakesTheSameRangesOfACurveAgain) { run(Hilbert{}); }
TEST_F(GoingBack, TakesTheSameBoxesOfATreeAgain) { run(RecursiveBisection{}); }
TEST_F(GoingBack, TakesTheSameBoxesOfAGridAgain) { run(Staggered{}); }

}  // namespace
}  // namespace evenkeel
