#pragma once

// Columns that hold ids, as numbers that count the vertices of all ranks.

#include "graph/given.hpp"

namespace evenkeel::graphs {

// Of an id that no vertex has.
inline constexpr std::int64_t unknown_number = -1;

// Collective. The number of the vertex with each of the wanted ids. Throws the same Error on all
// ranks for an id that two vertices have.
exec::Array<std::int64_t> numbers_of(const Space& space, const Communicator& communicator,
                                     const Given& given, const exec::Array<std::uint64_t>& wanted);

// Collective. Writes given.columns from given.neighbour_ids. Throws the same Error on all ranks for
// an id that two vertices have, and for one that none has.
void resolve_ids(const Space& space, const Communicator& communicator, Given& given);

}  // namespace evenkeel::graphs
