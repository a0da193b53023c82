#include "weights/stage.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/work_model.hpp>

// Only host code calls Eigen. Without these macros, Eigen declares functions for host and device,
// which device compilers refuse.
#define EIGEN_NO_CUDA
#define EIGEN_NO_HIP
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

// Solves a x = b for the unknowns in `free`; all other unknowns are 0.
Eigen::VectorXd solve_free(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                           const std::vector<Eigen::Index>& free) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size());
  if (free.empty()) return x;
  const Eigen::MatrixXd among = a(free, free);
  x(free) = Eigen::VectorXd(among.ldlt().solve(Eigen::VectorXd(b(free))));
  return x;
}

// Minimises x'Ax/2 - b'x under the condition that no component of x is below its bound. Uses the
// active sets of Lawson and Hanson (Solving Least Squares Problems, 1974) on the normal equations.
// `a` must be positive definite. Ends after at most 3 n changes of the active set; x is within the
// bounds after each of them.
Eigen::VectorXd least_above(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                            const Eigen::VectorXd& bounds) {
  constexpr double tolerance = 1e-12;
  const Eigen::Index n = b.size();
  const Eigen::VectorXd right = b - a * bounds;  // right side of the equations for x - bounds
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
      const Eigen::VectorXd wanted = solve_free(a, right, all);
      double step = 1;  // shortened to the first bound on the way
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

// The noise of a load is proportional to the load; smaller loads than this share of the mean load
// have the noise of such a share.
constexpr double least_share = 0.05;
// A measurement whose residual exceeds this many standard deviations gets less weight.
constexpr double huber = 1.5;
// The noise that is assumed before noise is measured. Later it counts like one measurement per
// unknown.
constexpr double usual_noise = 0.02;
// A type costs at least this share of its prior cost.
constexpr double least_cost = 1e-3;
// The width of the prior for a type without an expected cost, as a share of the mean cost.
constexpr double plain_width = 1.5;
// The prior for the fixed cost of a rank and the width of this prior, as shares of the mean load.
constexpr double usual_fixed = 0.05, fixed_width = 0.15;
// The speed of a rank follows a deviation by this share in each step. It is small, so that the
// speed does not absorb differences that the types explain.
constexpr double speed_share = 0.05;

// A histogram of the magnitudes of residuals, with four bins per factor of 2.
struct Magnitudes {
  static constexpr std::size_t bins = 96;
  static constexpr double per_octave = 4, octaves_below_one = 20;

  static std::size_t bin_of(double residual) noexcept {
    const double octave = std::log2(std::max(std::abs(residual), 1e-9)) + octaves_below_one;
    return static_cast<std::size_t>(
        std::clamp(per_octave * octave, 0.0, static_cast<double>(bins - 1)));
  }
  static double at(double bin) noexcept { return std::exp2(bin / per_octave - octaves_below_one); }

  // Returns the median magnitude, or 0 if there are no residuals.
  static double median(std::span<const double> counts) noexcept {
    const double half = std::accumulate(counts.begin(), counts.end(), 0.0) / 2;
    double before = 0;
    for (std::size_t b = 0; b < counts.size(); ++b) {
      if (counts[b] > 0 && before + counts[b] >= half)
        return at(static_cast<double>(b) + (half - before) / counts[b]);
      before += counts[b];
    }
    return 0;
  }
};

}  // namespace

std::vector<double> minimum_norm_costs(std::span<const double> amounts, std::size_t columns,
                                       std::span<const double> loads) {
  if (columns == 0 || amounts.size() != columns * loads.size())
    refuse("There are " + std::to_string(amounts.size()) + " amounts for " +
               std::to_string(loads.size()) + " loads and " + std::to_string(columns) + " columns.",
           "Give one row of amounts, with one number for each column, for each load.");
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(amounts.begin(), amounts.end(), is_finite) ||
      !std::all_of(loads.begin(), loads.end(), is_finite))
    refuse("An amount or a load is not finite.", "Give finite numbers.");
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(loads.size()), m = static_cast<Eigen::Index>(columns);
  const Eigen::Map<const Rows> a(amounts.data(), n, m);
  const Eigen::Map<const Eigen::VectorXd> y(loads.data(), n);
  const Eigen::VectorXd costs = Eigen::MatrixXd(a).completeOrthogonalDecomposition().solve(y);
  return {costs.data(), costs.data() + m};
}

