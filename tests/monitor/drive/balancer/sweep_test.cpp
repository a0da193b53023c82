// On one rank, every allocation of a rebalance and of the steps around a look is refused in turn,
// and every MPI call fails once; see support/sweep.hpp. Also, a wrong count must not exhaust the
// memory.

#include "support/sweep.hpp"
#include "monitor/drive/balancer/crew.hpp"
#include "monitor/drive/virtual_clock.hpp"

#include <evenkeel/core/field/payload.hpp>

#include <malloc.h>

namespace evenkeel::sweep_test {
namespace {

using namespace test;

// --- The application -----------------------------------------------------------------------------

// Hooks allocate this text.
std::unique_ptr<std::string> noted;

// The state before the failure, and the calls during which something fails.
struct Scenario {
  const char* name;
  Method method = Hilbert{};
  int stride = 17;           // of a sample
  double target_lambda = 0;  // if it is 0, always cuts again
  bool is_bound = false;     // objects are in groups
  bool is_keyed = false;     // the ids are keys
  bool has_two_sets = false;
  bool is_first = false;  // no rebalance has taken place
  bool looks = false;     // steps until a look leads to a rebalance; otherwise one by hand
  bool has_watcher = false;
  bool migrates = false;  // instead of a rebalance
  bool is_plain = false;  // no payload
  bool is_hooked = false;
  bool is_limited = false;  // all ranks but the first have less memory than an even cut needs
  bool has_speeds = false;  // ranks differ a little
};

struct Cloud {
  static constexpr std::int64_t objects = 90;

  Kokkos::View<double* [3], Kokkos::HostSpace> x;
  Ids id;
  std::vector<float> heat;
  std::vector<int> first;
  std::vector<std::int64_t> neighbours;
  std::vector<std::int64_t> group;
  Numbered<Point> crew{0};  // of the second set
  long crew_count = 0;

  explicit Cloud(const Scenario& scenario) : scenario_(scenario) {}

  void load(const Communicator& communicator) {
    const Ids ids = ids_here(communicator, in_turn, objects);
    x = decltype(x)("x", ids.size());
    id.resize(ids.size());
    heat.resize(ids.size());
    first.assign(1, 0);
    neighbours.clear();
    group.clear();
    for (const std::int64_t i : ids) {
      for (std::int64_t k = 0; k < i % 4; ++k) neighbours.push_back(100 * i + k);
      first.push_back(static_cast<int>(neighbours.size()));
      group.push_back(i % 5 == 0 ? i / 10 : -1);
    }
    write_objects(as_set(), everywhere, ids);
    const Ids others = ids_here(communicator, in_turn, objects / 2);
    crew = Numbered<Point>(others.size());
    crew_count = std::ssize(others);
    write_objects(crew.as_set(), everywhere, others);
  }
  Set as_set() {
    SetOptions options;
    if (scenario_.is_bound) options.group = group;
    if (scenario_.is_keyed) options.key = id;
    if (scenario_.is_plain) return set(x, carry(id, heat), options);
    return set(x, carry(id, heat, csr(first, neighbours)), options);
  }
  std::vector<Set> sets() {
    std::vector<Set> all(1, as_set());
    if (scenario_.has_two_sets) all.push_back(set(crew.x, carry(crew.id), {.count = &crew_count}));
    return all;
  }
  void expect_complete(const Communicator& communicator) {
    test::expect_intact(communicator, as_set(), everywhere, test::counting<std::int64_t>(objects));
    if (scenario_.has_two_sets)
      test::expect_intact(communicator, sets()[1], everywhere,
                          test::counting<std::int64_t>(objects / 2));
    if (scenario_.is_plain) return;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < id.size(); ++i) {
      const auto begin = static_cast<std::size_t>(first[i]);
      const auto length = static_cast<std::int64_t>(first[i + 1] - first[i]);
      wrong += length == id[i] % 4 ? 0 : 1;
      for (std::int64_t k = 0; k < length; ++k)
        wrong += neighbours[begin + static_cast<std::size_t>(k)] == 100 * id[i] + k ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0);
  }
  test::Snapshot seen() { return test::snapshot_of(sets()); }

 private:
  const Scenario& scenario_;
};

class BalancerOfACloud final : public Subject {
 public:
  BalancerOfACloud(const Scenario& scenario, const Communicator& communicator)
      : scenario_(scenario), communicator_(communicator), cloud_(scenario) {}
  ~BalancerOfACloud() override {
    if (balancer_ != nullptr) balancer_->finish();
  }

