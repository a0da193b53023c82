#include "cloud.hpp"

#include "../clouds.hpp"

#include <evenkeel/core/order.hpp>

#include <algorithm>

namespace evenkeel::scale {

namespace {

// A number from 0 to 1 that depends on the stretch.
double chance_of(const CloudStretch& stretch) noexcept {
  const auto width = static_cast<std::uint64_t>(stretch.width);
  return clouds::from_0_to_1(clouds::mixed(stretch.first + width * clouds::step_of_state));
}

}  // namespace

std::array<CloudStretch, 2> Cloud::halves_of(const CloudStretch& stretch) const noexcept {
  const int width = stretch.width - 1;
  std::int64_t lower = 0;
  if (stretch.objects > 0) {
    const double chance = chance_of(stretch);
    // If the number is odd, either half may have one object more.
    lower = stretch.objects / 2 + (stretch.objects % 2 != 0 && chance < 0.5 ? 1 : 0);
    if (crowding_ > 0) {
      const double tilt = std::sin(2 * std::numbers::pi * (chance + phase_));
      const auto more = std::llround(crowding_ * tilt * static_cast<double>(stretch.objects));
      lower = std::clamp<std::int64_t>(lower + more, 0, stretch.objects);
    }
  }
  return {{{stretch.first, width, lower},
           {stretch.first + (std::uint64_t{1} << width), width, stretch.objects - lower}}};
}

void Cloud::divide(const CloudStretch& stretch, int split, std::int64_t* objects) const noexcept {
  if (split == 0) {
    *objects = stretch.objects;
    return;
  }
  const auto [lower, upper] = halves_of(stretch);
  divide(lower, split - 1, objects);
  divide(upper, split - 1, objects + (std::int64_t{1} << (split - 1)));
}

std::int64_t Cloud::objects_before(std::uint64_t key) const noexcept {
  if (key >> bits != 0) return objects_;
  std::int64_t before = 0;
  CloudStretch at = whole();
  while (at.width > 0 && at.first != key && at.objects > 0) {
    const auto [lower, upper] = halves_of(at);
    if (key >= upper.first) before += lower.objects;
    at = key < upper.first ? lower : upper;
  }
  return before;
}

void Cloud::write_keys(const CloudStretch& stretch, std::vector<std::uint64_t>& keys) const {
  if (stretch.objects == 0) return;
  if (stretch.width == 0) {
    keys.insert(keys.end(), static_cast<std::size_t>(stretch.objects), stretch.first);
    return;
  }
  for (const CloudStretch& half : halves_of(stretch)) write_keys(half, keys);
}

}  // namespace evenkeel::scale
