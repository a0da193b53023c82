#include "monitor/drive/balancer/crew.hpp"

#include <deque>

namespace evenkeel::rebalance_test {
namespace {

using namespace test;

constexpr Spread on_the_first = {"on rank 0", [](std::int64_t, int) { return 0; }};

// Loads are counted instead of timed.
Options counted(const Trigger& trigger) { return {.trigger = trigger, .deterministic = true}; }

// --- Sets of every kind --------------------------------------------------------------------------

struct Views {
  Kokkos::View<double* [3]> x;
  Kokkos::View<std::int64_t*> id;
  Kokkos::View<float**> tensor;
  explicit Views(std::size_t n) : x("x", n), id("id", n), tensor("tensor", n, 5) {}
  Set as_set() { return set(x, carry(id, tensor)); }
};

struct FlatSingle {
  Kokkos::View<float**, Kokkos::LayoutLeft> x;
  Ids id;
  explicit FlatSingle(std::size_t n) : x("x", n, 2), id(n) {}
  Set as_set() { return set(x, carry(id)); }
};

using FlatVectors = Numbered<std::array<double, 2>>;
using Records = Numbered<Particle>;

// Fields have slack behind the owned objects, and their pointers must stay.
struct Kept {
  static constexpr std::size_t room = 400;
  Kokkos::View<double**, Kokkos::LayoutRight> x{"x", room, 3}, other = x;
  Ids id = Ids(room);
  int owned;
  explicit Kept(std::size_t n) : owned(static_cast<int>(n)) {}
  Set as_set() { return set(x, carry(id), {.count = &owned, .keep_allocation = true}); }
};

struct Case {
  Scene scene;
  Spread spread;
  std::int64_t objects;
};

constexpr Case cases[] = {
    {everywhere, on_the_first, 300},
    {everywhere, in_turn, 200},
    {everywhere, test::at_random, 100},
    {test::on_corners, test::on_the_last, 120},
    {test::in_one_point, on_the_first, 50},
    {test::in_one_point, in_turn, 50},
    {test::in_a_plane, test::on_even_ranks, 100},
    {everywhere, in_turn, 7},  // more ranks than objects, from here on
    {everywhere, test::on_the_last, 1},
    {everywhere, in_turn, 0},
};

std::string name_of(const Case& now) {
  return std::to_string(now.objects) + " objects " + now.scene.name + ", " + now.spread.name;
}

// Tests the first distribution, and a second rebalance that has nothing to do.
template <class Cloud>
void expect_rebalance(const Communicator& communicator, const Case& now, const Options& options) {
  const Ids ids = ids_here(communicator, now.spread, now.objects);
  Cloud cloud(ids.size());
  const Set set = cloud.as_set();
  write_objects(set, now.scene, ids);
  Balancer balancer(communicator, options);
  EXPECT_EQ(parts_of(balancer.domains()), 0);
  const MoveReport report = balancer.rebalance(set);
  expect_balanced(communicator, balancer, {&set, 1}, report);
  expect_intact(communicator, set, now.scene, test::counting<std::int64_t>(now.objects));
  EXPECT_EQ(parts_of(balancer.domains()), communicator.size());
  EXPECT_EQ(generation_of(balancer.domains()), 1);

  const Snapshot before = snapshot_of({&set, 1});
  const std::string decomposition = test::text_of(balancer.domains());
  const MoveReport again = balancer.rebalance(set);
  EXPECT_FALSE(again);
  EXPECT_EQ(again.lambda, report.lambda);
  EXPECT_TRUE(snapshot_of({&set, 1}) == before);
  EXPECT_EQ(test::text_of(balancer.domains()), decomposition);
  balancer.finish();
}

const Method box_methods[] = {Staggered{}, Tensor{}, RecursiveBisection{}};

// Runs all cases. If many ranks share few cores, runs some of the cases for each kind of set.
template <class Cloud>
void expect_rebalances(std::size_t kind) {
  constexpr std::size_t kinds = 6;
  const Communicator communicator = test::world();
  const bool all = kind == 0 || communicator.size() <= 5;
  for (std::size_t i = all ? 0 : kind; i < std::size(cases); i += all ? 1 : kinds) {
    SCOPED_TRACE(name_of(cases[i]));
    Options options{.deterministic = (i + kind) % 2 == 0};
    expect_rebalance<Cloud>(communicator, cases[i], options);
    options.method = box_methods[(i + kind) % std::size(box_methods)];
    SCOPED_TRACE("in boxes, method " + std::to_string(options.method.index()));
    expect_rebalance<Cloud>(communicator, cases[i], options);
  }
}

TEST(Rebalance, Vectors) { expect_rebalances<test::Vectors>(0); }
TEST(Rebalance, Views) { expect_rebalances<Views>(1); }
TEST(Rebalance, FlatPositionsOfFloats) { expect_rebalances<FlatSingle>(2); }
TEST(Rebalance, FlatPositionsInVectors) { expect_rebalances<FlatVectors>(3); }
TEST(Rebalance, RecordsWithThePositionInside) { expect_rebalances<Records>(4); }
TEST(Rebalance, AllocationsThatAreKept) { expect_rebalances<Kept>(5); }

// --- Options of a set ----------------------------------------------------------------------------

class Rebalances : public test::OnRanks {
 protected:
  Ids here(const Spread& spread, std::int64_t total) const {
    return ids_here(communicator, spread, total);
  }
  static Ids all(std::int64_t total) { return test::counting<std::int64_t>(total); }
};

TEST_F(Rebalances, KeptAllocationsStayWhereTheyAre) {
  const Ids ids = here(on_the_first, 300);
  Kept cloud(ids.size());
  const double* const x = cloud.x.data();
  const std::int64_t* const id = cloud.id.data();
  write_objects(cloud.as_set(), everywhere, ids);
  Balancer balancer(communicator);
  EXPECT_EQ(balancer.rebalance(cloud.as_set()).moved, size > 1);
  EXPECT_EQ(cloud.x.data(), x);
  EXPECT_EQ(cloud.id.data(), id);
  EXPECT_EQ(cloud.other.data(), x);
  EXPECT_EQ(cloud.id.size(), size > 1 ? static_cast<std::size_t>(cloud.owned) : Kept::room);
  expect_intact(communicator, cloud.as_set(), everywhere, all(300));
}

// Ghosts behind the owned objects must have no influence. A move must drop them.
TEST_F(Rebalances, GhostsAreNeitherSeenNorMoved) {
  const Ids ids = here(on_the_first, 100);
  const std::size_t ghosts = static_cast<std::size_t>(3 + rank);
  test::Vectors cloud(ids.size() + ghosts);
  std::ranges::fill(cloud.id, -1);
  for (auto& x : cloud.x) x = {std::nan(""), HUGE_VAL, 1e30};
  auto owned = static_cast<std::uint32_t>(ids.size());
  const Set set = cloud.as_set({.count = &owned});
  write_objects(set, everywhere, ids);
  Balancer balancer(communicator);
  const MoveReport report = balancer.rebalance(set);
  expect_balanced(communicator, balancer, {&set, 1}, report);
  expect_intact(communicator, set, everywhere, all(100));
  EXPECT_EQ(cloud.x.size(), owned + (size == 1 ? ghosts : 0));  // on one rank, nothing moves
  EXPECT_EQ(balancer.rebalance(set).moved, false);
}

TEST_F(Rebalances, SeveralSetsShareOneDecomposition) {
  for (const bool deterministic : {false, true}) {
    const Ids gas_ids = here(on_the_first, 200), star_ids = here(test::on_the_last, 90);
    test::Vectors gas(gas_ids.size());
    Records stars(star_ids.size());
    Views dust(0);
    const Set sets[] = {gas.as_set(), stars.as_set(), dust.as_set()};
    write_objects(sets[0], everywhere, gas_ids);
    write_objects(sets[1], test::on_corners, star_ids);
    Balancer balancer(communicator, {.deterministic = deterministic});
    const MoveReport report = balancer.rebalance(sets[0], sets[1], sets[2]);
    EXPECT_EQ(report.moved, size > 1);
    expect_balanced(communicator, balancer, sets, report);
    expect_intact(communicator, sets[0], everywhere, all(200));
    expect_intact(communicator, sets[1], test::on_corners, all(90));
    expect_intact(communicator, sets[2], everywhere, {});
    EXPECT_FALSE(balancer.rebalance(std::span<const Set>(sets)));
  }
}

TEST_F(Rebalances, NothingMovesInAStepThatMayNot) {
  Vectors cloud = cloud_of(here(on_the_first, 100));
  Options options;
  options.trigger = Threshold{.lambda = 1.1};
  options.cooldown_steps = 0;
  options.deterministic = true;
  Balancer balancer(communicator, options);
  const auto* const before = cloud.x.data();
  while (balancer.steps() < 50) EXPECT_FALSE(balancer.step(cloud.as_set(), {.may_move = false}));
  test::Vectors others(0);
  for (int step = 0; step < 10; ++step)
    EXPECT_FALSE(balancer.step({cloud.as_set(), others.as_set()}, {.may_move = false}));
  EXPECT_EQ(cloud.x.data(), before);
  EXPECT_EQ(balancer
                .step(cloud.x, carry(cloud.id, cloud.velocity, cloud.kind, cloud.flag, cloud.cell),
                      {}, {.may_move = true})
                .moved,
            size > 1)
      << "at once: it was decided on long ago";
  while (balancer.steps() < 90) EXPECT_FALSE(balancer.step(cloud.as_set()));
  balancer.finish();
}

// The report must have the seconds of stages even if nothing moves.
TEST_F(Rebalances, TellsTheSecondsOfItsStages) {
  Vectors cloud = cloud_of(here(on_the_first, 100));
  Balancer balancer(communicator);
  for (const bool moves : {size > 1, false}) {
    const MoveReport report = balancer.rebalance(cloud.as_set());
    EXPECT_EQ(report.moved, moves);
    ASSERT_EQ(report.seconds.size(), moves ? 9U : 5U);
    EXPECT_EQ(report.seconds.front().first, "agree");
    std::string text;
    for (const auto& [stage, seconds] : report.seconds) {
      EXPECT_GE(seconds, 0) << stage;
      text += stage + std::to_string(seconds);
    }
    EXPECT_TRUE(test::same_everywhere(communicator, text)) << "of the slowest rank";
  }
}

TEST_F(Rebalances, MoreSetsThanCanMoveAtOnceAreTheSameErrorOnAllRanks) {
  std::deque<test::Vectors> clouds(65, test::Vectors(0));
  std::vector<Set> sets;
  for (test::Vectors& cloud : clouds) sets.push_back(cloud.as_set());
  Balancer balancer(communicator);
  EXPECT_ERROR(balancer.rebalance(std::span<const Set>(sets)),
               "65 sets were given, and at most 64 can move at once.");
  sets.resize(1, sets.front());
  EXPECT_FALSE(balancer.rebalance(std::span<const Set>(sets))) << "it continues";
}

// The application's own weights move with the objects, as any field does.
template <class Weight>
struct Weighted {
  std::vector<std::array<double, 3>> x;
  Ids id;
  std::vector<Weight> weight;

