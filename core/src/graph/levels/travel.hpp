#pragma once

// Sends the members of a cluster to the rank of their leader, with their weights and edges. Also
// has a general exchange of rows with entries.

#include "graph/levels/level.hpp"
#include "graph/stage.hpp"

#include <optional>
#include <vector>

namespace evenkeel::graphs {

// The number of rows that one rank sends to another, and the number of entries in these rows.
struct RowParcel {
  std::int64_t rows, entries;
};
inline std::int64_t rows_of(const RowParcel& parcel) { return parcel.rows; }
inline std::int64_t entries_of(const RowParcel& parcel) { return parcel.entries; }

// Returns the numbers of rows and entries that go to each rank. Rows firsts[r] to before firsts[r +
// 1] go to rank r, and the entries of row i begin at offsets[i]. Blocks.
std::vector<Note<RowParcel>> parcels_of(const std::vector<std::int64_t>& firsts,
                                        const exec::Array<std::int64_t>& offsets);

// Collective. Exchanges cargo and returns the cargo that arrives. load(parcels) makes the cargo
// that this rank sends. room_for(sum of parcels) makes room for the cargo that arrives.
// add(messages, parcels, cargo) adds the messages of the parcels to a list: sends for the cargo
// that leaves, receives for the cargo that arrives. `status` is as in vote().
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
  Address leader;  // leader of the neighbour's cluster
  EdgeUnits weight;
};

struct Arrived {
  exec::Array<Traveller> members;
  exec::Array<std::int64_t> weights;
  exec::Array<std::int64_t> offsets;  // the first edge of each member
  exec::Array<TravellingEdge> edges;
  exec::Array<Vertex> columns;  // by edge: the coarse vertex of the neighbour

  std::int64_t count() const noexcept { return members.size(); }
};

// Collective. Returns the members that come to this rank. `columns` is not set yet, and `offsets`
// has room for one more entry. On a single rank no member travels.
Arrived travel(const Communicator& communicator, const Status& status, const Level& fine,
               const exec::Array<Address>& leaders);

}  // namespace evenkeel::graphs