// The index at which each kind of sum begins in sums_.
struct WorkModel::Layout {
  explicit Layout(std::size_t columns)
      : unknowns(columns + 1),
        amounts(2),
        matrix(amounts + columns),
        right(matrix + unknowns * (unknowns + 1) / 2),
        magnitudes(right + unknowns),
        speeds(magnitudes + Magnitudes::bins),
        ranks(speeds + 1),
        size(ranks + 1) {}

  static constexpr std::size_t observations = 0, loads = 1;
  std::size_t unknowns, amounts, matrix, right, magnitudes, speeds, ranks, size;
};

WorkModel::WorkModel(std::vector<Column> columns, const WorkModelOptions& options)
    : columns_(std::move(columns)), options_(options) {
  if (columns_.empty() || columns_.size() > most_columns)
    refuse("A model of " + std::to_string(columns_.size()) + " columns was asked for.",
           "Give from 1 to " + std::to_string(most_columns) + " types and features.");
  if (!(options.forgetting > 0 && options.forgetting <= 1))
    refuse("The forgetting factor is " + text_of(options.forgetting) + '.',
           "Give a factor above 0 and at most 1.");
  const std::size_t unknowns = columns_.size() + 1;
  prior_.expected.assign(columns_.size(), 0.0);
  prior_.costs.assign(unknowns, 0.0);
  prior_.widths.assign(unknowns, 0.0);
  sums_.assign(Layout(columns_.size()).size, 0.0);
  estimate_.costs.assign(columns_.size(), 0.0);
  estimate_.amounts.assign(columns_.size(), 0.0);
  estimate_.errors.assign(columns_.size(), std::numeric_limits<double>::infinity());
}

void WorkModel::expect(std::span<const double> costs, double width) {
  const auto is_bad = [](double cost) { return !std::isfinite(cost) || cost < 0; };
  if (costs.size() != columns_.size() || std::any_of(costs.begin(), costs.end(), is_bad))
    refuse(
        "An expected cost is negative or not finite, or there are more or fewer costs than "
        "columns.",
        "Give a number for each column, 0 if a cost is unknown.");
  if (!(width > 0 && std::isfinite(width)))
    refuse("The relative error of the expected costs is " + text_of(width) + '.',
           "Give a positive and finite number.");
  prior_.expected.assign(costs.begin(), costs.end());
  prior_.width = width;
}

void WorkModel::observe(std::span<const double> amounts, double load) {
  const auto is_bad = [](double amount) { return !std::isfinite(amount) || amount < 0; };
  if (amounts.size() != columns_.size() || std::any_of(amounts.begin(), amounts.end(), is_bad))
    refuse(
        "An amount of work is negative or not finite, or there are more or fewer amounts than "
        "columns.",
        "Count objects, and give features that are finite and not negative.");
  if (!std::isfinite(load) || load < 0)
    refuse("A load is " + text_of(load) + '.', "Give one that is finite and not negative.");
  if (load <= 0) return;
  rows_.push_back({{amounts.begin(), amounts.end()}, load});
  if (rows_.size() > options_.remembered) rows_.pop_front();
}

double WorkModel::predicted(std::span<const double> amounts) const noexcept {
  return std::inner_product(amounts.begin(), amounts.end(), estimate_.costs.begin(),
                            estimate_.fixed);
}

// Returns the predicted load of a row plus a share of the mean load, so the result is never close
// to 0.
double WorkModel::guess(const WorkRow& row) const noexcept {
  const double load =
      std::inner_product(row.amounts.begin(), row.amounts.end(), guessed_.begin(), guessed_.back());
  return load + least_share * mean_load_;
}

