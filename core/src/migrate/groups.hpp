#pragma once

// Groups of objects, as lists in the memory of the orders. Each rank finds the groups of its own
// objects, and then joins them with the data of other ranks about the same groups.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/comm/sparse_exchange.hpp>
#include <evenkeel/backends/comm/transfer.hpp>
#include <evenkeel/backends/exec/array.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace evenkeel {

// The data about a group: at first those of one rank, then those of all ranks together.
struct Group {
  std::int64_t id;
  std::uint64_t key;       // the least key of its objects
  int pinned, pinned_too;  // the least and the greatest rank that pins it, or Bonds::free
};

// The groups, one for each id, sorted by id; and the group of each entry.
struct JoinedGroups {
  exec::Array<Group> groups;
  exec::Array<std::int64_t> group_of;  // by entry; below 0 if it has no group
};

// Joins entries that have the same id. An entry with an id below 0 has no group.
JoinedGroups join(const Space& space, const exec::Array<Group>& entries);

// Each group has a keeper: a rank that joins the data of all ranks about the group. This class
// sends the data of this rank's groups to their keepers, and gets the joined data.
class Directory {
 public:
  // Local. Makes a directory without groups, for a rank that only takes part in collective calls.
  explicit Directory(const Communicator& communicator) : communicator_(communicator) {}
  Directory(const Communicator& communicator, const Space& space, const exec::Array<Group>& groups);

  // Collective. `ready` is as in the function announce().
  void announce(const char* stage, Status& ready);
  // Local. Makes room for the questions, and prepares both transfers.
  void reserve();
  // Collective.
  void ask() { ask_->run(); }
  // Local. Joins the data of all ranks about each group that this rank keeps, and writes the
  // answers.
  void look_up();
  // Local. Call this instead if ask() has failed. The answers are then groups without a pin, so
  // that no other rank objects to what this rank never got.
  void give_up();
  // Collective.
  void answer() { answer_->run(); }

  // The joined data of the groups that this rank gave, in the order in which it gave them.
  exec::Array<Group> take_groups() const;

 private:
  const Communicator& communicator_;
  std::optional<Space> space_;
  exec::Array<Group> asked_, kept_;  // by keeper; by the rank that asks
  exec::Array<std::int64_t> place_;  // by given group: its place in asked_
  std::vector<Note<std::int64_t>> notes_, askers_;
  std::optional<Transfer> ask_, answer_;
};

}  // namespace evenkeel
