// Finds the new numbers of objects in a directory whose ids are the old numbers.

#include "field/numbers.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/core/directory.hpp>
#include <evenkeel/core/field/array.hpp>
#include <evenkeel/core/graph.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <string>
#include <vector>

namespace evenkeel {

namespace graphs {

namespace {

constexpr const char* label = "evenkeel::graph::renumber";

struct CountOrigins {
  const MoveReport::Origin* origins;
  std::int64_t* counts;  // number of objects that came from each rank
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::atomic_add(&counts[origins[i].rank], std::int64_t{1});
  }
};

struct OldNumber {
  const MoveReport::Origin* origins;
  const std::int64_t* firsts;
  std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    numbers[i] = firsts[origins[i].rank] + origins[i].index;
  }
};

struct IsLost {
  const std::int64_t* numbers;
  const IdDirectory::Location* now;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return numbers[i] >= 0 && now[i].rank == IdDirectory::Location::nowhere;
  }
};

struct NewNumber {
  const IdDirectory::Location* now;
  const std::int64_t* firsts;
  std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (now[i].rank != IdDirectory::Location::nowhere)
      numbers[i] = firsts[now[i].rank] + now[i].slot;
  }
};

// Returns the first number of each rank, then the number of all objects.
std::vector<std::int64_t> firsts_of(std::span<const std::int64_t> counts) {
  std::vector<std::int64_t> firsts = {0};
  for (const std::int64_t count : counts) firsts.push_back(firsts.back() + count);
  return firsts;
}

void check_columns(const Field& columns, std::int64_t count, std::int64_t objects) {
  const FieldLayout at = columns.layout();
  const bool is_wide = at.scalar == ScalarType::int64;
  if (!is_wide && at.scalar != ScalarType::int32)
    refuse("The columns '" + columns.label() + "' are of type " + name_of(at.scalar) + '.',
           "Use signed integers of 32 or 64 bits.");
  if (count < 0 || count > at.count)
    refuse("There are " + std::to_string(at.count) + " columns in '" + columns.label() + "', and " +
               std::to_string(count) + " were to be renumbered.",
           "Give a count from 0 to the number of columns.");
  if (!is_wide && objects > std::numeric_limits<std::int32_t>::max())
    refuse("The columns '" + columns.label() + "' cannot count " + std::to_string(objects) +
               " objects.",
           "Use integers of 64 bits.");
}

template <class T>
void write_back(const Space& space, const FieldLayout& into,
                const exec::Array<std::int64_t>& numbers) {
  exec::Array<T> narrow(space, label, numbers.size());
  exec::for_each(space, label, narrow.size(), exec::Copy{numbers.data(), narrow.data()});
  space.fence(label);
  copy_objects(space, into,
               packed_layout(narrow.data(), narrow.size(), narrow.size(), narrow.memory()),
               narrow.size());
  space.fence(label);
}

// Collective. Returns a directory that finds the present place of an object by its old number.
IdDirectory directory_of(const Communicator& communicator,
                         const exec::Array<MoveReport::Origin>& origins) {
  const Space space = origins.space();
  std::vector<std::int64_t> counts;
  vote(communicator, attempt(stage_name, [&] {
         const auto found = exec::filled<std::int64_t>(space, label, communicator.size(), 0);
         exec::for_each(space, label, origins.size(), CountOrigins{origins.data(), found.data()});
         counts.resize(static_cast<std::size_t>(communicator.size()));
         found.fetch(0, counts);
       }));
  communicator.all_reduce(std::span<std::int64_t>(counts), Reduction::sum);
  exec::Array<std::int64_t> old;
  vote(communicator, attempt(stage_name, [&] {
         const std::vector<std::int64_t> on_host = firsts_of(counts);
         const exec::Reached<std::int64_t> firsts(space, label, on_host);
         old = {space, label, origins.size()};
         exec::for_each(space, label, old.size(),
                        OldNumber{origins.data(), firsts.data(), old.data()});
         space.fence(label);
       }));
  return {communicator, old};
}

}  // namespace

}  // namespace graphs

void renumber(const Communicator& communicator, const MoveReport& report, const Field& columns,
              std::int64_t count, std::size_t set) {
  using namespace graphs;
  if (!report.moved) return;
  std::vector<std::int64_t> counts, firsts;
  vote(communicator, attempt(stage_name, [&] {
         counts.resize(static_cast<std::size_t>(communicator.size()));
         if (set >= report.origins.size())
           refuse("Columns cannot be renumbered after a move that returned no origins.",
                  "Move with .origins = true, and count sets from 0.");
       }));
  const exec::Array<MoveReport::Origin>& origins = report.origins[set];
  const IdDirectory directory = directory_of(communicator, origins);
  communicator.all_gather(origins.size(), std::span(counts));
  vote(communicator, attempt(stage_name, [&] {
         firsts = firsts_of(counts);
         check_columns(columns, count, firsts.back());
       }));
  const Space space = origins.space();
  const FieldLayout at = columns.layout();
  int components = count > 0 ? at.components : 0;
  components = communicator.all_reduce(components, Reduction::greatest);
  std::vector<exec::Array<std::int64_t>> numbers;
  for (int c = 0; c < components; ++c) {
    vote(communicator, attempt(stage_name, [&] {
           numbers.push_back(count > 0 ? read_integers(space, component_of(at, c), count)
                                       : exec::Array<std::int64_t>(space, label, 0));
         }));
    const exec::Array<IdDirectory::Location> now = directory.look_up(numbers.back());
    vote(communicator, attempt(stage_name, [&] {
           const exec::Array<std::int64_t>& old = numbers.back();
           const std::int64_t lost = exec::first_that(space, count, IsLost{old.data(), now.data()});
           if (lost < count) {
             std::int64_t number = 0;
             old.fetch(lost, {&number, 1});
             refuse("Column " + std::to_string(lost) + " of '" + columns.label() +
                        "' is the number " + std::to_string(number) + ", which no object had.",
                    "Give the numbers from before the move.");
           }
           const exec::Reached<std::int64_t> reached(space, label, firsts);
           exec::for_each(space, label, count, NewNumber{now.data(), reached.data(), old.data()});
           space.fence(label);
         }));
  }
  vote(communicator, attempt(stage_name, [&] {
         for (int c = 0; c < components && count > 0; ++c) {
           const exec::Array<std::int64_t>& found = numbers[static_cast<std::size_t>(c)];
           if (at.scalar == ScalarType::int64)
             write_back<std::int64_t>(space, component_of(at, c), found);
           else
             write_back<std::int32_t>(space, component_of(at, c), found);
         }
         columns.changed();
       }));
}

}  // namespace evenkeel
