#pragma once

// Moves the vertices of a mesh until its hexahedra have the wanted weights.
//
// The objects near each face show how the weights of the two hexahedra beside it change when a
// vertex of the face moves. A step of Newton's method changes all weights to the wanted ones. Among
// such steps it is the shortest one in the metric of the logarithms of the volumes, so that
// vertices of small tetrahedra move little. No step inverts a tetrahedron.

#include "domains/kuhn/sums.hpp"

#include <vector>

namespace evenkeel {

struct MeshFrame {
  GridShape shape;
  std::array<bool, 3> periodic = {};
  std::array<std::int32_t, 3> upper = {};  // the upper faces of the box, in cells of the lattice
  // The least distance of two vertices along an axis, between the ends of an edge along this axis.
  std::array<std::int32_t, 3> least_width = {};
};

// When to end the search.
struct MeshGoal {
  double tolerance = 0;  // of lambda (the greatest weight / wanted weight) above 1
  int most_passes = 0;
  int most_idle = 0;  // passes in a row that do not gain 5 % of lambda - 1
};

class MeshSolver {
 public:
  // `shares` are the wanted weights of the hexahedra / the mean weight; if the list is empty, all
  // are 1.
  MeshSolver(const MeshFrame& frame, std::vector<MeshVertex> start, const MeshGoal& goal,
             std::vector<double> shares = {});

  // Takes in the sums of the present vertices (sums.hpp). Returns true, and moves vertices, if
  // these are to be summed up, too. Otherwise the present vertices are the best ones.
  bool improve(std::span<const std::int64_t> sums);

  const std::vector<MeshVertex>& vertices() const noexcept { return now_; }
  double best_lambda() const noexcept { return best_lambda_; }

 private:
  void take_if_better(double lambda);
  void find_step(std::span<const std::int64_t> sums, double mean);
  bool take_step();
  bool is_valid() const;

  MeshFrame frame_;
  MeshGoal goal_;
  std::vector<double> shares_;
  int passes_ = 0, idle_passes_ = 0;
  std::vector<MeshVertex> base_, now_, best_;
  double base_error_ = 0, best_lambda_;
  std::vector<std::array<double, 3>> steps_;  // of the vertices in base_
  double length_ = 1;
};

}  // namespace evenkeel
