// Records the communication of a rank in a rebalance. It must be limited to the ranks with which
// the rank exchanges objects.

#include "core/migrate/cloud.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/monitor/balancer.hpp>

#if EVENKEEL_HAS_MPI

#include "core/traffic.hpp"

namespace evenkeel {
namespace {

using test::everywhere;
using test::Ids;
using test::ids_here;
using test::ids_in;
using test::in_turn;
using test::Prepared;
using test::Scene;
using test::Traffic;
using test::traffic_of;

// --- What is expected ----------------------------------------------------------------------------

using Ranks = std::set<int>;
using Vectors = test::Filled<test::Vectors>;

Ranks united(Ranks ranks, const Ranks& others) {
  ranks.insert(others.begin(), others.end());
  return ranks;
}

Ranks ranks_of(const Plan& plan, std::vector<Parcel> SetPlan::*parcels) {
  Ranks ranks;
  for (const SetPlan& set : plan.sets)
    for (const Parcel& parcel : set.*parcels) ranks.insert(parcel.rank);
  return ranks;
}

int parcels_in(const Plan& plan, std::vector<Parcel> SetPlan::*parcels) {
  std::size_t count = 0;
  for (const SetPlan& set : plan.sets) count += (set.*parcels).size();
  return static_cast<int>(count);
}

testing::AssertionResult keeps_to(const Traffic& traffic, const Ranks& to, const Ranks& from) {
  if (traffic.to == to && traffic.from == from && traffic.all_to_alls == 0)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "sends to " << testing::PrintToString(traffic.to) << " where objects go to "
         << testing::PrintToString(to) << ", receives from " << testing::PrintToString(traffic.from)
         << " where objects come from " << testing::PrintToString(from) << ", and exchanges "
         << traffic.all_to_alls << " times from all to all";
}
testing::AssertionResult keeps_to(const Traffic& traffic, const Plan& plan) {
  return keeps_to(traffic, ranks_of(plan, &SetPlan::exports), ranks_of(plan, &SetPlan::imports));
}

class Partners : public test::OnRanks {
 protected:
  int at_distance(int ranks) const { return (rank + ranks % size + size) % size; }
  int next = at_distance(1), previous = at_distance(-1);

  Ranks but_this(Ranks ranks) const {
    ranks.erase(rank);
    return ranks;
  }
  std::int64_t over_all(std::int64_t mine) const {
    return communicator.all_reduce(mine, Reduction::sum);
  }

  template <class Destination>
  Prepared prepare_trade(std::span<const Set> sets, const Destination& to) const {
    return test::prepare_trade(communicator, sets, to);
  }
  // Makes `count` objects that no other rank has.
  Ids own(std::int64_t count) const { return test::counting<std::int64_t>(count, count * rank); }

  // Each parcel must be announced, and its keys may follow at most once.
  void expect_to_plan(const Traffic& planning, const Plan& plan) const {
    const int exports = parcels_in(plan, &SetPlan::exports);
    const int imports = parcels_in(plan, &SetPlan::imports);
    EXPECT_TRUE(keeps_to(planning, plan));
    EXPECT_EQ(planning.notes, exports);
    EXPECT_LE(planning.messages, exports);
    EXPECT_LE(planning.arrivals, 2 * imports);
  }

  // Collective. A move must send no further announcements.
  void expect_to_move(const Traffic& moving, const Plan& plan, const MoveReport& report) const {
    EXPECT_TRUE(keeps_to(moving, plan));
    EXPECT_EQ(moving.notes, 0);
    EXPECT_EQ(over_all(moving.messages), report.messages);
    EXPECT_EQ(over_all(moving.arrivals), report.messages);
    EXPECT_EQ(report.partners, std::ssize(united(moving.to, moving.from)));
  }

  struct Trade {
    Traffic planning, moving;
    MoveReport report;
  };

