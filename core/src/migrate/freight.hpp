#pragma once

// What a move carries: which messages go out and come in, how they are packed and unpacked, and
// what stays. Host memory goes by ranges where objects lie in long ones; what is one range of one
// packed field travels straight from its array, or into it.

#include "migrate/messages.hpp"

#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/migrate/move.hpp>
#include <evenkeel/core/set.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

// Seconds of this rank.
struct FreightTimes {
  double pack = 0, transfer = 0, unpack = 0;
};

class Freight {
 public:
  // Local, of little memory. Refers to what it is given.
  Freight(const Communicator& communicator, std::span<const Set> sets,
          std::span<const SetShape> shapes, const Plan& plan, const MoveOptions& options);

  // Bytes that load() will allocate for messages.
  std::int64_t staging_bytes() const;
  // Of fields, to other ranks, and from them.
  std::int64_t sent_bytes() const noexcept { return sent_bytes_; }
  std::int64_t received_bytes() const noexcept { return received_bytes_; }
  std::int64_t bytes_of_lists() const;
  std::int64_t messages() const noexcept { return std::ssize(leaving_); }
  int partners() const noexcept { return partners_; }

  // Local. All memory that is needed, and where arrivals are written to.
  void load(std::span<const StagedSet> staged);
  // Collective. Nothing but messages of whatever content where `works` is false.
  void exchange(bool works, FreightTimes& times);

 private:
  static constexpr std::size_t kinds = 3;  // of memory

  // A message and its partner's objects of each set.
  struct Load {
    int rank;
    Message message;
    std::vector<std::int64_t> first;  // of each set: the partner's, in SetPlan::objects, or arrivals
  };
  // Copies of the lists of one set, for each kind of memory but the host's.
  struct Lists {
    std::array<Buffer, kinds> objects, places;
  };

  void add_loads(bool leaving);
  std::vector<Send> sends() const;
  std::vector<Receive> receives() const;
  void make_lists(std::size_t set);
  const std::int64_t* list(std::size_t set, MemoryKind kind, bool of_places) const;
  FieldLayout in_message(std::byte* message, const Piece& piece) const;
  FieldLayout source(const Column& column) const;
  FieldLayout target(const Column& column) const;
  void pack(const Load& load, std::byte* to);
  void unpack(const Load& load, const std::byte* from);
  void keep();
  void keep(std::size_t set);
  bool finds_ranges(const Column& column, std::span<const ObjectRange> all, std::int64_t first,
                    std::int64_t count);

  const Communicator& communicator_;
  std::span<const Set> sets_;
  const Plan& plan_;
  std::span<const StagedSet> staged_;
  TransferLimits limits_;
  MessageSizes sizes_;
  std::vector<Column> columns_;
  std::vector<Load> leaving_, arriving_;
  std::vector<Lists> lists_;
  std::optional<Transfer> transfer_;
  std::vector<ObjectRange> ranges_;  // of the piece that is being copied
  std::int64_t sent_bytes_ = 0, received_bytes_ = 0;
  int partners_ = 0;
  std::array<bool, kinds> uses_ = {};
};

}  // namespace evenkeel
