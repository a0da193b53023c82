#pragma once

// The computation: heat in columns of water. Flow and spreading between columns are explicit, layer
// by layer. Mixing within a column is implicit, and weaker if the water is more stable (Pacanowski
// and Philander, J. Phys. Oceanogr. 11, 1981). Values stay between 0 and 1, since each new value is
// a mean of old ones. Sums follow the order of rings, which does not depend on the rank of a node,
// so results are the same to the bit on any number of ranks.

#include "nodes.hpp"

#include <algorithm>
#include <bit>

// The share that a column gets of each neighbour, for each entry of the ring: first by spreading,
// then by the flow at the surface.
using Shares = Kokkos::View<double* [2], Kokkos::LayoutRight>;

// The flow turns about the middle of the square. The units are the square and a step.
constexpr double spreading = 2e-7, turning = 1e-3, heating = 0.2, most_share = 0.9;

KOKKOS_INLINE_FUNCTION double flow_at_depth(int layer) { return 1 - 0.9 * layer / most_layers; }

// Half the cotangent of the angle at `c` in the triangle a, b, c, for corners that turn left; the
// sign is reversed if they turn right.
KOKKOS_INLINE_FUNCTION double half_cotangent(const double a[2], const double b[2],
                                             const double c[2]) {
  const double u[2] = {a[0] - c[0], a[1] - c[1]}, v[2] = {b[0] - c[0], b[1] - c[1]};
  const double cross = u[0] * v[1] - u[1] * v[0];
  return 0.5 * (u[0] * v[0] + u[1] * v[1]) / cross;
}
KOKKOS_INLINE_FUNCTION double area_of(const double a[2], const double b[2], const double c[2]) {
  return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

// The shares of linear finite elements with lumped masses, upwind. If an angle is so wide that the
// share of a neighbour would be negative, it is 0.
inline Shares shares_of(const Nodes& nodes) {
  Shares shares("shares", nodes.ring.extent(0));
  const Integers id = nodes.id, first = nodes.first;
  const Vectors x = nodes.x;
  const Flags near = nodes.near;
  Kokkos::parallel_for(
      "shares", nodes.owned, KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t begin = first(i), end = first(i + 1);
        const bool is_open = Mesh::is_at_boundary(Point::of(id(i)));
        double area = 0;
        for (std::int64_t e = begin; e < end; ++e) {  // shares(e, 0) is the stiffness at first
          const bool is_last = e + 1 == end;
          if (is_last && is_open) break;
          const std::int64_t next = is_last ? begin : e + 1;
          const double *a = &x(i, 0), *b = &x(near(e), 0), *c = &x(near(next), 0);
          area += area_of(a, b, c) / 3;
          shares(e, 0) += half_cotangent(a, b, c);
          shares(next, 0) += half_cotangent(c, a, b);
        }
        for (std::int64_t e = begin; e < end; ++e) {
          const double *a = &x(i, 0), *b = &x(near(e), 0);
          const double middle[2] = {0.5 * (a[0] + b[0]) - 0.5, 0.5 * (a[1] + b[1]) - 0.5};
          const double inflow = middle[1] * (b[0] - a[0]) - middle[0] * (b[1] - a[1]);
          const double stiffness = shares(e, 0) > 0 ? shares(e, 0) / area : 0;
          shares(e, 0) = spreading * stiffness;
          shares(e, 1) = turning * (inflow > 0 ? inflow : 0) * stiffness;
        }
      });
  Kokkos::fence();
  return shares;
}

// Solves for the values of a column after mixing: a tridiagonal system with the rows
// -mixing[k-1], 1 + mixing[k-1] + mixing[k], -mixing[k].
KOKKOS_INLINE_FUNCTION void solve_column(int layers, const double* mixing, double* values) {
  double above[most_layers];
  double before = 0, gain = 0;  // mixing with the layer above; the coefficient of its reduced row
  for (int k = 0; k < layers; ++k) {
    const double below = k + 1 < layers ? mixing[k] : 0;
    const double pivot = 1 / (1 + before + below - before * gain);
    values[k] = pivot * (values[k] + (k > 0 ? before * values[k - 1] : 0));
    above[k] = gain = pivot * below;
    before = below;
  }
  for (int k = layers - 2; k >= 0; --k) values[k] += above[k] * values[k + 1];
}

