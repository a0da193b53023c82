// Whom a rank talks to in a rebalance: the ranks that it trades objects with, and nobody else. What
// the library asks of MPI is seen through MPI's profiling interface: the functions of MPI that are
// defined here take the place of the library's, take a record and do the same by their PMPI_ names.

#include "core/migrate/cloud.hpp"

#include <evenkeel/backends/config.hpp>
#include <evenkeel/monitor/balancer.hpp>

#if EVENKEEL_HAS_MPI

#include <mpi.h>

#include <optional>

namespace evenkeel {
namespace {

// What this rank asks of MPI. Ranks are those of MPI_COMM_WORLD: all communicators here are
// duplicates of it.
struct Traffic {
  std::set<int> to, from;
  int notes = 0;     // synchronous sends: nobody expects an announcement
  int messages = 0;  // all other sends
  int arrivals = 0;  // receives of either
  int all_to_alls = 0;
};

// MPI's functions have no other way to find it.
Traffic* record = nullptr;

class Recording {
 public:
  explicit Recording(Traffic& traffic) { record = &traffic; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() { record = nullptr; }
};

template <class Function>
Traffic traffic_of(const Function& function) {
  Traffic traffic;
  {
    const Recording recording(traffic);
    function();
  }
  return traffic;
}

void note_to(int rank) {
  if (record == nullptr) return;
  record->to.insert(rank);
  ++record->notes;
}
void message_to(int rank) {
  if (record == nullptr) return;
  record->to.insert(rank);
  ++record->messages;
}
void arrival_from(int rank) {
  if (record == nullptr) return;
  record->from.insert(rank);
  ++record->arrivals;
}
void all_to_all() {
  if (record != nullptr) ++record->all_to_alls;
}

}  // namespace
}  // namespace evenkeel

using evenkeel::all_to_all;
using evenkeel::arrival_from;
using evenkeel::message_to;
using evenkeel::note_to;

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

// --- Sends ---------------------------------------------------------------------------------------

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
  message_to(to);
  return PMPI_Send(data, count, type, to, tag, ranks);
}
int MPI_Bsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
  message_to(to);
  return PMPI_Bsend(data, count, type, to, tag, ranks);
}
int MPI_Rsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
  message_to(to);
  return PMPI_Rsend(data, count, type, to, tag, ranks);
}
int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks) {
  note_to(to);
  return PMPI_Ssend(data, count, type, to, tag, ranks);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  message_to(to);
  return PMPI_Isend(data, count, type, to, tag, ranks, request);
}
int MPI_Ibsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
               MPI_Request* request) {
  message_to(to);
  return PMPI_Ibsend(data, count, type, to, tag, ranks, request);
}
int MPI_Irsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
               MPI_Request* request) {
  message_to(to);
  return PMPI_Irsend(data, count, type, to, tag, ranks, request);
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
               MPI_Request* request) {
  note_to(to);
  return PMPI_Issend(data, count, type, to, tag, ranks, request);
}

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
                  MPI_Request* request) {
  message_to(to);
  return PMPI_Send_init(data, count, type, to, tag, ranks, request);
}
int MPI_Bsend_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
                   MPI_Request* request) {
  message_to(to);
  return PMPI_Bsend_init(data, count, type, to, tag, ranks, request);
}
int MPI_Rsend_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
                   MPI_Request* request) {
  message_to(to);
  return PMPI_Rsend_init(data, count, type, to, tag, ranks, request);
}
int MPI_Ssend_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks,
                   MPI_Request* request) {
  note_to(to);
  return PMPI_Ssend_init(data, count, type, to, tag, ranks, request);
}

// --- Receives ------------------------------------------------------------------------------------

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
             MPI_Status* status) {
  arrival_from(from);
  return PMPI_Recv(data, count, type, from, tag, ranks, status);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
              MPI_Request* request) {
  arrival_from(from);
  return PMPI_Irecv(data, count, type, from, tag, ranks, request);
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
                  MPI_Request* request) {
  arrival_from(from);
  return PMPI_Recv_init(data, count, type, from, tag, ranks, request);
}

int MPI_Sendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                 void* received, int count, MPI_Datatype type, int from, int tag, MPI_Comm ranks,
                 MPI_Status* status) {
  message_to(to);
  arrival_from(from);
  return PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, count, type, from, tag,
                       ranks, status);
}
int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int sent_tag, int from,
                         int tag, MPI_Comm ranks, MPI_Status* status) {
  message_to(to);
  arrival_from(from);
  return PMPI_Sendrecv_replace(data, count, type, to, sent_tag, from, tag, ranks, status);
}

