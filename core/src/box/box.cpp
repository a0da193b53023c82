#include "box/axes.hpp"
#include "box/stage.hpp"

#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/box.hpp>

#include <algorithm>
#include <string>

namespace evenkeel {

namespace {

constexpr double margin = 0.1;  // on each side of a measured box; a share of the longest side

std::string name_of_axis(std::size_t axis) { return std::string(1, "xyz"[axis]); }

double longest_side(const Box& box, int dimensions) {
  double longest = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    longest = std::max(longest, box.upper[d] - box.lower[d]);
  return longest;
}

}  // namespace

bool is_inside(const Box& box, const Bounds& found) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(found.dimensions); ++d)
    if (found.lower[d] < box.lower[d] || found.upper[d] > box.upper[d]) return false;
  return true;
}

void check(const Box& box, const std::array<bool, 3>& periodic) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (!std::isfinite(box.lower[d]) || !std::isfinite(box.upper[d]) || box.lower[d] > box.upper[d])
      refuse("The box goes from " + text_of(box.lower[d]) + " to " + text_of(box.upper[d]) +
                 " along " + name_of_axis(d) + '.',
             "Give finite faces, the lower one first.");
    if (periodic[d] && box.lower[d] == box.upper[d])
      refuse("The box is flat along " + name_of_axis(d) + ", which is periodic.",
             "Give the box the length of the period along each periodic axis.");
  }
}

Box stages::enclose(const std::optional<Box>& kept, const Bounds& found) {
  if (found.empty()) return kept.value_or(Box{});
  if (kept && is_inside(*kept, found)) return *kept;
  Box box;
  for (std::size_t d = 0; d < static_cast<std::size_t>(found.dimensions); ++d) {
    box.lower[d] = kept ? std::min(kept->lower[d], found.lower[d]) : found.lower[d];
    box.upper[d] = kept ? std::max(kept->upper[d], found.upper[d]) : found.upper[d];
  }
  constexpr double most = std::numeric_limits<double>::max();
  const double pad = margin * std::min(longest_side(box, found.dimensions), most);
  for (std::size_t d = 0; d < static_cast<std::size_t>(found.dimensions); ++d) {
    box.lower[d] = std::max(box.lower[d] - pad, -most);
    box.upper[d] = std::min(box.upper[d] + pad, most);
  }
  return box;
}

void stages::require_inside(const Box& given, const std::array<bool, 3>& periodic,
                            const Bounds& found) {
  if (found.empty()) return;
  for (std::size_t d = 0; d < static_cast<std::size_t>(found.dimensions); ++d)
    if (!periodic[d] && (found.lower[d] < given.lower[d] || found.upper[d] > given.upper[d]))
      refuse("Objects extend from " + text_of(found.lower[d]) + " to " + text_of(found.upper[d]) +
                 " along " + name_of_axis(d) + ", outside the given box, which goes from " +
                 text_of(given.lower[d]) + " to " + text_of(given.upper[d]) + '.',
             "Give a box around all objects, leave the box out (it is measured then), or make the "
             "axis periodic.");
}

}  // namespace evenkeel
