#include "monitor/drive/balancer/crew.hpp"
#include "support/hold.hpp"

#include <new>

namespace evenkeel::faults_test {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Two sets. Each rank has objects of both.
struct Ship {
  Kokkos::View<double* [3], Kokkos::HostSpace> x;
  Ids id;
  Kokkos::View<double*, Kokkos::HostSpace> mass, other_holder;
  test::Hold hold;
  std::vector<double> weight;
  bool weighted = false;

  std::vector<std::array<double, 3>> y;
  Ids crew_id;
  long crew = 0;

  std::size_t sets_shown = 2;

  void load(const Ids& objects, const Ids& crew_ids) {
    x = decltype(x)("x", objects.size());
    id.resize(objects.size());
    mass = decltype(mass)("mass", objects.size());
    hold.values.resize(objects.size());
    weight.assign(objects.size(), 1.0);
    y.resize(crew_ids.size() + 1);  // the last one is a ghost
    crew_id.resize(crew_ids.size() + 1);
    crew = std::ssize(crew_ids);
    write_objects(sets()[0], everywhere, objects);
    write_objects(sets()[1], everywhere, crew_ids);
  }

  std::vector<Set> sets() {
    SetOptions options;
    if (weighted) options.weight = weight;
    std::vector<Set> all;
    all.push_back(set(x, carry(id, mass, hold), options));
    all.push_back(set(y, carry(crew_id), {.count = &crew}));
    all.resize(sets_shown, all.front());
    return all;
  }

  // Everything that must stay unchanged after a failed rebalance, whatever the fault.
  Snapshot seen() {
    const bool locked = std::exchange(hold.is_locked, false);
    const std::size_t shown = std::exchange(sets_shown, 2U);
    Snapshot snapshot = snapshot_of(sets());
    hold.is_locked = locked;
    sets_shown = shown;
    return snapshot;
  }
};

// A fault on one rank, its repair, and the text of the Error on all ranks.
struct Fault {
  void (*strike)(Ship&);
  void (*mend)(Ship&);
  const char* told;
};

// Loading again is the repair.
constexpr auto by_new_load = [](Ship&) {};

constexpr Fault faults[] = {
    {[](Ship& ship) { ship.x(2, 1) = std::nan(""); }, by_new_load,
     "core/bounds: Component 1 of the position of object 2 is not finite. Give finite positions "
     "before balancing."},
    {[](Ship& ship) { ship.y[0][2] = -infinity; }, by_new_load,
     "core/bounds: Component 2 of the position of object 0 is not finite. Give finite positions "
     "before balancing."},
    {[](Ship& ship) { ship.mass = decltype(ship.mass)("mass", 2); }, by_new_load,
     "core/field: Field 2, 'mass', has 2 objects, but the set has 5. Give every field of a set "
     "the same number of objects, or give the set a .count."},
    {[](Ship& ship) { ship.y.resize(1); }, by_new_load,
     "core/field: The position 'std::vector' has 1 objects, but the set has 4. Give every field "
     "at least .count objects."},
    {[](Ship& ship) { ship.crew = -4; }, by_new_load,
     "core/field: The set's .count is negative. Give the number of owned objects, 0 or more."},
    {[](Ship& ship) { ship.weight[3] = -0.5; }, by_new_load,
     "core/weights: The weight of object 3 in 'std::vector' is -0.5. Weights are finite and not "
     "negative."},
    {[](Ship& ship) { ship.weight[0] = infinity; }, by_new_load,
     "core/weights: The weight of object 0 in 'std::vector' is inf. Weights are finite and not "
     "negative."},
    {[](Ship& ship) { ship.weight[4] = std::nan(""); }, by_new_load,
     "core/weights: The weight of object 4 in 'std::vector' is nan. Weights are finite and not "
     "negative."},
    {[](Ship& ship) { ship.weight.resize(3); }, by_new_load,
     "core/field: There are 3 weights for 5 objects. Give one weight per owned object."},
    {[](Ship& ship) { ship.other_holder = ship.mass; },
     [](Ship& ship) { ship.other_holder = decltype(ship.mass)(); },
     "core/field: Field 2, 'mass', is also held by another View, which would keep the old values. "
     "Release the other View first, or give the set .keep_allocation or .allow_aliases. Most often "
     "it is a host mirror: on a host create_mirror_view returns the View itself."},
    {[](Ship& ship) { ship.hold.is_locked = true; },
     [](Ship& ship) { ship.hold.is_locked = false; },
     "core/migrate: Unexpected exception: the hold is locked. If you cannot explain it, please "
     "report it."},
    {[](Ship& ship) { ship.sets_shown = 0; }, [](Ship& ship) { ship.sets_shown = 2; },
     "core/migrate: There is nothing to move. Give at least one set."},
};

class Faults : public test::OnRanks {
 protected:
  Ship ship;

