#include "patches/patch_sums.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenkeel::patches {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// With this bound, Huber's estimator is 95 % as efficient as least squares on Gaussian noise. It
// reduces the mean square of such noise to `clipped_share`.
constexpr double huber_bound = 1.345, clipped_share = 0.7101, efficiency = 0.95;
constexpr double outlier_bound = 5;  // in units of the noise
constexpr double prior_reach = 10;   // in mean sizes
constexpr double least_held = 1e-5;  // keeps the prior above 0 for exact timings
constexpr int most_iterations = 200;
constexpr double relative_told = 0.25, effect_told = 0.02;

// Number 0 is log a, 1 to 3 are the ghosts along the axes, and 4 is the overhead.
constexpr int number_count = 5, overhead = 4;
using Numbers = Eigen::Matrix<double, number_count, 1>;
using NumberSquare = Eigen::Matrix<double, number_count, number_count>;
constexpr const char* names[number_count] = {"a", "B", "C", "E", "D"};

PatchModel model_of(int dimensions, const Numbers& numbers) {
  return {.dimensions = dimensions,
          .seconds_per_cell = std::exp(numbers[0]),
          .ghosts = {numbers[1], numbers[2], numbers[3]},
          .overhead_cells = numbers[overhead]};
}

// The product of the ghosts along the axes that are neither in `set` nor `left_out`.
double ghosts_beside(const PatchModel& model, int set, int left_out = -1) noexcept {
  double product = 1;
  for (int axis = 0; axis < model.dimensions; ++axis)
    if ((set >> axis & 1) == 0 && axis != left_out)
      product *= model.ghosts[static_cast<std::size_t>(axis)];
  return product;
}

// The factors of the products in the linear form, and their derivatives by each number.
struct Factors {
  Products factors = Products::Zero();
  Eigen::Matrix<double, product_count, number_count> slopes;

  explicit Factors(const PatchModel& model) {
    const double a = model.seconds_per_cell;
    slopes.setZero();
    for (int set = 0; set < 1 << model.dimensions; ++set) {
      factors[set] = a * ghosts_beside(model, set);
      for (int axis = 0; axis < model.dimensions; ++axis)
        if ((set >> axis & 1) == 0) slopes(set, 1 + axis) = a * ghosts_beside(model, set, axis);
    }
    factors[0] += a * model.overhead_cells;
    slopes(0, overhead) = a;
    slopes.col(0) = factors;
  }
};

// The strength with which the prior holds each number at 0, in squares of relative errors.
Numbers prior_of(int dimensions, const PatchSums& sums, double noise) {
  Numbers strength = Numbers::Ones();  // numbers without an axis stay at 0
  const auto hold = [&](int number, double mean_size) {
    const double held = std::max(noise, least_held) / (prior_reach * mean_size);
    strength[number] = held * held;
  };
  strength[0] = 0;
  for (int axis = 0; axis < dimensions; ++axis)
    hold(1 + axis, sums.sizes[1 << axis] / sums.sizes[0]);
  hold(overhead, sums.sizes[(1 << dimensions) - 1] / sums.sizes[0]);
  return strength;
}

double misfit(const PatchSums& sums, const Factors& at, const Numbers& numbers,
              const Numbers& prior) {
  return sums.seconds_squared + at.factors.dot(sums.square * at.factors - 2 * sums.with_seconds) +
         (prior.array() * numbers.array().square()).sum();
}

// A step of Levenberg and Marquardt in the free numbers. A number is not free if it is 0 and would
// become negative.
Numbers step_of(const NumberSquare& square, const Numbers& slope, const Numbers& numbers,
                double damping) {
  NumberSquare kept = square;
  Numbers wanted = -slope;
  for (int k = 0; k < number_count; ++k) {
    kept(k, k) *= 1 + damping;
    if (k == 0 || numbers[k] > 0 || slope[k] < 0) continue;
    kept.row(k).setZero();
    kept.col(k).setZero();
    kept(k, k) = 1;
    wanted[k] = 0;
  }
  return kept.ldlt().solve(wanted);
}

