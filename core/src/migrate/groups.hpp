#pragma once

// Groups of objects, in lists in the memory of the orders. They are found on this rank, and joined
// with the knowledge of other ranks about them.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace evenkeel {

// The knowledge about a group: first of one rank, then of all ranks.
struct Group {
  std::int64_t id;
  std::uint64_t key;       // the least of its objects
  int pinned, pinned_too;  // the least and the greatest rank, or Bonds::free without a pin
};

// One group for each number, sorted by number, and the group of each entry.
struct JoinedGroups {
  exec::Array<Group> groups;
  exec::Array<std::int64_t> group_of;  // by entry; below 0 if the entry has no group
};

// Joins entries with the same number. An entry with a number below 0 has no group.
JoinedGroups join(const Space& space, const exec::Array<Group>& entries);

// Asks, for each group, the rank that keeps its number.
class Directory {
 public:
  // Local. Makes a directory without groups, which only takes part in collective calls.
  explicit Directory(const Communicator& communicator) : communicator_(communicator) {}
  Directory(const Communicator& communicator, const Space& space, const exec::Array<Group>& groups);

  // Collective. `ready` has the meaning that it has for announce().
  void announce(const char* stage, Status& ready);
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
  const Communicator& communicator_;
  std::optional<Space> space_;
  exec::Array<Group> asked_, kept_;  // ordered by the rank that is asked, and by the one that asks
  exec::Array<std::int64_t> place_;  // of each group in asked_
  std::vector<Note<std::int64_t>> notes_, askers_;
  std::optional<Transfer> ask_, answer_;
};

}  // namespace evenkeel
