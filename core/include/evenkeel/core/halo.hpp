#pragma once

// Ghosts: copies of the objects of other ranks, and of periodic images, around a domain.
//
//   ek::Halo halo(ranks, balancer.domains(), ek::set(x, {}, {.count = &owned}), 2.5);
//   halo.make_room(ek::set(x, ek::carry(v, force), {.count = &owned}));  // room behind the owned
//   halo.exchange(ek::set(x, ek::carry(v)));                             // each step
//   halo.sum_back(ek::carry(force));
//
// Who gets what: rank r gets the image of an object that is n periods away from where it is stored
// if r owns a place inside the box that is at most `width` away from that image along every axis.
// These are exactly the ranks that ranks_within(domains, {position, position}, width) finds, once
// for each image. Only the object itself, on the rank that has it, is no ghost. The object counts
// where it is stored, whoever owns that place.
//
// What that is good for: let every object of a rank be stored at most d outside of the rank's
// domain along each axis. Then any image at most width - d away from an object, along every axis,
// is an object or a ghost of the rank, at its very place. Places beyond faces that are not periodic
// count as the nearest place inside, so domains there have no end. Distances are rounded as the
// positions are: choose a width that is a little greater than the range of an interaction.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/config.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/directory.hpp>
#include <evenkeel/core/domains.hpp>
#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/migrate/report.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace evenkeel {

// Where a ghost comes from. A ghost is at the position of its object plus `periods` lengths of the
// box along each axis.
struct GhostOrigin {
  std::int64_t index;  // of the object, on its rank
  int rank;
  int periods[3];  // plain: device code may not call the members of std::array
};

// A plan of who sends copies of which objects to whom. It holds as long as the owned objects stay
// on their ranks and in their order, and the domains stay; objects may move in space, and ghosts
// then are those of the places that the plan was made for. Lists are in the memory that the space
// of the positions works on. Refers to the communicator, which must outlive it.
class EVENKEEL_API Halo {
 public:
  // No halo at all. It is of no domains.
  Halo() noexcept;
  // Collective; ranks contact only ranks with ghosts for each other, besides two votes. Throws the
  // same Error on all ranks for: a set that check() refuses; positions that are not finite; domains
  // that have not one part for each rank; a width that is negative, not finite, not the same on all
  // ranks, or beyond 100 periods; generations that differ; memory that is refused.
  Halo(const Communicator& communicator, const Domains& domains, const Set& set, double width);
  Halo(const Communicator&&, const Domains&, const Set&, double) = delete;  // it must stay
  // Collective; the same for meshes and other graphs. The ghosts are the objects of other ranks
  // that have one of these ids, each of them once, and none where nobody has an id. `ids` are of
  // any shape, like the neighbours of cells. `directory` knows this rank's `owned` objects as they
  // stand; lists are in its memory. The plan is of the generation of `domains`. Nothing is shifted.
  static Halo around_ids(const Communicator& communicator, const Domains& domains,
                         const IdDirectory& directory, const NumberSource& ids, std::int64_t owned);
  static Halo around_ids(const Communicator&&, const Domains&, const IdDirectory&,
                         const NumberSource&, std::int64_t) = delete;
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;
  ~Halo();

  std::int64_t owned() const noexcept;   // objects that the plan was made for
  std::int64_t ghosts() const noexcept;  // copies that this rank gets
  double width() const noexcept;         // 0 for a halo around ids

  // Whether the plan was made for domains of this generation.
  bool is_of(const Domains& domains) const noexcept;
  // Itself. In a build with assertions it is an Error to ask with domains of another generation.
  Halo& of(const Domains& domains);
  const Halo& of(const Domains& domains) const;

  // By rank. An export begins at `first` in objects(); an import at `first` among the ghosts. Those
  // of this rank itself are its own periodic images.
  const std::vector<Parcel>& exports() const noexcept;
  const std::vector<Parcel>& imports() const noexcept;
  // The objects that are sent, by rank, and within a rank by index. One may be there several times.
  const exec::Array<std::int64_t>& objects() const noexcept;
  // Of each ghost. Ghosts stand by rank, and within a rank by index.
  const exec::Array<GhostOrigin>& origins() const noexcept;

  // Collective. Gives each field room for owned() + ghosts() objects, unless it has that already;
  // owned objects keep their values. The set is movable, with owned() objects.
  void make_room(const Set& set);

  // The following are collective. Each takes one message between two partners, whatever the number
  // of fields, and one small reduction, so that an Error is the same on all ranks; then nothing is
  // written. Buffers are kept from call to call. Fields lie in memory that the space of the
  // positions reaches. What the application's kernels write on other instances must be complete.
  // They block.

  // Writes ghosts behind the owned objects. The position of a set is shifted by whole periods;
  // fields that are only carried are copied as they are. The fields have room for owned() +
  // ghosts() objects; .count, if it is given, is owned().
  void exchange(const Set& set);
  void exchange(const Carried& fields);
  // The same into fields of their own, which have room for ghosts() objects.
  void exchange(const Set& owned, const Set& ghosts);
  void exchange(const Carried& owned, const Carried& ghosts);

  // Adds the values of ghosts to those of the objects they are copies of: by rank, and then by
  // ghost, so that a sum has the same bits on each run. Fields hold numbers. Ghosts keep theirs.
  void sum_back(const Carried& fields);
  void sum_back(const Carried& owned, const Carried& ghosts);

 private:
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