// The standard errors of the numbers of the model, if timings scatter by 1.
class Covariance {
 public:
  explicit Covariance(const NumberSquare& square) {
    for (int k = 0; k < number_count; ++k)
      scale_[k] = square(k, k) > 0 ? 1 / std::sqrt(square(k, k)) : 1;
    solved_.compute(scale_.asDiagonal() * square * scale_.asDiagonal());
  }

  // The standard error of a sum of numbers with these factors. It is infinite if the timings do not
  // determine the sum.
  double error_of(const Numbers& factors) const {
    const Numbers scaled = scale_.cwiseProduct(factors);
    double variance = 0;
    for (int j = 0; j < number_count; ++j) {
      const double share = std::pow(solved_.eigenvectors().col(j).dot(scaled), 2);
      if (solved_.eigenvalues()[j] > 1e-11)
        variance += share / solved_.eigenvalues()[j];
      else if (share > 1e-9 * scaled.squaredNorm())
        return infinity;
    }
    return std::sqrt(variance);
  }

 private:
  Numbers scale_;
  Eigen::SelfAdjointEigenSolver<NumberSquare> solved_;
};

// The effect of an error of a number: the greatest relative change of the cost of a patch, over the
// range of sizes.
double effect_of(const PatchModel& model, int number, double error, const SizeRange& sizes) {
  double most = 0;
  for (int corner = 0; corner < 1 << model.dimensions; ++corner) {
    PatchSize size = sizes.least;
    for (int axis = 0; axis < model.dimensions; ++axis)
      if ((corner >> axis & 1) != 0)
        size[static_cast<std::size_t>(axis)] = sizes.greatest[static_cast<std::size_t>(axis)];
    const Products products = products_of(model.dimensions, size);
    const Factors at(model);
    most = std::max(most, products.dot(at.slopes.col(number)) / products.dot(at.factors));
  }
  return most * error;
}

// Square patches determine only B + C and B C + D. If B and C are equal, the derivatives do not
// reveal this.
bool of_squares(const SizeRange& sizes) {
  return sizes.all_square && sizes.least[0] < sizes.greatest[0];
}

PatchDoubt reason_of(const PatchSums& sums, const SizeRange& sizes, int numbers) {
  if (sums.count <= numbers) return PatchDoubt::few;
  return of_squares(sizes) ? PatchDoubt::squares : PatchDoubt::alike;
}

}  // namespace

Products products_of(int dimensions, const PatchSize& size) noexcept {
  Products products = Products::Zero();
  for (int set = 0; set < 1 << dimensions; ++set) {
    products[set] = 1;
    for (int axis = 0; axis < dimensions; ++axis)
      if ((set >> axis & 1) != 0)
        products[set] *= static_cast<double>(size[static_cast<std::size_t>(axis)]);
  }
  return products;
}

void SizeRange::add(int dimensions, const PatchSize& size) noexcept {
  const bool first = is_empty();
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) {
    least[axis] = first ? size[axis] : std::min(least[axis], size[axis]);
    greatest[axis] = std::max(greatest[axis], size[axis]);
    all_square = all_square && size[axis] == size[0];
  }
}

void PatchSums::add(int dimensions, const PatchTiming& timing, double predicted,
                    double noise) noexcept {
  const Products products = products_of(dimensions, timing.size);
  const Products relative = products / predicted;
  const double seconds = timing.seconds / predicted;
  const double error = std::abs(seconds - 1), bound = huber_bound * noise;
  const double counts = noise > 0 && error > bound ? bound / error : 1;
  square += counts * relative * relative.transpose();
  with_seconds += counts * seconds * relative;
  seconds_squared += counts * seconds * seconds;
  sizes += products;
  count += 1;
  weight += counts;
  clipped += counts * counts * error * error;
  if (noise > 0 && error > outlier_bound * noise) outliers += 1;
}

