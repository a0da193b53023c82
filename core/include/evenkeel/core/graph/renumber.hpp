#pragma once

// Connectivity by numbers, after a move. Rows travel as a payload; their columns are numbers that
// count the objects of all ranks, rank after rank, and each move gives objects other numbers.
//
//   ek::Balancer balancer(ranks, {.method = ek::ByGraph{}, .origins = true});
//   ...
//   if (auto moved = balancer.step(x, ek::carry(ek::csr(offsets, columns)), {.graph = ...}))
//     ek::renumber(ranks, moved, columns);
//
// Codes whose objects have ids do not need it: ids as columns (GraphOptions::id) stay as they are.

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/backends/export.hpp>
#include <evenkeel/core/field.hpp>
#include <evenkeel/core/migrate/move.hpp>

#include <cstddef>
#include <cstdint>

namespace evenkeel {

// Collective. Replaces each old number in `columns`, signed integers of any shape, by the new
// number of the same object of set `set`; a negative number stays. `count`: of columns at the front
// of the field. The report is of a move with origins. Does nothing where nothing moved. Throws the
// same Error on all ranks for numbers that no object had, and for numbers that the type of the
// columns cannot hold; then nothing has changed.
EVENKEEL_API void renumber(const Communicator& communicator, const MoveReport& report,
                           const Field& columns, std::int64_t count, std::size_t set = 0);
template <class Container>
void renumber(const Communicator& communicator, const MoveReport& report, Container& columns,
              std::size_t set = 0) {
  const Field field = field_of(columns);
  renumber(communicator, report, field, field.layout().count, set);
}

}  // namespace evenkeel
