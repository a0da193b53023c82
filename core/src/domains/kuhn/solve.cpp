#include "domains/kuhn/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace evenkeel {

namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;
using Corners = std::array<std::size_t, 4>;

double product_of(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The vertices of a mesh that move. Those at both ends of a periodic axis move together, and only
// the first of them counts. Vertices do not leave the faces of the box.
class Movable {
 public:
  explicit Movable(const MeshFrame& frame)
      : frame_(frame), grid_(MeshVertices::grid_of(frame.shape)) {}

  std::size_t size() const { return static_cast<std::size_t>(grid_.parts()); }
  // The vertex that moves with a corner of a hexahedron, or with a vertex.
  std::size_t of_corner(GridPlace part, unsigned corner) const {
    for (std::size_t d = 0; d < dimensions(); ++d) part[d] += static_cast<int>(corner >> d & 1U);
    return first_of(part);
  }
  std::size_t of_vertex(std::size_t vertex) const {
    return first_of(grid_.at(static_cast<int>(vertex)));
  }
  std::array<bool, 3> free_axes(std::size_t vertex) const {
    const GridPlace at = grid_.at(static_cast<int>(vertex));
    std::array<bool, 3> is_free = {};
    for (std::size_t d = 0; d < dimensions(); ++d)
      is_free[d] = at[d] > 0 && at[d] < frame_.shape.extents[d];
    return is_free;
  }
  // Calls visit(vertex, next, axis) for each edge of the mesh along an axis.
  template <class Visit>
  void for_each_edge(const Visit& visit) const {
    for (int vertex = 0; vertex < grid_.parts(); ++vertex)
      for (std::size_t d = 0; d < dimensions(); ++d) {
        GridPlace next = grid_.at(vertex);
        if (next[d]++ < frame_.shape.extents[d])
          visit(static_cast<std::size_t>(vertex), static_cast<std::size_t>(grid_.part_at(next)), d);
      }
  }

 private:
  std::size_t dimensions() const { return static_cast<std::size_t>(frame_.shape.dimensions); }
  std::size_t first_of(GridPlace vertex) const {
    for (std::size_t d = 0; d < dimensions(); ++d)
      if (frame_.periodic[d] && vertex[d] == frame_.shape.extents[d]) vertex[d] = 0;
    return static_cast<std::size_t>(grid_.part_at(vertex));
  }

  const MeshFrame& frame_;
  GridShape grid_;
};

// A tetrahedron, the gradients of its barycentric coordinates, and the vertices that move with its
// corners.
struct Piece {
  GridPlace part;
  const KuhnPath& path;
  std::int64_t number;
  std::array<Vector, 4> gradients;
  Corners vertices;
};

template <class Visit>
void for_each_piece(const MeshVertices& mesh, const Movable& movable, const Visit& visit) {
  const std::vector<Tetrahedron> all = tetrahedra_of(mesh);
  for (std::size_t t = 0; t < all.size(); ++t) {
    Piece piece{mesh.shape.at(all[t].part),
                kuhn_paths[t % tetrahedra_per_part],
                static_cast<std::int64_t>(t),
                {},
                {}};
    const auto volume = static_cast<double>(volume_of(mesh, piece.part, piece.path));
    const std::array<unsigned, 4> corners = corners_on(piece.path);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t d = 0; d < 3; ++d)
        piece.gradients[i][d] = static_cast<double>(all[t].faces[i].slope[d]) / volume;
      piece.vertices[i] = movable.of_corner(piece.part, corners[i]);
    }
    visit(piece);
  }
}

// Solves a symmetric system for the free axes; the others stay 0.
Vector solved(Matrix m, Vector x, const std::array<bool, 3>& is_free) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (is_free[d] && m[d][d] > 0) {
      m[d][d] *= 1 + 1e-12;  // so that there is a solution
      continue;
    }
    for (std::size_t other = 0; other < 3; ++other) m[d][other] = m[other][d] = 0;
    m[d][d] = 1;
    x[d] = 0;
  }
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t row = d + 1; row < 3; ++row) {
      const double share = m[row][d] / m[d][d];
      for (std::size_t column = d; column < 3; ++column) m[row][column] -= share * m[d][column];
      x[row] -= share * x[d];
    }
  for (std::size_t d = 3; d-- > 0;) {
    for (std::size_t column = d + 1; column < 3; ++column) x[d] -= m[d][column] * x[column];
    x[d] /= m[d][d];
  }
  return x;
}

