// Fits the costs of refined patches with many seeds. Prints the errors of the fits, beside the
// least errors that any unbiased fit can have.
//
//   bench_patches [seeds]
//
// The costs are those published for AstroBEAR; timings have multiplicative Gaussian noise, and an
// outlier takes five times as long. Errors are in %; the last column is the worst error of the cost
// of any patch from 1 x 1 to 32 x 32.

#include <evenkeel/extras/patches/patch_model.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace evenkeel::bench {
namespace {

using Timings = std::vector<PatchTiming>;
constexpr std::int64_t longest = 32;
constexpr std::array<std::int64_t, 10> sides = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

constexpr std::array<double, 4> numbers = {1.597e-5, 3.766, 5.490, 7.668};  // a, B, C, D
PatchModel published() { return {2, numbers[0], {numbers[1], numbers[2], 0}, numbers[3]}; }

enum class Design : int { drawn, grid, chosen, corners };

struct Case {
  const char* name;
  Design design;
  int count;
  double noise, outliers;
};

std::vector<PatchSize> sizes_of(const Case& of, std::mt19937_64& random) {
  if (of.design == Design::chosen) return patch_sizes_to_time(2, 1, longest, of.count);
  std::uniform_int_distribution<std::int64_t> side(1, longest);
  std::vector<PatchSize> sizes;
  for (std::size_t i = 0; i < static_cast<std::size_t>(of.count); ++i)
    if (of.design == Design::drawn)
      sizes.push_back({side(random), side(random), 1});
    else if (of.design == Design::corners)
      sizes.push_back({i % 2 == 0 ? 1 : longest, i % 4 < 2 ? 1 : longest, 1});
    else
      sizes.push_back({sides[i % sides.size()], sides[i / sides.size() % sides.size()], 1});
  return sizes;
}

Timings timings_of(const Case& of, int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::normal_distribution<double> error(0, of.noise);
  std::uniform_real_distribution<double> share(0, 1);
  Timings timings;
  for (const PatchSize& size : sizes_of(of, random)) {
    const double slow = share(random) < of.outliers ? 5 : 1;
    timings.push_back({size, published().seconds_of(size) * (1 + error(random)) * slow});
  }
  return timings;
}

constexpr std::size_t columns = 6;  // a, B, C, D, the fixed cost, costs

std::array<double, columns> errors_of(const PatchFit& fit) {
  const PatchModel truth = published();
  std::array<double, columns> errors = {};
  for (std::size_t k = 0; k < 4; ++k) errors[k] = std::abs(fit.numbers[k].value / numbers[k] - 1);
  const double fixed =
      truth.seconds_per_cell * (truth.ghosts[0] * truth.ghosts[1] + truth.overhead_cells);
  errors[4] = std::abs(fit.fixed_seconds / fixed - 1);
  for (std::int64_t x = 1; x <= longest; ++x)
    for (std::int64_t y = 1; y <= longest; ++y) {
      const double error = fit.model.seconds_of({x, y, 1}) / truth.seconds_of({x, y, 1}) - 1;
      errors[5] = std::max(errors[5], std::abs(error));
    }
  return errors;
}

void print_errors(const Case& of, int seeds) {
  std::array<std::vector<double>, columns> errors;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto found = errors_of(fit_patches(2, timings_of(of, seed)));
    for (std::size_t k = 0; k < columns; ++k) errors[k].push_back(100 * found[k]);
  }
  std::printf("%-8s %5d %5.0f %% %5.0f %%", of.name, of.count, 100 * of.noise, 100 * of.outliers);
  for (auto& column : errors) {
    std::sort(column.begin(), column.end());
    std::printf("  %5.1f %5.1f", column[column.size() / 2], column.back());
  }
  std::printf("\n");
}

// The standard errors that a fit reports come from the same curvature as the bound of Cramer and
// Rao. So the bound is taken from fits of nearly exact timings, and scaled to the noise.
void print_bound(const Case& of) {
  std::array<double, 4> sums = {};
  constexpr int seeds = 50;
  for (int seed = 0; seed < seeds; ++seed) {
    Case exact = of;
    exact.noise = 1e-4;  // nearly exact numbers, so the curvature is taken at the right place
    exact.outliers = 0;
    const PatchFit fit = fit_patches(2, timings_of(exact, seed));
    for (std::size_t k = 0; k < 4; ++k)
      sums[k] += fit.numbers[k].uncertainty / fit.noise * of.noise / numbers[k] / seeds;
  }
  std::printf("%-8s %5d %5.0f %%   bound", of.name, of.count, 100 * of.noise);
  for (const double sum : sums) std::printf("  %5.1f      ", 100 * sum);
  std::printf("\n");
}

void run(int seeds) {
  const Case cases[] = {
      {"drawn", Design::drawn, 100, 0.05, 0},   {"grid", Design::grid, 100, 0.05, 0},
      {"chosen", Design::chosen, 100, 0.05, 0}, {"chosen", Design::chosen, 100, 0.05, 0.05},
      {"chosen", Design::chosen, 280, 0.05, 0}, {"chosen", Design::chosen, 100, 0.02, 0}};
  std::printf("%d seeds: median and worst error in %%\n", seeds);
  std::printf(
      "sizes    count  noise outliers      a            B            C            D"
      "          fixed        costs\n");
  for (const Case& of : cases) print_errors(of, seeds);
  std::printf("standard errors at the bound, by Huber's weights 2.6 %% above it\n");
  const Case corners = {"corners", Design::corners, 100, 0.05, 0};
  for (const Case& of : {cases[0], cases[1], cases[2], corners}) print_bound(of);
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (seeds < 1) {
    std::fputs("usage: bench_patches [seeds]\n", stderr);
    return 2;
  }
  evenkeel::bench::run(seeds);
  return 0;
}
