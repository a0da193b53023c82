#pragma once

// The members of a Halo.

#include "halo/sums.hpp"

#include <evenkeel/backends/comm/messages.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/halo.hpp>

namespace evenkeel {

// Memory for records: in the memory of the fields, and on the host if MPI reads or writes them
// there. The memory grows as needed and never shrinks.
struct Mail {
  Buffer records, staged;
  void reserve(MemoryKind memory, std::int64_t bytes, bool is_staged);
};

struct Halo::Impl {
  const Communicator* communicator;
  std::int64_t generation;
  double width;
  std::array<double, 3> quarters = {};  // a quarter of each period
  MemoryKind memory = MemoryKind::host;
  HaloCounts counts = {};
  // The copies that other ranks need of objects of this rank.
  struct LeavingCopies {
    std::vector<Parcel> parcels;
    exec::Array<std::int64_t> objects;
    exec::Array<Image> images;  // one per copy; empty if no copy is shifted by a period
    Mail mail;                  // used in both directions
  } copies = {};
  struct Arriving {
    std::vector<Parcel> parcels;
    exec::Array<Halo::Origin> origins;
    Mail mail;
  } ghosts = {};
  std::optional<CopiesByObject> by_object = {};  // made by the first call that needs sums

  Space space() const { return Space::where(memory); }
  bool is_staged() const {
    return memory != MemoryKind::host && communicator->transport() == Transport::host_staged;
  }

  // `status` is the result of the caller's checks. exchange() sends values from owners to ghosts,
  // sum_back() from ghosts to owners.
  void exchange(const HaloFields& fields, const Status& status);
  void sum_back(const HaloFields& fields, const Status& status);
  // Calls write(records) to make records, and sends them from owners to ghosts, or from ghosts to
  // owners if `back` is set.
  template <class Write>
  Records send(const HaloFields& fields, Status status, bool back, const Write& write);
  void reserve(const Records& records);
  void agree(const Status& status, const Records& records, std::uint64_t action) const;
  Transfer transfer(const Records& records, bool back);
  void run(Transfer& transfer, const Records& records, bool back);
};

// --- Functions that make plans -------------------------------------------------------------------

// Returns a parcel for each rank that has objects in the list; those of rank r begin at offsets[r].
std::vector<Parcel> parcels_of(const std::vector<std::int64_t>& offsets);

// The values on which all ranks must agree. The width must be finite.
struct HaloTerms {
  double width;
  std::int64_t generation;
  bool is_straight;
};

// Collective. Votes; throws on all ranks unless all have the same terms.
void agree_on_plan(const Communicator& communicator, const Status& status, const HaloTerms& terms);

// Adds a message for each parcel. `Message` is Send or Receive.
template <class Message>
void add_parcels(std::vector<Message>& messages, const std::vector<Parcel>& parcels,
                 std::byte* data, std::int64_t bytes_each, MemoryKind memory) {
  messages.reserve(parcels.size());
  for (const Parcel& parcel : parcels)
    messages.push_back(
        {parcel.rank, data + parcel.first * bytes_each, parcel.objects * bytes_each, memory});
}

// Makes the transfer from one list to another, with one message for each parcel.
template <class T>
Transfer transfer_between(const Communicator& communicator, const Space& space,
                          const std::vector<Parcel>& leaving, const exec::Array<T>& from,
                          const std::vector<Parcel>& arriving, const exec::Array<T>& to) {
  constexpr auto each = static_cast<std::int64_t>(sizeof(T));
  std::vector<Send> sends;
  std::vector<Receive> receives;
  add_parcels(sends, leaving, reinterpret_cast<std::byte*>(from.data()), each, from.memory());
  add_parcels(receives, arriving, reinterpret_cast<std::byte*>(to.data()), each, to.memory());
  return Transfer(space, communicator, sends, receives);
}

}  // namespace evenkeel