// How the weights of hexahedra change with the places of vertices, and the metric of steps.
struct Linear {
  struct Corner {
    std::size_t vertex = 0;
    Vector gain = {};  // of the hexahedron, if the vertex moves by 1
  };
  std::vector<std::array<Corner, 8>> corners;  // of each hexahedron
  std::vector<Matrix> metric;                  // of each vertex
  std::vector<std::array<bool, 3>> is_free;    // axes along which each vertex moves

  // The steps of vertices at given prices of the weights of hexahedra.
  std::vector<Vector> steps_at(const std::vector<double>& prices) const {
    std::vector<Vector> steps(metric.size());
    for (std::size_t p = 0; p < corners.size(); ++p)
      for (const Corner& corner : corners[p])
        for (std::size_t d = 0; d < 3; ++d) steps[corner.vertex][d] += prices[p] * corner.gain[d];
    for (std::size_t v = 0; v < steps.size(); ++v)
      steps[v] = solved(metric[v], steps[v], is_free[v]);
    return steps;
  }
  // The weights that hexahedra gain by these steps.
  std::vector<double> gains_of(const std::vector<Vector>& steps) const {
    std::vector<double> gains(corners.size());
    for (std::size_t p = 0; p < corners.size(); ++p)
      for (const Corner& corner : corners[p])
        gains[p] += product_of(corner.gain, steps[corner.vertex]);
    return gains;
  }
};

Linear linear_at(const MeshVertices& mesh, const MeshFrame& frame, const Movable& movable,
                 std::span<const std::int64_t> sums, double mean) {
  const GridShape& shape = mesh.shape;
  Linear linear;
  linear.corners.resize(static_cast<std::size_t>(shape.parts()));
  linear.metric.resize(movable.size());
  for (std::size_t v = 0; v < movable.size(); ++v) linear.is_free.push_back(movable.free_axes(v));
  for (std::size_t p = 0; p < linear.corners.size(); ++p)
    for (unsigned corner = 0; corner < 8; ++corner)
      linear.corners[p][corner].vertex = movable.of_corner(shape.at(static_cast<int>(p)), corner);
  // The objects near a face fill this part of their tetrahedra; both sides count half.
  const double flow = 1 / (2 * near_face * (1 - near_face + near_face * near_face / 3)) / mean;
  for_each_piece(mesh, movable, [&](const Piece& piece) {
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t e = 0; e < 3; ++e)
          linear.metric[piece.vertices[i]][d][e] += piece.gradients[i][d] * piece.gradients[i][e];
    const std::array<unsigned, 4> corners = corners_on(piece.path);
    for (int f = 0; f < 2; ++f) {
      const auto axis = static_cast<std::size_t>(f == 0 ? piece.path.front() : piece.path.back());
      const int extent = shape.extents[axis];
      GridPlace beyond = piece.part;
      beyond[axis] += f == 0 ? 1 : -1;
      if (frame.periodic[axis]) beyond[axis] = (beyond[axis] + extent) % extent;
      if (beyond[axis] < 0 || beyond[axis] == extent) continue;
      auto& own = linear.corners[static_cast<std::size_t>(shape.part_at(piece.part))];
      auto& other = linear.corners[static_cast<std::size_t>(shape.part_at(beyond))];
      const Vector& gradient = piece.gradients[static_cast<std::size_t>(corner_opposite(f))];
      for (int i = 0; i < 3; ++i) {
        const unsigned corner =
            corners[static_cast<std::size_t>(first_corner(f)) + static_cast<std::size_t>(i)];
        const unsigned its = corner ^ 1U << static_cast<unsigned>(axis);  // as the other sees it
        const double gain =
            flow *
            static_cast<double>(sums[static_cast<std::size_t>(shares_at(piece.number, f) + i)]);
        for (std::size_t d = 0; d < 3; ++d) {
          own[corner].gain[d] -= gain * gradient[d];
          other[its].gain[d] += gain * gradient[d];
        }
      }
    }
  });
  return linear;
}

