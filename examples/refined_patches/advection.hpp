#pragma once

// Advection with a constant velocity on one patch, or a piece of one: the piecewise parabolic
// method (Colella and Woodward, J. Comp. Phys. 54, 1984), with half a step along the other axis
// first (Lin and Rood, Mon. Weather Rev. 124, 1996). It needs three layers of ghost cells and works
// on them, so that small patches cost more for each of their cells.

#include "mesh.hpp"

namespace refined {

constexpr double dt = 0.4 * cell_size(finest);  // the same on all levels: no sub-cycling
constexpr int ghosts = 3;

// A wind that carries eddies along, each at its own speed. They are weaker than the wind, so the
// flow is always towards the upper right.
constexpr double wind[2] = {1, 0.5};
constexpr int eddies = 24;
constexpr double radius = 0.1, strength = 0.008;

// The stream function of the eddies. The flow through a face is its difference along the face, so
// inflow and outflow of each cell are equal.
inline double stream(double x, double y, double time) {
  double sum = 0;
  for (int eddy = 0; eddy < eddies; ++eddy) {
    const double pace = 0.7 + 0.025 * eddy;
    // Multiples of irrational numbers scatter evenly. Only the nearest periodic image counts.
    double dx = x - 1.236068 * eddy - pace * wind[0] * time;
    double dy = y - 0.754878 * eddy - pace * wind[1] * time;
    dx -= 2 * std::floor(0.5 * dx + 0.5);
    dy -= std::floor(dy + 0.5);
    const double bell = std::exp(-(dx * dx + dy * dy) / (radius * radius));
    sum += eddy % 2 == 0 ? strength * bell : -strength * bell;
  }
  return sum;
}

// The fluxes through coarse faces around refined cells, summed over the fine faces on them.
struct Rims {
  Field face[2];  // the face at the lower end of a cell along each axis
};

class Piece {
 public:
  // Finds the sources of all ghost cells, which stay the same as long as patches do.
  Piece(int level, const ek::CellRange& cells, const Mask& covered)
      : level_(level),
        cells_(cells),
        nx_(cells.end[0] - cells.begin[0]),
        ny_(cells.end[1] - cells.begin[1]),
        stride_(nx_ + 2 * ghosts + 1),
        u_(static_cast<std::size_t>(stride_ * (ny_ + 2 * ghosts + 1))),
        half_x_(u_),
        half_y_(u_),
        stream_(u_),
        faces_{u_, u_} {
    find_sources(covered);
    if (level < finest) find_rims(covered);
  }

  const ek::CellRange& cells() const { return cells_; }

  // Computes the fluxes through the faces of the cells, in cells of this level per step.
  void compute_faces(const Field& field, double time) {
    for (const Source& source : sources_) u_[source.to] = field[source.from];
    blow(time);
    for (std::int64_t j = 0; j < ny_; ++j)
      for (std::int64_t i = -ghosts; i < nx_ + ghosts; ++i) {
        const std::size_t at = index(i, j);
        half_y_[at] = u_[at] - 0.5 * courant(1, at) * (u_[at] - u_[at - step(1)]);
      }
    for (std::int64_t j = -ghosts; j < ny_ + ghosts; ++j)
      for (std::int64_t i = 0; i < nx_; ++i) {
        const std::size_t at = index(i, j);
        half_x_[at] = u_[at] - 0.5 * courant(0, at) * (u_[at] - u_[at - 1]);
      }
    for (std::int64_t j = 0; j < ny_; ++j)
      for (std::int64_t i = 0; i <= nx_; ++i) {
        const std::size_t at = index(i, j);
        faces_[0][at] = through(&half_y_[at - 1], 1, courant(0, at));
      }
    for (std::int64_t j = 0; j <= ny_; ++j)
      for (std::int64_t i = 0; i < nx_; ++i) {
        const std::size_t at = index(i, j);
        faces_[1][at] = through(&half_x_[at - step(1)], stride_, courant(1, at));
      }
  }

  // Adds the fluxes through those faces of this piece that are also faces of the coarser level.
  void tell_rims(Rims& rims) const {
    if (level_ == 0) return;
    for (const std::int64_t i : {std::int64_t{0}, nx_})
      for (std::int64_t j = 0; j < ny_ && (cells_.begin[0] + i) % 2 == 0; ++j)
        rims.face[0].at(level_ - 1, (cells_.begin[0] + i) / 2, (cells_.begin[1] + j) / 2) +=
            0.25 * faces_[0][index(i, j)];
    for (const std::int64_t j : {std::int64_t{0}, ny_})
      for (std::int64_t i = 0; i < nx_ && (cells_.begin[1] + j) % 2 == 0; ++i)
        rims.face[1].at(level_ - 1, (cells_.begin[0] + i) / 2, (cells_.begin[1] + j) / 2) +=
            0.25 * faces_[1][index(i, j)];
  }

