#include "observe/thread_track.hpp"

#include <exception>

namespace evenkeel {

void GrowingSums::make_room(std::size_t count) {
  if (count == 0) return;
  for (std::size_t chunk = 0; chunk <= chunk_of(count - 1); ++chunk) {
    if (owned_[chunk] != nullptr) continue;
    owned_[chunk] = std::make_unique<std::atomic<std::int64_t>[]>(first << chunk);
    chunks_[chunk].store(owned_[chunk].get(), std::memory_order_release);
  }
}

void Spill::take(std::vector<std::int64_t>& ticks) {
  const std::uint64_t times = times_.load(std::memory_order_acquire);
  if (times == taken_times_) return;
  taken_times_ = times;
  for (std::size_t kernel = 0; kernel < ticks.size(); ++kernel) {
    const std::int64_t sum = sums_.of(kernel);
    ticks[kernel] += sum - std::exchange(taken_[kernel], sum);
  }
}

ThreadTrack::ThreadTrack(Clock* clock, OwnClock now, std::size_t kernels)
    : now_(std::move(now)), last_(read(now_)), clock_(clock) {
  make_room(kernels);
}

void ThreadTrack::make_room(std::size_t kernels) { spill_.make_room(kernels); }

std::int64_t ThreadTrack::read() noexcept {
  const std::int64_t now = read(now_);
  if (now < last_) backwards_.store(true, std::memory_order_relaxed);
  last_ = now;
  return now;
}

std::uint32_t ThreadTrack::begin(int kernel) noexcept {
  const int depth = depth_++;
  const std::uint32_t number = next_++;
  if (depth >= deepest) return number;
  Scope& scope = open_[static_cast<std::size_t>(depth)];
  scope.kernel = kernel;
  scope.number = number;
  scope.inside = 0;
  scope.device = nullptr;
  scope.began = read();
  return number;
}

// The device's event is recorded inside the scope, so the time that recording takes counts for the
// kernel.
std::uint32_t ThreadTrack::begin(int kernel, const DeviceStream& stream,
                                 const std::shared_ptr<DeviceEvents>& events) noexcept {
  const int depth = depth_;
  const std::uint32_t number = begin(kernel);
  if (depth >= deepest || !stream.on_device || events == nullptr) return number;
  DeviceTimer* const devices = device_timer(events);
  if (devices == nullptr) return number;
  DeviceTimer::Scope* around = nullptr;
  for (int i = depth; i > 0 && around == nullptr; --i)
    around = open_[static_cast<std::size_t>(i - 1)].device;
  Scope& scope = open_[static_cast<std::size_t>(depth)];
  scope.before = 0;
  scope.device = devices->begin(stream, around);
  return number;
}

// Scopes end in the reverse order of their beginning, unless timers were moved.
void ThreadTrack::end(std::uint32_t number) noexcept {
  const int innermost = depth_ - 1;
  if (innermost < deepest && open_[static_cast<std::size_t>(innermost)].number != number)
    end_before_others(number);
  else
    end_innermost();
}

// Ends a scope that is not the innermost one: counts the time of all open scopes so far, then makes
// this scope the innermost one and ends it.
void ThreadTrack::end_before_others(std::uint32_t number) noexcept {
  const auto end = open_.begin() + std::min(depth_, deepest);
  const auto found =
      std::find_if(open_.begin(), end, [&](const Scope& scope) { return scope.number == number; });
  charge_open_scopes(read());
  if (found != end) std::rotate(found, found + 1, end);
  end_innermost();
}

void ThreadTrack::end_innermost() noexcept {
  const int depth = --depth_;
  if (depth >= deepest) return;
  const Scope& scope = open_[static_cast<std::size_t>(depth)];
  const std::int64_t took = passed(scope.began, read());
  if (depth > 0) open_[static_cast<std::size_t>(depth) - 1].inside += took;
  const std::int64_t own = std::max<std::int64_t>(0, took - scope.inside);
  if (scope.device != nullptr)
    devices_.load(std::memory_order_relaxed)->end(scope.device, scope.kernel, scope.before + own);
  else
    count(scope.kernel, own);
}

void ThreadTrack::count(int kernel, std::int64_t ticks) noexcept {
  const auto index = static_cast<std::size_t>(kernel);
  if (!ring_.push({ticks, index})) spill_.add(index, ticks);
}

void ThreadTrack::charge_open_scopes(std::int64_t now) noexcept {
  if (now < last_) backwards_.store(true, std::memory_order_relaxed);
  last_ = now;
  std::int64_t inside = 0;  // ticks of the next inner scope
  for (int i = std::min(depth_, deepest); i > 0; --i) {
    Scope& scope = open_[static_cast<std::size_t>(i - 1)];
    const std::int64_t took = passed(scope.began, now);
    const std::int64_t own = std::max<std::int64_t>(0, took - scope.inside - inside);
    if (scope.device != nullptr)
      scope.before += own;
    else if (own > 0)
      count(scope.kernel, own);
    scope.began = now;
    scope.inside = 0;
    inside = took;
  }
}

void ThreadTrack::drain(std::vector<std::int64_t>& ticks) {
  ring_.drain([&](const Record& record) { ticks[record.kernel] += record.ticks; });
  spill_.take(ticks);
}

DeviceTimer* ThreadTrack::device_timer(const std::shared_ptr<DeviceEvents>& events) noexcept {
  DeviceTimer* devices = devices_.load(std::memory_order_relaxed);
  if (devices != nullptr) return devices;
  try {
    owned_devices_ = std::make_unique<DeviceTimer>(events);
  } catch (const std::exception&) {  // if memory runs out, only the host is timed
    return nullptr;
  }
  devices = owned_devices_.get();
  devices_.store(devices, std::memory_order_release);
  return devices;
}

void ThreadTrack::take_device_times(std::vector<DeviceTimer::Measured>& into) {
  DeviceTimer* const devices = devices_.load(std::memory_order_acquire);
  if (devices != nullptr) devices->take(into);
}

bool ThreadTrack::waits_for_devices() const {
  const DeviceTimer* const devices = devices_.load(std::memory_order_acquire);
  return devices != nullptr && devices->pending() > 0;
}

}  // namespace evenkeel
