#pragma once

// The acoustics solver: waves p_t + div v = s, v_t + grad p = 0 by a discontinuous Galerkin method
// of second order. A cell holds p and v at its 2 x 2 x 2 Gauss points. Its step is local except at
// the faces: it corrects its values with the time integrals of its neighbours, and then predicts
// its own time integral over the next step by a Taylor series (ADER; Dumbser and Munz, 2006).

#include "octree.hpp"

constexpr int nodes = 8, waves = 4 * nodes;  // value v at node n has the index v * nodes + n

using SoundValues = Kokkos::View<double* [waves], Kokkos::LayoutRight>;

constexpr double sqrt3 = 1.7320508075688772;

// The two linear functions of an axis, at a place from -1 to 1 in the cell.
KOKKOS_INLINE_FUNCTION double basis(int node, double at) {
  return 0.5 * (1 + (node == 1 ? sqrt3 : -sqrt3) * at);
}

// Value v of a cell at a place in it.
KOKKOS_INLINE_FUNCTION double value_at(const double* cell, int v, const double weights[nodes]) {
  double sum = 0;
  for (int n = 0; n < nodes; ++n) sum += weights[n] * cell[v * nodes + n];
  return sum;
}

// Adds `factor` times the time derivative, -(div v, grad p), of `from`.
KOKKOS_INLINE_FUNCTION void add_derivative(const double* from, double width, double factor,
                                           double* to) {
  for (int axis = 0; axis < 3; ++axis) {
    const int stride = 1 << axis, v = (1 + axis) * nodes;
    for (int n = 0; n < nodes; ++n) {
      const int lower = n & ~stride, upper = n | stride;
      to[n] -= factor * sqrt3 / width * (from[v + upper] - from[v + lower]);
      to[v + n] -= factor * sqrt3 / width * (from[upper] - from[lower]);
    }
  }
}

// The kind of neighbour beyond a point of a face.
enum class Beyond : int { cell, wall, open };

// Adds the upwind flux through one Gauss point of a face. A face has one Gauss point in each
// quarter, with the number of the quarter. `other` is the cell beyond, `offset` is the vector from
// the middle of this cell to the middle of the other one in widths of this cell, and `ratio` is the
// width of the other cell over the width of this one.
KOKKOS_INLINE_FUNCTION void add_face_point(const double* own, double width, int face, int quarter,
                                           Beyond beyond, const double* other,
                                           const double offset[3], double ratio, double* to) {
  const int axis = face / 2, first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
  const double side = face % 2 == 1 ? 1 : -1;
  const int lower = (quarter % 2) << first | (quarter / 2) << second, upper = lower | 1 << axis;
  const double at_lower = basis(0, side), at_upper = basis(1, side);
  const int v = (1 + axis) * nodes;
  const double p = at_lower * own[lower] + at_upper * own[upper];
  const double u = side * (at_lower * own[v + lower] + at_upper * own[v + upper]);
  double p_beyond = 0, u_beyond = 0;  // nothing comes in from the open air
  if (beyond == Beyond::wall) {
    p_beyond = p;
    u_beyond = -u;
  } else if (beyond == Beyond::cell) {
    double at[3];  // in the cell beyond, from -1 to 1
    at[axis] = side;
    at[first] = (quarter % 2 == 1 ? 1 : -1) / sqrt3;
    at[second] = (quarter / 2 == 1 ? 1 : -1) / sqrt3;
    for (int k = 0; k < 3; ++k) at[k] = (at[k] - 2 * offset[k]) / ratio;
    double weights[nodes];
    for (int n = 0; n < nodes; ++n)
      weights[n] = basis(n & 1, at[0]) * basis(n >> 1 & 1, at[1]) * basis(n >> 2, at[2]);
    p_beyond = value_at(other, 0, weights);
    u_beyond = side * value_at(other, 1 + axis, weights);
  }
  const double jump = ((u_beyond - u) + (p - p_beyond)) / width;  // 2 / width times half the jump
  to[lower] -= at_lower * jump;
  to[upper] -= at_upper * jump;
  to[v + lower] += side * at_lower * jump;
  to[v + upper] += side * at_upper * jump;
}

// The time integral over a step of values that change at their present rate: dt q + dt^2 / 2 q_t.
KOKKOS_INLINE_FUNCTION void predict(const double* q, double width, double dt, double* integral) {
  for (int k = 0; k < waves; ++k) integral[k] = dt * q[k];
  add_derivative(q, width, 0.5 * dt * dt, integral);
}
