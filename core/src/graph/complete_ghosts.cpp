#include "graph/complete_ghosts.hpp"

#include "graph/atomics.hpp"

#include <evenkeel/backends/exec/lists.hpp>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::ghosts";

template <class Instance>
struct CountBack {
  RowsView rows;
  std::int64_t owned;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      if (rows.columns[e] >= owned)
        add<Instance>(&counts[rows.columns[e] - owned], std::int64_t{1});
  }
};

template <class Instance>
struct ListBack {
  RowsView rows;
  std::int64_t owned;
  std::int64_t* ends;
  Vertex* back;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      if (rows.columns[e] >= owned)
        back[add<Instance>(&ends[rows.columns[e] - owned], std::int64_t{1})] =
            static_cast<Vertex>(v);
  }
};

// ends[g + 1] becomes where the row of ghost g begins, and at last where it ends.
template <class Instance>
void list_back(const Instance& instance, Level& level) {
  const std::int64_t ghosts = level.ghost_count();
  level.back_offsets = {level.space, label, ghosts + 1};
  std::int64_t* const ends = level.back_offsets.data();
  const RowsView rows(level.rows);
  exec::for_each(instance, label, ghosts + 1, exec::detail::Fill<std::int64_t>{ends, 0});
  if (ghosts == 0) return exec::fence(instance, label);
  exec::for_each(instance, label, level.owned, CountBack<Instance>{rows, level.owned, ends + 1});
  const exec::Values<std::int64_t> counts{ends + 1, ghosts};
  level.back_columns = {level.space, label, exec::exclusive_scan(instance, counts, counts)};
  exec::for_each(instance, label, level.owned,
                 ListBack<Instance>{rows, level.owned, ends + 1, level.back_columns.data()});
  exec::fence(instance, label);
}

}  // namespace

void complete_ghosts(const Communicator& communicator, Level& level) {
  const Status made = attempt(stage_name, [&] {
    with_space(level.space, [&](const auto& instance) { list_back(instance, level); });
  });
  if (communicator.size() == 1 && made.ok()) return;
  level.ghosts.refresh(level.names, 1, made);
  level.ghosts.refresh(level.weights, level.constraints);
  if (level.has_homes) level.ghosts.refresh(level.homes);
  if (level.has_fixed) level.ghosts.refresh(level.fixed);
}

}  // namespace evenkeel::graphs
