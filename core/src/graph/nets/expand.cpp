#include "graph/nets/steps.hpp"
#include "graph/stage.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/core/graph/nets.hpp>

#include <utility>

namespace evenkeel::graphs {

namespace {

// The pins to which a pin has edges. For each of them, visit() gets the distance from the pin,
// forwards along the ring.
struct Neighbours {
  std::int64_t pins;

  KOKKOS_FUNCTION bool are_all() const { return pins - 1 <= most_edges_in_net; }
  KOKKOS_FUNCTION std::int64_t count() const {
    if (are_all()) return pins - 1;
    std::int64_t count = 2;  // the neighbours on both sides, at distance 1
    for (std::int64_t step = 2; 2 * step <= pins; step *= 2) count += 2 * step < pins ? 2 : 1;
    return count;
  }
  template <class Visit>
  KOKKOS_FUNCTION void visit(const Visit& visit_at) const {
    if (are_all()) {
      for (std::int64_t step = 1; step < pins; ++step) visit_at(step);
      return;
    }
    for (std::int64_t step = 1; 2 * step <= pins; step *= 2) {
      visit_at(step);
      if (2 * step < pins) visit_at(pins - step);
    }
  }
};
static_assert(most_net_pins <= 64);  // each pin has 11 neighbours, at distances from 1 to 32

struct CountEdges {
  NetsView nets;
  std::int64_t* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    std::int64_t length = 0;
    for (std::int64_t i = nets.firsts[v]; i < nets.firsts[v + 1]; ++i) {
      const Net e = nets.nets[i];
      length += Neighbours{nets.offsets[e + 1] - nets.offsets[e]}.count();
    }
    lengths[v] = length;
  }
};

struct WriteEdges {
  NetsView nets;
  const std::int64_t *numbers, *offsets;
  std::int64_t* columns;
  double* weights;

  KOKKOS_FUNCTION std::int64_t place_of(std::int64_t v, std::int64_t begin) const {
    std::int64_t at = begin;
    while (nets.pins[at] != v) ++at;
    return at - begin;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    std::int64_t at = offsets[v];
    for (std::int64_t i = nets.firsts[v]; i < nets.firsts[v + 1]; ++i) {
      const Net e = nets.nets[i];
      const std::int64_t begin = nets.offsets[e], pins = nets.offsets[e + 1] - begin;
      const std::int64_t place = place_of(v, begin);
      const Neighbours neighbours{pins};
      const std::int64_t count = neighbours.count();
      const std::int64_t each = (nets.weights[e] + count / 2) / count;
      neighbours.visit([&](std::int64_t step) {
        const std::int64_t other = place + step < pins ? place + step : place + step - pins;
        columns[at] = numbers[nets.pins[begin + other]];
        weights[at++] = static_cast<double>(each > 0 ? each : 1);
      });
    }
  }
};

struct WriteVertexNumbers {
  std::int64_t owned;
  int rank;
  const Address* ghosts;
  const std::int64_t* firsts;
  std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    numbers[v] = v < owned ? firsts[rank] + v
                           : firsts[rank_of(ghosts[v - owned])] + index_of(ghosts[v - owned]);
  }
};

}  // namespace

void expand(const Space& space, int rank, const NetLevel& nets, Given& objects) {
  const exec::Reached<std::int64_t> firsts(space, nets_label, objects.firsts);
  const exec::Array<std::int64_t> numbers(space, nets_label, nets.local());
  exec::for_each(space, nets_label, nets.local(),
                 WriteVertexNumbers{nets.owned, rank, nets.ghosts.addresses().data(), firsts.data(),
                                    numbers.data()});
  exec::Array<std::int64_t> offsets(space, nets_label, nets.owned + 1);
  const NetsView view(nets);
  exec::for_each(space, nets_label, nets.owned, CountEdges{view, offsets.data()});
  const std::int64_t edges = exec::to_offsets(offsets);
  exec::Array<std::int64_t> columns(space, nets_label, edges);
  objects.rows.weights = {space, nets_label, edges};
  exec::for_each(space, nets_label, nets.owned,
                 WriteEdges{view, numbers.data(), offsets.data(), columns.data(),
                            objects.rows.weights.data()});
  space.fence(nets_label);
  objects.rows.offsets = Integers(std::move(offsets));
  objects.rows.columns = Integers(std::move(columns));
}

}  // namespace evenkeel::graphs
