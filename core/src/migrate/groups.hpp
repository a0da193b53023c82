#pragma once

// Groups of objects, in lists in the memory of the orders: found on this rank, and joined with what
// other ranks know of them.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/key.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace evenkeel {

// What is known of a group: first on one rank, then on all.
struct Group {
  std::int64_t id;
  std::uint64_t key;       // the least of its objects
  int pinned, pinned_too;  // the least and the greatest rank; Bonds::free: none
};

// One group for each number, sorted by number, and the group of each entry.
struct JoinedGroups {
  exec::Array<Group> groups;
  exec::Array<std::int64_t> group_of;  // by entry; below 0: of no group
};

// Joins entries with the same number. An entry with a number below 0 has no group.
JoinedGroups join(const Space& space, const exec::Array<Group>& entries);

// Asks, for each group, the rank that is responsible for its number.
class Directory {
 public:
  // Local. Without groups, for a directory that takes no part.
  explicit Directory(const Communicator& communicator) : communicator_(communicator) {}
  Directory(const Communicator& communicator, const Space& space, const exec::Array<Group>& groups);

  // Collective.
  void announce(bool takes_part);
  // Local. Makes room for the questions, and prepares both transfers.
  void reserve();
  // Collective.
  void ask() { ask_->run(); }
  // Local: writes the joined knowledge of each group for all ranks that asked.
  void look_up();
  // Collective.
  void answer() { answer_->run(); }

  // The joined knowledge of the groups that were given, in their order.
  exec::Array<Group> take_groups() const;

 private:
  Transfer transfer(const exec::Array<Group>& from, std::span<const Note<std::int64_t>> to_ranks,
                    const exec::Array<Group>& to,
                    std::span<const Note<std::int64_t>> from_ranks) const;

  const Communicator& communicator_;
  std::optional<Space> space_;
  exec::Array<Group> asked_, kept_;  // by the rank that is asked, or that asked
  exec::Array<std::int64_t> place_;  // in asked_, of each group
  std::vector<Note<std::int64_t>> notes_, askers_;
  std::optional<Transfer> ask_, answer_;
};

}  // namespace evenkeel
