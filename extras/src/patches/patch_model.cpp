#include "patches/patch_sums.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/extras/patches/patch_model.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

using patches::PatchSums;
using patches::SizeRange;

constexpr std::size_t kept_timings = 32, most_fresh = 1024, least_for_speed = 5;
constexpr double least_of_early = 0.1;
constexpr double least_noise = 1e-6;  // below the resolution of clocks
constexpr int most_rounds = 50;

constexpr Refusal refuse_model{"extras/patches"};

void check_dimensions(int dimensions) {
  if (dimensions != 2 && dimensions != 3)
    refuse_model(
        "A model of patches in " + std::to_string(dimensions) + " dimensions was asked for.",
        "Ask for 2 or 3.");
}

// Squares of cells over seconds must not overflow.
constexpr std::int64_t most_cells = std::int64_t{1} << 40;
constexpr double least_seconds = 1e-30, most_seconds = 1e30;

void check_size(int dimensions, const PatchSize& size) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
    if (size[axis] < 1 || size[axis] > most_cells)
      refuse_model("A patch has " + std::to_string(size[axis]) + " cells along axis " +
                       std::to_string(axis) + ".",
                   "Give patches of 1 to 2^40 cells along each axis.");
}

void check_numbers(const PatchModel& model) {
  const auto is_good = [](double number) { return number >= 0 && std::isfinite(number); };
  bool good = is_good(model.seconds_per_cell) && model.seconds_per_cell > 0 &&
              is_good(model.overhead_cells);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(model.dimensions); ++axis)
    good = good && is_good(model.ghosts[axis]);
  if (!good)
    refuse_model(
        "A model of patches has a number that is negative, NaN or infinite, or no cost per cell.",
        "Give numbers that are finite and not negative, and a positive cost per cell.");
}

void check(int dimensions, const PatchTiming& timing) {
  check_size(dimensions, timing.size);
  if (!(timing.seconds >= least_seconds && timing.seconds <= most_seconds))
    refuse_model("The timing of a patch is " + text_of(timing.seconds) + " seconds.",
                 "Give seconds that are positive and finite, from 1e-30 to 1e30.");
}

