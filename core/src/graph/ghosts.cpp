#include "graph/ghosts.hpp"

#include "bisect.hpp"

#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::ghosts";

struct WriteIndices {
  const Address* addresses;
  std::int32_t* indices;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { indices[i] = index_of(addresses[i]); }
};

struct Translate {
  const std::int32_t* index_there;
  std::int32_t* indices;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { indices[i] = index_there[indices[i]]; }
};

struct TakeIndices {
  const std::int32_t* indices;
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    addresses[i] = address_of(rank_of(addresses[i]), indices[i]);
  }
};

struct FirstOfRank {
  const Address* addresses;
  std::int64_t count;
  std::int64_t* firsts;
  KOKKOS_FUNCTION void operator()(std::int64_t rank) const {
    firsts[rank] =
        count_before(count, [&](std::int64_t i) { return rank_of(addresses[i]) < rank; });
  }
};

// How many of the addresses are on each rank with any.
std::vector<Note<std::int64_t>> counts_by_rank(const Space& space,
                                               const exec::Array<Address>& addresses, int ranks) {
  const exec::Array<std::int64_t> firsts(space, label, ranks + 1);
  exec::for_each(space, label, ranks + 1,
                 FirstOfRank{addresses.data(), addresses.size(), firsts.data()});
  const std::vector<std::int64_t> offsets = firsts.on_host();
  std::vector<Note<std::int64_t>> counts;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (offsets[r] < offsets[r + 1]) counts.push_back({rank, offsets[r + 1] - offsets[r]});
  }
  return counts;
}

}  // namespace

Ghosts::Ghosts(const Communicator& communicator, const Status& status, const Space& space,
               exec::Array<Address> addresses, const exec::Array<std::int32_t>& index_there) {
  if (communicator.size() == 1) {
    if (!status.ok()) throw Error(*status.error());
    return;
  }
  communicator_ = &communicator;
  count_ = addresses.size();
  addresses_ = std::move(addresses);
  exec::Array<std::int32_t> wanted;
  Status ready = status;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      wanted = {space, label, count_};
      exec::for_each(space, label, count_, WriteIndices{addresses_.data(), wanted.data()});
      from_ = counts_by_rank(space, addresses_, communicator.size());
    });
  if (!ready.ok()) from_.clear();
  const Status heard = attempt(stage_name, [&] {
    to_ = announce(communicator, std::span<const Note<std::int64_t>>(from_));
  });
  if (ready.ok()) ready = heard;
  std::optional<Transfer> transfer;
  if (ready.ok())
    ready = attempt(stage_name, [&] {
      std::int64_t copies = 0;
      for (const Note<std::int64_t>& note : to_) copies += note.content;
      sent_ = {space, label, copies};
      std::vector<Send> sends;
      std::vector<Receive> receives;
      constexpr auto each = static_cast<std::int64_t>(sizeof(std::int32_t));
      const std::int32_t* next = wanted.data();
      for (const Note<std::int64_t>& note : from_) {
        sends.push_back({note.rank, next, note.content * each, wanted.memory()});
        next += note.content;
      }
      std::int32_t* into = sent_.data();
      for (const Note<std::int64_t>& note : to_) {
        receives.push_back({note.rank, into, note.content * each, sent_.memory()});
        into += note.content;
      }
      transfer.emplace(space, communicator, sends, receives);
    });
  vote(communicator, ready);
  transfer->run();
  if (!index_there.empty())
    exec::for_each(space, label, sent_.size(), Translate{index_there.data(), sent_.data()});
  space.fence(label);
}

void Ghosts::learn_addresses(const Space& space, std::int64_t owned) {
  if (communicator_ == nullptr) return;
  exec::Array<std::int32_t> indices;
  const Status made = attempt(
      stage_name, [&] { indices = exec::counted_up<std::int32_t>(space, label, owned + count_); });
  refresh(indices, 1, made);
  exec::for_each(space, label, count_, TakeIndices{indices.data() + owned, addresses_.data()});
  space.fence(label);
}

}  // namespace evenkeel::graphs
