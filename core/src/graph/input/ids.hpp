#pragma once

// Converts columns that hold ids to numbers that count the vertices of all ranks.

#include "graph/input/given.hpp"

namespace evenkeel::graphs {

// The number for an id that no vertex has.
inline constexpr std::int64_t unknown_number = -1;

// Collective. Returns the number of the vertex that has each wanted id, or unknown_number. If two
// vertices have the same id, throws the same Error on all ranks.
exec::Array<std::int64_t> numbers_of(const Space& space, const Communicator& communicator,
                                     const Given& given, const exec::Array<std::uint64_t>& wanted);

// Collective. Writes given.rows.columns from given.rows.neighbour_ids. If two vertices have the
// same id, or if no vertex has a neighbour's id, throws the same Error on all ranks.
void resolve_ids(const Space& space, const Communicator& communicator, Given& given);

}  // namespace evenkeel::graphs
