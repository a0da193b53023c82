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
#include <functional>
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

  void exchange(const HaloFields& fields, const Status& given);
  void sum_back(const HaloFields& fields, const Status& given);
  void reserve(const Records& records);
  void agree(const Status& status, const Records& records, std::uint64_t action,
             const std::function<void()>& meanwhile) const;
  Transfer transfer(const Records& records, bool back);
  void bring(Transfer& transfer, const Records& records, bool back);
};

}  // namespace evenkeel
