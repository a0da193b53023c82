#pragma once

// Finds objects by their ids, which are numbers that the application chooses. IdDirectory finds the
// rank of an object and its index (slot) there. LocalIds finds the index of an object among the
// owned objects and ghosts of this rank.
//
//   ek::IdDirectory directory(ranks, id);                      // ids of the owned objects
//   const auto where = directory.look_up(neighbours);          // (rank, slot) of each
//   if (auto moved = balancer.step(x, ek::carry(id))) directory.update(moved, id);
//
//   halo.exchange(ek::carry(id));                              // ids of the ghosts
//   ek::LocalIds(id, halo.owned() + halo.ghosts()).write_indices(neighbours, local);

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/migrate/report.hpp>

#include <cstdint>
#include <memory>

namespace evenkeel {

// Finds the rank and slot of any object. Ids are integers of any type and any values, one per
// object, in any container that a field can be; equal numbers of different types are the same id.
// One rank, the keeper, holds the location of an id. A hash of the id determines the keeper, so
// memory and queries are spread evenly. Lists are in the memory that the space of the ids works on.
// All members that take ids are collective: each rank sends one message to each keeper of its ids.
// If they fail, they throw the same Error on all ranks, and nothing has changed. Refers to the
// communicator, which must outlive the directory.
class EVENKEEL_API IdDirectory {
 public:
  // The rank and slot of an object. The default is the location of an object that does not exist.
  struct Location {
    static constexpr int nowhere = -1;
    int rank = nowhere;
    std::int64_t slot = -1;  // the index of the object on its rank
    bool exists() const noexcept { return rank != nowhere; }
    friend bool operator==(const Location&, const Location&) = default;
  };

  // Holds no ids; assign a directory before use.
  IdDirectory() noexcept;
  // `ids` are the ids of the owned objects: the first `count` entries, or all entries. If an id
  // occurs twice, throws an Error that names it.
  IdDirectory(const Communicator& communicator, const NumberSource& ids,
              const OwnedCount& count = {});
  IdDirectory(const Communicator&&, const NumberSource&, const OwnedCount& = {}) = delete;
  IdDirectory(IdDirectory&&) noexcept;
  IdDirectory& operator=(IdDirectory&&) noexcept;
  ~IdDirectory();

  // Returns the location of each id, in the order of `ids`, with the rank `nowhere` if no object
  // has the id. If `ids` has several components per object, those of an object follow each other.
  // The list is in the memory of the directory.
  exec::Array<Location> look_up(const NumberSource& ids, const OwnedCount& count = {}) const;

  // Updates all locations after a move, or after any other change of the ids and their places: each
  // rank sends its ids to the keepers again, in one sparse exchange. If the report says that
  // nothing moved, does nothing.
  void update(const MoveReport& report, const NumberSource& ids, const OwnedCount& count = {});
  void update(const NumberSource& ids, const OwnedCount& count = {});

 private:
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

// Finds the index of an object among the owned objects of this rank and the ghosts after them. All
// its members are local.
class EVENKEEL_API LocalIds {
 public:
  // `ids` are the ids of owned objects and ghosts: the first `count` entries, or all entries.
  explicit LocalIds(const NumberSource& ids, const OwnedCount& count = {});

  // Writes the index of the object with each id, or -1 if no object here has the id. If several
  // objects have it, writes the lowest index, so an owned object is found before a ghost. `indices`
  // has the shape of `ids` and holds signed integers; it may be the same field.
  void write_indices(const NumberSource& ids, const Field& indices) const;
  template <class Container>
  void write_indices(const NumberSource& ids, Container& indices) const {
    write_indices(ids, field_of(indices));
  }

 private:
  exec::Array<std::uint64_t> ids_;
  exec::Array<std::int64_t> slots_;  // of a hash table
};

}  // namespace evenkeel