  // Each rank in turn is the culprit. If many ranks share few cores, each fault is on a single
  // rank, a different one each time.
  std::vector<int> culprits(std::size_t fault) const {
    if (size > 5) return {static_cast<int>(fault) % size};
    std::vector<int> all;
    for (int culprit = 0; culprit < size; ++culprit) all.push_back(culprit);
    return all;
  }

  void load() {
    ship.load(ids_here(communicator, in_turn, 5 * size), ids_here(communicator, in_turn, 4 * size));
  }

  static std::string at(int culprit) { return "evenkeel: rank " + std::to_string(culprit) + ": "; }

  // Every second time rebalances by a step: the triggers here always act.
  MoveReport act(Balancer& balancer) {
    const std::vector<Set> sets = ship.sets();
    return ++turns % 2 == 0 ? balancer.step(std::span(sets)) : balancer.rebalance(std::span(sets));
  }

  void expect_refused(Balancer& balancer, const std::string& told) {
    const Snapshot before = ship.seen();
    const std::string decomposition = test::text_of(test::curve_of(balancer));
    const std::string text = test::error_everywhere([&] { act(balancer); });
    EXPECT_EQ(text, told);
    EXPECT_TRUE(ship.seen() == before);
    EXPECT_EQ(test::text_of(test::curve_of(balancer)), decomposition);
  }

  // Expects that the next call works after the repair.
  void expect_mended(Balancer& balancer) {
    load();
    const MoveReport report = act(balancer);
    EXPECT_EQ(report.moved, size > 1);
    ship.weight.assign(ship.id.size(), 1.0);  // the weights did not move
    const std::vector<Set> sets = ship.sets();
    expect_balanced(communicator, balancer, sets, report);
    expect_intact(communicator, sets[0], everywhere, test::counting<std::int64_t>(5 * size));
    expect_intact(communicator, sets[1], everywhere, test::counting<std::int64_t>(4 * size));
  }

  int turns = 0;
};

TEST_F(Faults, OnOneRankAreTheSameErrorOnAll) {
  for (const bool deterministic : {false, true}) {
    Balancer balancer(communicator, {.trigger = Every{}, .deterministic = deterministic});
    for (std::size_t f = deterministic ? 1 : 0; f < std::size(faults); f += 2)
      for (const int culprit : culprits(f)) {
        SCOPED_TRACE(faults[f].told);
        ship.weighted = std::string(faults[f].told).find("weight") != std::string::npos;
        load();
        if (rank == culprit) faults[f].strike(ship);
        expect_refused(balancer, at(culprit) + faults[f].told);
        if (rank == culprit) faults[f].mend(ship);
        expect_mended(balancer);
      }
    balancer.finish();
  }
}

// --- Room ----------------------------------------------------------------------------------------

// On one rank nothing moves, so the move needs no room.
TEST_F(Faults, RefusedRoomLeavesAllAsItWas) {
  Balancer balancer(communicator, {.trigger = Every{}});
  for (int culprit = 0; culprit < size && size > 1; ++culprit) {
    load();
    ship.hold.is_full = rank == culprit;
    const Snapshot before = ship.seen();
    const std::string text = test::error_everywhere([&] { act(balancer); });
    EXPECT_MENTIONS(text, at(culprit) + "core/field: Room for ");
    EXPECT_MENTIONS(text,
                    " objects of 'hold' was refused: std::bad_alloc. Use more "
                    "ranks or fewer objects.");
    EXPECT_TRUE(ship.seen() == before);
    ship.hold.is_full = false;
    expect_mended(balancer);
  }
}

// --- Ranks that diverge --------------------------------------------------------------------------

TEST_F(Faults, OtherSetsOnOneRankAreTheSameErrorOnAll) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  Balancer balancer(communicator, {.trigger = Every{}});
  for (const int culprit : culprits(1)) {
    load();
    if (rank == culprit) ship.sets_shown = 1;
    expect_refused(balancer,
                   "evenkeel: core/migrate: Some ranks move 4 fields, others 6. Give the same sets "
                   "with the same fields in the same order on all ranks, also where a rank has no "
                   "objects.");
    ship.sets_shown = 2;
    expect_mended(balancer);
  }
}

