#include "cloud.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace evenkeel::scale {

namespace {

// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): each bit depends on all.
std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

// From 0 to 1, for each stretch another.
double chance_of(const CloudStretch& stretch) noexcept {
  const auto width = static_cast<std::uint64_t>(stretch.width);
  return static_cast<double>(mixed(stretch.first + width * 0x9E3779B97F4A7C15U) >> 11U) * 0x1p-53;
}

}  // namespace

CloudStretch Cloud::lower_half(const CloudStretch& of) const noexcept {
  const std::int64_t half = of.objects / 2;
  if (of.objects == 0) return {of.first, of.width - 1, 0};
  const double chance = chance_of(of);
  // Of an odd number, either half may have one more.
  std::int64_t lower = half + (of.objects % 2 != 0 && chance < 0.5 ? 1 : 0);
  if (crowding_ > 0) {
    const double tilt = std::sin(2 * std::numbers::pi * (chance + phase_));
    const auto more = std::llround(crowding_ * tilt * static_cast<double>(of.objects));
    lower = std::clamp<std::int64_t>(lower + more, 0, of.objects);
  }
  return {of.first, of.width - 1, lower};
}

CloudStretch Cloud::upper_half(const CloudStretch& of) const noexcept {
  const CloudStretch lower = lower_half(of);
  return {of.first + (std::uint64_t{1} << lower.width), lower.width, of.objects - lower.objects};
}

void Cloud::divide(const CloudStretch& stretch, int split, std::int64_t* objects) const noexcept {
  if (split == 0) {
    *objects = stretch.objects;
    return;
  }
  const CloudStretch lower = lower_half(stretch);
  const std::uint64_t middle = std::uint64_t{1} << lower.width;
  divide(lower, split - 1, objects);
  divide({stretch.first + middle, lower.width, stretch.objects - lower.objects}, split - 1,
         objects + (std::int64_t{1} << (split - 1)));
}

std::int64_t Cloud::objects_before(std::uint64_t key) const noexcept {
  if (key >> bits != 0) return objects_;
  std::int64_t before = 0;
  CloudStretch at = whole();
  while (at.width > 0 && at.first != key && at.objects > 0) {
    const CloudStretch lower = lower_half(at);
    const std::uint64_t middle = at.first + (std::uint64_t{1} << lower.width);
    if (key < middle) {
      at = lower;
    } else {
      before += lower.objects;
      at = {middle, lower.width, at.objects - lower.objects};
    }
  }
  return before;
}

void Cloud::write_keys(const CloudStretch& stretch, std::vector<std::uint64_t>& keys) const {
  if (stretch.objects == 0) return;
  if (stretch.width == 0) {
    keys.insert(keys.end(), static_cast<std::size_t>(stretch.objects), stretch.first);
    return;
  }
  write_keys(lower_half(stretch), keys);
  write_keys(upper_half(stretch), keys);
}

}  // namespace evenkeel::scale
