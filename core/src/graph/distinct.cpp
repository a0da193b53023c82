#include "graph/distinct.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/sort.hpp>

namespace evenkeel::graphs {

namespace {

constexpr const char* label = "evenkeel::graph::distinct";

struct StartsRun {
  const std::uint64_t* sorted;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return i == 0 || sorted[i] != sorted[i - 1];
  }
};

}  // namespace

exec::Array<std::uint64_t> distinct(const Space& space, const exec::Array<std::uint64_t>& values) {
  const auto places = exec::counted_up<std::uint64_t>(space, label, values.size());
  exec::sort_pairs(space, values.data(), places.data(), values.size());
  return exec::chosen(space, label, values.data(),
                      exec::numbers_that(space, label, values.size(), StartsRun{values.data()}));
}

}  // namespace evenkeel::graphs