TEST_F(Faults, WeightsOnOneRankAloneAreTheSameErrorOnAll) {
  if (size == 1) GTEST_SKIP() << "takes two ranks";
  for (const bool deterministic : {false, true}) {
    Balancer balancer(communicator, {.trigger = Every{}, .deterministic = deterministic});
    for (const int culprit : culprits(2)) {
      load();
      ship.weighted = rank == culprit;
      expect_refused(
          balancer,
          "evenkeel: monitor/balancer: Some ranks gave weights for a set, others did not. "
          "Give .weight for the same sets on all ranks, also where a rank has no "
          "objects.");
      ship.weighted = false;
      expect_mended(balancer);
    }
  }
}

TEST_F(Faults, SetsInTwoAndInThreeDimensions) {
  Balancer balancer(communicator);
  std::vector<std::array<double, 2>> flat(3);
  std::vector<std::array<float, 3>> deep(3);
  const std::string text =
      test::error_everywhere([&] { balancer.rebalance(set(flat), set(deep)); });
  EXPECT_EQ(text,
            "evenkeel: monitor/balancer: Sets in 2 and in 3 dimensions cannot share a "
            "decomposition. Give them Balancers of their own.");
  EXPECT_NO_THROW(balancer.rebalance(deep));
  EXPECT_EQ(test::error_of([&] { balancer.rebalance(flat); }), text) << "nor one after the other";
  EXPECT_NO_THROW(balancer.rebalance(deep));
}

// Within an epoch, each rank in turn has made one step more than the others.
TEST_F(Faults, RanksAtDifferentStepsAreTheSameErrorOnAll) {
  Balancer balancer(communicator, {.trigger = Never{}, .epoch_steps = 1000});
  for (int culprit = 0; culprit < size; ++culprit) {
    load();
    const std::vector<Set> sets = ship.sets();
    if (rank == culprit) balancer.step(std::span(sets));
    const Snapshot before = ship.seen();
    const std::string text = test::error_everywhere([&] { balancer.rebalance(std::span(sets)); });
    EXPECT_EQ(text, size == 1
                        ? "nothing was thrown"
                        : "evenkeel: monitor/balancer: Ranks reached a rebalance at different "
                          "steps (" +
                              std::to_string(culprit) + " to " + std::to_string(culprit + 1) +
                              ") or generations (" + std::to_string(culprit) + " to " +
                              std::to_string(culprit) +
                              "). Call step and rebalance equally often on all ranks.");
    EXPECT_TRUE(size == 1 || ship.seen() == before);
    if (rank != culprit) balancer.step(std::span(sets));
    turns = 0;  // the next call is a rebalance
    expect_mended(balancer);
  }
  balancer.finish();
}

// --- Boxes ---------------------------------------------------------------------------------------

TEST_F(Faults, ObjectsOutsideAGivenBox) {
  const Box box{{-20, -20, -20}, {-10, -10, -10}};
  Balancer balancer(communicator,
                    {.trigger = Every{}, .box = box, .periodic = {true, false, true}});
  for (int culprit = 0; culprit < size; ++culprit) {
    load();
    if (rank == culprit) ship.x(1, 0) = -70;  // this axis is periodic
    EXPECT_NO_THROW(act(balancer));
    load();
    if (rank == culprit) ship.x(1, 1) = -9.5;
    const Snapshot before = ship.seen();
    const std::string text = test::error_everywhere([&] { act(balancer); });
    EXPECT_MENTIONS(text, "evenkeel: core/box: Objects extend from -");
    EXPECT_MENTIONS(text,
                    " to -9.5 along y, outside the given box, which goes from -20 "
                    "to -10. Give a box around all objects");
    EXPECT_TRUE(ship.seen() == before);
    expect_mended(balancer);
  }
}

