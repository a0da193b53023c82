#pragma once

// The sums over timings of patches that a model is fitted to, and that fit.
//
// Every model is a linear form over the products of the sides, 1, x, y, x y in 2-D, whose factors
// follow from a, B, C and D. So normal equations over the products hold all that weighted timings
// tell, and the few numbers of the model are found from these alone.

#include <evenkeel/core/weights/patch_model.hpp>

#include <Eigen/Core>

namespace evenkeel::patches {

// Sizes for 3-D; in 2-D what belongs to the third axis is 0.
inline constexpr int product_count = 8;
using Products = Eigen::Matrix<double, product_count, 1>;
using ProductSquare = Eigen::Matrix<double, product_count, product_count>;

// Entry `set` is the product of the sides along the axes whose bits are in `set`.
Products products_of(int dimensions, const PatchSize& size) noexcept;

// What is known of sizes, whatever is forgotten of their timings.
struct SizeRange {
  PatchSize least = {}, greatest = {};
  bool all_square = true;

  void add(int dimensions, const PatchSize& size) noexcept;
  bool is_empty() const noexcept { return greatest[0] == 0; }
};

struct PatchSums {
  ProductSquare square = ProductSquare::Zero();  // of products over seconds as predicted, weighted
  Products with_seconds = Products::Zero();
  double seconds_squared = 0, count = 0, outliers = 0;
  double weight = 0, clipped = 0;     // weights, and squares of weighted errors, added up
  Products sizes = Products::Zero();  // products, added up

  // A timing whose error is measured against `predicted` seconds, weighed for this noise; 0: all
  // count alike.
  void add(int dimensions, const PatchTiming& timing, double predicted, double noise) noexcept;
  void add(const PatchSums& others, double share) noexcept;

  // As if all seconds, and what they were measured against, had been longer by a factor.
  void slow_down(double factor) noexcept;
};

// The model that fits the sums best, none of its numbers negative. Where sums tell nothing, numbers
// are as near to 0 as they may: each is held there by as much as one timing would that said 0 and
// erred by ten times the mean size.
PatchModel fitted(int dimensions, const PatchSums& sums, double noise);

// The model and how sure its numbers are.
PatchFit judged(const PatchModel& model, const PatchSums& sums, const SizeRange& sizes);

}  // namespace evenkeel::patches
