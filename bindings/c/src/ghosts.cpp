// Directories of ids, and halos.

#include "support.hpp"

namespace {

using namespace evenkeel;  // NOLINT: this file defines the functions of C

std::int64_t ids_in(ek_field* ids) {
  return c::is_known(ids) ? std::max<std::int64_t>(ids->count, 0) * ids->components : 0;
}

void write_places(const exec::Array<IdDirectory::Location>& places, int* ranks,
                  std::int64_t* indices) {
  std::int64_t i = 0;
  for (const IdDirectory::Location& place : places.on_host()) {
    if (ranks != nullptr) ranks[i] = place.rank;
    if (indices != nullptr) indices[i] = place.slot;
    ++i;
  }
}

Halo& halo_of(ek_halo* halo) { return c::live(halo, "ek_halo").halo; }

template <class Make>
int make_halo(ek_balancer* balancer, ek_halo** halo, const Make& make) {
  return c::guarded([&] {
    c::required(halo, "address for the halo");
    *halo = nullptr;
    ek_balancer& around = c::live(balancer, "ek_balancer");
    *halo = std::make_unique<ek_halo>(around, make(around)).release();
  });
}

// The carried fields of a set; a set that is not valid has a field that is not valid.
Carried fields_of(const ek_set* set) {
  static ek_field* const invalid = nullptr;
  return c::is_known(set) ? c::carried_of(set->carried, set->carried_count)
                          : c::carried_of(&invalid, 1);
}
bool has_position(const ek_set* set) { return c::is_known(set) && set->position != nullptr; }

}  // namespace

extern "C" {

int ek_directory_create(int communicator, ek_field* ids, ek_directory** directory) {
  return c::guarded([&] {
    c::required(directory, "address for the directory");
    *directory = nullptr;
    c::start_kokkos();
    auto made = std::make_unique<ek_directory>(c::communicator_of(communicator));
    made->directory = IdDirectory(made->ranks, c::required_numbers(ids));
    *directory = made.release();
  });
}
int ek_directory_update(ek_directory* directory, ek_field* ids) {
  return c::guarded(
      [&] { c::live(directory, "ek_directory").directory.update(c::required_numbers(ids)); });
}
int ek_directory_look_up(ek_directory* directory, ek_field* ids, int* ranks, int64_t* indices) {
  return c::guarded([&] {
    ek_directory& given = c::live(directory, "ek_directory");
    const auto places = given.directory.look_up(c::required_numbers(ids));
    if (ids_in(ids) > 0 && ranks == nullptr && indices == nullptr)
      c::refuse("There is no address for the result.", "Give an address for ranks or indices.");
    write_places(places, ranks, indices);
  });
}
int ek_local_indices(ek_field* ids, ek_field* wanted, ek_field* indices) {
  return c::guarded([&] {
    c::start_kokkos();
    LocalIds(c::required_numbers(ids))
        .write_indices(c::required_numbers(wanted), c::field_of(indices));
  });
}

int ek_halo_create(ek_balancer* balancer, const ek_set* set, double width, int straight,
                   ek_halo** halo) {
  return make_halo(balancer, halo, [&](ek_balancer& around) {
    return Halo(around.ranks, around.facade.domains(), c::set_of(set), width,
                straight != 0 ? Halo::Distance::straight : Halo::Distance::along_axes);
  });
}
int ek_halo_around_ids(ek_balancer* balancer, const ek_directory* directory, ek_field* ids,
                       int64_t owned, ek_halo** halo) {
  return make_halo(balancer, halo, [&](ek_balancer& around) {
    return Halo::around_ids(around.ranks, around.facade.domains(),
                            c::live(directory, "ek_directory").directory, c::required_numbers(ids),
                            owned);
  });
}
int ek_halo_make_room(ek_halo* halo, const ek_set* set) {
  return c::guarded([&] { halo_of(halo).make_room(c::set_of(set)); });
}
int ek_halo_exchange(ek_halo* halo, const ek_set* owned, const ek_set* ghosts) {
  return c::guarded([&] {
    Halo& of = halo_of(halo);
    if (has_position(owned) && ghosts != nullptr)
      of.exchange(c::set_of(owned), c::set_of(ghosts));
    else if (has_position(owned))
      of.exchange(c::set_of(owned));
    else if (ghosts != nullptr)
      of.exchange(fields_of(owned), fields_of(ghosts));
    else
      of.exchange(fields_of(owned));
  });
}
int ek_halo_sum_back(ek_halo* halo, const ek_set* owned, const ek_set* ghosts) {
  return c::guarded([&] {
    Halo& of = halo_of(halo);
    if (ghosts != nullptr)
      of.sum_back(fields_of(owned), fields_of(ghosts));
    else
      of.sum_back(fields_of(owned));
  });
}
int64_t ek_halo_ghosts(const ek_halo* halo) {
  std::int64_t found = 0;
  c::guarded([&] { found = c::live(halo, "ek_halo").halo.ghosts(); });
  return found;
}
int ek_halo_is_current(const ek_halo* halo) {
  int found = 0;
  c::guarded([&] {
    const ek_halo& given = c::live(halo, "ek_halo");
    found = given.halo.is_of(given.balancer->facade.domains()) ? 1 : 0;
  });
  return found;
}

}  // extern "C"
