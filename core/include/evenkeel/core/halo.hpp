#pragma once

// Ghosts: copies of the objects around a domain, which other ranks own or which are periodic
// images.
//
//   ek::Halo halo(ranks, balancer.domains(), ek::set(x, {}, {.count = &owned}), 2.5);
//   halo.make_room(ek::set(x, ek::carry(v, force), {.count = &owned}));  // room behind the owned
//   halo.exchange(ek::set(x, ek::carry(v)));                             // each step
//   halo.sum_back(ek::carry(force));
//
// The rule: the images of an object are at its position plus any number of periods. Rank r gets an
// image as a ghost if r owns a place inside the box that is at most `width` away from the image
// along every axis. These are exactly the ranks that ranks_within(domains, {position, position},
// width) finds. A rank that needs several images of an object gets each of them. The object itself
// is no ghost on the rank that holds it, even if another rank owns its place.
//
// With Halo::Distance::straight, the place must be at most `width` away in a straight line. This is
// enough for interactions of a range: it gives fewer ghosts, most of all for domains of Voronoi{}.
// There a rank may get some more images, which only come near a corner of its domain.
//
// The guarantee: let all objects of a rank be at most d outside of its domain. Then every image
// that is at most width - d away from one of these objects is an object or a ghost of the rank, at
// exactly this place. All distances are measured in the same way, along every axis or straight. A
// place beyond a face that is not periodic counts as the nearest place inside. Distances are
// rounded like positions, so choose a width a little greater than the range of an interaction.

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

// The plan of a halo: the objects whose copies each rank sends to each other rank. It is valid as
// long as the owned objects keep their ranks and their order, and the domains do not change. If
// objects move in space, the ghosts are still those that were chosen by the positions at the time
// of the plan. Lists are in memory of the space of the positions. A Halo refers to the
// communicator, which must outlive it.
class EVENKEEL_API Halo {
 public:
  // The origin of a ghost. The position of a ghost is that of its object plus `periods` lengths of
  // the box along each axis.
  struct Origin {
    std::int64_t index;  // of the object, on its rank
    int rank;
    int periods[3];  // plain: device code may not call the members of std::array
  };

  // How distances are measured.
  enum class Distance { along_axes, straight };

  // An empty halo: is_of() returns false for any domains.
  Halo() noexcept;
  // Collective. Besides two votes, only ranks that exchange ghosts communicate. Throws the same
  // Error on all ranks for: a set that check() refuses; a position that is not finite; domains that
  // do not have one part for each rank; a width that is negative, not finite, not the same on all
  // ranks, or above 100 periods; ranks with different distances, or with domains of different
  // generations; memory that cannot be allocated.
  Halo(const Communicator& communicator, const Domains& domains, const Set& set, double width,
       Distance distance = Distance::along_axes);
  // Deleted, because a temporary communicator would not outlive the halo.
  Halo(const Communicator&&, const Domains&, const Set&, double,
       Distance = Distance::along_axes) = delete;
  // Collective. Makes a halo for meshes and other graphs. The ghosts are the objects with one of
  // these ids that other ranks own, each object once; an id of no object gives no ghost. `ids` may
  // have any shape, such as a list of the neighbours of cells. `directory` must contain the present
  // `owned` objects of this rank in their present order; lists are in the memory of the directory.
  // The plan has the generation of `domains`. Positions are not shifted.
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

  // Returns true if the plan was made for domains of this generation.
  bool is_of(const Domains& domains) const noexcept;
  // Returns this halo. In a build with assertions, domains of another generation are an Error.
  Halo& of(const Domains& domains);
  const Halo& of(const Domains& domains) const;

  // Both lists are sorted by rank. An export begins at `first` in objects(); an import begins at
  // `first` among the ghosts. A parcel from this rank to itself consists of periodic images.
  const std::vector<Parcel>& exports() const noexcept;
  const std::vector<Parcel>& imports() const noexcept;
  // The objects that are sent, sorted by rank, and within a rank by index. An object may occur
  // several times.
  const exec::Array<std::int64_t>& objects() const noexcept;
  // The origin of each ghost. Ghosts are sorted by rank, and within a rank by index.
  const exec::Array<Origin>& origins() const noexcept;

  // Collective. Gives each field room for owned() + ghosts() objects. A field that has this room
  // does not change. Owned objects keep their values. The set must be movable and have owned()
  // objects.
  void make_room(const Set& set);

  // The following functions are collective and block. Each sends one message to each partner,
  // whatever the number of fields. If a rank cannot begin, all ranks throw the same Error, after
  // one small reduction, and nothing is written. If MPI fails to send or receive a message, only
  // its rank throws. Buffers are kept from call to call. Fields must be in memory that the space of
  // the positions reaches. Kernels of the application on other instances that use these fields must
  // be complete.

  // Writes ghosts behind the owned objects. The position of a ghost is shifted by whole periods;
  // carried fields are copied unchanged. The fields must have room for owned() + ghosts() objects.
  // If .count is given, it must be owned().
  void exchange(const Set& set);
  void exchange(const Carried& fields);
  // The same, but ghosts are written to separate fields, which must have room for ghosts() objects.
  void exchange(const Set& owned, const Set& ghosts);
  void exchange(const Carried& owned, const Carried& ghosts);

  // Adds the values of ghosts to those of their objects, in the order of ranks and then of ghosts,
  // so that a sum has the same bits in each run. Fields must hold numbers. Ghosts keep their
  // values.
  void sum_back(const Carried& fields);
  void sum_back(const Carried& owned, const Carried& ghosts);

 private:
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
