#include "patch_sums.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/weights/patch_model.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace evenkeel {

namespace {

using patches::PatchSums;
using patches::SizeRange;

constexpr std::size_t kept_timings = 32;
constexpr double least_of_first = 0.1;
constexpr int most_rounds = 50;

[[noreturn]] void refuse(std::string problem, std::string remedy) {
  throw Error(ErrorKind::bad_input, Where{"core/weights/patch_model"}, std::move(problem),
              std::move(remedy));
}

void check_dimensions(int dimensions) {
  if (dimensions != 2 && dimensions != 3)
    refuse("A model of patches in " + std::to_string(dimensions) + " dimensions was asked for.",
           "Ask for 2 or 3.");
}

void check_size(int dimensions, const PatchSize& size) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
    if (size[axis] < 1)
      refuse("A patch has " + std::to_string(size[axis]) + " cells along axis " +
                 std::to_string(axis) + ".",
             "Give patches of 1 cell or more along each axis.");
}

void check(int dimensions, const PatchTiming& timing) {
  check_size(dimensions, timing.size);
  if (!(timing.seconds > 0) || !std::isfinite(timing.seconds))
    refuse("The timing of a patch is " + text_of(timing.seconds) + " seconds.",
           "Give seconds that are positive and finite.");
}

// The noise by the median of errors, which outliers do not move; as many timings as the model has
// numbers show none.
double noise_of(const PatchModel& model, std::span<const PatchTiming> timings) {
  std::vector<double> errors(timings.size());
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = std::abs(timings[i].seconds / model.seconds_of(timings[i].size) - 1);
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  const auto count = static_cast<double>(errors.size());
  const double freedom = std::max(count - model.dimensions - 2, 1.0);
  // The standard deviation of Gaussian noise with this median.
  return 1.4826 * *middle * std::sqrt(count / freedom);
}

PatchSums sums_of(int dimensions, std::span<const PatchTiming> timings, const PatchModel* model,
                  double noise) {
  PatchSums sums;
  for (const PatchTiming& timing : timings) {
    // Without a model the time itself is what errors are measured against.
    sums.add(dimensions, timing, model ? model->seconds_of(timing.size) : timing.seconds, noise);
  }
  return sums;
}

struct Settled {
  PatchModel model;
  PatchSums sums;
};

// Weights follow from the model and the model from weights, until neither changes.
Settled settle(int dimensions, std::span<const PatchTiming> timings) {
  Settled found;
  found.sums = sums_of(dimensions, timings, nullptr, 0);
  found.model = patches::fitted(dimensions, found.sums, 0);
  for (int round = 0; round < most_rounds; ++round) {
    const PatchModel before = found.model;
    const double noise = noise_of(before, timings);
    found.sums = sums_of(dimensions, timings, &before, noise);
    found.model = patches::fitted(dimensions, found.sums, noise);
    double change = 0;
    for (const PatchTiming& timing : timings)
      change = std::max(
          change,
          std::abs(found.model.seconds_of(timing.size) / before.seconds_of(timing.size) - 1));
    if (change < 1e-9) break;
  }
  return found;
}

SizeRange sizes_of(int dimensions, std::span<const PatchTiming> timings) {
  SizeRange sizes;
  for (const PatchTiming& timing : timings) sizes.add(dimensions, timing.size);
  return sizes;
}

}  // namespace

double PatchModel::seconds_of(const PatchSize& size) const {
  check_dimensions(dimensions);
  check_size(dimensions, size);
  double cells = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
    cells *= static_cast<double>(size[axis]) + ghosts[axis];
  return seconds_per_cell * (cells + overhead_cells);
}

const char* text_of(PatchDoubt doubt) noexcept {
  switch (doubt) {
    case PatchDoubt::none: return "told";
    case PatchDoubt::few: return "too few timings";
    case PatchDoubt::alike: return "the sizes are too much alike";
    case PatchDoubt::squares: return "all patches are as long along each axis";
    case PatchDoubt::noise: return "the timings are too noisy";
  }
  return "";
}

bool PatchFit::is_told() const noexcept {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](const PatchNumber& number) { return number.is_told(); });
}

