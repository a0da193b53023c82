#pragma once

// The lists of objects that leave and of places of arrivals, with a copy in each kind of memory
// that needs one.

#include "migrate/manifest.hpp"

namespace evenkeel {

class ObjectLists {
 public:
  // Refers to the plan.
  explicit ObjectLists(const Plan& plan) : plan_(plan), lists_(plan.sets.size()) {}

  // The bytes of the lists in the plan, and of the lists that make() will allocate.
  std::int64_t bytes(std::span<const MessageColumn> columns) const;
  // Local. Allocates the lists that the columns of a set need.
  void make(std::size_t set, std::span<const MessageColumn> columns);

  // Null if no column in this kind of memory needs the list.
  const std::int64_t* objects(std::size_t set, MemoryKind kind) const {
    return data_of(lists_[set].objects[index_of(kind)]);
  }
  const std::int64_t* places(std::size_t set, MemoryKind kind) const {
    return data_of(lists_[set].places[index_of(kind)]);
  }

 private:
  using Reached = std::optional<exec::Reached<std::int64_t>>;
  struct ListsOfSet {
    exec::Array<std::int64_t> listed;  // places as a list, if the plan has them as ranges
    std::array<Reached, memory_kinds> objects, places;
  };
  static const std::int64_t* data_of(const Reached& list) { return list ? list->data() : nullptr; }

  const Plan& plan_;
  std::vector<ListsOfSet> lists_;
};

}  // namespace evenkeel