void PatchSums::add(const PatchSums& others, double share) noexcept {
  square += share * others.square;
  with_seconds += share * others.with_seconds;
  seconds_squared += share * others.seconds_squared;
  sizes += share * others.sizes;
  count += share * others.count;
  outliers += share * others.outliers;
  weight += share * others.weight;
  clipped += share * others.clipped;
}

void PatchSums::slow_down(double factor) noexcept {
  square /= factor * factor;
  with_seconds /= factor;
}

PatchModel fitted(int dimensions, const PatchSums& sums, double noise) {
  const int volume = (1 << dimensions) - 1;
  const Numbers prior = prior_of(dimensions, sums, noise);
  Numbers numbers = Numbers::Zero();
  numbers[0] = std::log(sums.with_seconds[volume] / sums.square(volume, volume));
  double damping = 1e-3;
  for (int iteration = 0; iteration < most_iterations && damping < 1e12; ++iteration) {
    const Factors at(model_of(dimensions, numbers));
    const Numbers slope = at.slopes.transpose() * (sums.square * at.factors - sums.with_seconds) +
                          prior.cwiseProduct(numbers);
    NumberSquare square = at.slopes.transpose() * sums.square * at.slopes;
    square.diagonal() += prior;
    Numbers next = numbers + step_of(square, slope, numbers, damping);
    next.tail<number_count - 1>() = next.tail<number_count - 1>().cwiseMax(0);
    const double now = misfit(sums, at, numbers, prior);
    const double then = misfit(sums, Factors(model_of(dimensions, next)), next, prior);
    if (!(then <= now)) {
      damping *= 8;
      continue;
    }
    const bool settled = (next - numbers).norm() <= 1e-12 * (1 + numbers.norm());
    numbers = next;
    damping = std::max(damping / 8, 1e-15);
    if (settled) break;
  }
  return model_of(dimensions, numbers);
}

PatchFit judged(const PatchModel& model, const PatchSums& sums, const SizeRange& sizes) {
  const int count = model.dimensions + 2;
  const Factors at(model);
  const Covariance covariance(at.slopes.transpose() * sums.square * at.slopes);
  const double freedom = sums.count - count;
  PatchFit fit;
  fit.model = model;
  fit.timings = sums.count;
  fit.outliers = sums.outliers;
  fit.noise = freedom > 0 ? std::sqrt(sums.clipped / clipped_share / freedom) : infinity;
  // Weights have reduced the sums by the mean weight, sums.weight / sums.count.
  const double noise_of_sums = fit.noise * std::sqrt(sums.weight / sums.count / efficiency);
  const double values[number_count] = {model.seconds_per_cell, model.ghosts[0], model.ghosts[1],
                                       model.ghosts[2], model.overhead_cells};
  for (int k = 0; k < number_count; ++k) {
    if (k > model.dimensions && k != overhead) continue;
    PatchNumber number{.name = names[k], .value = values[k]};
    double error = covariance.error_of(Numbers::Unit(k)) * noise_of_sums;
    const bool determined = (k == 0 || !of_squares(sizes)) && std::isfinite(error);
    if (!determined) error = infinity;
    number.uncertainty = k == 0 ? error * values[k] : error;
    if (!determined)
      number.doubt = reason_of(sums, sizes, count);
    else if (number.uncertainty <= relative_told * number.value ||
             effect_of(model, k, error, sizes) <= effect_told)
      number.doubt = PatchDoubt::none;
    else
      number.doubt = PatchDoubt::noise;
    fit.numbers.push_back(number);
  }
  const Numbers of_fixed = at.slopes.row(0);
  fit.fixed_seconds = at.factors[0];
  fit.fixed_uncertainty = covariance.error_of(of_fixed) * noise_of_sums;
  if (std::isnan(fit.fixed_uncertainty)) fit.fixed_uncertainty = infinity;
  return fit;
}

}  // namespace evenkeel::patches
