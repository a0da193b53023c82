#include <evenkeel/core/weights/load.hpp>

#include <algorithm>

namespace evenkeel {

double lambda_of(std::span<const double> loads) noexcept {
  double sum = 0, greatest = 0;
  for (const double load : loads) {
    sum += load;
    greatest = std::max(greatest, load);
  }
  return lambda_of(greatest, sum, static_cast<double>(loads.size()));
}

double lambda_of(std::span<const double> loads, std::span<const double> speeds) noexcept {
  if (speeds.empty()) return lambda_of(loads);
  double work = 0, greatest = 0, speed = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    work += loads[i];
    speed += speeds[i];
    greatest = std::max(greatest, loads[i] / speeds[i]);
  }
  return lambda_of(greatest, work, speed);
}

}  // namespace evenkeel