// --- Options -------------------------------------------------------------------------------------

// Sets the variable during its lifetime: on rank 0 or on all others.
class Variable {
 public:
  Variable(const char* name, const char* value, bool here) : name_(here ? name : nullptr) {
    if (name_ != nullptr) ::setenv(name_, value, 1);
  }
  ~Variable() {
    if (name_ != nullptr) ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST_F(Faults, AnUnknownOptionOnRankZeroIsTheSameErrorOnAll) {
  std::string text;
  {
    const Variable wrong("EVENKEEL_TARGET_LAMDA", "1.2", rank == 0);
    text = test::error_of([&] { const Balancer balancer(communicator); });
  }
  EXPECT_MENTIONS(text, at(0) + "monitor/options: ");
  EXPECT_MENTIONS(text, "EVENKEEL_TARGET_LAMDA");
  EXPECT_TRUE(test::same_everywhere(communicator, text));
  EXPECT_NO_THROW(Balancer(communicator).finish());
}

TEST_F(Faults, TheEnvironmentOfOtherRanksHasNoSay) {
  const Variable wrong("EVENKEEL_TARGET_LAMDA", "1.2", rank != 0);
  const Variable right("EVENKEEL_TARGET_LAMBDA", "1.25", rank == 0);
  const Variable other("EVENKEEL_WARMUP_STEPS", "77", rank != 0);
  const Balancer balancer(communicator, {.target_lambda = 1.0 + 0.01 * rank});
  EXPECT_EQ(balancer.options().target_lambda, 1.25);
  EXPECT_EQ(balancer.options().warmup_steps, 3);
}

TEST_F(Faults, OptionsThatMakeNoSense) {
  EXPECT_ERROR_EVERYWHERE(const Balancer balancer(communicator, {.target_lambda = -1.0 - rank}),
                          at(0) + "monitor/options: target_lambda is '-1'.");
}

// --- Errors in the course of a run ---------------------------------------------------------------

Options counted(const Trigger& trigger) {
  return {.trigger = trigger, .epoch_steps = 6, .warmup_steps = 0, .deterministic = true};
}

// All objects are on the first rank. A look at the end of step 6 leads to action at the end of step
// 11, and a look at the end of step 12 at the end of step 17.
class FaultsUnderWay : public Faults {
 protected:
  test::Vectors cloud{rank == 0 ? std::size_t{60} : 0};
  void SetUp() override {
    if (size == 1) GTEST_SKIP() << "alone, there is nothing to balance";
    write_objects(cloud.as_set(), everywhere, test::counting<std::int64_t>(rank == 0 ? 60 : 0));
  }
  void expect_complete() {
    expect_intact(communicator, cloud.as_set(), everywhere, test::counting<std::int64_t>(60));
  }
};

TEST_F(FaultsUnderWay, AStepThatFailsIsMadeUpForAtTheNextLook) {
  Balancer balancer(communicator, counted(Threshold{.lambda = 1.1}));
  for (int step = 1; step <= 30; ++step) {
    const bool fails = step == 11;
    std::vector<char> flag = cloud.flag;
    if (fails && rank == size - 1) cloud.flag.push_back('!');
    bool moved = false;
    const std::string text = test::error_of([&] { moved = balancer.step(cloud.as_set()).moved; });
    EXPECT_MENTIONS(text, fails ? at(size - 1) + "core/field: Field 4" : "nothing was thrown");
    EXPECT_EQ(moved, step == 17) << "step " << step;
    if (fails) cloud.flag = flag;
    EXPECT_EQ(balancer.steps(), step);
  }
  balancer.finish();
  expect_complete();
}

bool always(const LoadView&) { return true; }
bool never(const LoadView&) { return false; }

TEST_F(FaultsUnderWay, RulesThatDifferAreTheSameErrorOnAll) {
  for (int culprit = 0; culprit < size; ++culprit) {
    const Trigger rule = Custom{rank == culprit ? &always : &never};
    Balancer balancer(communicator, counted(rule));
    const Snapshot before = snapshot_of({{cloud.as_set()}});
    for (int step = 1; step <= 30; ++step) {
      const std::string text = test::error_of([&] { EXPECT_FALSE(balancer.step(cloud.as_set())); });
      EXPECT_EQ(text, step != 11
                          ? "nothing was thrown"
                          : "evenkeel: monitor/epoch: The ranks do not agree on the decision. "
                            "Nothing was moved. Call step the same number of times on all ranks; "
                            "a Custom trigger must depend on its arguments alone. Balancing "
                            "is off from here on.");
    }
    EXPECT_TRUE(snapshot_of({{cloud.as_set()}}) == before);
    balancer.finish();
  }
  Balancer balancer(communicator, counted(Custom{&always}));
  for (int step = 1; step <= 11; ++step) EXPECT_EQ(balancer.step(cloud.as_set()).moved, step == 11);
  expect_complete();
}

bool mutiny(const LoadView&) { throw std::runtime_error("mutiny"); }

// A watcher, which meets the exception first, is on or off.
TEST_F(FaultsUnderWay, ARuleThatThrowsIsTheSameErrorOnAll) {
  for (int culprit = 0; culprit < size; ++culprit) {
    Options options = counted(Custom{rank == culprit ? &mutiny : &always});
    options.watcher = culprit % 2 == 0;
    Balancer balancer(communicator, options);
    const Snapshot before = snapshot_of({{cloud.as_set()}});
    for (int step = 1; step <= 20; ++step)
      EXPECT_EQ(test::error_of([&] { EXPECT_FALSE(balancer.step(cloud.as_set())); }),
                step != 11
                    ? "nothing was thrown"
                    : at(culprit) +
                          "monitor/epoch: The application threw an exception: mutiny. Nothing was "
                          "moved. Balancing is off from here on.");
    EXPECT_TRUE(snapshot_of({{cloud.as_set()}}) == before);
    balancer.finish();
  }
}

// After the disagreement there are no more looks, but ranks must still compare their calls.
TEST_F(FaultsUnderWay, AfterADisagreementARankThatFinishesIsMissed) {
  if (size == 1) GTEST_SKIP() << "no rank to diverge from";
  for (int odd = 0; odd < size; ++odd) {
    Balancer balancer(communicator, counted(Custom{&mutiny}));
    for (int step = 1; step <= 11; ++step)
      test::error_of([&] { EXPECT_FALSE(balancer.step(cloud.as_set())); });
    const std::string text = test::error_everywhere([&] {
      if (rank == odd)
        balancer.finish();
      else
        balancer.rebalance(cloud.as_set());
    });
    EXPECT_MENTIONS(text, "The ranks have diverged: rank ");
  }
}

TEST_F(FaultsUnderWay, ARuleThatThrowsOnAllRanks) {
  Balancer balancer(communicator, counted(Custom{&mutiny}));
  for (int step = 1; step <= 20; ++step) {
    EXPECT_ERROR_EVERYWHERE(EXPECT_FALSE(balancer.step(cloud.as_set())),
                            step != 11 ? "nothing was thrown" : at(0).substr(0, 16));
  }
  balancer.finish();
}

// After the ranks have diverged, a request of the application must still work.
TEST_F(FaultsUnderWay, ARebalanceByHandAfterRulesHaveDiffered) {
  Balancer balancer(communicator, counted(Custom{rank == 0 ? &always : &never}));
  for (int step = 1; step <= 10; ++step) balancer.step(cloud.as_set());
  EXPECT_ERROR(balancer.step(cloud.as_set()), "do not agree");
  EXPECT_TRUE(balancer.rebalance(cloud.as_set()));
  EXPECT_FALSE(balancer.step(cloud.as_set()));
  balancer.finish();
  expect_complete();
}

}  // namespace
}  // namespace evenkeel::faults_test
