#pragma once

// Where the object with a number of the application's own is: on which rank, at which place there;
// and among the owned objects and ghosts of this rank.
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

// Where an object is.
struct Location {
  static constexpr int nowhere = -1;
  int rank = nowhere;
  std::int64_t slot = -1;  // the index of the object on its rank
  bool exists() const noexcept { return rank != nowhere; }
  friend bool operator==(const Location&, const Location&) = default;
};

// Ids are integers of any type and any values, one per object, in any container that a field can
// be; those of different types are the same if they are the same number. What is known of an id is
// kept on one rank, which a hash of the id determines, so that memory and questions spread evenly.
// Lists are in the memory that the space of the ids works on. All members are collective, contact
// few ranks, and throw the same Error on all ranks; then nothing has changed. Refers to the
// communicator, which must outlive it.
class EVENKEEL_API IdDirectory {
 public:
  // No directory at all; assign one.
  IdDirectory() noexcept;
  // The ids of the owned objects: of `count` of them, or of all. An id that occurs twice is an
  // Error that names it.
  IdDirectory(const Communicator& communicator, const NumberSource& ids,
              const OwnedCount& count = {});
  IdDirectory(const Communicator&&, const NumberSource&, const OwnedCount& = {}) = delete;
  IdDirectory(IdDirectory&&) noexcept;
  IdDirectory& operator=(IdDirectory&&) noexcept;
  ~IdDirectory();

  // The location of each id that this rank asks for, in their order; nowhere where there is none.
  // Components of an object follow each other. In the memory of the directory.
  exec::Array<Location> look_up(const NumberSource& ids, const OwnedCount& count = {}) const;

  // Follows a move, or any other change of the ids and their places: each rank tells the keepers
  // its ids anew, in one sparse exchange. Does nothing where the report says that nothing moved.
  void update(const MoveReport& report, const NumberSource& ids, const OwnedCount& count = {});
  void update(const NumberSource& ids, const OwnedCount& count = {});

 private:
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

// The ids of this rank's objects: the owned ones, and the ghosts behind them. Local, as all of it.
class EVENKEEL_API LocalIds {
 public:
  // Of the first `count` objects, owned ones and ghosts, or of all.
  explicit LocalIds(const NumberSource& ids, const OwnedCount& count = {});

  // Writes the index of each id: the lowest one that has it, which is that of the owned object if
  // there is one; -1 where no object here has it. `indices` has the shape of `ids` and holds signed
  // integers; it may be the same field.
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