PatchFit fit_patches(int dimensions, std::span<const PatchTiming> timings) {
  check_dimensions(dimensions);
  if (timings.empty()) refuse("There are no timings of patches.", "Time a few of different sizes.");
  for (const PatchTiming& timing : timings) check(dimensions, timing);
  const Settled found = settle(dimensions, timings);
  return patches::judged(found.model, found.sums, sizes_of(dimensions, timings));
}

std::vector<PatchSize> patch_sizes_to_time(int dimensions, std::int64_t least,
                                           std::int64_t greatest, int count) {
  check_dimensions(dimensions);
  if (least < 1 || greatest <= least || count < 1)
    refuse("Of patches from " + std::to_string(least) + " to " + std::to_string(greatest) +
               " cells along an axis, " + std::to_string(count) + " are to be timed.",
           "Give sizes from 1 on that differ, and a count from 1 on.");
  // A row of sides, each a factor above the one before, and whose ends are the range.
  constexpr int sides = 5;
  const auto side = [&](int k) {
    const double share = static_cast<double>(k) / (sides - 1);
    return std::llround(
        static_cast<double>(least) *
        std::pow(static_cast<double>(greatest) / static_cast<double>(least), share));
  };
  std::vector<PatchSize> sizes;
  for (int i = 0, corners = 0, between = 0; i < count; ++i) {
    const bool inside = i % 4 == 3;
    // 7 and 5 have no factor in common, so axes go through all pairs of sides.
    const int at = inside ? 7 * between++ + 6 : corners++;
    PatchSize size = {1, 1, 1};
    for (int axis = 0; axis < dimensions; ++axis) {
      const int step = inside ? at / (axis == 0   ? 1
                                      : axis == 1 ? sides
                                                  : sides * sides)
                              : at >> axis;
      size[static_cast<std::size_t>(axis)] =
          inside ? side(step % sides) : ((step & 1) == 0 ? least : greatest);
    }
    sizes.push_back(size);
  }
  return sizes;
}

// --- On the fly ----------------------------------------------------------------------------------

struct PatchFitter::Impl {
  int dimensions;
  double memory;
  std::vector<PatchTiming> first;  // until there are enough for sums
  SizeRange sizes;
  PatchSums early, recent;
  double early_share = 1;
  PatchModel model;  // what new timings are weighed by
  double noise = 0;

  bool has_sums() const noexcept { return early.count > 0; }
  PatchSums all() const {
    PatchSums sums = recent;
    sums.add(early, early_share);
    return sums;
  }
};

PatchFitter::PatchFitter(int dimensions, double memory) : impl_(std::make_unique<Impl>()) {
  check_dimensions(dimensions);
  if (!(memory > 0 && memory <= 1))
    refuse("Of earlier timings " + text_of(memory) + " are to be remembered.",
           "Give a share above 0 and up to 1.");
  impl_->dimensions = dimensions;
  impl_->memory = memory;
}

PatchFitter::~PatchFitter() = default;
PatchFitter::PatchFitter(PatchFitter&&) noexcept = default;
PatchFitter& PatchFitter::operator=(PatchFitter&&) noexcept = default;

void PatchFitter::add(const PatchTiming& timing) {
  check(impl_->dimensions, timing);
  Impl& now = *impl_;
  now.sizes.add(now.dimensions, timing.size);
  if (now.has_sums()) {
    now.recent.add(now.dimensions, timing, now.model.seconds_of(timing.size), now.noise);
    return;
  }
  now.first.push_back(timing);
  if (now.first.size() < kept_timings) return;
  Settled found = settle(now.dimensions, now.first);
  now.model = found.model;
  now.noise = noise_of(found.model, now.first);
  now.early = found.sums;
  now.first.clear();
}

void PatchFitter::end_epoch() {
  Impl& now = *impl_;
  if (!now.has_sums()) return;
  const PatchFit fitted = fit();
  now.model = fitted.model;
  now.noise = fitted.noise;
  PatchSums remembered;
  remembered.add(now.recent, now.memory);
  now.recent = remembered;
  now.early_share = std::max(least_of_first, now.early_share * now.memory);
}

PatchFit PatchFitter::fit() const {
  const Impl& now = *impl_;
  if (!now.has_sums()) return fit_patches(now.dimensions, now.first);
  const PatchSums sums = now.all();
  return patches::judged(patches::fitted(now.dimensions, sums, now.noise), sums, now.sizes);
}

}  // namespace evenkeel
