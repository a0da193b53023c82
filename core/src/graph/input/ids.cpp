// Most neighbours are on the same rank, and a local table finds them. The other ids are looked up
// in the directory, each of them once.

#include "graph/input/ids.hpp"
#include "graph/stage.hpp"

#include "directory/ids.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/directory.hpp>
#include <evenkeel/core/field/array.hpp>

namespace evenkeel::graphs {

namespace {

constexpr const char* ids_label = "evenkeel::graph::ids";
constexpr std::int64_t unknown = unknown_number;

struct FindOwned {
  PlaceOfId place_of;
  const std::uint64_t* ids;
  std::int64_t first;
  std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t place = place_of(ids[e]);
    numbers[e] = place == PlaceOfId::none ? unknown : first + place;
  }
};

struct WriteNumbers {
  const IdDirectory::Location* locations;
  const std::int64_t* firsts;
  std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const IdDirectory::Location at = locations[i];
    numbers[i] = at.rank == IdDirectory::Location::nowhere ? unknown : firsts[at.rank] + at.slot;
  }
};
struct FindElsewhere {
  const std::uint64_t *asked, *ids;
  std::int64_t asked_count;
  const std::int64_t *answers, *edges;
  std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t e = edges[i];
    numbers[e] = answers[place_in(asked, asked_count, ids[e])];
  }
};

void require_known(const Space& space, const Given& given,
                   const exec::Array<std::int64_t>& columns) {
  const std::int64_t edge =
      exec::first_that(space, columns.size(), exec::IsEqual{columns.data(), unknown});
  if (edge == columns.size()) return;
  std::uint64_t id = 0, neighbour = 0;
  given.rows.neighbour_ids.fetch(edge, {&neighbour, 1});
  given.ids.fetch(
      exec::first_that(space, given.owned, exec::IsAbove{given.rows.offsets.data() + 1, edge}),
      {&id, 1});
  refuse("A neighbour of " + name_of_id(id) + " is " +
             std::to_string(static_cast<std::int64_t>(neighbour)) + ", an id that no vertex has.",
         "Give ids of vertices as neighbours, of this rank or of others.");
}

}  // namespace

exec::Array<std::int64_t> numbers_of(const Space& space, const Communicator& communicator,
                                     const Given& given, const exec::Array<std::uint64_t>& wanted) {
  const IdDirectory directory(communicator, given.ids);
  exec::Array<std::int64_t> numbers, elsewhere;
  exec::Array<std::uint64_t> asked;
  vote(communicator, attempt(stage_name, [&] {
         numbers = {space, ids_label, wanted.size()};
         const exec::Array<std::int64_t> slots = IdTable::slots_for(space, given.ids);
         exec::for_each(
             space, ids_label, numbers.size(),
             FindOwned{IdTable::of(given.ids, slots), wanted.data(), given.first, numbers.data()});
         elsewhere = exec::numbers_that(space, ids_label, numbers.size(),
                                        exec::IsEqual{numbers.data(), unknown});
         asked = exec::distinct(space, ids_label,
                                exec::chosen(space, ids_label, wanted.data(), elsewhere));
       }));
  const exec::Array<IdDirectory::Location> locations = directory.look_up(asked);
  vote(communicator, attempt(stage_name, [&] {
         const exec::Reached<IdDirectory::Location> there(space, ids_label, locations);
         const exec::Reached<std::int64_t> firsts(space, ids_label, given.firsts);
         const exec::Array<std::int64_t> answers(space, ids_label, asked.size());
         exec::for_each(space, ids_label, asked.size(),
                        WriteNumbers{there.data(), firsts.data(), answers.data()});
         exec::for_each(space, ids_label, elsewhere.size(),
                        FindElsewhere{asked.data(), wanted.data(), asked.size(), answers.data(),
                                      elsewhere.data(), numbers.data()});
         space.fence(ids_label);
       }));
  return numbers;
}

void resolve_ids(const Space& space, const Communicator& communicator, Given& given) {
  exec::Array<std::int64_t> columns =
      numbers_of(space, communicator, given, given.rows.neighbour_ids);
  vote(communicator, attempt(stage_name, [&] {
         require_known(space, given, columns);
         given.rows.columns = Integers(std::move(columns));
         given.rows.neighbour_ids = {};
       }));
}

}  // namespace evenkeel::graphs
