#include "graph/levels/arrange.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#ifdef EVENKEEL_HAS_KOKKOS_KERNELS
#include <KokkosGraph_RCM.hpp>
#endif

namespace evenkeel::graphs {

#ifdef EVENKEEL_HAS_KOKKOS_KERNELS

namespace {

constexpr const char* arrange_label = "evenkeel::graph::arrange";

// An edge misses the cache of a core if the indices of its vertices differ by more than this.
constexpr std::int64_t far = std::int64_t{1} << 14U;
constexpr std::int64_t sampled = 16;  // only one vertex in this many is examined

// The number of far edges of a vertex minus the number of its other edges. Only edges to vertices
// of this rank count.
struct FarEdges {
  RowsView rows;
  std::int64_t owned;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const std::int64_t v = i * sampled;
    std::int64_t sum = 0;
    for (std::int64_t e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
      const std::int64_t u = rows.columns[e];
      if (u < owned) sum += u - v > far || v - u > far ? 1 : -1;
    }
    return sum;
  }
};

bool leads_far(const Level& level) {
  if (level.space.is_device() || level.owned <= far) return false;
  return exec::sum<std::int64_t>(level.space, level.owned / sampled,
                                 FarEdges{RowsView(level.rows), level.owned}) > 0;
}

struct WriteOrder {
  const Vertex* places;
  std::int64_t* order;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const { order[places[v]] = v; }
};

exec::Array<std::int64_t> cuthill_mckee(const Level& level) {
  using Host = Kokkos::DefaultHostExecutionSpace::device_type;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Offsets = Kokkos::View<const std::int64_t*, Host, Unmanaged>;
  using Columns = Kokkos::View<const Vertex*, Host, Unmanaged>;
  using Places = Kokkos::View<Vertex*, Host>;
  level.space.fence(arrange_label);
  // graph_rcm leaves out ghosts, because they are columns without a row.
  const auto places = KokkosGraph::Experimental::graph_rcm<Host, Offsets, Columns, Places>(
      Offsets(level.rows.offsets.data(), static_cast<std::size_t>(level.rows.offsets.size())),
      Columns(level.rows.columns.data(), static_cast<std::size_t>(level.rows.columns.size())));
  exec::Array<std::int64_t> order(level.space, arrange_label, level.owned);
  exec::for_each(level.space, arrange_label, level.owned, WriteOrder{places.data(), order.data()});
  level.space.fence(arrange_label);
  return order;
}

void add_up(std::int64_t& into, const std::int64_t& from) noexcept { into += from; }

}  // namespace

std::optional<Contracted> arranged(const Communicator& communicator, const Level& level) {
  bool is_far = false;
  Status ready = attempt(stage_name, [&] { is_far = leads_far(level); });
  if (vote<&add_up>(communicator, ready, std::int64_t{is_far ? 1 : 0}) == 0) return std::nullopt;
  exec::Array<std::int64_t> order;
  ready = attempt(stage_name, [&] {
    order = is_far ? cuthill_mckee(level)
                   : exec::counted_up<std::int64_t>(level.space, arrange_label, level.owned);
  });
  return reordered(communicator, ready, level, order);
}

#else

std::optional<Contracted> arranged(const Communicator&, const Level&) { return std::nullopt; }

#endif

}  // namespace evenkeel::graphs
