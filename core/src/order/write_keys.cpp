// Computes keys from positions.

#include "field/places.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/core/curve.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace evenkeel {

namespace {

constexpr const char* write_keys_label = "evenkeel::order::keys";

// Computes the key of one object per index, on devices.
template <CurveKind kind, int n, class Real>
struct KeyOfObject {
  Lattice lattice;
  Places<Real> places;
  CurveKey* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Cell<n> cell;
    for (int axis = 0; axis < n; ++axis)
      cell.at[axis] = lattice.coordinate(axis, places.at(i, axis));
    keys[i] = lattice.template key_along<kind>(cell);
  }
};

// Computes the keys of one block of objects per index, on hosts. Compilers turn its loops into
// vector instructions, except for those that wrap places along periodic axes or look up Hilbert
// keys.
template <CurveKind kind, int n, class Real>
struct KeysOfBlock {
  static constexpr std::int64_t length = 256;
  Lattice lattice;
  Places<Real> places;
  CurveKey* keys;

  void operator()(std::int64_t block) const {
    const std::int64_t first = block * length;
    const std::int64_t count = std::min(length, places.count - first);
    std::uint32_t coordinates[n][length];
    for (int axis = 0; axis < n; ++axis) locate(first, count, axis, coordinates[axis]);
    // a local copy: the compiler knows that no store below changes it
    const Lattice local = lattice;
    if constexpr (kind == CurveKind::hilbert) {
      std::uint64_t digits[length] = {};
      for (int axis = 0; axis < n; ++axis)
        for (std::int64_t i = 0; i < count; ++i)
          digits[i] |= hilbert::digits_along<n, std::uint64_t>(
              axis, coordinates[axis][i] << local.template spare_levels<n>());
      constexpr auto& table = hilbert::tables<n>.places;
      for (std::int64_t i = 0; i < count; ++i)
        keys[first + i] =
            local.template shortened<n>(hilbert::key_of_digits<n, std::uint64_t>(table, digits[i]));
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        Cell<n> cell;
        for (int axis = 0; axis < n; ++axis) cell.at[axis] = coordinates[axis][i];
        keys[first + i] = local.template key_along<kind>(cell);
      }
    }
  }

  void locate(std::int64_t first, std::int64_t count, int axis, std::uint32_t* coordinates) const {
    double distances[length];
    const Lattice local = lattice;
    for (std::int64_t i = 0; i < count; ++i)
      distances[i] = local.distance(axis, places.at(first + i, axis));
    if (local.wraps(axis))
      for (std::int64_t i = 0; i < count; ++i) distances[i] = local.wrapped(axis, distances[i]);
    for (std::int64_t i = 0; i < count; ++i)
      coordinates[i] = local.coordinate_at(axis, distances[i]);
  }
};

// Computes Hilbert keys by a table. Each team copies the table to its scratch memory.
template <class Instance, int n, class Real>
struct KeysOfTeam {
  using T = hilbert::Table<n>;
  // objects per team: enough to be worth the copy of the table
  static constexpr std::int64_t length = 16384;
  Lattice lattice;
  Places<Real> places;
  CurveKey* keys;
  const std::uint16_t* entries;

  static std::size_t scratch_bytes() { return Scratch::shmem_size(T::size); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Scratch copy(team.team_scratch(0), T::size);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(T::size)),
                         [&](int i) { copy(i) = entries[i]; });
    team.team_barrier();
    const hilbert::PackedTable<n> table{copy.data()};
    const std::int64_t first = team.league_rank() * length;
    const std::int64_t rest = places.count - first;
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(team, static_cast<int>(rest < length ? rest : length)), [&](int j) {
          const std::int64_t i = first + j;
          Cell<n> cell;
          for (int axis = 0; axis < n; ++axis)
            cell.at[axis] = lattice.coordinate(axis, places.at(i, axis));
          keys[i] = lattice.template shortened<n>(
              hilbert::key_by_table<n, std::uint64_t>(table, lattice.finest(cell)));
        });
  }

 private:
  using Scratch = Kokkos::View<std::uint16_t*, typename Instance::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
};

// Returns the entries of a PackedTable.
template <int n>
std::vector<std::uint16_t> packed_places() {
  using T = hilbert::Table<n>;
  std::vector<std::uint16_t> entries(T::size);
  constexpr auto& places = hilbert::tables<n>.places;
  for (std::uint32_t at = 0; at < T::size; ++at)
    entries[at] = static_cast<std::uint16_t>(places.row_at(at) | places.digit_at(at));
  return entries;
}

template <CurveKind kind, int n, class Real, class Instance>
void write_keys_along(const Instance& instance, const Lattice& lattice, const Places<Real>& places,
                      CurveKey* keys) {
  if constexpr (!is_device<Instance>) {
    using Block = KeysOfBlock<kind, n, Real>;
    const std::int64_t blocks = (places.count + Block::length - 1) / Block::length;
    exec::for_each(instance, write_keys_label, blocks, Block{lattice, places, keys});
  } else if constexpr (kind == CurveKind::hilbert) {
    using Team = KeysOfTeam<Instance, n, Real>;
    const std::int64_t teams = (places.count + Team::length - 1) / Team::length;
    const exec::Array<std::uint16_t> entries(space_of(instance), "evenkeel::order::table",
                                             std::span<const std::uint16_t>(packed_places<n>()));
    exec::for_each_team(instance, write_keys_label, teams, 512, Team::scratch_bytes(),
                        Team{lattice, places, keys, entries.data()});
    exec::fence(instance, write_keys_label);  // before the memory of the table is freed
  } else {
    exec::for_each(instance, write_keys_label, places.count,
                   KeyOfObject<kind, n, Real>{lattice, places, keys});
  }
}

template <int n, class Real, class Instance>
void write_keys_of(const Instance& instance, const Lattice& lattice, const Places<Real>& places,
                   CurveKey* keys) {
  switch (lattice.curve()) {
    case CurveKind::hilbert:
      return write_keys_along<CurveKind::hilbert, n>(instance, lattice, places, keys);
    case CurveKind::morton:
      return write_keys_along<CurveKind::morton, n>(instance, lattice, places, keys);
    case CurveKind::snake:
      return write_keys_along<CurveKind::snake, n>(instance, lattice, places, keys);
  }
}

template <class Real, class Instance>
void write_keys_on(const Instance& instance, const Lattice& lattice, const Places<Real>& places,
                   CurveKey* keys) {
  lattice.dimensions() == 3 ? write_keys_of<3>(instance, lattice, places, keys)
                            : write_keys_of<2>(instance, lattice, places, keys);
}

}  // namespace

void stages::write_keys(const Space& space, const Lattice& lattice, const Set& set,
                        CurveKey* keys) {
  const FieldLayout at = set.position();
  if (at.count == 0) return;
  if (at.components != lattice.dimensions() || !space.can_access(at.memory))
    Refusal{"core/order"}("Positions have " + std::to_string(at.components) + " components in " +
                              name_of(at.memory) + " memory, but keys were asked for on " +
                              std::string(space.name()) + " in " +
                              std::to_string(lattice.dimensions()) + " dimensions.",
                          "Use a lattice with one dimension per component, and a space that "
                          "reaches the memory of the positions.");
  with_space(space, [&](const auto& instance) {
    with_places(at, [&](const auto& places) { write_keys_on(instance, lattice, places, keys); });
  });
}

}  // namespace evenkeel
