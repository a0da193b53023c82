#include "graph/levels/travel.hpp"

#include "order/sort_by_number.hpp"

#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel::graphs {

namespace {

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
  const std::int64_t* stay;  // may be null
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

// The members that this rank sends, sorted by the rank of their leader.
Arrived travellers_of(const Level& fine, const exec::Array<Address>& leaders, int rank, int ranks,
                      std::vector<Note<RowParcel>>& parcels) {
  const Space& space = fine.space;
  exec::Array<std::int64_t> members =
      exec::numbers_that(space, contract_label, fine.owned, IsElsewhere{leaders.data(), rank});
  const exec::Array<std::uint32_t> ranks_of(space, contract_label, members.size());
  exec::for_each(space, contract_label, members.size(),
                 WriteRank{leaders.data(), members.data(), ranks_of.data()});
  const SortedByNumber by_rank = sort_by_number(space, ranks_of, ranks);
  members = exec::chosen(space, contract_label, members.data(), by_rank.places);
  Arrived leaving;
  leaving.members = {space, contract_label, members.size()};
  leaving.weights = {space, contract_label, members.size() * fine.constraints};
  leaving.offsets = {space, contract_label, members.size() + 1};
  const RowsView rows(fine.rows);
  exec::for_each(
      space, contract_label, members.size(),
      WriteTravellers{rows, leaders.data(), members.data(), fine.weights.data(),
                      !fine.wishes.has_stay ? nullptr : fine.wishes.stay.data(), fine.constraints,
                      leaving.members.data(), leaving.weights.data(), leaving.offsets.data()});
  leaving.edges = {space, contract_label, exec::to_offsets(leaving.offsets)};
  exec::for_each(space, contract_label, members.size(),
                 WriteTravellingEdges{rows, leaders.data(), members.data(), leaving.offsets.data(),
                                      leaving.edges.data()});
  parcels = parcels_of(by_rank.offsets, leaving.offsets);
  return leaving;
}

}  // namespace

std::vector<Note<RowParcel>> parcels_of(const std::vector<std::int64_t>& firsts,
                                        const exec::Array<std::int64_t>& offsets) {
  const std::vector<std::int64_t> ends = exec::picked(offsets, contract_label, firsts);
  std::vector<Note<RowParcel>> parcels;
  for (std::size_t r = 0; r + 1 < firsts.size(); ++r)
    if (firsts[r] < firsts[r + 1])
      parcels.push_back({static_cast<int>(r), {firsts[r + 1] - firsts[r], ends[r + 1] - ends[r]}});
  return parcels;
}

Arrived travel(const Communicator& communicator, const Status& status, const Level& fine,
               const exec::Array<Address>& leaders) {
  if (communicator.size() == 1) {
    if (!status.ok()) throw Error(*status.error());
    return {};
  }
  const Space& space = fine.space;
  const auto load = [&](std::vector<Note<RowParcel>>& parcels) {
    return travellers_of(fine, leaders, communicator.rank(), communicator.size(), parcels);
  };
  const auto room_for = [&](const RowParcel& all) -> Arrived {
    return {{space, contract_label, all.rows},
            {space, contract_label, all.rows * fine.constraints},
            {space, contract_label, all.rows + 1},
            {space, contract_label, all.entries},
            {}};
  };
  const auto add = [&](auto& messages, const std::vector<Note<RowParcel>>& parcels,
                       const Arrived& all) {
    const MemoryKind memory = all.members.memory();
    add_messages(messages, parcels, all.members.data(), memory, rows_of);
    add_messages(messages, parcels, all.weights.data(), memory,
                 [&](const RowParcel& parcel) { return parcel.rows * fine.constraints; });
    add_messages(messages, parcels, all.edges.data(), memory, entries_of);
  };
  return exchanged_parcels<Arrived>(communicator, status, space, load, room_for, add);
}

}  // namespace evenkeel::graphs
