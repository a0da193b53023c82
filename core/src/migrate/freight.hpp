#pragma once

// The freight of a move: the objects that stay, and the messages that are sent and received. Packs
// and unpacks the messages. In host memory, objects in long ranges are copied range by range. If a
// message is a single range of one packed field, it is sent directly from the array of the field,
// or received directly into it.

#include "migrate/object_lists.hpp"

#include <evenkeel/backends/comm/transfer.hpp>

namespace evenkeel {

// Seconds that this rank spends in exchange().
struct FreightTimes {
  double pack = 0, unpack = 0;
};

class Freight {
 public:
  // Local; needs little memory. Refers to its arguments.
  Freight(const Communicator& communicator, std::span<const Set> sets,
          std::span<const SetShape> shapes, const Plan& plan, const MoveOptions& options);

  // The bytes that load() will allocate for messages.
  std::int64_t staging_bytes() const;
  // The bytes of this rank's objects that go to other ranks, and of the objects that come from
  // them.
  std::int64_t sent_bytes() const noexcept { return manifest_.sent_bytes(); }
  std::int64_t sent_bytes(std::size_t set) const { return manifest_.sent_bytes(set); }
  std::int64_t received_bytes() const noexcept { return manifest_.received_bytes(); }
  std::int64_t bytes_of_lists() const { return lists_.bytes(manifest_.columns()); }
  std::int64_t messages() const noexcept { return std::ssize(manifest_.leaving()); }
  int partners() const noexcept { return manifest_.partners(); }

  // Local. Allocates all memory that the exchange needs, except the memory of fields, which the
  // caller gives. Field f of set s will be written to targets[s][f].
  void load(std::vector<std::vector<FieldLayout>> targets);
  // Collective. If `works` is false, this rank has failed; it sends messages with arbitrary
  // content, so that the other ranks do not wait.
  void exchange(bool works, FreightTimes& times);
  // Commits payloads only; the caller commits the fields.
  void commit() noexcept;

 private:
  void* place_in_array(const Load& load, bool leaving) const;
  template <class Message>
  std::vector<Message> messages_of(const std::vector<Load>& loads) const;
  std::vector<Send> sends() const;
  std::vector<Receive> receives() const;
  void stage_payloads(std::size_t set);
  const PayloadPlan& plan_of(const MessageColumn& column) const {
    return plan_.sets[column.set].payloads[column.index];
  }
  Payload::Staged& staged_payload(const MessageColumn& column) const {
    return *cargo_[column.set][column.index];
  }
  Payload::Piece payload_piece(const Piece& piece, std::int64_t first, bool leaving) const;
  const std::int64_t* list(const MessageColumn& column, bool of_places) const {
    return of_places ? lists_.places(column.set, column.memory)
                     : lists_.objects(column.set, column.memory);
  }
  FieldLayout in_message(std::byte* message, const Piece& piece) const;
  FieldLayout source(const MessageColumn& column) const;
  FieldLayout target(const MessageColumn& column) const;
  void copy_piece(const Piece& piece, std::int64_t first, std::byte* message, bool leaving);
  void copy_pieces(const Load& load, std::byte* message, bool leaving);
  void keep();
  void keep(std::size_t set);
  void keep_chosen(const MessageColumn& column, std::int64_t first, std::int64_t count) const;
  bool finds_ranges(const MessageColumn& column, std::span<const ObjectRange> all,
                    std::int64_t first, std::int64_t count);

  const Communicator& communicator_;
  std::span<const Set> sets_;
  const Plan& plan_;
  TransferLimits limits_;
  Manifest manifest_;
  ObjectLists lists_;
  std::vector<std::vector<FieldLayout>> targets_;
  std::vector<std::vector<std::unique_ptr<Payload::Staged>>> cargo_;  // new payloads, by set
  std::optional<Transfer> transfer_;
  std::vector<ObjectRange> ranges_;  // ranges of the piece that is being copied
};

}  // namespace evenkeel