  // Collective. Plans by prepare() and moves. Compares the traffic of both with the plan. If the
  // plan is by keys, compares all values with the oracle.
  template <class Prepare>
  Trade expect_trade(std::span<const Set> sets, const Scene& scene, const Prepare& prepare,
                     const MoveOptions& options = {}) const {
    Trade trade;
    Prepared prepared;
    trade.planning = traffic_of([&] { prepared = prepare(); });
    expect_to_plan(trade.planning, prepared.plan);
    const bool by_keys = !prepared.orders.empty();
    test::Expected expected;
    if (by_keys) {
      expected = expected_of(communicator, sets, prepared);
      EXPECT_EQ(united(trade.planning.to, trade.planning.from), expected.partners);
    }
    if (prepared.plan.empty()) return trade;
    trade.moving = traffic_of(
        [&] { trade.report = move(communicator, sets, prepared.shapes, prepared.plan, options); });
    expect_to_move(trade.moving, prepared.plan, trade.report);
    if (by_keys) expect_report(trade.report, expected);
    for (std::size_t s = 0; s < sets.size() && by_keys; ++s)
      expect_objects(sets[s], scene, expected.ids[s]);
    return trade;
  }
};

// --- The recorder --------------------------------------------------------------------------------

TEST_F(Partners, MessagesAreNoticed) {
  int received = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  const Traffic traffic = traffic_of([&] {
    MPI_Isend(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(&received, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(received, previous);
  EXPECT_TRUE(keeps_to(traffic, {next}, {previous}));
  EXPECT_EQ(traffic.messages, 1);
  EXPECT_EQ(traffic.notes, 0);
  EXPECT_EQ(traffic.arrivals, 1);
}

TEST_F(Partners, NotesAreNoticed) {
  int received = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  const Traffic traffic = traffic_of([&] {
    MPI_Irecv(&received, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &request);
    MPI_Ssend(&rank, 1, MPI_INT, previous, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(received, next);
  EXPECT_TRUE(keeps_to(traffic, {previous}, {next}));
  EXPECT_EQ(traffic.messages, 0);
  EXPECT_EQ(traffic.notes, 1);
  EXPECT_EQ(traffic.arrivals, 1);
}

TEST_F(Partners, BothEndsOfAnExchangeAreNoticed) {
  int passed_on = rank;
  const Traffic traffic = traffic_of([&] {
    MPI_Sendrecv_replace(&passed_on, 1, MPI_INT, next, 0, previous, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(passed_on, previous);
  EXPECT_TRUE(keeps_to(traffic, {next}, {previous}));
}

TEST_F(Partners, AllToAllsAreNoticed) {
  const auto ranks = static_cast<std::size_t>(size);
  const std::vector<int> mine(ranks, rank), ones(ranks, 1), offsets = test::counting<int>(size);
  std::vector<int> received(ranks), received_v(ranks), received_later(ranks);
  MPI_Request request = MPI_REQUEST_NULL;
  const Traffic traffic = traffic_of([&] {
    MPI_Alltoall(mine.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(mine.data(), ones.data(), offsets.data(), MPI_INT, received_v.data(), ones.data(),
                  offsets.data(), MPI_INT, MPI_COMM_WORLD);
    MPI_Ialltoall(mine.data(), 1, MPI_INT, received_later.data(), 1, MPI_INT, MPI_COMM_WORLD,
                  &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(traffic.all_to_alls, 3);
  EXPECT_FALSE(keeps_to(traffic, {}, {}));
  for (const auto& all : {received, received_v, received_later}) EXPECT_EQ(all, offsets);
}

// Messages inside MPI's own collectives do not count, since MPI chooses their partners.
TEST_F(Partners, OtherCollectivesAreNoTraffic) {
  const Traffic traffic = traffic_of([&] {
    communicator.barrier();
    EXPECT_EQ(over_all(1), size);
    EXPECT_EQ(communicator.all_gather(rank), test::counting<int>(size));
    EXPECT_EQ(communicator.exclusive_scan(1), rank);
    vote(communicator.duplicate(), Status());
  });
  EXPECT_TRUE(keeps_to(traffic, {}, {}));
}

TEST_F(Partners, OneMessageTooManyWouldBeNoticed) {
  Vectors cloud(own(5));
  Prepared prepared;
  const auto stays = [&](std::size_t, std::int64_t) { return rank; };
  const auto prepare = [&] { prepared = prepare_trade({&cloud.set, 1}, stays); };
  EXPECT_TRUE(keeps_to(traffic_of(prepare), prepared.plan));
  const Traffic traffic = traffic_of([&] {
    prepare();
    MPI_Sendrecv(nullptr, 0, MPI_INT, next, 0, nullptr, 0, MPI_INT, previous, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  });
  EXPECT_FALSE(keeps_to(traffic, prepared.plan));
}

TEST_F(Partners, APartnerThatIsLeftOutWouldBeNoticed) {
  if (size == 1) GTEST_SKIP() << "there is no rank to trade with";
  Vectors cloud(own(5));
  Prepared prepared;
  const auto to_next = [&](std::size_t, std::int64_t) { return next; };
  Traffic traffic = traffic_of([&] { prepared = prepare_trade({&cloud.set, 1}, to_next); });
  EXPECT_TRUE(keeps_to(traffic, prepared.plan));
  traffic.from.clear();
  EXPECT_FALSE(keeps_to(traffic, prepared.plan));
  EXPECT_FALSE(keeps_to(Traffic(), prepared.plan));
}

// --- By given plans ------------------------------------------------------------------------------

TEST_F(Partners, NeighboursInARing) {
  Vectors cloud(own(40));
  for (int round = 0; round < 5; ++round) {
    const auto up_or_down = [&](std::size_t, std::int64_t id) {
      return at_distance(static_cast<int>(test::mix(id, round) % 3) - 1);
    };
    const Trade trade = expect_trade({&cloud.set, 1}, everywhere, [&] {
      return prepare_trade({&cloud.set, 1}, up_or_down);
    });
    const Ranks neighbours = but_this({next, previous});
    EXPECT_TRUE(keeps_to(trade.planning, neighbours, neighbours));
    EXPECT_TRUE(keeps_to(trade.moving, neighbours, neighbours));
    EXPECT_EQ(trade.report.partners, std::min(2, size - 1));
  }
}

// Objects move from `one` to `other`. Every second time, some also move back.
TEST_F(Partners, OnePairAlone) {
  if (size == 1) GTEST_SKIP() << "there is no pair";
  Vectors cloud(own(40));
  for (int one = 0; one < size; ++one) {
    const auto step = static_cast<int>(test::mix(one, 1) % static_cast<std::uint64_t>(size - 1));
    const int other = (one + 1 + step) % size;
    const bool back = one % 2 == 1;
    const auto across = [&](std::size_t, std::int64_t id) {
      if (test::mix(id, one) % 2 == 0) return rank;
      if (rank == one) return other;
      return rank == other && back ? one : rank;
    };
    const Trade trade = expect_trade({&cloud.set, 1}, everywhere, [&] {
      return prepare_trade({&cloud.set, 1}, across);
    });
    Ranks to, from;
    if (rank == one) to = {other};
    if (rank == other) from = {one};
    if (rank == one && back) from = {other};
    if (rank == other && back) to = {one};
    EXPECT_TRUE(keeps_to(trade.planning, to, from));
    EXPECT_TRUE(keeps_to(trade.moving, to, from));
    EXPECT_EQ(trade.report.partners, rank == one || rank == other ? 1 : 0);
    EXPECT_EQ(trade.report.messages, back ? 2 : 1);
  }
}

// With few objects, few pairs of ranks exchange objects.
TEST_F(Partners, ShufflesOfManyObjectsAndOfFew) {
  for (const std::int64_t objects : {40 * size, 2 * size, 1}) {
    SCOPED_TRACE(objects);
    Vectors cloud(ids_here(communicator, test::at_random, objects));
    for (int salt = 0; salt < 4; ++salt)
      expect_trade({&cloud.set, 1}, everywhere, [&] {
        return test::prepare_shuffle(communicator, {&cloud.set, 1}, salt);
      });
  }
}

TEST_F(Partners, ThoseOfAllSetsTogether) {
  Vectors up(own(7)), down(own(3)), far(own(5)), fixed(own(9));
  const Set sets[] = {up.set, down.set, far.set, fixed.set};
  const int to_rank[] = {next, previous, at_distance(2), rank};
  const auto to = [&](std::size_t s, std::int64_t) { return to_rank[s]; };
  const Trade trade = expect_trade(sets, everywhere, [&] { return prepare_trade(sets, to); });
  const Ranks destinations = but_this({next, previous, at_distance(2)});
  const Ranks sources = but_this({next, previous, at_distance(-2)});
  EXPECT_TRUE(keeps_to(trade.planning, destinations, sources));
  EXPECT_TRUE(keeps_to(trade.moving, destinations, sources));
}

// Sets that move to the same rank must share one message.
TEST_F(Partners, SetsThatGoTheSameWayShareAMessage) {
  Vectors some(own(7)), others(own(3));
  const Set sets[] = {some.set, others.set};
  const auto to_next = [&](std::size_t, std::int64_t) { return next; };
  const Trade trade = expect_trade(sets, everywhere, [&] { return prepare_trade(sets, to_next); });
  EXPECT_EQ(trade.moving.messages, size == 1 ? 0 : 1);
}

// --- In many messages ----------------------------------------------------------------------------

struct Heavy {
  std::vector<std::array<double, 3>> x;
  Ids id;
  std::vector<std::array<double, 100>> load;

  explicit Heavy(std::size_t n) : x(n), id(n), load(n) {}
  Set as_set() { return set(x, carry(id, load)); }
};

TEST_F(Partners, ManyMessagesForEachOfThem) {
  test::Filled<Heavy> cloud(own(60));
  for (const int in_flight : {1, 3, 8}) {
    SCOPED_TRACE(in_flight);
    const auto up_or_down = [&](std::size_t, std::int64_t id) {
      return test::mix(id, in_flight) % 2 == 0 ? next : previous;
    };
    const auto prepare = [&] { return prepare_trade({&cloud.set, 1}, up_or_down); };
    const Trade trade = expect_trade({&cloud.set, 1}, everywhere, prepare,
                                     {.staging_bytes = 8192, .messages_in_flight = in_flight});
    const Ranks neighbours = but_this({next, previous});
    EXPECT_TRUE(keeps_to(trade.moving, neighbours, neighbours));
    EXPECT_GE(trade.moving.messages, 3 * std::ssize(neighbours));
    EXPECT_GE(trade.moving.arrivals, 3 * std::ssize(neighbours));
  }
}

// --- By destinations -----------------------------------------------------------------------------

TEST_F(Partners, ThoseThatWereNamed) {
  Vectors cloud(ids_here(communicator, test::at_random, 3 * size));
  for (int salt = 0; salt < 4; ++salt) {
    std::vector<int> destinations;
    const auto rank_for = [&](std::int64_t id) {
      return static_cast<int>(test::mix(id, salt) % static_cast<std::uint64_t>(size));
    };
    for (const std::int64_t id : ids_in(cloud.set)) destinations.push_back(rank_for(id));
    const std::span<const int> of_set = destinations;
    const Trade trade = expect_trade({&cloud.set, 1}, everywhere, [&] {
      Prepared prepared;
      prepared.shapes = agree_on_sets(communicator, {&cloud.set, 1});
      prepared.plan = plan_to(communicator, {&of_set, 1});
      return prepared;
    });
    EXPECT_EQ(trade.planning.to, but_this({destinations.begin(), destinations.end()}));
    EXPECT_EQ(trade.planning.messages, 0) << "there are no keys";
    for (const std::int64_t id : ids_in(cloud.set)) EXPECT_EQ(rank_for(id), rank);
  }
}

// --- As objects drift ----------------------------------------------------------------------------

// Objects start anywhere. In a step they move by at most 0.1 along each axis.
template <int steps>
double drifting(std::int64_t id, int axis) {
  const double step = 0.1 - 0.2 * 0x1p-64 * static_cast<double>(test::mix(id, 10 + axis));
  return everywhere.coordinate(id, axis) + steps * step;
}
constexpr Scene course[] = {{"at first", drifting<0>},
                            {"a step later", drifting<1>},
                            {"two steps later", drifting<2>},
                            {"three steps later", drifting<3>}};

class PartnersInDrift : public Partners {
 protected:
  std::int64_t objects = 400 * size;
  Vectors cloud{ids_here(communicator, in_turn, objects), course[0]};
  std::optional<Box> box;

  void drift_to(const Scene& scene) const { write_objects(cloud.set, scene, ids_in(cloud.set)); }

  // Collective. Runs all stages as a balancer does. Keeps the box as long as it contains all
  // objects.
  Prepared prepare_along(CurveKind curve) {
    const std::span<const Set> sets(&cloud.set, 1);
    Prepared prepared;
    prepared.shapes = agree_on_sets(communicator, sets);
    box = enclose(box, test::bounds_of_all(communicator, sets));
    prepared.orders.push_back(
        test::listed(order(test::space_of(cloud.set), Lattice(3, *box, {}, curve), cloud.set)));
    const WeightedKeys keys{prepared.orders.front().keys, {}};
    prepared.splitters = cut(communicator, {&keys, 1}, {.parts = size, .dimensions = 3}).splitters;
    prepared.plan = plan(communicator, prepared.splitters, test::made(prepared.orders));
    return prepared;
  }

  // Collective. For each scene, the ranks with which this rank exchanged objects.
  std::vector<Ranks> partners_along(CurveKind curve) {
    std::vector<Ranks> partners;
    std::int64_t moved = 0;
    for (const Scene& scene : course) {
      SCOPED_TRACE(scene.name);
      drift_to(scene);
      const Trade trade =
          expect_trade({&cloud.set, 1}, scene, [&] { return prepare_along(curve); });
      partners.push_back(united(trade.moving.to, trade.moving.from));
      if (partners.size() > 1) moved += trade.report.objects;
    }
    EXPECT_EQ(std::ssize(partners.front()), size - 1) << "at first, all trade with all";
    EXPECT_EQ(moved > 0, size > 1) << "then some still move";
    return partners;
  }

  // Collective. The rank of each object, by id.
  std::vector<int> ranks_of_objects() const {
    const auto all = communicator.all_gather(std::span<const std::int64_t>(ids_in(cloud.set)));
    std::vector<int> ranks(static_cast<std::size_t>(objects), -1);
    for (int r = 0; r < size; ++r)
      for (const std::int64_t id : all.of_rank(r)) ranks[static_cast<std::size_t>(id)] = r;
    return ranks;
  }

  // Collective. The plan is not visible from outside, so this compares the ranks of objects before
  // and after the rebalance.
  void expect_rebalance(Balancer& balancer) const {
    const std::vector<int> before = ranks_of_objects();
    MoveReport report;
    const Traffic traffic = traffic_of([&] { report = balancer.rebalance(cloud.set); });
    const std::vector<int> after = ranks_of_objects();
    Ranks to, from;
    for (std::size_t id = 0; id < before.size(); ++id) {
      if (before[id] == rank) to.insert(after[id]);
      if (after[id] == rank) from.insert(before[id]);
    }
    EXPECT_TRUE(keeps_to(traffic, but_this(to), but_this(from)));
    EXPECT_EQ(report.partners, std::ssize(but_this(united(to, from))));
    EXPECT_GE(over_all(traffic.messages), report.messages);
  }
};

// The parts of a snake are slabs. These are much thicker than a step.
TEST_F(PartnersInDrift, NeighboursAlongTheSnake) {
  const std::vector<Ranks> partners = partners_along(CurveKind::snake);
  const Ranks neighbours = {rank - 1, rank + 1};
  for (std::size_t i = 1; i < partners.size(); ++i)
    EXPECT_TRUE(std::ranges::includes(neighbours, partners[i]))
        << testing::PrintToString(partners[i]);
}

// The parts of a Hilbert curve are compact, so each borders on few others.
TEST_F(PartnersInDrift, FewAlongTheHilbertCurve) {
  constexpr std::int64_t few = 6;
  const std::vector<Ranks> partners = partners_along(CurveKind::hilbert);
  for (std::size_t i = 1; i < partners.size(); ++i)
    EXPECT_LE(over_all(std::ssize(partners[i])), few * size);
}

TEST_F(PartnersInDrift, ThoseOfABalancer) {
  for (const Method& method : {Method(Hilbert{}), Method(Snake{}), Method(Staggered{}),
                               Method(Tensor{}), Method(RecursiveBisection{})})
    for (const bool deterministic : {true, false}) {
      SCOPED_TRACE(testing::Message() << "method " << method.index() << ", " << deterministic);
      Balancer balancer(communicator, {.method = method, .deterministic = deterministic});
      for (const Scene& scene : course) {
        SCOPED_TRACE(scene.name);
        drift_to(scene);
        expect_rebalance(balancer);
      }
      balancer.finish();
    }
}

}  // namespace
}  // namespace evenkeel

#else

TEST(Partners, AProcessAloneHasNone) { GTEST_SKIP() << "built without MPI"; }

#endif