  void prepare() override {
    if (balancer_ == nullptr || scenario_.looks || scenario_.is_first) begin();
    load();
    before_ = cloud_.seen();
    has_moved_ = false;
  }
  void act() override {
    const std::span<const Set> sets(sets_);
    if (scenario_.migrates) {
      has_moved_ = balancer_->migrate(sets).moved;
    } else if (!scenario_.looks) {
      has_moved_ = balancer_->rebalance(sets).moved;
    } else {
      constexpr int enough = 13;
      for (int i = 0; i < enough; ++i) has_moved_ = step().moved || has_moved_;
    }
  }
  // If a hook after the move throws, the objects must have moved on all ranks.
  bool is_as_before() override {
    const bool same = cloud_.seen() == before_;
    return on_all_ranks(same) || (scenario_.is_hooked && !on_any_rank(same));
  }
  // A look may lack memory. Then no rank moves objects.
  bool has_acted() override {
    const bool moves = scenario_.looks ? on_any_rank(has_moved_) : communicator_.size() > 1;
    return on_all_ranks(has_moved_ == moves);
  }
  void go_on() override {
    balancer_->rebalance(std::span<const Set>(sets_));
    cloud_.expect_complete(communicator_);
  }

 private:
  void begin() {
    if (balancer_ != nullptr) balancer_->finish();
    Options options{.method = scenario_.method,
                    .trigger = Threshold{.lambda = 1.05},
                    .target_lambda = scenario_.target_lambda,
                    .epoch_steps = 6,
                    .warmup_steps = 0,
                    .own_clock = &virtual_now,
                    .watcher = scenario_.has_watcher,
                    .log = LogLevel::off};
    if (scenario_.is_limited) {
      options.memory.assign(static_cast<std::size_t>(communicator_.size()), 900);
      options.memory.front() = 1e4;
    }
    for (int rank = 0; scenario_.has_speeds && rank < communicator_.size(); ++rank)
      options.speeds.push_back(1 + 0.01 * rank);
    balancer_ = std::make_unique<Balancer>(communicator_, options);
    work_.emplace(balancer_->kernel("work"));
    if (scenario_.is_hooked) {
      balancer_->before_move([] { noted = std::make_unique<std::string>(100, 'b'); });
      balancer_->after_move(
          [](const MoveReport&) { noted = std::make_unique<std::string>(100, 'a'); });
    }
    if (scenario_.is_first) return;
    load();
    step();
    balancer_->rebalance(std::span<const Set>(sets_));
  }
  void load() {
    cloud_.load(communicator_);
    sets_ = cloud_.sets();
  }
  MoveReport step() {
    spend(*work_, 1000000 * (communicator_.rank() + 1));
    virtual_time += 1000;
    return balancer_->step(std::span<const Set>(sets_));
  }

  const Scenario& scenario_;
  const Communicator& communicator_;
  Cloud cloud_;
  std::unique_ptr<Balancer> balancer_;
  std::optional<Kernel> work_;
  std::vector<Set> sets_;
  test::Snapshot before_;
  bool has_moved_ = false;
};

const Scenario scenarios[] = {
    {.name = "rebalance, Hilbert", .stride = 5},
    {.name = "rebalance, Hilbert, first", .is_first = true},
    {.name = "rebalance, Hilbert, kept", .target_lambda = 1.5},
    {.name = "rebalance, Hilbert, groups", .is_bound = true},
    {.name = "rebalance, Hilbert, keys", .is_keyed = true},
    {.name = "rebalance, Hilbert, two sets", .has_two_sets = true},
    {.name = "rebalance, Staggered", .method = Staggered{}, .stride = 5},
    {.name = "rebalance, Staggered, kept", .method = Staggered{}, .target_lambda = 1.5},
    {.name = "rebalance, Staggered, two sets with keys",
     .method = Staggered{},
     .stride = 23,
     .is_keyed = true,
     .has_two_sets = true},
    {.name = "rebalance, RecursiveBisection", .method = RecursiveBisection{}},
    {.name = "rebalance, Tensor", .method = Tensor{}, .stride = 23},
    {.name = "rebalance, Voronoi", .method = Voronoi{}, .stride = 97},
    {.name = "rebalance, Mesh", .method = Mesh{}, .stride = 197},
    {.name = "rebalance, Auto",
     .method = Auto{.halo = 0.1},
     .stride = 197,
     .is_first = true,
     .has_speeds = true},
    {.name = "rebalance, Hilbert, hooks", .is_hooked = true},
    {.name = "rebalance, Hilbert, memory", .stride = 23, .is_limited = true},
    {.name = "migrate, Hilbert", .stride = 7, .migrates = true, .is_plain = true},
    {.name = "migrate, Staggered",
     .method = Staggered{},
     .stride = 7,
     .migrates = true,
     .is_plain = true},
    {.name = "migrate, Hilbert, payload", .stride = 23, .migrates = true},
    {.name = "migrate, Hilbert, two sets with keys",
     .stride = 23,
     .is_keyed = true,
     .has_two_sets = true,
     .migrates = true,
     .has_speeds = true},
    {.name = "steps, Hilbert", .target_lambda = 1.05, .looks = true},
    {.name = "steps, Hilbert, two sets with keys",
     .stride = 29,
     .target_lambda = 1.05,
     .is_keyed = true,
     .has_two_sets = true,
     .looks = true},
    {.name = "steps, Hilbert, memory",
     .stride = 29,
     .target_lambda = 1.05,
     .looks = true,
     .is_limited = true},
    {.name = "steps, Staggered",
     .method = Staggered{},
     .target_lambda = 1.05,
     .looks = true,
     .has_speeds = true},
    {.name = "steps, Hilbert, watcher",
     .stride = 29,
     .target_lambda = 1.05,
     .looks = true,
     .has_watcher = true},
};

Trial trial_of(const Scenario& scenario) {
  return {scenario.name,
          [&scenario](const Communicator& communicator) {
            return std::make_unique<BalancerOfACloud>(scenario, communicator);
          },
          scenario.stride, scenario.looks};
}

std::vector<Trial> trials() {
  std::vector<Trial> all;
  for (const Scenario& scenario : scenarios) all.push_back(trial_of(scenario));
  return all;
}

}  // namespace
}  // namespace evenkeel::sweep_test

