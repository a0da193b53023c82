// A balancer whose objects cost what the test says, by its own clock: the third decomposition is
// worse than the second, which is then taken again.

#include "monitor/balancer/crew.hpp"
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

  // The last rank works longer than the mean by so much.
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
    const std::vector<double> wastes = {0.9, 0.3, 0.6, 0.3};  // by generation
    std::vector<std::vector<int>> owners_of = {{}};
    for (int step = 1; step <= 600; ++step) {
      const auto generation = static_cast<std::size_t>(generation_of(balancer.domains()));
      ASSERT_LT(generation, wastes.size()) << "step " << step;
      step_of(kernel, wastes[generation]);
      const MoveReport moved = balancer.step(position, carry(id));
      expect_agreed(communicator, balancer, moved);
      if (moved.generation == static_cast<std::int64_t>(generation)) continue;
      expect_at_owners(balancer, set(position, carry(id)));
      owners_of.push_back(owners(balancer.domains()));
    }
    balancer.finish();
    if (size == 1) return;
    ASSERT_EQ(owners_of.size(), 4U);
    EXPECT_NE(owners_of[2], owners_of[1]);
    EXPECT_EQ(owners_of[3], owners_of[1]);
    const test::Ids here(id.data(), id.data() + id.extent(0));
    EXPECT_EQ(ids_everywhere(communicator, here), test::counting<std::int64_t>(objects));
  }
};

TEST_F(GoingBack, TakesTheSameRangesOfACurveAgain) { run(Hilbert{}); }
TEST_F(GoingBack, TakesTheSameBoxesOfATreeAgain) { run(RecursiveBisection{}); }
TEST_F(GoingBack, TakesTheSameBoxesOfAGridAgain) { run(Staggered{}); }

}  // namespace
}  // namespace evenkeel
