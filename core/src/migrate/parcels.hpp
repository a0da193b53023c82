#pragma once

// The content of a move: what leaves, what stays, what arrives, and where it comes to stand. All
// fields for one partner that lie in one kind of memory travel as one message: set by set, field by
// field, each beginning at a multiple of 16 bytes, and the keys of all sets with those in host
// memory. Both sides derive the same sizes from the same counts.

#include "field/copy_ranges.hpp"

#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/memory.hpp>
#include <evenkeel/core/migrate.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

class Parcels {
 public:
  // Allocates all that the move needs; throws when it is refused. Local. Refers to what it is
  // given.
  Parcels(const Communicator& communicator, std::span<const Set> sets,
          std::span<const Order> orders, const Plan& plan, std::span<const StagedSet> staged);

  // Local. Fills the messages.
  void pack();
  // Collective.
  void run() { transfer_->run(); }
  // Local. Sorts what is here and what has come by key, and writes it to the staged fields.
  void unpack();

  std::int64_t sent_bytes() const noexcept { return sent_bytes_; }  // of fields
  int partners() const noexcept { return partners_; }

 private:
  static constexpr int kinds = 3;  // of memory

  // Objects of one set that lie side by side in a message and in the order of arrival.
  struct Block {
    std::size_t set;
    std::int64_t first, count;  // of the set's order, or of its arrivals
    std::vector<std::int64_t> offset_of_field;
    std::int64_t offset_of_keys;
    // Between the set and the message; none where that takes too many.
    std::vector<ObjectRange> ranges = {};
  };
  // All that goes to one rank, or comes from it.
  struct Message {
    int rank;
    std::vector<Block> blocks;
    std::int64_t offset[kinds] = {};  // in the buffer of each kind
    std::int64_t bytes[kinds] = {};
  };
  struct Side {
    std::vector<Message> messages;
    Buffer buffers[kinds];
  };
  // Objects that are in order among themselves, from `first` on in the order of arrival.
  struct Source {
    std::int64_t first;
    const Message* message;  // none: they stay
    Block* block;
  };
  // Lists of one set. Host memory is reserved for those that need not be, and costs nothing then.
  struct Indices {
    Buffer keys;   // in the order of arrival: lower ranks, this one, higher ranks
    Buffer order;  // the sorted order of these
    // Order::objects and the inverse of `order`, on each kind of memory that fields are in: of the
    // first on the host there is no copy.
    Buffer chosen[kinds], placed[kinds];
    std::int64_t first_staying = 0;
    bool on_host = true;  // all fields are
    // Where objects lie in long runs: which of those that stay come to stand where.
    std::vector<ObjectRange> staying;
  };

  void lay_out(Side& side, bool leaving);
  void add_block(Message& message, std::size_t set, std::int64_t first, std::int64_t count);
  void make_buffers(Side& side, bool leaving);
  void make_indices(std::size_t set);
  std::span<CurveKey> keys_of(std::size_t set) const;
  void find_ranges();
  void make_transfer(const Communicator& communicator);
  std::vector<Source> sources_of(std::size_t set);
  static std::vector<std::int64_t> firsts_of(std::span<const Source> sources);
  bool merge_arrivals(std::size_t set);
  void place_arrivals(std::size_t set, std::span<const Source> sources);
  void unpack_ranges(std::size_t set);
  void unpack_chosen(std::size_t set);
  const std::int64_t* on_kind(std::size_t set, int kind, bool places) const;
  void upload(std::size_t set, bool places);
  FieldLayout in_message(const Side& side, const Message& message, const Block& block,
                         std::size_t field) const;
  CurveKey* keys_in(const Side& side, const Message& message, const Block& block) const;
  void fence() const;

  std::span<const Set> sets_;
  std::span<const Order> orders_;
  const Plan& plan_;
  std::span<const StagedSet> staged_;
  int rank_;
  Side leaving_, arriving_;
  std::vector<Indices> indices_;
  std::optional<Transfer> transfer_;
  std::int64_t sent_bytes_ = 0;
  int partners_ = 0;
  bool uses_[kinds] = {};
};

}  // namespace evenkeel
