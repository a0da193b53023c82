#pragma once

// Finds the cost of one object of each type from two measurements on each rank: the number of
// objects of each type, and the load.
//
// A rank with x_j objects of type j has the load y = c_0 + sum_j c_j x_j, with noise proportional
// to y. The plain solution is the least-squares solution with the least norm (Niemoeller et al.,
// Computers and Fluids 199, 2020): minimum_norm_costs(). It is far off in three cases: all ranks
// have similar numbers of objects, as balanced ranks often have; a rank has a cost c_0 that does
// not depend on its objects; some measurements are outliers.
//
// A WorkModel remembers the latest measurements of its own rank. All ranks together find the costs
// that fit. Each pass adds up the normal equations of all ranks, in one reduction of a few numbers;
// the measurements stay on their ranks. Outliers count less (Huber, Ann. Math. Stat. 35, 1964).
// Costs are not negative. The expected costs are the prior. In some directions of the space of
// costs, the measurements determine the result less well than the prior does; there the prior
// decides.

#include <evenkeel/backends/config.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace evenkeel {

// Returns the c with the least |c| of all c that minimise |A c - y|. `amounts` are the rows of A,
// one after the other; `loads` are y. Throws an Error if a number is not finite, or if the lengths
// do not fit `columns`.
EVENKEEL_API std::vector<double> minimum_norm_costs(std::span<const double> amounts,
                                                    std::size_t columns,
                                                    std::span<const double> loads);

// How a model weighs its measurements, and which unknowns it has.
struct WorkModelOptions {
  // If true, the costs are the plain solution from only the latest measurement of each rank. Such
  // costs may be negative.
  bool minimum_norm = false;
  // Each new measurement multiplies the weights of the older ones of the same rank by this.
  double forgetting = 0.9;
  // The most measurements of a rank that are remembered.
  std::size_t remembered = 48;
  // If true, the model has the unknown c_0, a cost of a rank that does not depend on its objects.
  bool has_fixed = true;
  // If true, the model has a speed for each rank, since some may always be slower than others.
  bool has_speeds = false;
};

// The costs that fit the measurements, in the unit of the loads.
struct WorkEstimate {
  std::vector<double> costs = {};    // of one unit of each column: positive for types, and not
                                     // negative for features, unless `minimum_norm` is set
  std::vector<double> errors = {};   // standard error of each cost; 0 if `minimum_norm` is set
  std::vector<double> amounts = {};  // of each column: the average over ranks
  double fixed = 0;                  // cost of a rank, independent of its objects
  double noise = 0;                  // standard deviation of a load, divided by the load
  double condition = 1;              // of the equations: greatest eigenvalue / least eigenvalue
  int frozen = 0;           // directions in which the prior counts for more than the measurements
  double observations = 0;  // sum of the weights of all measurements

  bool is_known() const noexcept { return observations > 0; }
};

// Holds the measurements of this rank, and the costs that fit the measurements of all ranks.
class EVENKEEL_API WorkModel {
 public:
  // A column of amounts has either the number of objects of a type, or the sum of a feature over
  // objects. An object of a type has a cost above 0. A feature may cost nothing.
  enum class Column : std::uint8_t { type, feature };

  static constexpr std::size_t most_columns = 64;

  // A model without measurements, of at most most_columns columns.
  explicit WorkModel(std::vector<Column> columns, const WorkModelOptions& options = {});

  std::size_t columns() const noexcept { return columns_.size(); }

  // Sets the expected cost of each column, for use until measurements determine the costs. Only the
  // ratios of these costs count. The uncertainty of a cost is `width` times the cost. A column with
  // 0 has no expected cost. A type without expected cost is assumed to cost as much as the mean
  // object, with an uncertainty of 1.5 times that. A feature without expected cost is assumed to
  // cost 0, with an uncertainty that could explain the whole load.
  void expect(std::span<const double> costs, double width = 0.5);

  // Adds a measurement: the amounts that this rank had, and its load. Ignores a load of 0.
  void observe(std::span<const double> amounts, double load);
  bool has_observed() const noexcept { return !rows_.empty(); }

  // One pass: the caller adds up sums() of all ranks in place, then each rank calls solve(). Each
  // pass finds the mean load and the size of residuals again; the first pass does nothing else.
  // `settled_passes` passes suffice for costs that hardly change any more.
  static constexpr int settled_passes = 10;
  std::span<double> sums();
  void solve();

  const WorkEstimate& estimate() const noexcept { return estimate_; }
  // The load of a rank with these amounts, at the average speed.
  double predicted(std::span<const double> amounts) const noexcept;
  // The time that this rank takes for its work, divided by the time that the average rank would
  // take for the same work.
  double speed() const noexcept { return speed_; }

 private:
  struct WorkRow {
    std::vector<double> amounts;
    double load;
  };
  // The costs that are assumed until measurements determine them.
  struct Prior {
    std::vector<double> expected;       // only the ratios count; 0 if unknown
    double width = 0.5;                 // uncertainty of expected costs / costs
    std::vector<double> costs, widths;  // by column, then the fixed cost; in the unit of loads
  };
  struct Layout;
  struct Equations;
  double guess(const WorkRow& row) const noexcept;
  void find_scales(std::span<const double> all);
  void add_row(const WorkRow& row, double counts);
  void find_noise();
  void estimate_of_least_norm();
  Equations equations(double noise) const;
  std::vector<double> bounds() const;
  void set_to(std::vector<double>& costs, std::span<const double> found) const;
  void estimate_from(const Equations& equations);
  void follow_speed();

  std::vector<Column> columns_;
  WorkModelOptions options_;
  Prior prior_;
  std::deque<WorkRow> rows_;
  std::vector<double> sums_;
  // The costs against which residuals are measured, in the order of prior_.costs. They are equal to
  // prior_.costs after the first pass. After later passes they are the costs that fit the
  // measurements if the noise is as large as usual. These may differ from the costs of the
  // estimate.
  std::vector<double> guessed_;
  double mean_load_ = 0;
  double scale_ = 0;  // of residuals, divided by the load; 0 if unknown
  double speed_ = 1;
  WorkEstimate estimate_;
};

}  // namespace evenkeel
