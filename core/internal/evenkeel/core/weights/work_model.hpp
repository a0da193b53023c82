#pragma once

// What a unit of work costs, by type: from how much of each type every rank had, and how long each
// rank took.
//
// A rank with x_j units of type j takes y = c_0 + sum_j c_j x_j, within noise that is proportional
// to y. The plain answer is the solution of least squares with the least norm (Niemoeller et al.,
// Computers and Fluids 199, 2020): minimum_norm_costs(). It is far off where ranks look alike,
// which is what good balance brings about, where a rank costs something whatever it has (c_0), and
// where some measurements are wild.
//
// A WorkModel remembers the latest measurements of its own rank. All ranks together find the costs
// that fit: each pass adds the normal equations of all ranks up (one reduction of a few numbers;
// rows stay where they are), measurements that lie far off count less (Huber, Ann. Math. Stat. 35,
// 1964), costs are not negative, and what the measurements cannot tell stays what was thought
// before: in directions in which they are less sure than the prior, the prior counts.

#include <evenkeel/backends/config.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace evenkeel {

// The costs c that make |A c - y| least and, among these, |c| least. `amounts`: the rows of A, one
// after the other. An Error for numbers that are not finite, or lengths that do not fit.
EVENKEEL_API std::vector<double> minimum_norm_costs(std::span<const double> amounts,
                                                    std::size_t columns,
                                                    std::span<const double> loads);

// How measurements are weighed.
struct WorkModelOptions {
  // The plain answer instead: the costs of least squares with the least norm, from the latest
  // measurement of each rank alone. Such costs may be negative.
  bool minimum_norm = false;
  // How much a measurement still counts when the rank has made another one since.
  double forgetting = 0.9;
  // So many measurements of a rank are remembered, and no more.
  std::size_t remembered = 48;
  // Whether ranks have a cost that does not depend on what they have.
  bool has_fixed = true;
  // Whether a rank may be faster or slower than others at the same work, for good.
  bool has_speeds = false;
};

// What the measurements say, in the unit of the loads.
struct WorkEstimate {
  std::vector<double> costs = {};    // of a unit of each column: of types positive, unless they
                                     // have the least norm; of features not negative
  std::vector<double> errors = {};   // one standard error of each
  std::vector<double> amounts = {};  // of each column that a rank has on average
  double fixed = 0;                  // of a rank, whatever it has
  double noise = 0;                  // standard deviation of a load, as a share of it
  double condition = 1;              // of the equations: greatest / least sureness of any direction
  int frozen = 0;           // directions in which the prior counts for more than the measurements
  double observations = 0;  // that count, the older the less

  bool is_known() const noexcept { return observations > 0; }
};

class EVENKEEL_API WorkModel {
 public:
  // What a column counts: objects of a type, which all cost something; or a feature of objects,
  // which may cost nothing.
  enum class Column : std::uint8_t { type, feature };

  static constexpr std::size_t most_columns = 64;

  // Of at most most_columns columns. Nothing has been measured yet.
  explicit WorkModel(std::vector<Column> columns, const WorkModelOptions& options = {});

  std::size_t columns() const noexcept { return columns_.size(); }

  // What is thought of the costs relative to each other before anything is measured; 0: nothing is
  // thought of this one. `width`: how far off they may be, as a share. Without it, all types cost
  // the same, and may be off by a few times that.
  void expect(std::span<const double> costs, double width = 0.5);

  // Enters what this rank had and how long it took. A load of 0 is none.
  void observe(std::span<const double> amounts, double load);
  bool has_observed() const noexcept { return !rows_.empty(); }

  // One pass: sums() of all ranks are added up, in place, and each rank solves. The first pass
  // after observations that are unlike those before finds the scales; `settled_passes` are enough.
  static constexpr int settled_passes = 10;
  std::span<double> sums();
  void solve();

  const WorkEstimate& estimate() const noexcept { return estimate_; }
  // The load of a rank with these amounts.
  double predicted(std::span<const double> amounts) const noexcept;
  // By how much longer this rank takes than others for the same.
  double speed() const noexcept { return speed_; }

 private:
  struct Row {
    std::vector<double> amounts;
    double load;
  };
  // What is thought before anything is measured.
  struct Prior {
    std::vector<double> expected;       // relative to each other; 0: unknown
    double width = 0.5;                 // of those that are expected, as a share
    std::vector<double> costs, widths;  // by column, then of the fixed cost: in the unit of loads
  };
  struct Layout;
  struct Equations;
  double guess(const Row& row) const noexcept;
  void find_scales(std::span<const double> all);
  void add_row(const Row& row, double counts);
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
  std::deque<Row> rows_;
  std::vector<double> sums_;
  std::vector<double> guessed_;  // as prior_.costs: costs that fit, whatever was thought
  double mean_load_ = 0;
  double scale_ = 0;  // of residuals, as a share of the load; 0: not known
  double speed_ = 1;
  WorkEstimate estimate_;
};

}  // namespace evenkeel
