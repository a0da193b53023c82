#pragma once

// What a move carries: which messages are sent and received, how they are packed and unpacked, and
// which objects stay. Host memory is copied by ranges if objects lie in long ones; a single range
// of one packed field is sent straight from its array, or received straight into it.

#include "migrate/messages.hpp"

#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/migrate/move.hpp>
#include <evenkeel/core/set.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

// Seconds of this rank, within an exchange.
struct FreightTimes {
  double pack = 0, unpack = 0;
};

class Freight {
 public:
  // Local, needs little memory. Refers to its arguments.
  Freight(const Communicator& communicator, std::span<const Set> sets,
          std::span<const SetShape> shapes, const Plan& plan, const MoveOptions& options);

  // Bytes that load() will allocate for messages.
  std::int64_t staging_bytes() const;
  // Bytes of fields that go to other ranks, and that come from them.
  std::int64_t sent_bytes() const noexcept { return sent_bytes_; }
  std::int64_t received_bytes() const noexcept { return received_bytes_; }
  std::int64_t bytes_of_lists() const;
  std::int64_t messages() const noexcept { return std::ssize(leaving_); }
  int partners() const noexcept { return static_cast<int>(partners_.size()); }

  // Local. Allocates all memory that is needed, except for fields: targets[s][f] is where field f
  // of set s is to be written.
  void load(std::vector<std::vector<FieldLayout>> targets);
  // Collective. If `works` is false, messages are exchanged, but their content is arbitrary.
  void exchange(bool works, FreightTimes& times);
  // Commits payloads only; the caller commits the fields.
  void commit() noexcept;

 private:
  static constexpr std::size_t kinds = 3;  // of memory

  // A message and its partner's objects of each set.
  struct Load {
    int rank;
    Message message;
    std::vector<std::int64_t>
        first;  // of each set: the partner's, in SetPlan::objects, or arrivals
  };
  // The lists of one set, in each kind of memory in which something asks for them.
  struct Lists {
    exec::Array<std::int64_t> listed;  // places one by one, where the plan has ranges
    std::array<std::optional<exec::Reached<std::int64_t>>, kinds> objects, places;
  };

  void add_columns(std::span<const SetShape> shapes);
  void add_loads(bool leaving);
  std::vector<Share> shares_of(std::span<const std::int64_t> first,
                               std::span<const std::int64_t> objects, bool leaving) const;
  void* place_in_array(const Load& load, bool leaving) const;
  std::vector<Send> sends() const;
  std::vector<Receive> receives() const;
  void make_lists(std::size_t set);
  void stage_payloads(std::size_t set);
  const PayloadPlan& plan_of(const Column& column) const {
    return plan_.sets[column.set].payloads[column.index];
  }
  StagedPayload& staged_payload(const Column& column) const {
    return *cargo_[column.set][column.index];
  }
  PayloadPiece payload_piece(const Piece& piece, std::int64_t first, bool leaving) const;
  const std::int64_t* list(std::size_t set, MemoryKind kind, bool of_places) const;
  FieldLayout in_message(std::byte* message, const Piece& piece) const;
  FieldLayout source(const Column& column) const;
  FieldLayout target(const Column& column) const;
  void copy_piece(const Piece& piece, std::int64_t first, std::byte* message, bool leaving);
  void copy_pieces(const Load& load, std::byte* message, bool leaving);
  void keep();
  void keep(std::size_t set);
  void keep_chosen(const Column& column, std::int64_t first, std::int64_t count) const;
  bool finds_ranges(const Column& column, std::span<const ObjectRange> all, std::int64_t first,
                    std::int64_t count);

  const Communicator& communicator_;
  std::span<const Set> sets_;
  const Plan& plan_;
  std::vector<std::vector<FieldLayout>> targets_;
  TransferLimits limits_;
  MessageSizes sizes_;
  std::vector<Column> columns_;
  std::vector<Load> leaving_, arriving_;
  std::vector<Lists> lists_;
  std::vector<std::vector<std::unique_ptr<StagedPayload>>> cargo_;  // payloads of each set
  std::optional<Transfer> transfer_;
  std::vector<ObjectRange> ranges_;  // of the piece that is being copied
  std::int64_t sent_bytes_ = 0, received_bytes_ = 0;
  std::vector<int> partners_;
  std::array<bool, kinds> uses_ = {};
};

}  // namespace evenkeel
