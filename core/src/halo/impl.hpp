#pragma once

// What a Halo holds.

#include "halo/leavers.hpp"
#include "halo/records.hpp"
#include "halo/sums.hpp"

#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/halo.hpp>

#include <array>
#include <optional>
#include <vector>

namespace evenkeel {

// Records in the memory of the space, and on the host where MPI takes them from there. Grows as
// needed and never shrinks.
struct Mail {
  Buffer records, staged;
  void reserve(MemoryKind memory, std::int64_t bytes, bool is_staged);
};

struct Halo::Impl {
  const Communicator* communicator;
  std::int64_t generation;
  double width;
  std::array<double, 3> quarters = {};  // of periods
  MemoryKind memory = MemoryKind::host;
  HaloCounts counts = {};
  std::vector<Parcel> exports = {}, imports = {};
  exec::Array<std::int64_t> objects = {};  // copies that leave
  exec::Array<Image> images = {};          // of each; empty if all are where their objects are
  exec::Array<GhostOrigin> origins = {};   // of ghosts

  Mail copies = {}, ghosts = {};                 // in both directions
  std::optional<CopiesByObject> by_object = {};  // once sums are asked for

  Space space() const { return Space::where(memory); }
  bool is_staged() const {
    return memory != MemoryKind::host && communicator->transport() == Transport::host_staged;
  }

  // `status`: what the caller has found.
  void exchange(const HaloFields& fields, Status status);
  void sum_back(const HaloFields& fields, Status status);
  void reserve(const Records& records);
  void agree(const Status& status, const Records& records, std::uint64_t action) const;
  Transfer transfer(const Records& records, bool back);
  void run(Transfer& transfer, const Records& records, bool back);
};

// --- For those who make plans --------------------------------------------------------------------

// The parcels of all ranks that have one; rank r begins at offsets[r].
std::vector<Parcel> parcels_of(const std::vector<std::int64_t>& offsets);

// Collective. Votes, and throws on all ranks unless they agree on a finite width and a generation.
void agree_on_plan(const Communicator& communicator, const Status& status, double width,
                   std::int64_t generation);

// One message for each parcel, from list to list.
template <class T>
Transfer transfer_between(const Communicator& communicator, const Space& space,
                          const std::vector<Parcel>& leaving, const exec::Array<T>& from,
                          const std::vector<Parcel>& arriving, const exec::Array<T>& to) {
  constexpr auto each = static_cast<std::int64_t>(sizeof(T));
  std::vector<Send> sends;
  std::vector<Receive> receives;
  sends.reserve(leaving.size());
  receives.reserve(arriving.size());
  for (const Parcel& parcel : leaving)
    sends.push_back(
        {parcel.rank, from.data() + parcel.first, parcel.objects * each, from.memory()});
  for (const Parcel& parcel : arriving)
    receives.push_back({parcel.rank, to.data() + parcel.first, parcel.objects * each, to.memory()});
  return Transfer(space, communicator, sends, receives);
}

}  // namespace evenkeel
