#include "graph/input/steps.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <cstring>

namespace evenkeel::graphs {

namespace {

// Selects edges whose lower end is in [low_begin, low_end) and whose upper end is below high_end.
struct Ends {
  std::int64_t low_begin, low_end, high_end;
  KOKKOS_FUNCTION bool hold(std::int64_t low, std::int64_t high) const {
    return low >= low_begin && low < low_end && high < high_end;
  }
};

struct AllEnds {
  KOKKOS_FUNCTION bool hold(std::int64_t, std::int64_t) const { return true; }
};

// Each edge adds a hash at its lower end, and subtracts the same hash at its upper end. The code
// does not branch on the end, because no processor can predict it.
template <class WhichEnds>
struct Symmetry {
  const std::int64_t *offsets, *columns;
  const double* weights;      // null if all are 1
  const std::int64_t* marks;  // null if there are no marks
  std::int64_t first;
  WhichEnds ends;

  KOKKOS_FUNCTION std::uint64_t hash(std::int64_t e, std::int64_t lower, std::int64_t upper) const {
    const auto low = static_cast<std::uint64_t>(lower), high = static_cast<std::uint64_t>(upper);
    std::uint64_t weight = 1;
    if (weights != nullptr) memcpy(&weight, &weights[e], sizeof weight);
    if (marks != nullptr && marks[e] != 0) weight ^= 0x5555;
    std::uint64_t bits =
        low * 0x9E3779B97F4A7C15U ^ (high + weight * 0xD6E8FEB86659FD93U) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 29U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 32U);
  }
  KOKKOS_FUNCTION std::uint64_t operator()(std::int64_t v) const {
    std::uint64_t sum = 0;
    const std::int64_t self = first + v;
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      const std::int64_t other = columns[e];
      const bool is_lower = self < other;
      const std::int64_t low = is_lower ? self : other, high = is_lower ? other : self;
      const std::uint64_t bits = low != high && ends.hold(low, high) ? hash(e, low, high) : 0;
      sum += is_lower ? bits : 0 - bits;
    }
    return sum;
  }
};

struct CountEdge {
  const std::int64_t *offsets, *columns;
  std::int64_t first, from, to;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    std::int64_t count = 0;
    if (first + v != from) return 0;
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e) count += columns[e] == to ? 1 : 0;
    return count;
  }
};

template <class WhichEnds>
std::uint64_t asymmetry_within(const Space& space, const Given& given, const WhichEnds& ends) {
  return exec::sum<std::uint64_t>(
      space, given.owned,
      Symmetry<WhichEnds>{given.rows.offsets.data(), given.rows.columns.data(),
                          given.rows.weights.empty() ? nullptr : given.rows.weights.data(),
                          given.rows.uncuttable.empty() ? nullptr : given.rows.uncuttable.data(),
                          given.first, ends});
}

void add(std::uint64_t& into, const std::uint64_t& from) noexcept { into += from; }

// Collective. Returns the least end for which the hashes of ends_below(end + 1) do not add up to 0.
// During the bisection, the hashes of ends_below(even) add up to 0, and those of ends_below(uneven)
// do not.
template <class EndsBelow>
std::int64_t lowest_end(const Space& space, const Communicator& communicator, const Given& given,
                        const EndsBelow& ends_below) {
  std::int64_t even = 0, uneven = given.all.vertices;
  while (uneven - even > 1) {
    const std::int64_t middle = even + (uneven - even) / 2;
    std::uint64_t sum = 0;
    const Status ready =
        attempt(stage_name, [&] { sum = asymmetry_within(space, given, ends_below(middle)); });
    (vote<&add>(communicator, ready, sum) == 0 ? even : uneven) = middle;
  }
  return even;
}

// The number of entries of an edge in each direction, and the ids of its ends, over all ranks.
struct FoundEntries {
  std::int64_t there, back;
  std::uint64_t low_id, high_id;
};
void combine_found(FoundEntries& into, const FoundEntries& from) noexcept {
  into.there += from.there;
  into.back += from.back;
  into.low_id += from.low_id;
  into.high_id += from.high_id;
}

// The id of a vertex of this rank, or 0 if another rank has the vertex.
std::uint64_t id_of(const Given& given, std::int64_t number) {
  std::uint64_t id = 0;
  if (given.all.has(Says::ids) && number >= given.first && number < given.first + given.owned)
    given.ids.fetch(number - given.first, {&id, 1});
  return id;
}

}  // namespace

std::uint64_t asymmetry(const Space& space, const Given& given) {
  return asymmetry_within(space, given, AllEnds{});
}

void refuse_asymmetry(const Space& space, const Communicator& communicator, const Given& given) {
  const std::int64_t all = given.all.vertices;
  const std::int64_t low = lowest_end(space, communicator, given, [&](std::int64_t end) {
    return Ends{0, end, all};
  });
  const std::int64_t high = lowest_end(space, communicator, given, [&](std::int64_t end) {
    return Ends{low, low + 1, end};
  });
  FoundEntries mine = {};
  const Status ready = attempt(stage_name, [&] {
    const auto count = [&](std::int64_t from, std::int64_t to) {
      return exec::sum<std::int64_t>(
          space, given.owned,
          CountEdge{given.rows.offsets.data(), given.rows.columns.data(), given.first, from, to});
    };
    mine = {count(low, high), count(high, low), id_of(given, low), id_of(given, high)};
  });
  const FoundEntries found = vote<&combine_found>(communicator, ready, mine);
  const bool has_ids = given.all.has(Says::ids);
  std::string from = has_ids ? name_of_id(found.low_id) : name_of_number(low);
  std::string to = has_ids ? name_of_id(found.high_id) : name_of_number(high);
  if (found.back > found.there) std::swap(from, to);
  refuse("An edge from " + from + " to " + to + " has " +
             (found.there != found.back ? "no reverse." : "another weight or mark in its reverse."),
         "Give each edge in the rows of both its vertices, with the same weight and mark.");
}

}  // namespace evenkeel::graphs
