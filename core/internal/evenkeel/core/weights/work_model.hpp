#pragma once

// The cost of a unit of work of each type, from the amounts of each type on every rank and the load
// of each rank.
//
// A rank with x_j units of type j takes y = c_0 + sum_j c_j x_j, with noise proportional to y. The
// plain solution is that of least squares with the least norm (Niemoeller et al., Computers and
// Fluids 199, 2020): minimum_norm_costs(). It is far off if all ranks have similar amounts, which
// is the aim of balance, if a rank has a cost that does not depend on its objects (c_0), or if some
// measurements are wild.
//
// A WorkModel remembers the latest measurements of its own rank. All ranks together find the costs
// that fit. Each pass adds up the normal equations of all ranks, in one reduction of a few numbers;
// the measurements stay on their ranks. Measurements that are far off count less (Huber, Ann. Math.
// Stat. 35, 1964). Costs are not negative. In directions that the measurements determine less than
// the prior does, the prior counts.

#include <evenkeel/backends/config.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace evenkeel {

// The costs c with the least |A c - y| and, among these, the least |c|. `amounts` are the rows of
// A, one after the other; `loads` are y. Throws an Error for numbers that are not finite, and for
// lengths that do not fit.
EVENKEEL_API std::vector<double> minimum_norm_costs(std::span<const double> amounts,
                                                    std::size_t columns,
                                                    std::span<const double> loads);

// The weights of measurements, and the unknowns of a model.
struct WorkModelOptions {
  // If true, the costs are the plain solution, from the latest measurement of each rank alone. Such
  // costs may be negative.
  bool minimum_norm = false;
  // The weight of a measurement is multiplied by this with each further one of the same rank.
  double forgetting = 0.9;
  // The most measurements of a rank that are remembered.
  std::size_t remembered = 48;
  // If true, ranks have a cost that does not depend on their objects.
  bool has_fixed = true;
  // If true, some ranks may always be faster or slower than others at the same work.
  bool has_speeds = false;
};

// The costs that the measurements show, in the unit of the loads.
struct WorkEstimate {
  std::vector<double> costs = {};    // of a unit of each column: positive for types, unless they
                                     // have the least norm; not negative for features
  std::vector<double> errors = {};   // standard error of each cost; 0 if they have the least norm
  std::vector<double> amounts = {};  // of each column on a rank, on average
  double fixed = 0;                  // cost of a rank, independent of its objects
  double noise = 0;                  // standard deviation of a load, as a share of it
  double condition = 1;              // of the equations: greatest eigenvalue / least
  int frozen = 0;           // directions in which the prior counts for more than the measurements
  double observations = 0;  // sum of the weights of all measurements

  bool is_known() const noexcept { return observations > 0; }
};

// The measurements of this rank, and the costs that fit those of all ranks.
class EVENKEEL_API WorkModel {
 public:
  // A column counts the objects of a type, which cost something, or sums a feature of objects,
  // which may cost nothing.
  enum class Column : std::uint8_t { type, feature };

  static constexpr std::size_t most_columns = 64;

  // A model without measurements, of at most most_columns columns.
  explicit WorkModel(std::vector<Column> columns, const WorkModelOptions& options = {});

  std::size_t columns() const noexcept { return columns_.size(); }

  // Sets the expected costs relative to each other, for use until measurements determine the costs.
  // `width` is their uncertainty as a share of each. A column with 0 has no expected cost. A
  // type without one is taken to cost as much as the mean object, with an uncertainty of 1.5 times
  // that. A feature without one is taken to cost 0, with an uncertainty that could explain the
  // whole load.
  void expect(std::span<const double> costs, double width = 0.5);

  // Adds a measurement: the amounts that this rank had, and its load. Ignores a load of 0.
  void observe(std::span<const double> amounts, double load);
  bool has_observed() const noexcept { return !rows_.empty(); }

  // One pass: the caller adds up sums() of all ranks in place, then each rank calls solve(). Each
  // pass finds the scales again; the first pass of all does nothing else. `settled_passes` are
  // enough.
  static constexpr int settled_passes = 10;
  std::span<double> sums();
  void solve();

  const WorkEstimate& estimate() const noexcept { return estimate_; }
  // The load of a rank with these amounts, at the average speed.
  double predicted(std::span<const double> amounts) const noexcept;
  // The time that this rank takes for some work, relative to the average rank.
  double speed() const noexcept { return speed_; }

 private:
  struct WorkRow {
    std::vector<double> amounts;
    double load;
  };
  // The costs that are assumed before there are measurements.
  struct Prior {
    std::vector<double> expected;       // costs relative to each other; 0 if unknown
    double width = 0.5;                 // of expected costs, as a share of each
    std::vector<double> costs, widths;  // by column, then of the fixed cost: in the unit of loads
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
  // Like prior_.costs, and equal to them after the first pass; then the costs that fit the
  // measurements if noise is usual. Residuals are measured against them, not against the estimate.
  std::vector<double> guessed_;
  double mean_load_ = 0;
  double scale_ = 0;  // of residuals, as a share of the load; 0 if unknown
  double speed_ = 1;
  WorkEstimate estimate_;
};

}  // namespace evenkeel
