#pragma once

// Gathers values or objects by a permutation, or by any list of indices.

#include <evenkeel/backends/exec/launch.hpp>

namespace evenkeel::exec {

namespace detail {

template <class Indices, class In, class Out>
struct Gather {
  Indices indices;
  In in;
  Out out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto from = indices(i);
    if constexpr (static_cast<unsigned>(In::rank) == 1) {
      out(i) = in(from);
    } else {
      for (std::size_t c = 0; c < out.extent(1); ++c) out(i, c) = in(from, c);
    }
  }
};

}  // namespace detail

// out(i) = in(indices(i)), for Views of rank 1 (values) or 2 (objects by components). `in` and
// `out` must not overlap, and every index must be inside `in`. Does not block: fence the instance
// before host code reads `out`.
template <class Instance, class Indices, class In, class Out>
void gather(const Instance& instance, const Indices& indices, const In& in, const Out& out) {
  constexpr auto rank = static_cast<unsigned>(In::rank);
  static_assert(rank == 1 || rank == 2, "gather moves values, or objects of several components");
  static_assert(rank == static_cast<unsigned>(Out::rank), "in and out have the same rank");
  if (indices.extent(0) != out.extent(0) || (rank == 2 && in.extent(1) != out.extent(1)))
    throw Error(ErrorKind::bad_input, Where{"backends/exec"},
                "A gather got " + std::to_string(indices.extent(0)) + " indices and a result of " +
                    std::to_string(out.extent(0)) + " objects; the source has " +
                    std::to_string(in.extent(1)) + " components, the result " +
                    std::to_string(out.extent(1)) + ".",
                "Give the result the extent of the indices and the components of the source.");
  exec::for_each(instance, "evenkeel::exec::gather", static_cast<std::int64_t>(out.extent(0)),
                 detail::Gather<Indices, In, Out>{indices, in, out});
}

}  // namespace evenkeel::exec
