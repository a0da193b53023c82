// The test sets the loads of the ranks by its own clock. Fresh cuts are worse than predicted. The
// domains before the last ones would be more even for the same objects, so they must be used again.

#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"
#include "support/scratch.hpp"

namespace evenkeel::going_back_test {
namespace {

using namespace test;

using Position = Kokkos::View<double* [3], Kokkos::HostSpace>;
using Numbers = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;

class BalancerGoesBack : public testing::Test {
 protected:
  static constexpr std::int64_t objects = 1000;
  // The work is long compared to a rebalance, whose cost is real time.
  static constexpr std::int64_t mean_work = 100'000'000'000;

  Communicator communicator = test::world();
  int rank = communicator.rank(), size = communicator.size();
  test::ScratchDirectory scratch;
  Position position{"position", 0};
  Numbers id{"id", 0};

  BalancerGoesBack() {
    virtual_time = 0;
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
    options.own_clock = &virtual_now;
    options.cooldown_steps = 0;
    options.floor_percent = 0;
    options.warmup_steps = 0;
    options.target_lambda = 0;
    options.log = LogLevel::off;
    options.journal = scratch.path_of("journal");
    return options;
  }

  // The last rank works longer than the mean by the share `waste`. If `waste` is negative, it works
  // shorter.
  void step_of(const Kernel& kernel, double waste) const {
    const double others = 1 - waste / std::max(1, size - 1);
    const double load = rank == size - 1 ? 1 + waste : others;
    const std::int64_t work = std::llround(load * static_cast<double>(mean_work));
    spend(kernel, work);
    virtual_time += 3 * mean_work - work;
  }

  // Returns the owner of each object under domains of any generation.
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
    // The waste depends on the generation. The first cut is good. The next one should be better,
    // but is worse, so a return to the first cut pays. It has an odd generation, too.
    const auto waste_of = [](std::int64_t generation) {
      return generation == 0 ? 0.9 : generation % 2 == 1 ? 0.15 : -0.6;
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
      EXPECT_MENTIONS(test::content_of(scratch.path_of("journal")), R"("cause":"goes_back")");
    }
    const test::Ids here(id.data(), id.data() + id.extent(0));
    EXPECT_EQ(ids_everywhere(communicator, here), test::counting<std::int64_t>(objects));
  }
};

TEST_F(BalancerGoesBack, TakesTheSameRangesOfACurveAgain) { run(Hilbert{}); }
TEST_F(BalancerGoesBack, TakesTheSameBoxesOfATreeAgain) { run(RecursiveBisection{}); }
TEST_F(BalancerGoesBack, TakesTheSameBoxesOfAGridAgain) { run(Staggered{}); }

}  // namespace
}  // namespace evenkeel::going_back_test
