#pragma once

// Sums over timings of patches, and the fit of a model to them.
//
// In 2-D, every model is a linear form over the products of the sides: 1, x, y, x y. The factors of
// the form follow from a, B, C and D. So normal equations over these products contain all
// information of weighted timings, and suffice to find the few numbers of the model.

#include <evenkeel/extras/patches/patch_model.hpp>

#include <Eigen/Core>

namespace evenkeel::patches {

// These are the sizes for 3-D; in 2-D the entries of the third axis are 0.
inline constexpr int product_count = 8;
using Products = Eigen::Matrix<double, product_count, 1>;
using ProductSquare = Eigen::Matrix<double, product_count, product_count>;

// Entry `set` is the product of the sides along the axes whose bits are in `set`.
Products products_of(int dimensions, const PatchSize& size) noexcept;

// The range of sizes. It includes sizes whose timings are forgotten.
struct SizeRange {
  PatchSize least = {}, greatest = {};
  bool all_square = true;

  void add(int dimensions, const PatchSize& size) noexcept;
  bool is_empty() const noexcept { return greatest[0] == 0; }
};

struct PatchSums {
  ProductSquare square = ProductSquare::Zero();  // of products over predicted seconds, weighted
  Products with_seconds = Products::Zero();
  double seconds_squared = 0, count = 0, outliers = 0;
  double weight = 0, clipped = 0;     // sums of weights, and of squared weighted errors
  Products sizes = Products::Zero();  // sums of products

  // Adds a timing. Its error is measured against `predicted` seconds, and its weight depends on the
  // noise. Without noise, all timings have the same weight.
  void add(int dimensions, const PatchTiming& timing, double predicted, double noise) noexcept;
  void add(const PatchSums& others, double share) noexcept;

  // Scales the sums as if all measured and predicted seconds had been longer by a factor.
  void slow_down(double factor) noexcept;
};

// The model that fits the sums best, without negative numbers. If the sums do not determine a
// number, it is as close to 0 as possible: a prior holds it there. The prior is as strong as one
// timing that says 0 with an error of ten times the mean size.
PatchModel fitted(int dimensions, const PatchSums& sums, double noise);

// The model with the uncertainty of its numbers.
PatchFit judged(const PatchModel& model, const PatchSums& sums, const SizeRange& sizes);

}  // namespace evenkeel::patches
