#include "graph/travel.hpp"

#include "by_number.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::contract";

struct WriteRank {
  const Address* leaders;
  const std::int64_t* members;
  std::uint32_t* ranks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    ranks[i] = static_cast<std::uint32_t>(rank_of(leaders[members[i]]));
  }
};

struct WriteTravellers {
  RowsView rows;
  const Address* leaders;
  const std::int64_t* members;
  const std::int64_t* weights;
  const std::int64_t* stay;  // null: none
  int constraints;
  Traveller* travellers;
  std::int64_t* weights_out;
  std::int64_t* degrees;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t v = members[i];
    const std::int64_t degree = rows.offsets[v + 1] - rows.offsets[v];
    travellers[i] = {index_of(leaders[v]), static_cast<std::int32_t>(degree),
                     stay != nullptr ? stay[v] : 0};
    for (int c = 0; c < constraints; ++c)
      weights_out[i * constraints + c] = weights[v * constraints + c];
    degrees[i] = degree;
  }
};

struct WriteTravellingEdges {
  RowsView rows;
  const Address* leaders;
  const std::int64_t* members;
  const std::int64_t* firsts;
  TravellingEdge* edges;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t at = firsts[i];
    const std::int64_t v = members[i];
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      edges[at++] = {leaders[rows.columns[e]], rows.weights[e]};
  }
};

struct Parcel {
  std::int64_t members, edges;
};

template <class T>
T* add_parts(std::vector<Send>& sends, int rank, T* next, std::int64_t count, MemoryKind memory) {
  if (count > 0)
    sends.push_back({rank, next, count * static_cast<std::int64_t>(sizeof(T)), memory});
  return next + count;
}
template <class T>
T* add_parts(std::vector<Receive>& receives, int rank, T* next, std::int64_t count,
             MemoryKind memory) {
  if (count > 0)
    receives.push_back({rank, next, count * static_cast<std::int64_t>(sizeof(T)), memory});
  return next + count;
}

// Messages of all parts of parcels. Used for both directions.
template <class Messages>
void add_parcels(Messages& messages, const std::vector<Note<Parcel>>& parcels, const Arrived& all,
                 int constraints) {
  Traveller* member = all.members.data();
  std::int64_t* weight = all.weights.data();
  TravellingEdge* edge = all.edges.data();
  const MemoryKind memory = all.members.memory();
  for (const Note<Parcel>& parcel : parcels) {
    const auto [members, edges] = parcel.content;
    member = add_parts(messages, parcel.rank, member, members, memory);
    weight = add_parts(messages, parcel.rank, weight, members * constraints, memory);
    edge = add_parts(messages, parcel.rank, edge, edges, memory);
  }
}

// What this rank sends: members by the rank of their leader.
Arrived travellers_of(const Level& fine, const exec::Array<Address>& leaders, int rank, int ranks,
                      std::vector<Note<Parcel>>& parcels) {
  const Space& space = fine.space;
  exec::Array<std::int64_t> members =
      exec::numbers_that(space, label, fine.owned, IsElsewhere{leaders.data(), rank});
  const exec::Array<std::uint32_t> ranks_of(space, label, members.size());
  exec::for_each(space, label, members.size(),
                 WriteRank{leaders.data(), members.data(), ranks_of.data()});
  const ByNumber by_rank = by_number(space, ranks_of, ranks);
  members = exec::chosen(space, label, members.data(), by_rank.places);
  Arrived leaving;
  leaving.members = {space, label, members.size()};
  leaving.weights = {space, label, members.size() * fine.constraints};
  leaving.offsets = {space, label, members.size()};
  const RowsView rows(fine.rows);
  exec::for_each(
      space, label, members.size(),
      WriteTravellers{rows, leaders.data(), members.data(), fine.weights.data(),
                      !fine.has_stay ? nullptr : fine.stay.data(), fine.constraints,
                      leaving.members.data(), leaving.weights.data(), leaving.offsets.data()});
  const std::int64_t edges = exec::sum_up(leaving.offsets);
  leaving.edges = {space, label, edges};
  exec::for_each(space, label, members.size(),
                 WriteTravellingEdges{rows, leaders.data(), members.data(), leaving.offsets.data(),
                                      leaving.edges.data()});
  const std::vector<std::int64_t> firsts = leaving.offsets.on_host();
  const auto edges_before = [&](std::int64_t member) {
    return member < std::ssize(firsts) ? firsts[static_cast<std::size_t>(member)] : edges;
  };
  for (int r = 0; r < ranks; ++r) {
    const std::int64_t begin = by_rank.offsets[static_cast<std::size_t>(r)];
    const std::int64_t end = by_rank.offsets[static_cast<std::size_t>(r) + 1];
    if (begin < end) parcels.push_back({r, {end - begin, edges_before(end) - edges_before(begin)}});
  }
  return leaving;
}

}  // namespace

Arrived travel(const Communicator& communicator, const Status& status, const Level& fine,
               const exec::Array<Address>& leaders) {
  Arrived leaving, arrived;
  if (communicator.size() == 1) {
    if (!status.ok()) throw Error(*status.error());
    return arrived;
  }
  std::vector<Note<Parcel>> to, from;
  Status ready = status;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      leaving = travellers_of(fine, leaders, communicator.rank(), communicator.size(), to);
    });
  if (!ready.ok()) to.clear();
  const Status heard = attempt(
      stage_name, [&] { from = announce(communicator, std::span<const Note<Parcel>>(to)); });
  if (ready.ok()) ready = heard;
  std::optional<Transfer> transfer;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      Parcel sum = {0, 0};
      for (const Note<Parcel>& parcel : from) {
        sum.members += parcel.content.members;
        sum.edges += parcel.content.edges;
      }
      arrived.members = {fine.space, label, sum.members};
      arrived.weights = {fine.space, label, sum.members * fine.constraints};
      arrived.offsets = {fine.space, label, sum.members + 1};
      arrived.edges = {fine.space, label, sum.edges};
      std::vector<Send> sends;
      std::vector<Receive> receives;
      add_parcels(sends, to, leaving, fine.constraints);
      add_parcels(receives, from, arrived, fine.constraints);
      transfer.emplace(fine.space, communicator, sends, receives);
    });
  vote(communicator, ready);
  transfer->run();
  return arrived;
}

}  // namespace evenkeel::graphs
