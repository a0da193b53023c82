#include "core/migrate/containers.hpp"

#include <evenkeel/backends/exec/with_space.hpp>

namespace evenkeel::move_test {
namespace {

using test::at_random;
using test::Borrowed;
using test::everywhere;
using test::expect_move;
using test::expect_objects;
using test::expect_order;
using test::expect_shuffle;
using test::Filled;
using test::Ids;
using test::ids_here;
using test::in_turn;
using test::KeptViews;
using test::LateViews;
using test::LeftViews;
using test::most_objects;
using test::prepare_by_curve;
using test::prepare_shuffle;
using test::Prepared;
using test::Scene;
using test::Spread;

// --- Moving them ---------------------------------------------------------------------------------

struct Case {
  Scene scene;
  Spread spread;
  std::int64_t objects;
};

constexpr Case cases[] = {
    {everywhere, in_turn, most_objects},
    {everywhere, at_random, 50},
    {everywhere, test::on_the_last, 100},
    {test::on_corners, test::on_even_ranks, 77},
    {test::in_one_point, in_turn, 30},
    {test::in_a_plane, at_random, 100},
    {everywhere, in_turn, 3},
    {everywhere, test::on_the_last, 1},
    {everywhere, in_turn, 0},
};

class MoveOn : public test::OnRanks {};

std::string name_of(const Case& now) {
  return std::to_string(now.objects) + " objects " + now.scene.name + ", " + now.spread.name;
}

// Moves objects by the curve, then by a shuffle, then by the curve again.
template <class Cloud>
void expect_moves() {
  const Communicator communicator = test::world();
  for (const Case& now : cases) {
    SCOPED_TRACE(name_of(now));
    Filled<Cloud> cloud(ids_here(communicator, now.spread, now.objects), now.scene);
    expect_order(communicator, cloud.set, now.scene);
    expect_shuffle(communicator, cloud.set, now.scene, 1);
    expect_order(communicator, cloud.set, now.scene);
  }
}

TEST(Move, Views) {
  with_space(test::space(), []<class Instance>(const Instance&) {
    using Memory = typename Instance::memory_space;
    expect_moves<LeftViews<Memory>>();
    expect_moves<test::RightViews<Memory>>();
    expect_moves<test::RecordViews<Memory>>();
  });
}

TEST(Move, VectorsAndRecords) {
  expect_moves<test::Vectors>();
  expect_moves<test::Records>();
}

TEST(Move, ContainersThatDifferFromRankToRank) { expect_moves<test::MixedContainers>(); }

TEST(Move, BorrowedMemory) {
  expect_moves<Borrowed>();
  expect_moves<test::Raw>();
}

TEST(Move, StridedSubviews) {
  with_space(test::space(), [](const auto& instance) {
    expect_moves<test::Subviews<typename std::decay_t<decltype(instance)>::memory_space>>();
  });
}

TEST_F(MoveOn, ViewsThatWereNeverGivenExtents) {
  with_space(test::space(), [&]<class Instance>(const Instance&) {
    using Memory = typename Instance::memory_space;
    expect_moves<LateViews<Memory>>();
    // Afterwards all ranks must know the components, even ranks without objects.
    Filled<LateViews<Memory>> cloud(ids_here(communicator, test::on_the_last, 1));
    expect_shuffle(communicator, cloud.set, everywhere, 0);
    EXPECT_EQ(cloud.x.extent(1), 3U);
    EXPECT_EQ(cloud.tensor.extent(1), 5U);
    EXPECT_EQ(cloud.force.extent(1), 2U);
  });
}

TEST_F(MoveOn, KeptAllocationsStayWhereTheyAre) {
  with_space(test::space(), [&]<class Instance>(const Instance&) {
    using Memory = typename Instance::memory_space;
    expect_moves<KeptViews<Memory>>();
    const Ids ids = ids_here(communicator, in_turn, 100);
    KeptViews<Memory> cloud(ids.size());
    const Set kept = cloud.as_set(), others = cloud.others.as_set({.count = &cloud.owned});
    write_objects(kept, everywhere, ids);
    expect_shuffle(communicator, kept, everywhere, 0);
    EXPECT_EQ(cloud.views.x.data(), cloud.others.x.data());
    EXPECT_EQ(cloud.views.tensor.data(), cloud.others.tensor.data());
    EXPECT_EQ(cloud.views.x.extent(0), test::room);
    expect_objects(others, everywhere, test::ids_in(kept));
  });
}

// A rank without any memory can take part if no object arrives there.
TEST_F(MoveOn, KeptViewsThatWereNeverGivenExtents) {
  const bool has = rank == size - 1;
  Kokkos::View<double**, Kokkos::HostSpace> x, tensor;
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> id;
  int owned = has ? 8 : 0;
  if (has) {
    x = decltype(x)("x", 10, 3);
    tensor = decltype(tensor)("tensor", 10, 2);
    id = decltype(id)("id", 10);
  }
  const Set kept = set(x, carry(id, tensor), {.count = &owned, .keep_allocation = true});
  write_objects(kept, everywhere, test::counting<std::int64_t>(owned));
  const Prepared prepared =
      test::prepare_by_keys(communicator, {&kept, 1}, [&](std::size_t, std::int64_t id_of) {
        return test::keys_per_part * static_cast<std::uint64_t>(size) - 1 -
               static_cast<std::uint64_t>(id_of);
      });
  expect_move(communicator, {&kept, 1}, everywhere, prepared);
  EXPECT_EQ(owned, has ? 8 : 0);
}

TEST_F(MoveOn, AliasesKeepTheOldValues) {
  with_space(test::space(), [&]<class Instance>(const Instance&) {
    const Ids ids = ids_here(communicator, in_turn, 100);
    LeftViews<typename Instance::memory_space> views(ids.size()), others = views;
    const Set aliased = views.as_set({.allow_aliases = true}), old = others.as_set();
    write_objects(aliased, everywhere, ids);
    const Prepared prepared = prepare_shuffle(communicator, {&aliased, 1}, 0);
    // After the move, the other Views must be separate.
    expect_move(communicator, {&aliased, 1}, everywhere, prepared);
    expect_objects(old, everywhere, ids);
  });
}

TEST_F(MoveOn, LabelsSurvive) {
  with_space(test::space(), [&]<class Instance>(const Instance&) {
    Filled<LeftViews<typename Instance::memory_space>> views(ids_here(communicator, in_turn, 20));
    expect_shuffle(communicator, views.set, everywhere, 0);
    EXPECT_EQ(views.x.label(), "x");
    EXPECT_EQ(views.tensor.label(), "tensor");
    EXPECT_EQ(static_cast<std::int64_t>(views.x.extent(0)), views.set.count());
    EXPECT_EQ(static_cast<std::int64_t>(views.tensor.extent(0)), views.set.count());
  });
}

// --- What goes with a set ------------------------------------------------------------------------

// Only the objects before .count must travel. Nothing else may remain.
TEST_F(MoveOn, GhostsAreDropped) {
  const Ids ids = ids_here(communicator, at_random, 100);
  const std::size_t ghosts = static_cast<std::size_t>(5 * rank);
  test::Vectors cloud(ids.size() + ghosts);
  std::fill(cloud.id.begin(), cloud.id.end(), -1);
  auto count = static_cast<std::uint16_t>(ids.size());
  const Set set = cloud.as_set({.count = &count});
  write_objects(set, everywhere, ids);
  for (int salt = 0; salt < 3; ++salt) {
    expect_shuffle(communicator, set, everywhere, salt);
    EXPECT_EQ(cloud.id.size(), count);
    EXPECT_EQ(cloud.x.size(), count);
    EXPECT_EQ(std::ranges::count(cloud.id, -1), 0);
  }
}

TEST_F(MoveOn, ACountByValueDropsGhostsToo) {
  const Ids ids = ids_here(communicator, at_random, 100);
  test::Vectors cloud(ids.size() + 3);
  const Set before = cloud.as_set({.count = ids.size()});
  write_objects(before, everywhere, ids);
  const Prepared prepared = prepare_shuffle(communicator, {&before, 1}, 0);
  const test::Expected expected = expected_of(communicator, {&before, 1}, prepared);
  move(communicator, {&before, 1}, prepared.shapes, prepared.plan);
  expect_objects(cloud.as_set(), everywhere, expected.ids.front());
}

// Companions of a set must grow, whatever options its own fields have.
TEST_F(MoveOn, CompanionsTravelBesideMemoryThatKeepsItsPlace) {
  const Ids ids = ids_here(communicator, test::on_the_last, 100);
  Borrowed cloud(ids.size());
  std::vector<double> weights(ids.size());
  Ids stamps(ids.size());
  Set set = cloud.as_set();
  set.accompany(field_of(weights));
  set.accompany(field_of(stamps));
  write_objects(set, everywhere, ids);
  for (int salt = 0; salt < 3; ++salt) {
    expect_shuffle(communicator, set, everywhere, salt);
    EXPECT_EQ(weights.size(), cloud.owned);
    EXPECT_EQ(stamps.size(), cloud.owned);
  }
}

TEST_F(MoveOn, CompanionsOfKeptAllocationsGrow) {
  const Ids ids = ids_here(communicator, test::on_the_last, 100);
  KeptViews<Kokkos::HostSpace> cloud(ids.size());
  std::vector<double> weights(ids.size());
  Set set = cloud.as_set();
  set.accompany(field_of(weights));
  write_objects(set, everywhere, ids);
  expect_order(communicator, set, everywhere);
  EXPECT_EQ(std::ssize(weights), cloud.owned);
}

// --- Several sets --------------------------------------------------------------------------------

template <class Memory>
struct Fleet {
  Filled<test::Vectors> vectors;
  Filled<LeftViews<Memory>> views;
  Filled<Borrowed> borrowed;
  std::vector<Set> sets = {vectors.set, views.set, borrowed.set};

