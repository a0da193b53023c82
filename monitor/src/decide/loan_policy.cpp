#include "decide/loan_policy.hpp"

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {
constexpr double least_share = 0.01;  // of a call that lending must save
constexpr std::int64_t longest_pause = 256;
constexpr int most_losses = 3;
double gain_of(const LoanPolicy::Expected& expected) {
  return static_cast<double>(expected.greatest - expected.mean);
}
}  // namespace

double LoanPolicy::price(std::int64_t bytes) const noexcept {
  return fixed_ + per_byte_ * static_cast<double>(bytes);
}

void LoanPolicy::rest() noexcept {
  pause_ = std::clamp<std::int64_t>(2 * pause_, 1, longest_pause);
  waited_ = 0;
}

bool LoanPolicy::plans(const Expected& expected) noexcept {
  const double gain = gain_of(expected);
  if (gain <= fixed_ || gain <= least_share * static_cast<double>(expected.greatest)) return false;
  if (gain > 2 * gain_at_rest_) return true;
  return waited_++ >= pause_;
}

bool LoanPolicy::pays(const Expected& expected, const Plan& plan) noexcept {
  const auto gain = static_cast<double>(expected.greatest - plan.greatest);
  if (gain > price(plan.bytes) && gain > least_share * static_cast<double>(expected.greatest))
    return true;
  gain_at_rest_ = gain_of(expected);
  rest();
  return false;
}

void LoanPolicy::learn(const Plan& plan, const Measured& measured) noexcept {
  constexpr double most_change = 8, weight = 0.25;
  const auto taken = static_cast<double>(std::max<std::int64_t>(measured.span - measured.work, 1));
  const double ratio = std::clamp(taken / price(plan.bytes), 1 / most_change, most_change);
  const double change = std::pow(ratio, weight);
  fixed_ *= change;
  per_byte_ *= change;
  losses_ = measured.home < measured.span ? losses_ + 1 : 0;
  if (losses_ == 0) {
    pause_ = 0;
    gain_at_rest_ = 0;
  } else if (losses_ >= most_losses) {
    gain_at_rest_ = static_cast<double>(measured.home);
    rest();
  }
}

}  // namespace evenkeel