// The shortest steps of vertices for which hexahedra gain `gains`, nearly: a price for the weight
// of each hexahedron, by the method of conjugate gradients. Prices are held back, because there may
// be no steps with these gains.
std::vector<Vector> steps_for(const Linear& linear, const std::vector<double>& gains) {
  const std::size_t parts = linear.corners.size();
  std::vector<double> diagonal(parts);
  for (std::size_t p = 0; p < parts; ++p)
    for (const Linear::Corner& corner : linear.corners[p])
      diagonal[p] += product_of(corner.gain, solved(linear.metric[corner.vertex], corner.gain,
                                                    linear.is_free[corner.vertex]));
  const double trace = std::accumulate(diagonal.begin(), diagonal.end(), 0.0);
  const double held_back = 1e-3 * trace / static_cast<double>(parts) + 0.01;
  std::vector<double> prices(parts), rest = gains, scaled(parts), direction;
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const auto scale = [&] {
    for (std::size_t p = 0; p < parts; ++p) scaled[p] = rest[p] / (diagonal[p] + held_back);
    return dot(rest, scaled);
  };
  double square = scale();
  const double enough = square * 1e-12;
  direction = scaled;
  for (std::size_t round = 0; round < 2 * parts + 50 && square > enough; ++round) {
    std::vector<double> product = linear.gains_of(linear.steps_at(direction));
    for (std::size_t p = 0; p < parts; ++p) product[p] += held_back * direction[p];
    const double length = square / dot(direction, product);
    for (std::size_t p = 0; p < parts; ++p) {
      prices[p] += length * direction[p];
      rest[p] -= length * product[p];
    }
    const double next = scale();
    for (std::size_t p = 0; p < parts; ++p) direction[p] = scaled[p] + next / square * direction[p];
    square = next;
  }
  return linear.steps_at(prices);
}

// Shortens steps so that no vertex alone takes more than a fifth of the volume of a tetrahedron, or
// nearly half of what an edge is longer than the least width.
void shorten(const MeshVertices& mesh, const MeshFrame& frame, const Movable& movable,
             std::vector<Vector>& steps) {
  constexpr double most_volume = 0.2, most_length = 0.45;
  std::vector<double> scale(steps.size(), 1);
  const auto allow = [&](std::size_t vertex, double taken, double most) {
    if (taken > 0) scale[vertex] = std::min(scale[vertex], most / taken);
  };
  for_each_piece(mesh, movable, [&](const Piece& piece) {
    for (std::size_t i = 0; i < 4; ++i)
      allow(piece.vertices[i], -product_of(piece.gradients[i], steps[piece.vertices[i]]),
            most_volume);
  });
  movable.for_each_edge([&](std::size_t vertex, std::size_t next, std::size_t d) {
    if (frame.least_width[d] == 0) return;
    const double most =
        most_length * (mesh.at[next][d] - mesh.at[vertex][d] - frame.least_width[d]);
    const std::size_t first = movable.of_vertex(vertex), second = movable.of_vertex(next);
    allow(first, steps[first][d], most);
    allow(second, -steps[second][d], most);
  });
  for (std::size_t v = 0; v < steps.size(); ++v)
    for (double& along : steps[v]) along *= scale[v];
}

}  // namespace

MeshSolver::MeshSolver(const MeshFrame& frame, std::vector<MeshVertex> start, const MeshGoal& goal,
                       std::vector<double> shares)
    : frame_(frame),
      goal_(goal),
      shares_(std::move(shares)),
      base_(start),
      now_(start),
      best_(std::move(start)),
      best_lambda_(std::numeric_limits<double>::infinity()) {
  if (shares_.empty()) shares_.assign(static_cast<std::size_t>(frame.shape.parts()), 1.0);
}