// The mixing of neighbouring layers in a step, by Richardson's number: the stability of the water
// over the shear.
KOKKOS_INLINE_FUNCTION void find_mixing(int layers, double speed, const double* values,
                                        double* mixing) {
  const double shear = 0.01 + speed * speed;
  for (int k = 0; k + 1 < layers; ++k) {
    const double stable = values[k] > values[k + 1] ? values[k] - values[k + 1] : 0;
    const double damped = 1 / (1 + 5 * (stable / shear));
    mixing[k] = 0.5 * damped * damped * damped + 0.01 * damped + 0.001;
  }
}

struct StepColumns {
  ColumnsView columns;
  Integers id, first;
  Flags near;
  Shares shares;
  Front front;
  Numbers next;

  KOKKOS_INLINE_FUNCTION void exchange_with_neighbours(std::int64_t i, int layers,
                                                       double* values) const {
    const double* const own = columns.of(i);
    double change[most_layers], total[most_layers];
    for (int k = 0; k < layers; ++k) change[k] = total[k] = 0;
    for (std::int64_t e = first(i); e < first(i + 1); ++e) {
      const double* const other = columns.of(near(e));
      const int others = columns.layers(near(e)), common = others < layers ? others : layers;
      const double spread = shares(e, 0), flow = shares(e, 1);
      for (int k = 0; k < common; ++k) {
        const double share = spread + flow * flow_at_depth(k);
        change[k] += share * (other[k] - own[k]);
        total[k] += share;
      }
    }
    // Small elements would need shorter steps, so the sum of shares is limited to most_share.
    for (int k = 0; k < layers; ++k)
      values[k] = own[k] + (total[k] > most_share ? most_share / total[k] : 1) * change[k];
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const int layers = columns.layers(i);
    double values[most_layers], mixing[most_layers], place[2];
    exchange_with_neighbours(i, layers, values);
    Mesh::unbent(Point::of(id(i)), place);
    const double near_front = 1 - 4 * front.distance(place) / Front::reach;
    if (near_front > 0) values[0] += heating * near_front * (1 - values[0]);
    values[layers - 1] *= 0.999;
    const double speed = (place[0] - 0.5) * (place[0] - 0.5) + (place[1] - 0.5) * (place[1] - 0.5);
    find_mixing(layers, speed, values, mixing);
    solve_column(layers, mixing, values);
    for (int k = 0; k < layers; ++k) next(columns.first_layer(i) + k) = values[k];
  }
};

// Advances all columns by one step. The columns of ghosts must be up to date.
inline void step_columns(Nodes& nodes, const Shares& shares, const Front& front) {
  const Numbers next(Kokkos::view_alloc("tracer", Kokkos::WithoutInitializing),
                     nodes.tracer.extent(0));
  Kokkos::parallel_for(
      "columns", nodes.owned,
      StepColumns{ColumnsView(nodes), nodes.id, nodes.first, nodes.near, shares, front, next});
  Kokkos::fence();
  nodes.tracer = next;
}

// The result over all ranks: a checksum of all values and of the mesh, and the range of the values.
struct Result {
  std::uint64_t checksum = 0;
  double least = 0, greatest = 0;
};

inline std::uint64_t scramble(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

// Collective.
inline Result result_of(const ek::Communicator& ranks, const Nodes& nodes) {
  const Kokkos::HostSpace host;
  const auto id = Kokkos::create_mirror_view_and_copy(host, nodes.id);
  const auto first_layer = Kokkos::create_mirror_view_and_copy(host, nodes.first_layer);
  const auto tracer = Kokkos::create_mirror_view_and_copy(host, nodes.tracer);
  Result mine{0, 1, 0};
  for (std::size_t i = 0; i < nodes.extent(); ++i) {
    std::uint64_t bits = scramble(static_cast<std::uint64_t>(id(i)) + 1);
    for (auto k = static_cast<std::size_t>(first_layer(i));
         k < static_cast<std::size_t>(first_layer(i + 1)); ++k) {
      bits = scramble(bits ^ std::bit_cast<std::uint64_t>(tracer(k)));
      mine.least = std::min(mine.least, tracer(k));
      mine.greatest = std::max(mine.greatest, tracer(k));
    }
    mine.checksum += bits;
  }
  return {ranks.all_reduce(mine.checksum, ek::Reduction::sum),
          ranks.all_reduce(mine.least, ek::Reduction::least),
          ranks.all_reduce(mine.greatest, ek::Reduction::greatest)};
}
