#include <evenkeel/backends/exec/cycle_counter.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace evenkeel {

namespace {

constexpr std::int64_t one_second = 1'000'000'000;

// The number of tries to read two clocks at the same moment. Each try reads the system clock
// between two readings of the counter. The try whose two readings are closest is used.
constexpr int tries = 5;

#if defined(__x86_64__)

// See the Intel 64 and IA-32 manual, volume 3, "Invariant TSC". AMD uses the same leaf.
bool claims_invariance() noexcept {
  constexpr unsigned leaf = 0x80000007U, invariant = 1U << 8U;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
}

std::string clock_of_the_system() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  file >> name;
  return name;
}

#endif

}  // namespace

bool detail::is_trusted(std::string_view clock_of_the_system, bool claimed_invariant) noexcept {
  if (clock_of_the_system == "tsc") return true;
  // The clocks of hypervisors are derived from the counter. If the system uses any other clock, it
  // has found that the counter is not reliable.
  const bool may_be_made_of_it = clock_of_the_system.empty() ||
                                 clock_of_the_system == "kvm-clock" ||
                                 clock_of_the_system.substr(0, 6) == "hyperv";
  return claimed_invariant && may_be_made_of_it;
}

bool cycle_counter_is_trusted() {
#if defined(__x86_64__)
  return detail::is_trusted(clock_of_the_system(), claims_invariance());
#elif defined(__aarch64__)
  return true;  // the architecture guarantees one rate on all cores
#else
  return false;
#endif
}

TickMoment TickMoment::now() noexcept {
  TickMoment best;
  std::int64_t closest = 0;
  for (int i = 0; i < tries; ++i) {
    const std::int64_t before = cycle_ticks();
    const std::int64_t nanoseconds = wall_nanoseconds();
    const std::int64_t apart = cycle_ticks() - before;
    if (i > 0 && apart >= closest) continue;
    closest = apart;
    best = {before + apart / 2, nanoseconds};
  }
  return best;
}

TickRate::TickRate(const TickMoment& first, const TickMoment& second) noexcept : first_(first) {
  const std::int64_t ticks = second.ticks - first.ticks;
  const std::int64_t passed = second.nanoseconds - first.nanoseconds;
  if (ticks <= 0 || passed <= 0) return;
  learns_ = true;
  rate_ = static_cast<double>(passed) / static_cast<double>(ticks);
  set_due(second.ticks);
}

TickRate TickRate::measured() noexcept {
  constexpr std::int64_t first_look = 50'000;
  const TickMoment first = TickMoment::now();
  while (wall_nanoseconds() - first.nanoseconds < first_look) continue;
  return TickRate(first, TickMoment::now());
}

std::int64_t TickRate::ticks(std::int64_t nanoseconds) const noexcept {
  return learns_ ? std::llround(static_cast<double>(nanoseconds) / rate_) : nanoseconds;
}

void TickRate::set_due(std::int64_t ticks) noexcept {
  const auto most = static_cast<std::int64_t>(10 * static_cast<double>(one_second) / rate_);
  due_ = ticks + std::min(ticks - first_.ticks, most);
}

bool TickRate::refine(const TickMoment& now) noexcept {
  constexpr double plausible = 0.01;
  const std::int64_t ticks = now.ticks - first_.ticks;
  const std::int64_t passed = now.nanoseconds - first_.nanoseconds;
  const double rate = static_cast<double>(passed) / static_cast<double>(ticks);
  if (ticks > 0 && passed > 0 && std::abs(rate - rate_) <= plausible * rate_) {
    rate_ = rate;
    set_due(now.ticks);
    return true;
  }
  first_ = now;
  due_ = now.ticks + static_cast<std::int64_t>(static_cast<double>(one_second) / rate_);
  return false;
}

}  // namespace evenkeel
