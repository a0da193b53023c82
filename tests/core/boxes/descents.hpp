#pragma once

// Estimates the best balance of a tensor grid, by coordinate descents from many starts. It knows
// all places.

#include "support/harness.hpp"

#include <evenkeel/core/domains/grid.hpp>

namespace evenkeel::test {

class Descents {
 public:
  using Places = std::vector<std::array<double, 3>>;
  enum class Start { among_places, in_unit_cube };  // how borders are drawn, evenly

  // A border can be between any two of `bins` groups along an axis, which have equal numbers of
  // places.
  Descents(const Places& places, const GridShape& shape, std::size_t bins)
      : bins_(bins), count_(places.size()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      domains_[axis] = static_cast<std::size_t>(shape.extents[axis]);
      std::vector<std::size_t> order(count_);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, {}, [&](std::size_t i) { return places[i][axis]; });
      bin_of_[axis].resize(count_);
      for (std::size_t i = 0; i < count_; ++i) {
        bin_of_[axis][order[i]] = i * bins / count_;
        sorted_[axis].push_back(places[order[i]][axis]);
      }
    }
  }

  double best_lambda(int starts, int sweeps, Start from) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> any(0, 1);
    const auto drawn = [&](std::size_t axis) {
      if (from == Start::among_places) return random() % bins_;
      const auto below = std::ranges::lower_bound(sorted_[axis], any(random));
      return static_cast<std::size_t>(below - sorted_[axis].begin()) * bins_ / count_;
    };
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (int start = 0; start < starts; ++start) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        rows_[axis].assign(domains_[axis] - 1, 0);
        for (std::size_t& border : rows_[axis]) border = drawn(axis);
        std::ranges::sort(rows_[axis]);
      }
      for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t axis = 0; axis < 3; ++axis) best = std::min(best, improve(axis));
    }
    const auto parts = static_cast<double>(domains_[0] * domains_[1] * domains_[2]);
    return static_cast<double>(best) * parts / static_cast<double>(count_);
  }

 private:
  using Sums = std::vector<std::int64_t>;

  std::vector<std::size_t> domain_of_bin(std::size_t axis) const {
    std::vector<std::size_t> domain(bins_);
    for (std::size_t bin = 0; bin < bins_; ++bin)
      domain[bin] = static_cast<std::size_t>(std::ranges::upper_bound(rows_[axis], bin) -
                                             rows_[axis].begin());
    return domain;
  }

  // Opens the next domain with a bin if the bin would lift a column above the limit.
  bool fits(const Sums& in_bins, std::size_t axis, std::int64_t limit,
            std::vector<std::size_t>& row) const {
    const std::size_t columns = in_bins.size() / bins_;
    Sums sums(columns);
    row.clear();
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      const std::int64_t* const more = &in_bins[bin * columns];
      bool is_full = false;
      for (std::size_t c = 0; c < columns && !is_full; ++c) is_full = sums[c] + more[c] > limit;
      if (is_full) {
        row.push_back(bin);
        std::ranges::fill(sums, 0);
      }
      for (std::size_t c = 0; c < columns; ++c)
        if ((sums[c] += more[c]) > limit) return false;
    }
    if (row.size() >= domains_[axis]) return false;
    row.resize(domains_[axis] - 1, bins_);
    return true;
  }

  // Finds the best row along this axis for the present rows along the others. Returns the load of
  // its heaviest part.
  std::int64_t improve(std::size_t axis) {
    const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
    const std::vector<std::size_t> in_a = domain_of_bin(a), in_b = domain_of_bin(b);
    Sums in_bins(bins_ * domains_[a] * domains_[b]);
    for (std::size_t i = 0; i < count_; ++i)
      ++in_bins[(bin_of_[axis][i] * domains_[a] + in_a[bin_of_[a][i]]) * domains_[b] +
                in_b[bin_of_[b][i]]];
    auto below = std::int64_t{0}, above = static_cast<std::int64_t>(count_);
    std::vector<std::size_t> row;
    while (above - below > 1) {
      const std::int64_t limit = (below + above) / 2;
      if (fits(in_bins, axis, limit, row)) {
        above = limit;
        rows_[axis] = row;
      } else {
        below = limit;
      }
    }
    return above;
  }

  std::size_t bins_, count_;
  std::array<std::size_t, 3> domains_;
  std::array<std::vector<std::size_t>, 3> bin_of_;  // the bin of each place
  std::array<std::vector<double>, 3> sorted_;
  std::array<std::vector<std::size_t>, 3> rows_;
};

}  // namespace evenkeel::test