std::span<double> WorkModel::sums() {
  const Layout at(columns());
  std::fill(sums_.begin(), sums_.end(), 0.0);
  sums_[at.speeds] = std::log(speed_);
  sums_[at.ranks] = 1;
  double counts = 1;
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row, counts *= options_.forgetting) {
    add_row(*row, counts);
    if (options_.minimum_norm) break;
  }
  return sums_;
}

// The weight of a row. Noise is proportional to the load, so by noise alone the relative errors of
// all rows would have equal weights. But costs within a type also differ from place to place, and
// the model should reproduce the sum of all loads. So the weight of a relative error is
// proportional to the load. With one column, the cost is then nearly the sum of loads / the sum of
// amounts.
void WorkModel::add_row(const WorkRow& row, double counts) {
  const Layout at(columns());
  const double load = row.load / speed_;
  sums_[Layout::observations] += counts;
  sums_[Layout::loads] += counts * load;
  for (std::size_t j = 0; j < columns(); ++j) sums_[at.amounts + j] += counts * row.amounts[j];
  if (!(mean_load_ > 0)) return;
  double unit = 1, weight = counts;
  if (!options_.minimum_norm) {
    const double expected = guess(row);
    const double residual = (load + least_share * mean_load_ - expected) / expected;
    sums_[at.magnitudes + Magnitudes::bin_of(residual)] += counts;
    const double far = scale_ > 0 ? std::abs(residual) / (huber * scale_) : 0;
    if (far > 1) weight /= far;
    unit = std::sqrt(expected * mean_load_);
  }
  const auto entry_of = [&](std::size_t j) { return (j < columns() ? row.amounts[j] : 1) / unit; };
  std::size_t entry = at.matrix;
  for (std::size_t i = 0; i < at.unknowns; ++i) {
    for (std::size_t j = i; j < at.unknowns; ++j)
      sums_[entry++] += weight * entry_of(i) * entry_of(j);
    sums_[at.right + i] += weight * entry_of(i) * (load / unit);
  }
}

// Sets the prior costs and their widths, in the unit of the loads.
void WorkModel::find_scales(std::span<const double> all) {
  const Layout at(columns());
  const double load = all[Layout::loads];
  mean_load_ = load / all[Layout::observations];
  const double fixed = options_.has_fixed ? usual_fixed : 0;
  double of_types = 0, as_expected = 0;
  for (std::size_t j = 0; j < columns(); ++j) {
    const double amount = all[at.amounts + j];
    if (columns_[j] == Column::type) of_types += amount;
    as_expected += prior_.expected[j] * amount;
  }
  const double plain = of_types > 0 ? (1 - fixed) * load / of_types : load;
  for (std::size_t j = 0; j < columns(); ++j) {
    const double amount = all[at.amounts + j];
    if (prior_.expected[j] > 0 && as_expected > 0) {
      prior_.costs[j] = prior_.expected[j] * (1 - fixed) * load / as_expected;
      prior_.widths[j] = prior_.width * prior_.costs[j];
    } else if (columns_[j] == Column::type) {
      prior_.costs[j] = plain;
      prior_.widths[j] = plain_width * plain;
    } else {
      prior_.costs[j] = 0;
      prior_.widths[j] = amount > 0 ? load / amount : plain;
    }
  }
  prior_.costs[columns()] = fixed * mean_load_;
  prior_.widths[columns()] = options_.has_fixed ? fixed_width * mean_load_ : 0;
}

// The normal equations of the measurements of all ranks. An unknown is (cost - prior cost) / width
// of the prior.
struct WorkModel::Equations {
  Eigen::MatrixXd told;  // precision of the measurements
  Eigen::VectorXd right;
};

namespace {

std::vector<double> solved(const Eigen::MatrixXd& system, const Eigen::VectorXd& right,
                           const std::vector<double>& bounds) {
  const Eigen::Map<const Eigen::VectorXd> least(bounds.data(), right.size());
  const Eigen::VectorXd found = least_above(system, right, least);
  return {found.data(), found.data() + found.size()};
}

}  // namespace

