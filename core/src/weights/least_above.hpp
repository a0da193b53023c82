#pragma once

// A small convex problem: the least of x'Ax/2 - b'x where no x is below its bound.

#include <Eigen/Dense>

#include <algorithm>
#include <vector>

namespace evenkeel {

namespace detail {

// The solution where the unknowns that are not free stay at 0.
inline Eigen::VectorXd solve_free(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                  const std::vector<Eigen::Index>& free) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size());
  if (free.empty()) return x;
  const Eigen::MatrixXd among = a(free, free);
  const Eigen::VectorXd right = b(free);
  const Eigen::VectorXd of_free = among.ldlt().solve(right);
  x(free) = of_free;
  return x;
}

}  // namespace detail

// `a` is positive definite. Lawson and Hanson's active sets (Solving Least Squares Problems, 1974)
// on the normal equations. Ends after at most 3 n exchanges; each leaves a point within the bounds.
inline Eigen::VectorXd least_above(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                   const Eigen::VectorXd& bounds) {
  constexpr double tolerance = 1e-12;
  const Eigen::Index n = b.size();
  const Eigen::VectorXd right = b - a * bounds;  // for what lies above the bounds
  Eigen::VectorXd above = Eigen::VectorXd::Zero(n);
  std::vector<char> is_free(static_cast<std::size_t>(n), 0);
  const auto free = [&] {
    std::vector<Eigen::Index> all;
    for (Eigen::Index i = 0; i < n; ++i)
      if (is_free[static_cast<std::size_t>(i)] != 0) all.push_back(i);
    return all;
  };
  const double scale = right.cwiseAbs().maxCoeff();
  for (Eigen::Index exchange = 0; exchange < 3 * n; ++exchange) {
    const Eigen::VectorXd slope = right - a * above;
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < n; ++i)
      if (is_free[static_cast<std::size_t>(i)] == 0 && slope[i] > tolerance * scale &&
          (best < 0 || slope[i] > slope[best]))
        best = i;
    if (best < 0) break;
    is_free[static_cast<std::size_t>(best)] = 1;
    for (std::vector<Eigen::Index> all = free(); !all.empty(); all = free()) {
      const Eigen::VectorXd wanted = detail::solve_free(a, right, all);
      double step = 1;  // as far as the first bound
      for (const Eigen::Index i : all)
        if (wanted[i] < 0) step = std::min(step, above[i] / (above[i] - wanted[i]));
      above += step * (wanted - above);
      if (step >= 1) break;
      for (const Eigen::Index i : all)
        if (wanted[i] < 0 && above[i] <= tolerance * above.maxCoeff()) {
          above[i] = 0;
          is_free[static_cast<std::size_t>(i)] = 0;
        }
    }
  }
  return bounds + above;
}

}  // namespace evenkeel