// The median of one or more numbers; changes their order.
double median_of(std::vector<double>& numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// Estimates the noise by the median of errors, which outliers do not change. If there are only as
// many timings as the model has numbers, the fit is exact and shows no noise.
double noise_of(const PatchModel& model, std::span<const PatchTiming> timings) {
  std::vector<double> errors(timings.size());
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = std::abs(timings[i].seconds / model.seconds_of(timings[i].size) - 1);
  const double middle = median_of(errors);
  const auto count = static_cast<double>(errors.size());
  const double freedom = std::max(count - model.dimensions - 2, 1.0);
  // The standard deviation of Gaussian noise with this median.
  return std::max(1.4826 * middle * std::sqrt(count / freedom), least_noise);
}

PatchSums sums_of(int dimensions, std::span<const PatchTiming> timings, const PatchModel* model,
                  double noise) {
  PatchSums sums;
  for (const PatchTiming& timing : timings) {
    // Without a model, errors are relative to the time itself.
    sums.add(dimensions, timing, model ? model->seconds_of(timing.size) : timing.seconds, noise);
  }
  return sums;
}

// False if sums have lost all precision, because the timings determine too little.
bool is_usable(const PatchModel& model) {
  return std::isnormal(model.seconds_per_cell) && std::isfinite(model.overhead_cells);
}

struct SettledModel {
  PatchModel model;
  PatchSums sums;
};

// Computes weights from the model, and the model from weights, until neither changes.
SettledModel settle(int dimensions, std::span<const PatchTiming> timings) {
  SettledModel found;
  found.sums = sums_of(dimensions, timings, nullptr, 0);
  found.model = patches::fitted(dimensions, found.sums, 0);
  for (int round = 0; round < most_rounds; ++round) {
    const PatchModel before = found.model;
    const double noise = noise_of(before, timings);
    const PatchSums sums = sums_of(dimensions, timings, &before, noise);
    const PatchModel next = patches::fitted(dimensions, sums, noise);
    if (!is_usable(next)) break;
    found = {next, sums};
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
  check_numbers(*this);
  double cells = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
    cells *= static_cast<double>(size[axis]) + ghosts[axis];
  return seconds_per_cell * (cells + overhead_cells);
}

const char* text_of(PatchDoubt doubt) noexcept {
  switch (doubt) {
    case PatchDoubt::none: return "told";
    case PatchDoubt::few: return "too few timings";
    case PatchDoubt::alike: return "the sizes are too similar";
    case PatchDoubt::squares: return "all patches are squares or cubes";
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
  if (timings.empty())
    refuse_model("There are no timings of patches.", "Time a few of different sizes.");
  for (const PatchTiming& timing : timings) check(dimensions, timing);
  const SettledModel found = settle(dimensions, timings);
  return patches::judged(found.model, found.sums, sizes_of(dimensions, timings));
}

std::vector<PatchSize> patch_sizes_to_time(int dimensions, std::int64_t least,
                                           std::int64_t greatest, int count) {
  check_dimensions(dimensions);
  if (least < 1 || greatest <= least || count < 1)
    refuse_model(std::to_string(count) + " sizes from " + std::to_string(least) + " to " +
                     std::to_string(greatest) + " cells along an axis were asked for.",
                 "Give a least size of 1 or more, a greatest size above it, and a count of 1 or "
                 "more.");
  // Sides form a geometric progression from the least to the greatest.
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
    // 7 and 5 have no common factor, so steps of 7 reach all pairs of sides.
    int at = inside ? 7 * between++ + 6 : corners++;
    PatchSize size = {1, 1, 1};
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) {
      size[axis] = inside ? side(at % sides) : at % 2 == 0 ? least : greatest;
      at /= inside ? sides : 2;
    }
    sizes.push_back(size);
  }
  return sizes;
}

// --- Timings of a run ----------------------------------------------------------------------------

struct PatchFitter::Impl {
  int dimensions = 2;
  double memory = 1;
  std::vector<PatchTiming> fresh;  // not yet in the sums
  SizeRange sizes;
  PatchSums early, recent;
  double early_share = 1;
  PatchModel model = {};  // the model by which new timings are weighted
  double noise = 0;

  bool has_sums() const noexcept { return early.count > 0; }

  PatchSums all() const {
    PatchSums sums = recent;
    sums.add(early, early_share);
    return sums;
  }

  PatchFit judged() const { return patches::judged(model, all(), sizes); }

  void begin_sums() {
    const SettledModel found = settle(dimensions, fresh);
    model = found.model;
    noise = noise_of(model, fresh);
    early = found.sums;
    fresh.clear();
  }

  // If most timings are off by the same factor, and by more than their noise, the machine has
  // become slower or faster. Then the sums of earlier timings are scaled as if they came from a
  // machine of the present speed. So the model follows the speed at once, and keeps its dependence
  // on sizes.
  void follow_speed() {
    if (fresh.size() < least_for_speed) return;
    std::vector<double> ratios(fresh.size());
    for (std::size_t i = 0; i < ratios.size(); ++i)
      ratios[i] = fresh[i].seconds / model.seconds_of(fresh[i].size);
    const double ratio = median_of(ratios);
    // The standard error of a median is 1.25 times the standard error of a mean.
    const double error = 1.25 * noise / std::sqrt(static_cast<double>(ratios.size()));
    if (std::abs(ratio - 1) <= 3 * error) return;
    model.seconds_per_cell *= ratio;
    early.slow_down(ratio);
    recent.slow_down(ratio);
  }

  void absorb() {
    if (fresh.empty()) return;
    follow_speed();
    recent.add(sums_of(dimensions, fresh, &model, noise), 1);
    fresh.clear();
    const PatchModel next = patches::fitted(dimensions, all(), noise);
    if (is_usable(next)) model = next;
    noise = std::max(judged().noise, least_noise);
  }
};

PatchFitter::PatchFitter(int dimensions, double memory) : impl_(std::make_unique<Impl>()) {
  check_dimensions(dimensions);
  if (!(memory > 0 && memory <= 1))
    refuse_model("The memory of earlier timings is " + text_of(memory) + '.',
                 "Give a number above 0 and at most 1.");
  impl_->dimensions = dimensions;
  impl_->memory = memory;
}

PatchFitter::~PatchFitter() = default;
PatchFitter::PatchFitter(PatchFitter&&) noexcept = default;
PatchFitter& PatchFitter::operator=(PatchFitter&&) noexcept = default;

void PatchFitter::add(const PatchTiming& timing) {
  check(impl_->dimensions, timing);
  impl_->sizes.add(impl_->dimensions, timing.size);
  impl_->fresh.push_back(timing);
  if (!impl_->has_sums() && impl_->fresh.size() == kept_timings) impl_->begin_sums();
  if (impl_->fresh.size() == most_fresh) impl_->absorb();
}

void PatchFitter::end_epoch() {
  Impl& now = *impl_;
  if (!now.has_sums()) return;
  now.absorb();
  PatchSums remembered;
  remembered.add(now.recent, now.memory);
  now.recent = remembered;
  now.early_share = std::max(least_of_early, now.early_share * now.memory);
}

PatchFit PatchFitter::fit() const {
  if (!impl_->has_sums()) return fit_patches(impl_->dimensions, impl_->fresh);
  Impl now = *impl_;
  now.absorb();
  return now.judged();
}

}  // namespace evenkeel