bool MeshSolver::improve(std::span<const std::int64_t> sums) {
  const auto parts = static_cast<std::size_t>(frame_.shape.parts());
  std::vector<double> units(parts);
  for (std::size_t p = 0; p < parts; ++p)
    units[p] = static_cast<double>(sums[p * static_cast<std::size_t>(sums_per_part)]);
  const double whole = std::accumulate(units.begin(), units.end(), 0.0);
  const double mean = whole / static_cast<double>(parts);
  double square = 0, greatest = 0;
  for (std::size_t p = 0; p < parts && whole > 0; ++p) {
    const double each = units[p] / shares_[p];
    greatest = std::max(greatest, each);
    square += (each / mean - 1) * (each / mean - 1);
  }
  const double error = std::sqrt(square);
  take_if_better(whole > 0 ? greatest / mean : 1);
  ++passes_;
  bool moves = best_lambda_ > 1 + goal_.tolerance && passes_ < goal_.most_passes &&
               idle_passes_ < goal_.most_idle;
  if (moves) {
    constexpr double allowed = 1.02;  // a step may make things a little worse
    if (passes_ == 1 || error < allowed * base_error_) {
      base_ = now_;
      base_error_ = error;
      length_ = 1;
      find_step(sums, mean);
    } else {
      length_ /= 2;
    }
    moves = take_step();
  }
  if (!moves) now_ = best_;
  return moves;
}

void MeshSolver::take_if_better(double lambda) {
  constexpr double clearly = 0.95;
  idle_passes_ = lambda - 1 < clearly * (best_lambda_ - 1) ? 0 : idle_passes_ + 1;
  if (!(lambda < best_lambda_)) return;
  best_lambda_ = lambda;
  best_ = now_;
}

void MeshSolver::find_step(std::span<const std::int64_t> sums, double mean) {
  const MeshVertices mesh{frame_.shape, base_};
  const Movable movable(frame_);
  std::vector<double> gains(static_cast<std::size_t>(frame_.shape.parts()));
  for (std::size_t p = 0; p < gains.size(); ++p)
    gains[p] =
        shares_[p] - static_cast<double>(sums[p * static_cast<std::size_t>(sums_per_part)]) / mean;
  steps_ = steps_for(linear_at(mesh, frame_, movable, sums, mean), gains);
  shorten(mesh, frame_, movable, steps_);
}

// Moves the vertices by the greatest part of the step that leaves all tetrahedra a tenth of their
// volume. Returns false if no vertex moves.
bool MeshSolver::take_step() {
  constexpr double shortest = 1e-4;
  const Movable movable(frame_);
  for (; length_ > shortest; length_ /= 2) {
    for (std::size_t v = 0; v < now_.size(); ++v)
      for (std::size_t d = 0; d < 3; ++d) {
        const double along = length_ * steps_[movable.of_vertex(v)][d];
        now_[v][d] = base_[v][d] + static_cast<std::int32_t>(std::lround(along));
      }
    if (now_ == base_) return false;
    if (is_valid()) return true;
  }
  return false;
}

bool MeshSolver::is_valid() const {
  constexpr double least_left = 0.1;
  const MeshVertices before{frame_.shape, base_}, after{frame_.shape, now_};
  for (int part = 0; part < frame_.shape.parts(); ++part)
    for (const KuhnPath& path : kuhn_paths) {
      const GridPlace at = frame_.shape.at(part);
      if (!(static_cast<double>(volume_of(after, at, path)) >
            least_left * static_cast<double>(volume_of(before, at, path))))
        return false;
    }
  bool is_wide = true;
  Movable(frame_).for_each_edge([&](std::size_t vertex, std::size_t next, std::size_t d) {
    const std::int32_t least = frame_.least_width[d];
    is_wide = is_wide && (least == 0 || now_[next][d] - now_[vertex][d] >= least);
  });
  return is_wide;
}

}  // namespace evenkeel