std::vector<evenkeel::test::Trial> evenkeel::test::all_trials() { return sweep_test::trials(); }

namespace evenkeel::sweep_test {
namespace {

#if EVENKEEL_HAS_MPI

// After some call, every test of a reduction fails. The other ranks may wait then. The rank on
// which MPI fails must not: after a while it must throw.
TEST_F(Sweep, ATestThatFailsForGoodIsTold) {
  if (size == 1) GTEST_SKIP() << "no rank to wait for";
  const Scenario steps = {.name = "steps, Hilbert", .target_lambda = 1.05, .looks = true};
  Tally tally;
  EXPECT_TRUE(one_try(
      trial_of(steps), size / 2, "MPI_Test and all later",
      [] { Harbour::here().arm(Call::test, 1, true); }, [] { return Harbour::here().failed() > 0; },
      tally, true));
  EXPECT_EQ(tally.of[static_cast<std::size_t>(test::Outcome::documented)], 1);
  subject.reset();
}

#endif

// --- Memory that is not allocated, or is freed ---------------------------------------------------

const Scenario plain = {.name = "plain", .is_plain = true};

class MemoryOfARebalance : public Sweep {
 protected:
  Cloud cloud{plain};
};

TEST_F(MemoryOfARebalance, IsNotMadeByAWrongCount) {
  for (const bool has_stepped : {false, true})
    for (int culprit = 0; culprit < size; ++culprit) {
      Balancer mine(*communicator, {.log = LogLevel::off});
      cloud.load(*communicator);
      long owned = static_cast<long>(cloud.id.size());
      const Set cells = set(cloud.x, carry(cloud.id, cloud.heat), {.count = &owned});
      if (has_stepped) mine.step(cells, {});
      mine.rebalance(std::span(&cells, 1));
      const long right = std::exchange(owned, rank == culprit ? 1000000000000 : owned);
      refusals.arm(0, false);
      const std::string text = test::error_of([&] { mine.rebalance(std::span(&cells, 1)); });
      refusals.disarm();
      EXPECT_MENTIONS(text,
                      "rank " + std::to_string(culprit) + ": core/field: The position 'x' has ");
      EXPECT_MENTIONS(text, "but the set has 1000000000000.");
      EXPECT_TRUE(test::same_everywhere(*communicator, text));
      EXPECT_LT(refusals.greatest, std::size_t{1} << 22);
      owned = right;
      EXPECT_NO_THROW(mine.rebalance(std::span(&cells, 1)));
    }
}

#ifndef EVENKEEL_TEST_SANITIZED
TEST_F(MemoryOfARebalance, IsGivenBackAfterAnError) {
  if (size == 1) GTEST_SKIP() << "nothing moves";
  constexpr std::size_t many = 200000;
  std::vector<std::array<double, 3>> x(many);
  for (std::size_t i = 0; i < many; ++i)
    for (int d = 0; d < 3; ++d)
      x[i][static_cast<std::size_t>(d)] =
          everywhere.coordinate(static_cast<std::int64_t>(i) * size + rank, d);
  Balancer mine(*communicator, {.trigger = Never{}, .log = LogLevel::off});
  bool is_locked = true;
  mine.before_move([&] {
    if (is_locked && rank == 0) throw std::runtime_error("locked");
  });
  mine.step(x);
  EXPECT_ERROR(mine.rebalance(x), "locked");  // allocates memory that stays, such as MPI's
  const auto in_use = [] {
    const struct mallinfo2 now = mallinfo2();
    return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
  };
  const std::int64_t before = in_use();
  for (int turn = 0; turn < 3; ++turn) EXPECT_ERROR(mine.rebalance(x), "locked");
  EXPECT_LT(in_use() - before, std::int64_t{many});  // less than a byte for each object
  is_locked = false;
  EXPECT_TRUE(mine.rebalance(x));
}
#endif

}  // namespace
}  // namespace evenkeel::sweep_test
