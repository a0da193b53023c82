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

}  // namespace evenkeel
