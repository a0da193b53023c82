#include <evenkeel/backends/error.hpp>
#include <evenkeel/monitor/clock.hpp>

#include <algorithm>
#include <numeric>

namespace evenkeel {

Timer::Timer(Clock& clock, int kernel) noexcept : clock_(&clock) { clock_->begin(kernel); }
Timer::~Timer() { clock_->end(); }

std::string Kernel::name() const { return clock_->names()[static_cast<std::size_t>(index_)]; }

std::shared_ptr<Clock> Clock::make(Now now) { return std::shared_ptr<Clock>(new Clock(now)); }

Clock::Clock(Now now) : now_(now), last_(now()), step_began_(last_) {}

Kernel Clock::kernel(const std::string& name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  if (name.empty() || std::any_of(name.begin(), name.end(), is_control))
    throw Error(ErrorKind::bad_input, Where{"monitor/clock"},
                "A kernel has no name, or one with control characters.",
                "Give it a name of one line.");
  const auto known = std::find(names_.begin(), names_.end(), name);
  const auto index = static_cast<int>(known - names_.begin());
  if (known == names_.end()) {
    current_.reserve(names_.size() + 1);
    finished_.reserve(names_.size() + 1);
    names_.push_back(name);
    current_.push_back(0);
    finished_.push_back(0);
  }
  return Kernel(shared_from_this(), index);
}

// What has passed since the last reading goes to the innermost kernel.
void Clock::charge() noexcept {
  const std::int64_t now = now_();
  if (now < last_) fit_ = false;
  if (depth_ > 0 && now > last_) {
    const int innermost = running_[static_cast<std::size_t>(std::min(depth_, deepest) - 1)];
    current_[static_cast<std::size_t>(innermost)] += now - last_;
  }
  last_ = now;
}

void Clock::begin(int kernel) noexcept {
  charge();
  if (depth_ < deepest) running_[static_cast<std::size_t>(depth_)] = kernel;
  ++depth_;
}

void Clock::end() noexcept {
  charge();
  --depth_;
}

Clock::Step Clock::end_step() noexcept {
  charge();
  Step step;
  step.duration = std::max<std::int64_t>(0, last_ - step_began_);
  step.fit = fit_;
  finished_.swap(current_);
  std::fill(current_.begin(), current_.end(), 0);
  step.load = std::accumulate(finished_.begin(), finished_.end(), std::int64_t{0});
  step_began_ = last_;
  fit_ = true;
  return step;
}

}  // namespace evenkeel