// --- From all to all -----------------------------------------------------------------------------

int MPI_Alltoall(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                 int count, MPI_Datatype type, MPI_Comm ranks) {
  all_to_all();
  return PMPI_Alltoall(sent, sent_count, sent_type, received, count, type, ranks);
}
int MPI_Ialltoall(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                  int count, MPI_Datatype type, MPI_Comm ranks, MPI_Request* request) {
  all_to_all();
  return PMPI_Ialltoall(sent, sent_count, sent_type, received, count, type, ranks, request);
}
int MPI_Neighbor_alltoall(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                          int count, MPI_Datatype type, MPI_Comm ranks) {
  all_to_all();
  return PMPI_Neighbor_alltoall(sent, sent_count, sent_type, received, count, type, ranks);
}
int MPI_Ineighbor_alltoall(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                           int count, MPI_Datatype type, MPI_Comm ranks, MPI_Request* request) {
  all_to_all();
  return PMPI_Ineighbor_alltoall(sent, sent_count, sent_type, received, count, type, ranks,
                                 request);
}

int MPI_Alltoallv(const void* sent, const int sent_counts[], const int sent_offsets[],
                  MPI_Datatype sent_type, void* received, const int counts[], const int offsets[],
                  MPI_Datatype type, MPI_Comm ranks) {
  all_to_all();
  return PMPI_Alltoallv(sent, sent_counts, sent_offsets, sent_type, received, counts, offsets, type,
                        ranks);
}
int MPI_Ialltoallv(const void* sent, const int sent_counts[], const int sent_offsets[],
                   MPI_Datatype sent_type, void* received, const int counts[], const int offsets[],
                   MPI_Datatype type, MPI_Comm ranks, MPI_Request* request) {
  all_to_all();
  return PMPI_Ialltoallv(sent, sent_counts, sent_offsets, sent_type, received, counts, offsets,
                         type, ranks, request);
}
int MPI_Neighbor_alltoallv(const void* sent, const int sent_counts[], const int sent_offsets[],
                           MPI_Datatype sent_type, void* received, const int counts[],
                           const int offsets[], MPI_Datatype type, MPI_Comm ranks) {
  all_to_all();
  return PMPI_Neighbor_alltoallv(sent, sent_counts, sent_offsets, sent_type, received, counts,
                                 offsets, type, ranks);
}
int MPI_Ineighbor_alltoallv(const void* sent, const int sent_counts[], const int sent_offsets[],
                            MPI_Datatype sent_type, void* received, const int counts[],
                            const int offsets[], MPI_Datatype type, MPI_Comm ranks,
                            MPI_Request* request) {
  all_to_all();
  return PMPI_Ineighbor_alltoallv(sent, sent_counts, sent_offsets, sent_type, received, counts,
                                  offsets, type, ranks, request);
}