void WorkModel::solve() {
  const Layout at(columns());
  if (!(sums_[Layout::observations] > 0) || !(sums_[Layout::loads] > 0)) return;
  const bool is_first = !(mean_load_ > 0);
  find_scales(sums_);
  if (is_first) {
    guessed_ = prior_.costs;
    return;
  }
  estimate_.observations = sums_[Layout::observations];
  for (std::size_t j = 0; j < columns(); ++j)
    estimate_.amounts[j] = sums_[at.amounts + j] / estimate_.observations;
  if (options_.minimum_norm) return estimate_of_least_norm();
  find_noise();
  estimate_from(equations(scale_));
  // The noise is measured with costs that fit the measurements closely, and not with the estimate.
  // With the estimate, a wrong prior would look like noise, and noise would be a reason to keep the
  // prior.
  const Equations trusted = equations(usual_noise);
  const auto n = trusted.right.size();
  set_to(guessed_, solved(trusted.told + Eigen::MatrixXd::Identity(n, n), trusted.right, bounds()));
  if (options_.has_speeds) follow_speed();
}

// Computes the noise from the residuals and the usual noise.
void WorkModel::find_noise() {
  constexpr double sigma_of_median = 1.4826;
  const Layout at(columns());
  const std::span<const double> residuals = std::span(sums_).subspan(at.magnitudes);
  const double sigma = sigma_of_median * Magnitudes::median(residuals.first(Magnitudes::bins));
  const double observations = sums_[Layout::observations];
  const auto unknowns = static_cast<double>(at.unknowns);
  scale_ = std::sqrt((observations * sigma * sigma + unknowns * usual_noise * usual_noise) /
                     (observations + unknowns));
}

namespace {

// Makes a symmetric matrix from its entries on and above the diagonal, row by row.
Eigen::MatrixXd symmetric(std::span<const double> entries, Eigen::Index n) {
  Eigen::MatrixXd matrix(n, n);
  std::size_t entry = 0;
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = i; j < n; ++j) matrix(i, j) = matrix(j, i) = entries[entry++];
  return matrix;
}

// Returns the condition number, given the eigenvalues in ascending order. If the greatest is 0,
// there are no equations, and the result is 1.
double condition_of(const Eigen::VectorXd& known) {
  constexpr double least_known = 1e-16;
  const double greatest = known[known.size() - 1];
  return greatest > 0 ? greatest / std::max(known[0], least_known * greatest) : 1;
}

}  // namespace