  Fleet(const Communicator& communicator, const Scene& scene)
      : vectors(ids_here(communicator, in_turn, 200), scene),
        views(ids_here(communicator, test::on_the_last, 40), scene),
        borrowed(ids_here(communicator, at_random, 7), scene) {}
};

void expect_a_fleet_moves(const Communicator& communicator, const Scene& scene) {
  SCOPED_TRACE(scene.name);
  with_space(test::space(), [&]<class Instance>(const Instance&) {
    Fleet<typename Instance::memory_space> fleet(communicator, scene);
    expect_move(communicator, fleet.sets, scene, prepare_by_curve(communicator, fleet.sets));
    expect_move(communicator, fleet.sets, scene, prepare_shuffle(communicator, fleet.sets, 3));
    expect_move(communicator, fleet.sets, scene, prepare_by_curve(communicator, fleet.sets));
  });
}

TEST_F(MoveOn, SeveralSetsInOneMove) {
  for (const Scene& scene : {everywhere, test::on_corners, test::in_one_point})
    expect_a_fleet_moves(communicator, scene);
}

// A set in which nothing moves must still be part of the transaction.
TEST_F(MoveOn, OneSetMovesAndAnotherStays) {
  Fleet<Kokkos::HostSpace> fleet(communicator, everywhere);
  const Prepared prepared =
      test::prepare_by_keys(communicator, fleet.sets, [&](std::size_t s, std::int64_t id) {
        const std::uint64_t own = test::keys_per_part * static_cast<std::uint64_t>(rank);
        return s == 1 ? own + test::mix(id, 1) % 100 : test::any_key(id, 3, size);
      });
  EXPECT_TRUE(prepared.plan.sets[1].exports.empty());
  expect_move(communicator, fleet.sets, everywhere, prepared);
}

// --- Owners and order ----------------------------------------------------------------------------

// The decomposition must return the rank that has the object as the owner of its point.
TEST_F(MoveOn, EveryObjectIsWithItsOwnerInTheOrderOfTheCurve) {
  Filled<test::Vectors> cloud(ids_here(communicator, in_turn, most_objects));
  const std::span<const Set> sets(&cloud.set, 1);
  const Prepared prepared = prepare_by_curve(communicator, sets);
  const Box box = enclose({}, test::bounds_of_all(communicator, sets));
  expect_move(communicator, sets, everywhere, prepared);
  const CurveDomains owners(1, 3, box, {}, prepared.splitters);
  for (const auto& place : cloud.x) EXPECT_EQ(owners.owner_of(place), rank);
  const test::Listed again =
      test::listed(order(test::space_of(cloud.set), lattice_of(owners), cloud.set));
  EXPECT_EQ(again.objects, test::counting<std::int64_t>(cloud.set.count()));
  EXPECT_TRUE(plan(communicator, prepared.splitters, test::made({&again, 1})).empty());
}

// Each rank must get the same arrays, bit for bit, wherever objects were before.
TEST_F(MoveOn, TheResultDoesNotDependOnWhereObjectsWere) {
  std::optional<test::Snapshot> first;
  for (const Spread& spread : {in_turn, at_random, test::on_the_last, test::on_even_ranks}) {
    SCOPED_TRACE(spread.name);
    Filled<LeftViews<Kokkos::HostSpace>> cloud(ids_here(communicator, spread, most_objects));
    const Prepared prepared = prepare_by_curve(communicator, {&cloud.set, 1});
    auto keys = communicator.all_gather(std::span<const CurveKey>(prepared.orders[0].keys));
    std::ranges::sort(keys.values, {}, &CurveKey::value);
    ASSERT_EQ(std::ranges::adjacent_find(keys.values), keys.values.end()) << "keys are distinct";
    expect_move(communicator, {&cloud.set, 1}, everywhere, prepared);
    const test::Snapshot snapshot = test::snapshot_of({&cloud.set, 1});
    if (!first) first = snapshot;
    EXPECT_TRUE(snapshot.contents == first->contents);
    EXPECT_EQ(snapshot.counts, first->counts);
  }
}

// --- An adversary --------------------------------------------------------------------------------

// Draws splitters at random, so that some ranks own nothing and others nearly everything.
Splitters random_splitters(int parts, std::uint64_t end, int round) {
  Splitters splitters = {{0}};
  for (int part = 1; part < parts; ++part) splitters.push_back({test::mix(part, round) % end});
  splitters.push_back({end});
  std::ranges::sort(splitters, {}, &CurveKey::value);
  return splitters;
}

// Shuffles, and moves all objects of each rank to the next one.
TEST_F(MoveOn, AnAdversaryShufflesAndRotates) {
  Filled<LeftViews<Kokkos::HostSpace>> cloud(ids_here(communicator, in_turn, 150));
  const std::span<const Set> sets(&cloud.set, 1);
  const std::uint64_t sum = test::checksum(communicator, cloud.set);
  const std::uint64_t end = test::even_splitters(size).back().value;
  const auto to_next = [&](std::size_t, std::int64_t) { return (rank + 1) % size; };
  for (int round = 0; round < 40; ++round) {
    Prepared prepared = round % 4 == 3 ? test::prepare_trade(communicator, sets, to_next)
                                       : prepare_shuffle(communicator, sets, round);
    if (round % 4 == 1) {
      prepared.splitters = random_splitters(size, end, round);
      prepared.plan = plan(communicator, prepared.splitters, test::made(prepared.orders));
    }
    expect_move(communicator, sets, everywhere, prepared);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(test::checksum(communicator, cloud.set), sum);
  EXPECT_EQ(communicator.all_reduce(cloud.set.count(), Reduction::sum), 150);
}

// --- The report ----------------------------------------------------------------------------------

TEST_F(MoveOn, TheReportByHand) {
  // Each rank moves three of its five objects to the next rank. An object has 3 x 8 + 8 + 3 x 8 +
  // 16 + 1 + 6 bytes.
  Filled<test::Vectors> cloud(test::counting<std::int64_t>(5, 5 * rank));
  const auto three_to_next = [&](std::size_t, std::int64_t id) {
    return id % 5 < 3 ? (rank + 1) % size : rank;
  };
  const MoveReport report =
      expect_move(communicator, {&cloud.set, 1}, everywhere,
                  test::prepare_trade(communicator, {&cloud.set, 1}, three_to_next));
  const int alone = size == 1 ? 0 : 1;
  EXPECT_EQ(report.objects, alone * 3 * size);
  EXPECT_EQ(report.bytes, alone * 3 * size * 79);
  EXPECT_EQ(report.sent, alone * 3);
  EXPECT_EQ(report.received, alone * 3);
  EXPECT_EQ(report.partners, std::min(2, size - 1));
}

// The objects of the first set belong to blocks of 1000 bytes, which the application moves itself.
TEST_F(MoveOn, TheReportCountsTheBytesOfBlocks) {
  const auto all_to_next = [&](std::size_t, std::int64_t) { return (rank + 1) % size; };
  for (const bool with_origins : {false, true}) {
    std::vector<std::array<double, 3>> centres(2), places(3);
    std::vector<std::int64_t> numbers = {2 * rank, 2 * rank + 1}, ids = {rank, rank, rank};
    const std::vector<Set> sets = {set(centres, carry(numbers), {.bytes_per_object = 1000}),
                                   set(places, carry(ids))};
    const auto prepared = test::prepare_trade(communicator, sets, all_to_next);
    const MoveReport report =
        move(communicator, sets, prepared.shapes, prepared.plan, {.origins = with_origins});
    const int alone = size == 1 ? 0 : 1;
    EXPECT_EQ(report.bytes, alone * size * (2 * 1000 + 3 * 32));
    EXPECT_EQ(report.memory.sent, alone * 5 * (32 + (with_origins ? 16 : 0)));
  }
}

TEST_F(MoveOn, TheReportTellsTheSlowestOfEachStage) {
  Filled<test::Vectors> cloud(test::counting<std::int64_t>(5, 5 * rank));
  const MoveReport report = expect_move(
      communicator, {&cloud.set, 1}, everywhere, prepare_shuffle(communicator, {&cloud.set, 1}, 0),
      {.seconds_before = {{"order", rank + 1.0}, {"cut", size - rank + 0.5}}});
  ASSERT_EQ(report.seconds.size(), 6U);
  EXPECT_EQ(report.seconds[0], (std::pair<std::string, double>("order", size)));
  EXPECT_EQ(report.seconds[1], (std::pair<std::string, double>("cut", size + 0.5)));
  EXPECT_EQ(report.seconds[2].first, "reserve");
  EXPECT_EQ(report.seconds[3].first, "pack");
  EXPECT_EQ(report.seconds[4].first, "transfer");
  EXPECT_EQ(report.seconds[5].first, "unpack");
  for (const auto& [name, seconds] : report.seconds) {
    EXPECT_GE(seconds, 0) << name;
    EXPECT_EQ(communicator.all_reduce(seconds, Reduction::least),
              communicator.all_reduce(seconds, Reduction::greatest));
  }
}

TEST_F(MoveOn, NamesItsStages) {
  EXPECT_STREQ(name_of(MoveStage::reserve), "reserve");
  EXPECT_STREQ(name_of(MoveStage::pack), "pack");
  EXPECT_STREQ(name_of(MoveStage::unpack), "unpack");
}

// --- Transports ----------------------------------------------------------------------------------

class MoveBy : public testing::TestWithParam<CommunicatorOptions> {};

INSTANTIATE_TEST_SUITE_P(Transports, MoveBy,
                         testing::Values(CommunicatorOptions{.stage_host_memory = true},
                                         CommunicatorOptions{.piece_bytes = 100},
                                         CommunicatorOptions{.piece_bytes = 17,
                                                             .stage_host_memory = true}));

TEST_P(MoveBy, TheObjectsAreTheSame) { expect_a_fleet_moves(test::world(GetParam()), everywhere); }

TEST(Move, AProcessAlone) { expect_a_fleet_moves(Communicator::self(), test::on_corners); }

}  // namespace
}  // namespace evenkeel::move_test