int MPI_Alltoallw(const void* sent, const int sent_counts[], const int sent_offsets[],
                  const MPI_Datatype sent_types[], void* received, const int counts[],
                  const int offsets[], const MPI_Datatype types[], MPI_Comm ranks) {
  all_to_all();
  return PMPI_Alltoallw(sent, sent_counts, sent_offsets, sent_types, received, counts, offsets,
                        types, ranks);
}
int MPI_Ialltoallw(const void* sent, const int sent_counts[], const int sent_offsets[],
                   const MPI_Datatype sent_types[], void* received, const int counts[],
                   const int offsets[], const MPI_Datatype types[], MPI_Comm ranks,
                   MPI_Request* request) {
  all_to_all();
  return PMPI_Ialltoallw(sent, sent_counts, sent_offsets, sent_types, received, counts, offsets,
                         types, ranks, request);
}
int MPI_Neighbor_alltoallw(const void* sent, const int sent_counts[], const MPI_Aint sent_offsets[],
                           const MPI_Datatype sent_types[], void* received, const int counts[],
                           const MPI_Aint offsets[], const MPI_Datatype types[], MPI_Comm ranks) {
  all_to_all();
  return PMPI_Neighbor_alltoallw(sent, sent_counts, sent_offsets, sent_types, received, counts,
                                 offsets, types, ranks);
}
int MPI_Ineighbor_alltoallw(const void* sent, const int sent_counts[],
                            const MPI_Aint sent_offsets[], const MPI_Datatype sent_types[],
                            void* received, const int counts[], const MPI_Aint offsets[],
                            const MPI_Datatype types[], MPI_Comm ranks, MPI_Request* request) {
  all_to_all();
  return PMPI_Ineighbor_alltoallw(sent, sent_counts, sent_offsets, sent_types, received, counts,
                                  offsets, types, ranks, request);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

namespace evenkeel {
namespace {

using test::everywhere;
using test::Ids;
using test::ids_here;
using test::ids_in;
using test::in_turn;
using test::Prepared;
using test::Scene;

// --- What is expected ----------------------------------------------------------------------------

using Ranks = std::set<int>;

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

class Partners : public testing::Test {
 protected:
  Communicator communicator = test::world();
  int rank = communicator.rank(), size = communicator.size();

  int at_distance(int ranks) const { return (rank + ranks % size + size) % size; }
  int next = at_distance(1), previous = at_distance(-1);

  Ranks but_this(Ranks ranks) const {
    ranks.erase(rank);
    return ranks;
  }
  std::int64_t over_all(std::int64_t mine) const {
    return communicator.all_reduce(mine, Reduction::sum);
  }

  // Collective. Object `id` of set s goes to rank to(s, id).
  template <class Destination>
  Prepared prepare_trade(std::span<const Set> sets, const Destination& to) const {
    Prepared prepared;
    prepared.shapes = agree_on_sets(communicator, sets);
    prepared.splitters = test::even_splitters(size);
    for (std::size_t s = 0; s < sets.size(); ++s)
      prepared.orders.push_back(test::order_by(ids_in(sets[s]), [&](std::int64_t id) {
        return test::keys_per_part * static_cast<std::uint64_t>(to(s, id));
      }));
    prepared.plan = plan(communicator, Status(), prepared.splitters, test::made(prepared.orders));
    return prepared;
  }

  // Each parcel is announced, and its keys follow at most once.
  void expect_to_plan(const Traffic& planning, const Plan& plan) const {
    const int exports = parcels_in(plan, &SetPlan::exports);
    const int imports = parcels_in(plan, &SetPlan::imports);
    EXPECT_TRUE(keeps_to(planning, plan));
    EXPECT_EQ(planning.notes, exports);
    EXPECT_LE(planning.messages, exports);
    EXPECT_LE(planning.arrivals, 2 * imports);
  }

  // Nothing is announced any more. Collective.
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

  // Collective. Plans by prepare() and moves; compares the traffic of both with the plan and, where
  // that is one of keys, all that there is with the oracle.
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

// What MPI sends for a collective of its own has the partners that MPI chooses.
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
  test::Vectors cloud(5);
  const Set set = cloud.as_set();
  write_objects(set, everywhere, test::counting<std::int64_t>(5, 5 * rank));
  Prepared prepared;
  const auto stays = [&](std::size_t, std::int64_t) { return rank; };
  const auto prepare = [&] { prepared = prepare_trade({&set, 1}, stays); };
  EXPECT_TRUE(keeps_to(traffic_of(prepare), prepared.plan));
  const Traffic traffic = traffic_of([&] {
    prepare();
    MPI_Sendrecv(nullptr, 0, MPI_INT, next, 0, nullptr, 0, MPI_INT, previous, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  });
  EXPECT_FALSE(keeps_to(traffic, prepared.plan));
}

TEST_F(Partners, APartnerThatIsLeftOutWouldBeNoticed) {
  if (size == 1) GTEST_SKIP() << "there is nobody to trade with";
  test::Vectors cloud(5);
  const Set set = cloud.as_set();
  write_objects(set, everywhere, test::counting<std::int64_t>(5, 5 * rank));
  Prepared prepared;
  const auto to_next = [&](std::size_t, std::int64_t) { return next; };
  Traffic traffic = traffic_of([&] { prepared = prepare_trade({&set, 1}, to_next); });
  EXPECT_TRUE(keeps_to(traffic, prepared.plan));
  traffic.from.clear();
  EXPECT_FALSE(keeps_to(traffic, prepared.plan));
  EXPECT_FALSE(keeps_to(Traffic(), prepared.plan));
}

// --- By plans that somebody made up --------------------------------------------------------------

TEST_F(Partners, NeighboursInARing) {
  test::Vectors cloud(40);
  const Set set = cloud.as_set();
  write_objects(set, everywhere, test::counting<std::int64_t>(40, 40 * rank));
  for (int round = 0; round < 5; ++round) {
    const auto up_or_down = [&](std::size_t, std::int64_t id) {
      return at_distance(static_cast<int>(test::mix(id, round) % 3) - 1);
    };
    const Trade trade = expect_trade({&set, 1}, everywhere, [&] {
      return prepare_trade({&set, 1}, up_or_down);
    });
    const Ranks neighbours = but_this({next, previous});
    EXPECT_TRUE(keeps_to(trade.planning, neighbours, neighbours));
    EXPECT_TRUE(keeps_to(trade.moving, neighbours, neighbours));
    EXPECT_EQ(trade.report.partners, std::min(2, size - 1));
  }
}

// From `one` to `other`, and every second time back too.
TEST_F(Partners, OnePairAlone) {
  if (size == 1) GTEST_SKIP() << "there is no pair";
  test::Vectors cloud(40);
  const Set set = cloud.as_set();
  write_objects(set, everywhere, test::counting<std::int64_t>(40, 40 * rank));
  for (int one = 0; one < size; ++one) {
    const auto step = static_cast<int>(test::mix(one, 1) % static_cast<std::uint64_t>(size - 1));
    const int other = (one + 1 + step) % size;
    const bool back = one % 2 == 1;
    const auto across = [&](std::size_t, std::int64_t id) {
      if (test::mix(id, one) % 2 == 0) return rank;
      if (rank == one) return other;
      return rank == other && back ? one : rank;
    };
    const Trade trade = expect_trade({&set, 1}, everywhere, [&] {
      return prepare_trade({&set, 1}, across);
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

// With few objects, few of all pairs trade.
TEST_F(Partners, ShufflesOfManyObjectsAndOfFew) {
  for (const std::int64_t objects : {40 * size, 2 * size, 1}) {
    SCOPED_TRACE(objects);
    const Ids ids = ids_here(communicator, test::at_random, objects);
    test::Vectors cloud(ids.size());
    const Set set = cloud.as_set();
    write_objects(set, everywhere, ids);
    for (int salt = 0; salt < 4; ++salt)
      expect_trade({&set, 1}, everywhere, [&] {
        return test::prepare_shuffle(communicator, {&set, 1}, salt);
      });
  }
}

TEST_F(Partners, ThoseOfAllSetsTogether) {
  test::Vectors up(7), down(3), far(5), fixed(9);
  const Set sets[] = {up.as_set(), down.as_set(), far.as_set(), fixed.as_set()};
  for (const Set& set : sets)
    write_objects(set, everywhere, test::counting<std::int64_t>(set.count(), set.count() * rank));
  const int to_rank[] = {next, previous, at_distance(2), rank};
  const auto to = [&](std::size_t s, std::int64_t) { return to_rank[s]; };
  const Trade trade = expect_trade(sets, everywhere, [&] { return prepare_trade(sets, to); });
  const Ranks destinations = but_this({next, previous, at_distance(2)});
  const Ranks sources = but_this({next, previous, at_distance(-2)});
  EXPECT_TRUE(keeps_to(trade.planning, destinations, sources));
  EXPECT_TRUE(keeps_to(trade.moving, destinations, sources));
}

// Of sets that go to the same rank, one fused message is sent.
TEST_F(Partners, SetsThatGoTheSameWayShareAMessage) {
  test::Vectors some(7), others(3);
  const Set sets[] = {some.as_set(), others.as_set()};
  for (const Set& set : sets)
    write_objects(set, everywhere, test::counting<std::int64_t>(set.count(), set.count() * rank));
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
  constexpr std::int64_t objects = 60;
  Heavy cloud(objects);
  const Set set = cloud.as_set();
  write_objects(set, everywhere, test::counting<std::int64_t>(objects, objects * rank));
  for (const int in_flight : {1, 3, 8}) {
    SCOPED_TRACE(in_flight);
    const auto up_or_down = [&](std::size_t, std::int64_t id) {
      return test::mix(id, in_flight) % 2 == 0 ? next : previous;
    };
    const auto prepare = [&] { return prepare_trade({&set, 1}, up_or_down); };
    const Trade trade = expect_trade({&set, 1}, everywhere, prepare,
                                     {.staging_bytes = 8192, .messages_in_flight = in_flight});
    const Ranks neighbours = but_this({next, previous});
    EXPECT_TRUE(keeps_to(trade.moving, neighbours, neighbours));
    EXPECT_GE(trade.moving.messages, 3 * std::ssize(neighbours));
    EXPECT_GE(trade.moving.arrivals, 3 * std::ssize(neighbours));
  }
}

// --- By destinations -----------------------------------------------------------------------------

TEST_F(Partners, ThoseThatWereNamed) {
  const Ids ids = ids_here(communicator, test::at_random, 3 * size);
  test::Vectors cloud(ids.size());
  const Set set = cloud.as_set();
  write_objects(set, everywhere, ids);
  for (int salt = 0; salt < 4; ++salt) {
    std::vector<int> destinations;
    const auto rank_for = [&](std::int64_t id) {
      return static_cast<int>(test::mix(id, salt) % static_cast<std::uint64_t>(size));
    };
    for (const std::int64_t id : ids_in(set)) destinations.push_back(rank_for(id));
    const std::span<const int> of_set = destinations;
    const Trade trade = expect_trade({&set, 1}, everywhere, [&] {
      Prepared prepared;
      prepared.shapes = agree_on_sets(communicator, {&set, 1});
      prepared.plan = plan_to(communicator, Status(), {&of_set, 1});
      return prepared;
    });
    EXPECT_EQ(trade.planning.to, but_this({destinations.begin(), destinations.end()}));
    EXPECT_EQ(trade.planning.messages, 0) << "there are no keys";
    for (const std::int64_t id : ids_in(set)) EXPECT_EQ(rank_for(id), rank);
  }
}

// --- As objects drift ----------------------------------------------------------------------------

// From everywhere, at most 0.1 along each axis in a step.
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
  Ids ids = ids_here(communicator, in_turn, objects);
  test::Vectors cloud = test::Vectors(ids.size());
  Set set = cloud.as_set();
  std::optional<Box> box;

  PartnersInDrift() { write_objects(set, course[0], ids); }
  void drift_to(const Scene& scene) const { write_objects(set, scene, ids_in(set)); }

  // Collective. All stages, as a balancer does it, in one box as long as that holds all objects.
  Prepared prepare_along(CurveKind curve) {
    const std::span<const Set> sets(&set, 1);
    Prepared prepared;
    prepared.shapes = agree_on_sets(communicator, sets);
    box = enclose(box, test::bounds_of_all(communicator, sets));
    prepared.orders.push_back(
        test::listed(order(test::space_of(set), Lattice(3, *box, {}, curve), set)));
    const WeightedKeys keys{prepared.orders.front().keys, {}};
    prepared.splitters =
        cut(communicator, Status(), {&keys, 1}, {.parts = size, .dimensions = 3}).splitters;
    prepared.plan = plan(communicator, Status(), prepared.splitters, test::made(prepared.orders));
    return prepared;
  }

  // Collective. Whom this rank traded with, scene by scene.
  std::vector<Ranks> partners_along(CurveKind curve) {
    std::vector<Ranks> partners;
    std::int64_t moved = 0;
    for (const Scene& scene : course) {
      SCOPED_TRACE(scene.name);
      drift_to(scene);
      const Trade trade = expect_trade({&set, 1}, scene, [&] { return prepare_along(curve); });
      partners.push_back(united(trade.moving.to, trade.moving.from));
      if (partners.size() > 1) moved += trade.report.objects;
    }
    EXPECT_EQ(std::ssize(partners.front()), size - 1) << "at first, all trade with all";
    EXPECT_EQ(moved > 0, size > 1) << "then some still move";
    return partners;
  }

  // Collective. By id.
  std::vector<int> ranks_of_objects() const {
    const auto all = communicator.all_gather(std::span<const std::int64_t>(ids_in(set)));
    std::vector<int> ranks(static_cast<std::size_t>(objects), -1);
    for (int r = 0; r < size; ++r)
      for (const std::int64_t id : all.of_rank(r)) ranks[static_cast<std::size_t>(id)] = r;
    return ranks;
  }

  // Collective. From outside no plan is seen, but where objects were and are.
  void expect_rebalance(Balancer& balancer) const {
    const std::vector<int> before = ranks_of_objects();
    MoveReport report;
    const Traffic traffic = traffic_of([&] { report = balancer.rebalance(set); });
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

// Its parts are slabs, which are much thicker than a step.
TEST_F(PartnersInDrift, NeighboursAlongTheSnake) {
  const std::vector<Ranks> partners = partners_along(CurveKind::snake);
  const Ranks neighbours = {rank - 1, rank + 1};
  for (std::size_t i = 1; i < partners.size(); ++i)
    EXPECT_TRUE(std::ranges::includes(neighbours, partners[i]))
        << testing::PrintToString(partners[i]);
}

// Its parts are compact, and border on some of the others.
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