// Solves the normal equations by their pseudo-inverse. The solution is the one that the
// pseudo-inverse of the original rows gives.
void WorkModel::estimate_of_least_norm() {
  constexpr double least_known = 1e-12;
  const Layout at(columns());
  const auto n = static_cast<Eigen::Index>(columns());
  const std::span<const double> all = sums_;
  const Eigen::MatrixXd matrix = symmetric(all.subspan(at.matrix), n + 1).topLeftCorner(n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> directions(matrix);
  const Eigen::VectorXd& known = directions.eigenvalues();
  const double least = least_known * known[n - 1];
  const Eigen::VectorXd inverse =
      known.unaryExpr([least](double sure) { return sure > least ? 1 / sure : 0.0; });
  const Eigen::Map<const Eigen::VectorXd> right(&sums_[at.right], n);
  const Eigen::MatrixXd& basis = directions.eigenvectors();
  const Eigen::VectorXd found =
      basis * (inverse.asDiagonal() * Eigen::VectorXd(basis.transpose() * right));
  estimate_.costs.assign(found.data(), found.data() + n);
  estimate_.frozen = static_cast<int>((known.array() <= least).count());
  // this estimate has no errors to report
  std::fill(estimate_.errors.begin(), estimate_.errors.end(), 0.0);
  estimate_.condition = condition_of(known);
}

WorkModel::Equations WorkModel::equations(double noise) const {
  const Layout at(columns());
  const auto n = static_cast<Eigen::Index>(at.unknowns);
  const Eigen::MatrixXd matrix = symmetric(std::span(sums_).subspan(at.matrix), n);
  const Eigen::Map<const Eigen::VectorXd> right(&sums_[at.right], n),
      priors(prior_.costs.data(), n), widths(prior_.widths.data(), n);
  const Eigen::VectorXd away = right - matrix * priors;
  const double sureness = 1 / (noise * noise);
  return {sureness * (widths.asDiagonal() * matrix * widths.asDiagonal()),
          sureness * (widths.asDiagonal() * away)};
}

// Returns the lower bounds of the unknowns of the equations.
std::vector<double> WorkModel::bounds() const {
  std::vector<double> least(prior_.costs.size());
  for (std::size_t j = 0; j < least.size(); ++j) {
    const bool is_type = j < columns() && columns_[j] == Column::type;
    const double cost = is_type ? least_cost * prior_.costs[j] : 0;
    least[j] = prior_.widths[j] > 0 ? (cost - prior_.costs[j]) / prior_.widths[j] : 0;
  }
  return least;
}

// Sets costs from `found`, which has the unknowns of the equations.
void WorkModel::set_to(std::vector<double>& costs, std::span<const double> found) const {
  costs.resize(found.size());
  for (std::size_t j = 0; j < found.size(); ++j)
    costs[j] = prior_.costs[j] + prior_.widths[j] * found[j];
}

void WorkModel::estimate_from(const Equations& equations) {
  constexpr double most_kept = 1e6;
  const Eigen::Index n = equations.right.size();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> directions(equations.told);
  const Eigen::VectorXd& known = directions.eigenvalues();  // ascending
  // If the measurements determine a direction less well than the prior does, the prior gets more
  // weight in it.
  const Eigen::VectorXd kept = known.unaryExpr(
      [](double sure) { return sure < 1 ? 1 / std::max(sure, 1 / most_kept) : 1.0; });
  const Eigen::MatrixXd& basis = directions.eigenvectors();
  const Eigen::MatrixXd system = equations.told + basis * kept.asDiagonal() * basis.transpose();
  std::vector<double> costs;
  set_to(costs, solved(system, equations.right, bounds()));
  estimate_.fixed = costs.back();
  costs.pop_back();
  estimate_.costs = std::move(costs);
  const Eigen::VectorXd variances =
      known.unaryExpr([](double sure) { return 1 / (std::max(sure, 0.0) + 1); });
  for (std::size_t j = 0; j < columns(); ++j) {
    const auto row = basis.row(static_cast<Eigen::Index>(j));
    estimate_.errors[j] = prior_.widths[j] * std::sqrt(row.cwiseAbs2().dot(variances));
  }
  estimate_.noise = scale_;
  // If there is no fixed cost, there is one unknown less.
  const Eigen::VectorXd of_unknowns = known.tail(options_.has_fixed ? n : n - 1);
  estimate_.condition = condition_of(of_unknowns);
  estimate_.frozen = static_cast<int>((of_unknowns.array() < 1).count());
}

void WorkModel::follow_speed() {
  const Layout at(columns());
  double sum = 0, counted = 0, counts = 1;
  for (auto it = rows_.rbegin(); it != rows_.rend(); ++it, counts *= options_.forgetting) {
    const double expected = predicted(it->amounts) * speed_;
    if (!(expected > 0)) continue;
    const double off = std::log(it->load / expected), most = huber * scale_;
    sum += counts * std::clamp(off, -most, most);
    counted += counts;
  }
  // mean of log(speed); subtracting it keeps the mean speed at 1
  const double others = sums_[at.speeds] / sums_[at.ranks];
  const double off = counted > 0 ? sum / counted : 0;
  speed_ = std::exp(std::log(speed_) - others + speed_share * off);
}

}  // namespace evenkeel