  // Advances the cells by one step. The flux out of a coarse cell is that into the fine cells
  // beside it.
  void advance(const Rims& rims, Field& next) {
    for (int axis = 0; axis < 2; ++axis)
      for (const Source& source : rims_[axis])
        faces_[axis][source.to] = rims.face[axis][source.from];
    for (std::int64_t j = 0; j < ny_; ++j)
      for (std::int64_t i = 0; i < nx_; ++i) {
        const std::size_t at = index(i, j);
        next.at(level_, cells_.begin[0] + i, cells_.begin[1] + j) =
            u_[at] - (faces_[0][at + 1] - faces_[0][at]) -
            (faces_[1][at + step(1)] - faces_[1][at]);
      }
  }

 private:
  // The distance of the flow in a step, in cells, at the lower face of a cell along an axis.
  double courant(int axis, std::size_t at) const {
    const double rise =
        axis == 0 ? stream_[at + step(1)] - stream_[at] : stream_[at] - stream_[at + 1];
    return (wind[axis] + rise / cell_size(level_)) * dt / cell_size(level_);
  }
  std::size_t index(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>((j + ghosts) * stride_ + i + ghosts);
  }
  std::size_t step(int axis) const { return axis == 0 ? 1 : static_cast<std::size_t>(stride_); }

  // A cell that is in no patch of this level has the value of the coarser cell that contains it.
  void find_sources(const Mask& covered) {
    for (std::int64_t j = -ghosts; j < ny_ + ghosts; ++j)
      for (std::int64_t i = -ghosts; i < nx_ + ghosts; ++i) {
        int level = level_;
        std::int64_t x = cells_.begin[0] + i, y = cells_.begin[1] + j;
        while (!covered.at(level, x, y)) {
          --level;
          x >>= 1;
          y >>= 1;
        }
        sources_.push_back({Field::index(level, x, y), index(i, j)});
      }
  }

  void find_rims(const Mask& covered) {
    for (int axis = 0; axis < 2; ++axis)
      for (std::int64_t j = 0; j < ny_ + axis; ++j)
        for (std::int64_t i = 0; i < nx_ + 1 - axis; ++i) {
          const std::int64_t x = cells_.begin[0] + i, y = cells_.begin[1] + j;
          if (is_refined(covered, level_, x, y) !=
              is_refined(covered, level_, x - (1 - axis), y - axis))
            rims_[axis].push_back({Field::index(level_, x, y), index(i, j)});
        }
  }

  void blow(double time) {
    for (std::int64_t j = -ghosts; j <= ny_ + ghosts; ++j)
      for (std::int64_t i = -ghosts; i <= nx_ + ghosts; ++i)
        stream_[index(i, j)] =
            stream(static_cast<double>(cells_.begin[0] + i) * cell_size(level_),
                   static_cast<double>(cells_.begin[1] + j) * cell_size(level_), time);
  }

  static double slope(double before, double here, double after) {
    const double mean = 0.5 * (after - before), left = here - before, right = after - here;
    const double least = 2 * std::min(std::abs(left), std::abs(right));
    return left * right > 0 ? std::copysign(std::min(std::abs(mean), least), mean) : 0;
  }

  // The flux out of the cell at `u` at its upper end in a step: a part of the parabola in it.
  static double through(const double* u, std::int64_t stride, double courant) {
    const double a = u[-2 * stride], b = u[-stride], c = u[0], d = u[stride], e = u[2 * stride];
    const double slope_b = slope(a, b, c), slope_c = slope(b, c, d), slope_d = slope(c, d, e);
    double low = b + 0.5 * (c - b) - (slope_c - slope_b) / 6;
    double high = c + 0.5 * (d - c) - (slope_d - slope_c) / 6;
    const double rise = high - low, tilt = 6 * rise * (c - 0.5 * (low + high));
    if ((high - c) * (c - low) <= 0)
      low = high = c;
    else if (tilt > rise * rise)
      low = 3 * c - 2 * high;
    else if (tilt < -rise * rise)
      high = 3 * c - 2 * low;
    const double bend = 6 * (c - 0.5 * (low + high));
    return courant * (high - 0.5 * courant * (high - low - (1 - 2.0 / 3 * courant) * bend));
  }

  struct Source {
    std::size_t from, to;  // indices in the whole field, and in this piece
  };

  int level_;
  ek::CellRange cells_;
  std::int64_t nx_, ny_, stride_;
  std::vector<double> u_, half_x_, half_y_;  // with ghost cells
  std::vector<double> stream_;               // at the lower corners of cells
  std::vector<double> faces_[2];             // at the lower ends of cells
  std::vector<Source> sources_, rims_[2];
};

}  // namespace refined