  Weighted(const Ids& ids, double (*weigh)(std::int64_t)) : x(ids.size()), id(ids.size()) {
    write_objects(set(x, carry(id)), everywhere, ids);
    for (const std::int64_t i : ids) weight.push_back(static_cast<Weight>(weigh(i)));
  }
  Set as_set() { return set(x, carry(id, weight), {.weight = weight}); }
};

template <class Weight>
void expect_weighted_rebalance(double (*weigh)(std::int64_t)) {
  const Communicator communicator = test::world();
  for (const Spread& spread : {on_the_first, in_turn}) {
    Weighted<Weight> cloud(ids_here(communicator, spread, 240), weigh);
    const Set set = cloud.as_set();
    Balancer balancer(communicator);
    expect_balanced(communicator, balancer, {&set, 1}, balancer.rebalance(set));
    expect_intact(communicator, evenkeel::set(cloud.x, carry(cloud.id)), everywhere,
                  test::counting<std::int64_t>(240));
    for (std::size_t i = 0; i < cloud.id.size(); ++i)
      EXPECT_EQ(cloud.weight[i], static_cast<Weight>(weigh(cloud.id[i])));
    EXPECT_FALSE(balancer.rebalance(set));
  }
}

double some_weight(std::int64_t id) { return static_cast<double>(test::mix(id, 7) % 9); }
double one_heavy(std::int64_t id) { return id == 77 ? 1e6 : 1; }
double only_one(std::int64_t id) { return id == 77 ? 3 : 0; }
double nothing_weighs(std::int64_t) { return 0; }

TEST_F(Rebalances, ByWeightsOfAnyType) {
  expect_weighted_rebalance<double>(some_weight);
  expect_weighted_rebalance<float>(some_weight);
  expect_weighted_rebalance<int>(some_weight);
  expect_weighted_rebalance<std::uint8_t>(some_weight);
}

TEST_F(Rebalances, WhereOneObjectHasNearlyAllWeight) {
  expect_weighted_rebalance<double>(one_heavy);
}

TEST_F(Rebalances, WhereOneObjectHasAllWeight) {
  expect_weighted_rebalance<double>(only_one);
  Weighted<double> cloud(here(in_turn, 100), only_one);
  Balancer balancer(communicator);
  EXPECT_DOUBLE_EQ(balancer.rebalance(cloud.as_set()).lambda, size);
}

// If all weights are 0, all objects weigh the same.
TEST_F(Rebalances, WhereNothingWeighs) {
  Weighted<double> cloud(here(on_the_first, 240), nothing_weighs);
  Balancer balancer(communicator);
  EXPECT_EQ(balancer.rebalance(cloud.as_set()).moved, size > 1);
  const auto count = std::ssize(cloud.id);
  EXPECT_LE(communicator.all_reduce(count, Reduction::greatest), 240 / size + 1);
  EXPECT_EQ(communicator.all_reduce(count, Reduction::sum), 240);
}

// A rank without objects may hold Views that never had extents.
TEST_F(Rebalances, ViewsThatWereNeverGivenExtents) {
  Kokkos::View<double**, Kokkos::LayoutRight> x;
  Kokkos::View<std::int64_t*> id;
  const Set set = evenkeel::set(x, carry(id));
  Balancer balancer(communicator);
  for (int turn = 0; turn < 2; ++turn) {  // no rank has ever had objects
    EXPECT_FALSE(balancer.rebalance(set));
    EXPECT_EQ(test::curve_of(balancer).parts(), 0);
  }
  const Ids ids = here(on_the_first, 64);
  if (!ids.empty()) {
    x = decltype(x)("x", ids.size(), 2);
    id = decltype(id)("id", ids.size());
    write_objects(set, everywhere, ids);
  }
  expect_balanced(communicator, balancer, {&set, 1}, balancer.rebalance(set));
  expect_intact(communicator, set, everywhere, all(64));
  EXPECT_EQ(x.extent(1), size <= 64 ? 2U : x.extent(1));
}

TEST_F(Rebalances, NoObjectsAtAllThroughManySteps) {
  test::Vectors cloud(0);
  Balancer balancer(communicator, {.epoch_steps = 6, .warmup_steps = 0});
  auto work = balancer.kernel("work");
  for (int step = 0; step < 30; ++step) {
    const auto timing = work.time();
    EXPECT_FALSE(balancer.step(cloud.as_set()));
  }
  EXPECT_FALSE(balancer.rebalance(cloud.as_set()));
  balancer.finish();
}

// --- Steps ---------------------------------------------------------------------------------------

// In a deterministic run, a warm-up of 3 and an epoch of 8 steps end with step 11. Five steps later
// all ranks have agreed.
TEST_F(Rebalances, TheThresholdActsAtTheStepThatTheProtocolSays) {
  Vectors cloud = cloud_of(here(on_the_first, 500));
  Balancer balancer(communicator, counted(Threshold{.lambda = 1.1}));
  for (int step = 1; step <= 60; ++step) {
    SCOPED_TRACE(step);
    const Set set = cloud.as_set();
    const Snapshot before = snapshot_of({&set, 1});
    const MoveReport report = balancer.step(set);
    EXPECT_EQ(report.moved, step == 16 && size > 1);
    expect_agreed(communicator, balancer, report);
    if (report) expect_balanced(communicator, balancer, {&set, 1}, report);
    EXPECT_TRUE(report.moved || snapshot_of({&set, 1}) == before);
    EXPECT_EQ(balancer.steps(), step);
  }
  expect_intact(communicator, cloud.as_set(), everywhere, all(500));
  balancer.finish();
}

// After a move, there is one step to settle, an epoch of 8 steps, and again 5 steps: 14 in total.
// During a longer cool-down, looks do not count.
TEST_F(Rebalances, TheThresholdActsAgainAfterTheCooldown) {
  struct Course {
    int cooldown_steps;
    std::vector<std::int64_t> moves;
  };
  for (const Course& course : {Course{0, {16, 30, 44, 58}}, Course{8, {16, 30, 44, 58}},
                               Course{20, {16, 46}}, Course{100, {16}}}) {
    SCOPED_TRACE(course.cooldown_steps);
    Options options = counted(Threshold{.lambda = 1.1});
    options.cooldown_steps = course.cooldown_steps;
    Balancer balancer(communicator, options);
    std::vector<std::int64_t> moves;
    for (int step = 1; step <= 60; ++step) {
      const Ids ids = here(on_the_first, 20);  // the application undoes all moves
      Vectors cloud = cloud_of(ids);
      if (balancer.step(cloud.as_set())) moves.push_back(step);
    }
    EXPECT_EQ(moves, size > 1 ? course.moves : std::vector<std::int64_t>());
    balancer.finish();
  }
}

TEST_F(Rebalances, BelowTheThresholdNothingChanges) {
  Vectors cloud = cloud_of(here(in_turn, 120 * size));
  const Set set = cloud.as_set();
  const Snapshot before = snapshot_of({&set, 1});
  for (const Trigger& trigger : {Trigger(Threshold{.lambda = 1.1}), Trigger(Never{})}) {
    Balancer balancer(communicator, counted(trigger));
    for (int step = 1; step <= 60; ++step) EXPECT_FALSE(balancer.step(set));
    EXPECT_EQ(test::curve_of(balancer).parts(), 0);
    balancer.finish();
  }
  EXPECT_TRUE(snapshot_of({&set, 1}) == before);
}

TEST_F(Rebalances, EveryActsAtItsStepsAlone) {
  Vectors cloud = cloud_of(here(in_turn, 100));
  const Set set = cloud.as_set();
  Balancer balancer(communicator, counted(Every{.start = 5, .stop = 20, .period = 5}));
  for (int step = 1; step <= 30; ++step) {
    SCOPED_TRACE(step);
    // Places change in every step, so objects must always move.
    const Scene scene = step % 2 == 0 ? test::in_a_plane : everywhere;
    write_objects(set, scene, ids_in(set));
    const MoveReport report = balancer.step(set);
    EXPECT_EQ(report.moved, size > 1 && step % 5 == 0 && step <= 20);
    if (report) expect_balanced(communicator, balancer, {&set, 1}, report);
    expect_intact(communicator, set, scene, all(100));
  }
  balancer.finish();
}

// --- Kept domains --------------------------------------------------------------------------------

bool contains(const Box& outer, const Box& inner) {
  bool inside = true;
  for (std::size_t d = 0; d < 3; ++d)
    inside = inside && outer.lower[d] <= inner.lower[d] && inner.upper[d] <= outer.upper[d];
  return inside;
}

TEST_F(Rebalances, TheBoxStaysUntilObjectsLeaveIt) {
  Vectors cloud = cloud_of(here(in_turn, 100));
  const Set set = cloud.as_set();
  Balancer balancer(communicator, counted(Never{}));
  balancer.rebalance(set);
  const Box first = test::curve_of(balancer).box();
  const std::string unchanged = test::text_of(test::curve_of(balancer));
  for (auto& x : cloud.x) x[1] += 0.05;  // the margin is one unit wide
  balancer.rebalance(set);
  EXPECT_EQ(test::curve_of(balancer).box(), first);
  for (auto& x : cloud.x) x[1] -= 0.05;
  balancer.rebalance(set);
  EXPECT_EQ(test::curve_of(balancer).box(), first);

  for (std::size_t i = 0; i < cloud.id.size(); ++i)
    if (cloud.id[i] == 42) cloud.x[i][2] = 60;
  const std::int64_t generation = test::curve_of(balancer).generation();
  const MoveReport report = balancer.rebalance(set);
  const Box grown = test::curve_of(balancer).box();
  EXPECT_TRUE(contains(grown, first));
  EXPECT_GE(grown.upper[2], 60);
  EXPECT_EQ(test::curve_of(balancer).generation(), generation + 1);
  expect_balanced(communicator, balancer, {&set, 1}, report);
  for (std::size_t i = 0; i < cloud.id.size(); ++i)
    if (cloud.id[i] == 42) cloud.x[i][2] = 0;
  balancer.rebalance(set);
  EXPECT_EQ(test::curve_of(balancer).box(), grown) << "it never shrinks";
}

TEST_F(Rebalances, AGivenBoxIsTheBox) {
  const Box box{{-20, -20, -20}, {-10, -10, -10}};
  Vectors cloud = cloud_of(here(on_the_first, 100));
  const Set set = cloud.as_set();
  Balancer balancer(communicator, {.box = box, .periodic = {true, false, true}});
  expect_balanced(communicator, balancer, {&set, 1}, balancer.rebalance(set));
  EXPECT_EQ(test::curve_of(balancer).box(), box);
  EXPECT_EQ(test::curve_of(balancer).periodic(), (std::array<bool, 3>{true, false, true}));
  // A place one period away is the same place, so nothing moves.
  for (auto& x : cloud.x) x[0] += 10 * 2;
  for (auto& x : cloud.x) x[2] -= 10;
  EXPECT_FALSE(balancer.rebalance(set));
  expect_at_owners(balancer, set);
}

// Objects that have left their domain must return to the same ranks, without a new cut.
TEST_F(Rebalances, ADecompositionThatIsEvenEnoughIsKept) {
  const std::int64_t total = 100 * size;
  const Ids ids = here(in_turn, total);
  test::Vectors cloud(ids.size());
  std::vector<double> weight;
  const auto as_set = [&] { return cloud.as_set({.weight = weight}); };
  const auto weigh = [&](double heavy) { weight.assign(cloud.id.size(), rank == 0 ? heavy : 1.0); };
  write_objects(cloud.as_set(), everywhere, ids);
  weigh(1);
  Balancer balancer(communicator, counted(Never{}));
  balancer.rebalance(as_set());
  EXPECT_EQ(std::ssize(cloud.id), 100);
  const Splitters splitters = test::curve_of(balancer).splitters();

  weigh(1.05);
  const MoveReport even_enough = balancer.rebalance(as_set());
  EXPECT_FALSE(even_enough);
  EXPECT_NEAR(even_enough.lambda, 1.05 * size / (size + 0.05), 1e-9);
  EXPECT_EQ(test::curve_of(balancer).splitters(), splitters);
  weigh(2);
  const MoveReport uneven = balancer.rebalance(as_set());
  EXPECT_EQ(uneven.moved, size > 1);
  EXPECT_LT(uneven.lambda, 1.05);
  EXPECT_EQ(test::curve_of(balancer).splitters() == splitters, size == 1);
}

TEST_F(Rebalances, StraysComeHomeToADecompositionThatIsKept) {
  const Ids ids = here(in_turn, 100 * size);
  Vectors cloud = cloud_of(ids);
  Balancer balancer(communicator, counted(Never{}));
  balancer.rebalance(cloud.as_set());
  const Splitters splitters = test::curve_of(balancer).splitters();
  const Ids home = cloud.id;
  cloud = test::Vectors(ids.size());
  write_objects(cloud.as_set(), everywhere, ids);
  EXPECT_EQ(balancer.rebalance(cloud.as_set()).moved, size > 1);
  EXPECT_EQ(test::curve_of(balancer).splitters(), splitters);
  EXPECT_TRUE(size == 1 || cloud.id == home);
  expect_at_owners(balancer, cloud.as_set());
}

TEST_F(Rebalances, WithoutATargetEveryCutIsMadeAnew) {
  const Ids ids = here(in_turn, 100 * size);
  test::Vectors cloud(ids.size());
  std::vector<double> weight;
  const auto as_set = [&] { return cloud.as_set({.weight = weight}); };
  write_objects(cloud.as_set(), everywhere, ids);
  Options options = counted(Never{});
  options.target_lambda = 0;
  Balancer balancer(communicator, options);
  weight.assign(cloud.id.size(), 1.0);
  balancer.rebalance(as_set());
  weight.assign(cloud.id.size(), rank == 0 ? 1.05 : 1.0);
  EXPECT_EQ(balancer.rebalance(as_set()).moved, size > 1);
}

// A few objects move, and the gaps between them are wide. The new cut follows them, so mostly no
// object has to move.
TEST_F(Rebalances, TheDecompositionIsTheOneThatObjectsAreIn) {
  Vectors cloud = cloud_of(here(in_turn, size));
  const Set set = cloud.as_set();
  Balancer balancer(communicator, counted(Never{}));
  balancer.rebalance(set);
  for (int turn = 0; turn < 8; ++turn) {
    for (std::size_t i = 0; i < cloud.id.size(); ++i)
      cloud.x[i][0] += 0.02 * (static_cast<double>(test::mix(cloud.id[i], turn) % 5) - 2);
    const MoveReport report = balancer.rebalance(set);
    expect_agreed(communicator, balancer, report);
    expect_at_owners(balancer, set);
  }
}

// --- The rank of each part -----------------------------------------------------------------------

using RanksOfParts = test::OnRanks;

TEST_F(RanksOfParts, IsAsAsked) {
  std::vector<int> backwards = test::counting<int>(size);
  std::reverse(backwards.begin(), backwards.end());
  for (const Method& method : all_methods) {
    SCOPED_TRACE(to_text(method));
    Vectors cloud = cloud_of(test::ids_here(communicator, test::at_random, 200));
    Balancer balancer(communicator,
                      {.method = method, .rank_of_part = backwards, .log = LogLevel::off});
    for (int repeat = 0; repeat < 3; ++repeat) {
      balancer.rebalance(cloud.as_set());
      EXPECT_EQ(rank_of_part(balancer.domains()), backwards);
      test::expect_at_owners(balancer, cloud.as_set());
      for (auto& x : cloud.x)
        for (double& place : x) place *= 1.3;
    }
    balancer.finish();
  }
}

TEST_F(RanksOfParts, BoxesAreNumberedLikeRanks) {
  for (const Method& method : {all_methods[3], all_methods[4], all_methods[5]}) {
    std::vector<std::array<double, 3>> x(20);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = {-communicator.rank() + 0.01 * static_cast<double>(i), 0, 0};
    Balancer balancer(communicator, {.method = method, .log = LogLevel::off});
    balancer.rebalance(x);
    EXPECT_TRUE(rank_of_part(balancer.domains()).empty()) << "part p is rank p";
    balancer.finish();
  }
}

TEST_F(RanksOfParts, NamesAllRanks) {
  const std::vector<int> ranks = test::counting<int>(communicator.size() + 1);
  EXPECT_ERROR(Balancer(communicator, {.rank_of_part = ranks}), "rank_of_part names");
}

// --- Periodic boxes ------------------------------------------------------------------------------

using WrappedPositions = test::OnRanks;

TEST_F(WrappedPositions, ComeBackIntoTheBoxIfAsked) {
  for (const Method& method : all_methods)
    for (const bool wraps : {false, true}) {
      std::vector<std::array<double, 3>> x(30);
      std::vector<int> id(x.size());
      const auto place = [&](double shift) {
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] = {shift + 0.03 * static_cast<double>(i), 0.01 * communicator.rank(), 0.5};
      };
      place(0);
      Balancer balancer(communicator, {.method = method,
                                       .box = Box{{0, 0, 0}, {1, 1, 1}},
                                       .periodic = {true, false, false},
                                       .wrap = wraps,
                                       .log = LogLevel::off});
      balancer.rebalance(x, carry(id));
      for (const double shift : {0.25, -1.0, 3.0}) {
        for (auto& at : x) at[0] += shift;
        shift > 1 ? balancer.rebalance(x, carry(id)) : balancer.migrate(x, carry(id));
        test::expect_at_owners(balancer, set(x));
        std::int64_t outside = std::count_if(
            x.begin(), x.end(), [](const auto& at) { return !(at[0] >= 0 && at[0] < 1); });
        outside = communicator.all_reduce(outside, Reduction::sum);
        EXPECT_EQ(outside == 0, wraps);
      }
      balancer.finish();
    }
}

}  // namespace
}  // namespace evenkeel::rebalance_test
