#pragma once

// Advection with a constant velocity on one patch, or a piece of one: the piecewise parabolic
// method (Colella and Woodward, J. Comp. Phys. 54, 1984), with half a step along the other axis
// first (Lin and Rood, Mon. Weather Rev. 124, 1996). It needs three layers of ghost cells and works
// on them, so that small patches cost more for each of their cells.

#include "mesh.hpp"

namespace refined {

constexpr double velocity[2] = {1, 0.5};
constexpr double dt = 0.4 * cell_size(finest);  // the same on all levels: no sub-cycling
constexpr int ghosts = 3;

// What coarse faces around refined cells let through, by the fine faces upon them.
struct Rims {
  Field face[2];  // the face at the lower end of a cell along each axis
};

class Piece {
 public:
  Piece(int level, const ek::CellRange& cells)
      : level_(level),
        cells_(cells),
        nx_(cells.end[0] - cells.begin[0]),
        ny_(cells.end[1] - cells.begin[1]),
        stride_(nx_ + 2 * ghosts),
        u_(static_cast<std::size_t>(stride_ * (ny_ + 2 * ghosts))),
        half_x_(u_),
        half_y_(u_),
        faces_{u_, u_} {}

  // What goes through the faces of the cells, for a unit of velocity.
  void compute_faces(const Field& field, const Mask& covered) {
    fill(field, covered);
    const double cx = courant(0), cy = courant(1);
    for (std::int64_t j = 0; j < ny_; ++j)
      for (std::int64_t i = -ghosts; i < nx_ + ghosts; ++i) {
        const std::size_t at = index(i, j);
        half_y_[at] = u_[at] - 0.5 * cy * (u_[at] - u_[at - step(1)]);
      }
    for (std::int64_t j = -ghosts; j < ny_ + ghosts; ++j)
      for (std::int64_t i = 0; i < nx_; ++i) {
        const std::size_t at = index(i, j);
        half_x_[at] = u_[at] - 0.5 * cx * (u_[at] - u_[at - 1]);
      }
    for (std::int64_t j = 0; j < ny_; ++j)
      for (std::int64_t i = 0; i <= nx_; ++i)
        faces_[0][index(i, j)] = leaving(&half_y_[index(i - 1, j)], 1, cx);
    for (std::int64_t j = 0; j <= ny_; ++j)
      for (std::int64_t i = 0; i < nx_; ++i)
        faces_[1][index(i, j)] = leaving(&half_x_[index(i, j - 1)], stride_, cy);
  }

  // Tells the coarser level what goes through the faces of this piece that are faces there.
  void tell_rims(Rims& rims) const {
    if (level_ == 0) return;
    for (const std::int64_t i : {std::int64_t{0}, nx_})
      for (std::int64_t j = 0; j < ny_ && (cells_.begin[0] + i) % 2 == 0; ++j)
        rims.face[0].at(level_ - 1, (cells_.begin[0] + i) / 2, (cells_.begin[1] + j) / 2) +=
            0.5 * faces_[0][index(i, j)];
    for (const std::int64_t j : {std::int64_t{0}, ny_})
      for (std::int64_t i = 0; i < nx_ && (cells_.begin[1] + j) % 2 == 0; ++i)
        rims.face[1].at(level_ - 1, (cells_.begin[0] + i) / 2, (cells_.begin[1] + j) / 2) +=
            0.5 * faces_[1][index(i, j)];
  }

  // The cells one step later. What leaves a coarse cell enters the fine cells beside it.
  void advance(const Rims& rims, const Mask& covered, Field& next) {
    if (level_ < finest) take_rims(rims, covered);
    const double cx = courant(0), cy = courant(1);
    for (std::int64_t j = 0; j < ny_; ++j)
      for (std::int64_t i = 0; i < nx_; ++i) {
        const std::size_t at = index(i, j);
        next.at(level_, cells_.begin[0] + i, cells_.begin[1] + j) =
            u_[at] - cx * (faces_[0][at + 1] - faces_[0][at]) -
            cy * (faces_[1][at + step(1)] - faces_[1][at]);
      }
  }

 private:
  double courant(int axis) const { return velocity[axis] * dt / cell_size(level_); }
  std::size_t index(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>((j + ghosts) * stride_ + i + ghosts);
  }
  std::size_t step(int axis) const { return axis == 0 ? 1 : static_cast<std::size_t>(stride_); }

  void fill(const Field& field, const Mask& covered) {
    for (std::int64_t j = -ghosts; j < ny_ + ghosts; ++j)
      for (std::int64_t i = -ghosts; i < nx_ + ghosts; ++i) {
        int level = level_;
        std::int64_t x = cells_.begin[0] + i, y = cells_.begin[1] + j;
        while (!covered.at(level, x, y)) {
          --level;
          x >>= 1;
          y >>= 1;
        }
        u_[index(i, j)] = field.at(level, x, y);
      }
  }

  void take_rims(const Rims& rims, const Mask& covered) {
    for (int axis = 0; axis < 2; ++axis)
      for (std::int64_t j = 0; j < ny_ + axis; ++j)
        for (std::int64_t i = 0; i < nx_ + 1 - axis; ++i) {
          const std::int64_t x = cells_.begin[0] + i, y = cells_.begin[1] + j;
          if (is_refined(covered, level_, x, y) !=
              is_refined(covered, level_, x - (1 - axis), y - axis))
            faces_[axis][index(i, j)] = rims.face[axis].at(level_, x, y);
        }
  }

  static double slope(double before, double here, double after) {
    const double mean = 0.5 * (after - before), left = here - before, right = after - here;
    const double least = 2 * std::min(std::abs(left), std::abs(right));
    return left * right > 0 ? std::copysign(std::min(std::abs(mean), least), mean) : 0;
  }

  // The mean of the parabola in the cell at `u` over what leaves it at its upper end in a step.
  static double leaving(const double* u, std::int64_t stride, double courant) {
    const double a = u[-2 * stride], b = u[-stride], c = u[0], d = u[stride], e = u[2 * stride];
    const double slope_b = slope(a, b, c), slope_c = slope(b, c, d), slope_d = slope(c, d, e);
    double low = b + 0.5 * (c - b) - (slope_c - slope_b) / 6;
    double high = c + 0.5 * (d - c) - (slope_d - slope_c) / 6;
    const double rise = high - low, curve = 6 * (c - 0.5 * (low + high));
    if ((high - c) * (c - low) <= 0)
      low = high = c;
    else if (rise * curve > rise * rise)
      low = 3 * c - 2 * high;
    else if (-rise * rise > rise * curve)
      high = 3 * c - 2 * low;
    return high -
           0.5 * courant * (high - low - (1 - 2.0 / 3 * courant) * 6 * (c - 0.5 * (low + high)));
  }

  int level_;
  ek::CellRange cells_;
  std::int64_t nx_, ny_, stride_;
  std::vector<double> u_, half_x_, half_y_;  // with ghost cells
  std::vector<double> faces_[2];             // at the lower ends of cells
};

}  // namespace refined
