#pragma once

// Finds objects by their ids, which are numbers of the application: IdDirectory the rank of an
// object and its slot there, LocalIds its index among the owned objects and ghosts of this rank.
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
// One rank, the keeper, holds the location of an id. A hash of the id determines it, so memory and
// queries spread evenly. Lists are in the memory that the space of the ids works on. All members
// that take ids are collective, and each rank sends one message to each keeper of its ids. They
// throw the same Error on all ranks; then nothing has changed. Refers to the communicator, which
// must outlive it.
class EVENKEEL_API IdDirectory {
 public:
  // The place of an object; by default, that of an object that does not exist.
  struct Location {
    static constexpr int nowhere = -1;
    int rank = nowhere;
    std::int64_t slot = -1;  // the index of the object on its rank
    bool exists() const noexcept { return rank != nowhere; }
    friend bool operator==(const Location&, const Location&) = default;
  };

  // Holds no directory; assign one before use.
  IdDirectory() noexcept;
  // `ids` are those of the owned objects: of the first `count`, or of all. An id that occurs twice
  // is an Error that names it.
  IdDirectory(const Communicator& communicator, const NumberSource& ids,
              const OwnedCount& count = {});
  IdDirectory(const Communicator&&, const NumberSource&, const OwnedCount& = {}) = delete;
  IdDirectory(IdDirectory&&) noexcept;
  IdDirectory& operator=(IdDirectory&&) noexcept;
  ~IdDirectory();

  // The location of each id that this rank asks for, in their order; `nowhere` if no object has the
  // id. Components of an object follow each other. The list is in the memory of the directory.
  exec::Array<Location> look_up(const NumberSource& ids, const OwnedCount& count = {}) const;

  // Follows a move, or any other change of the ids and their places: each rank sends its ids to the
  // keepers again, in one sparse exchange. Does nothing if the report says that nothing moved.
  void update(const MoveReport& report, const NumberSource& ids, const OwnedCount& count = {});
  void update(const NumberSource& ids, const OwnedCount& count = {});

 private:
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

// Finds the indices of this rank's objects: the owned ones, and the ghosts after them. All its
// members are local.
class EVENKEEL_API LocalIds {
 public:
  // `ids` are those of the first `count` objects, owned ones and ghosts, or of all.
  explicit LocalIds(const NumberSource& ids, const OwnedCount& count = {});

  // Writes the index of each id, or -1 if no object here has it. If several have it, this is the
  // lowest index, so an owned object comes before ghosts. `indices` has the shape of `ids` and
  // holds signed integers; it may be the same field.
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
