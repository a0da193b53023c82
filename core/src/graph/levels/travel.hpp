#pragma once

// Members of clusters whose leader is on another rank travel there, with their weights and edges.
// The exchange of any rows with entries is here too.

#include "graph/levels/level.hpp"
#include "graph/stage.hpp"

#include <optional>
#include <vector>

namespace evenkeel::graphs {

// The numbers of rows that go to one rank, or come from it, and of their entries.
struct RowParcel {
  std::int64_t rows, entries;
};
inline std::int64_t rows_of(const RowParcel& parcel) { return parcel.rows; }
inline std::int64_t entries_of(const RowParcel& parcel) { return parcel.entries; }

// The rows that go to rank r begin at firsts[r], and the entries of a row at its offset. Blocks.
std::vector<Note<RowParcel>> parcels_of(const std::vector<std::int64_t>& firsts,
                                        const exec::Array<std::int64_t>& offsets);

// Collective. load(parcels) makes the cargo that leaves this rank, room_for(sum of parcels) makes
// room for the cargo that arrives, and add(messages, parcels, cargo) adds the messages for either.
// `status` has the meaning that it has in vote().
template <class Cargo, class Load, class RoomFor, class Add>
Cargo exchanged_parcels(const Communicator& communicator, const Status& status, const Space& space,
                        const Load& load, const RoomFor& room_for, const Add& add) {
  Cargo leaving, arrived;
  std::vector<Note<RowParcel>> to;
  Status ready = status;
  if (ready.ok()) ready = attempt(stage_name, [&] { leaving = load(to); });
  const std::vector<Note<RowParcel>> from = announce(communicator, stage_name, ready, to);
  std::optional<Transfer> transfer;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      RowParcel sum = {0, 0};
      for (const Note<RowParcel>& parcel : from) {
        sum.rows += parcel.content.rows;
        sum.entries += parcel.content.entries;
      }
      arrived = room_for(sum);
      std::vector<Send> sends;
      std::vector<Receive> receives;
      add(sends, to, leaving);
      add(receives, from, arrived);
      space.fence(contract_label);
      transfer.emplace(space, communicator, sends, receives);
    });
  vote(communicator, ready);
  transfer->run();
  return arrived;
}

struct IsElsewhere {
  const Address* addresses;
  int rank;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return rank_of(addresses[i]) != rank; }
};

struct Traveller {
  Vertex leader;
  std::int32_t edges;
  std::int64_t stay;
};
struct TravellingEdge {
  Address leader;  // of the neighbour
  EdgeUnits weight;
};

struct Arrived {
  exec::Array<Traveller> members;
  exec::Array<std::int64_t> weights;
  exec::Array<std::int64_t> offsets;  // of the edges of each
  exec::Array<TravellingEdge> edges;
  exec::Array<Vertex> columns;  // coarse vertices

  std::int64_t count() const noexcept { return members.size(); }
};

// Collective. The members that come to this rank; their `columns` are not set yet, and `offsets`
// have room for one more. With a single rank, no member travels.
Arrived travel(const Communicator& communicator, const Status& status, const Level& fine,
               const exec::Array<Address>& leaders);

}  // namespace evenkeel::graphs
