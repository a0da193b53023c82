#pragma once

// Converts columns that hold ids to numbers that count the vertices of all ranks.

#include "graph/input/given.hpp"

namespace evenkeel::graphs {

// The number for an id that no vertex has.
inline constexpr std::int64_t unknown_number = -1;

// Collective. The number of the vertex with each of the wanted ids. Throws the same Error on all
// ranks for an id that two vertices have.
exec::Array<std::int64_t> numbers_of(const Space& space, const Communicator& communicator,
                                     const Given& given, const exec::Array<std::uint64_t>& wanted);

// Collective. Writes given.rows.columns from given.rows.neighbour_ids. Throws the same Error on all
// ranks for an id that two vertices have, and for an id that no vertex has.
void resolve_ids(const Space& space, const Communicator& communicator, Given& given);

}  // namespace evenkeel::graphs
