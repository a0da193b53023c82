#include <evenkeel/core/weights/speeds.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace evenkeel {

void check_speeds(const detail::Refusal& refuse_it, std::span<const double> speeds, int parts) {
  if (speeds.empty()) return;
  if (std::ssize(speeds) != parts)
    refuse_it(
        std::to_string(speeds.size()) + " speeds came for " + std::to_string(parts) + " parts.",
        "Give one speed per part, or no speeds.");
  if (std::ranges::any_of(speeds,
                          [](double speed) { return !std::isfinite(speed) || !(speed > 0); }))
    refuse_it("A speed is zero, negative, NaN or infinite.",
              "Speeds are positive and finite; leave out parts that compute nothing.");
  if (!std::isfinite(SpeedsBefore(speeds).all()))
    refuse_it("The sum of the speeds overflows.", "Divide all speeds by a common factor.");
}

std::span<const double> unless_equal(std::span<const double> speeds) noexcept {
  const bool are_equal =
      std::ranges::all_of(speeds, [&](double speed) { return speed == speeds.front(); });
  return are_equal ? std::span<const double>() : speeds;
}

std::vector<double> speeds_of_parts(std::span<const double> speeds,
                                    std::span<const int> rank_of_part) {
  std::vector<double> of_parts(speeds.begin(), speeds.end());
  for (std::size_t part = 0; part < rank_of_part.size() && !speeds.empty(); ++part)
    of_parts[part] = speeds[static_cast<std::size_t>(rank_of_part[part])];
  return of_parts;
}

}  // namespace evenkeel
