#include <evenkeel/backends/exec/device_timer.hpp>

#include <Kokkos_Macros.hpp>

#include "exec/device_runtime.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace evenkeel {

namespace {

// If take() is not called, events are queried when this many scopes are pending.
constexpr std::size_t least_collected = 256;

}  // namespace

std::shared_ptr<DeviceEvents> device_events() {
#if defined(EVENKEEL_HAS_DEVICE_RUNTIME)
  return std::make_shared<detail::RuntimeEvents>();
#else
  return nullptr;
#endif
}

class DeviceTimer::Scope {
 public:
  DeviceStream stream;
  DeviceEvents::Event begin = nullptr, end = nullptr;

  Scope* around = nullptr;  // the next enclosing scope, on any stream
  Scope* outer = nullptr;   // the next enclosing scope on the same stream
  int inner = 0;            // number of scopes with this `outer` whose time is not known yet
  std::int64_t inside = 0;  // nanoseconds of all inner scopes whose time is known
  Measured measured;
};

DeviceTimer::DeviceTimer(std::shared_ptr<DeviceEvents> events)
    : events_(std::move(events)), collect_at_(least_collected) {}

// Drops scopes that the device has not completed yet, because no caller will ask for their times.
DeviceTimer::~DeviceTimer() {
  for (const auto& scope : all_)
    for (const DeviceEvents::Event event : {scope->begin, scope->end})
      if (event != nullptr) events_->destroy(event);
}

// Returns a scope that is not in use. Its events must belong to the device of the stream.
DeviceTimer::Scope* DeviceTimer::spare_for(const DeviceStream& stream) {
  const auto fits = [&](const Scope* scope) { return scope->stream.device == stream.device; };
  const auto found = std::find_if(spare_.rbegin(), spare_.rend(), fits);
  if (found != spare_.rend()) {
    Scope* const scope = *found;
    spare_.erase(std::next(found).base());
    return scope;
  }
  // Both lists get room for all scopes, so that end() needs no memory.
  for (auto* list : {&spare_, &pending_})
    if (list->capacity() <= all_.size()) list->reserve(2 * all_.size() + 1);
  all_.push_back(std::make_unique<Scope>());
  Scope& scope = *all_.back();
  scope.begin = events_->create(stream);
  scope.end = events_->create(stream);
  return &scope;
}

DeviceTimer::Scope* DeviceTimer::begin(const DeviceStream& stream, Scope* outer) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    if (pending_.size() >= collect_at_) collect();
    Scope* const scope = spare_for(stream);
    scope->stream = stream;
    if (scope->begin == nullptr || scope->end == nullptr ||
        !events_->record(scope->begin, stream)) {
      spare_.push_back(scope);
      return nullptr;
    }
    scope->around = outer;
    while (outer != nullptr && !(outer->stream == stream)) outer = outer->around;
    scope->outer = outer;
    if (outer != nullptr) ++outer->inner;
    return scope;
  } catch (const std::exception&) {  // without memory, only the time on the host is measured
    return nullptr;
  }
}

void DeviceTimer::end(Scope* scope, int kernel, std::int64_t host) noexcept {
  const std::lock_guard lock(mutex_);
  scope->measured = {kernel, host, 0};
  // If the second event fails, the time of the scope is unknown.
  if (!events_->record(scope->end, scope->stream)) scope->measured.device_nanoseconds = -1;
  pending_.push_back(scope);
}

// Returns true if the time of a scope is known, which requires the times of its inner scopes. These
// have ended earlier on the same stream, so their times become known before its own.
bool DeviceTimer::is_measured(Scope& scope) noexcept {
  if (scope.inner > 0) return false;
  std::int64_t took = 0;
  if (scope.measured.device_nanoseconds == 0) {
    const DeviceEvents::EventState state = events_->query(scope.end);
    if (state == DeviceEvents::EventState::pending) return false;
    if (state == DeviceEvents::EventState::passed)
      took = std::max<std::int64_t>(0, events_->nanoseconds_between(scope.begin, scope.end));
  }
  scope.measured.device_nanoseconds = std::max<std::int64_t>(0, took - scope.inside);
  if (scope.outer != nullptr) {
    --scope.outer->inner;
    scope.outer->inside += std::max(took, scope.inside);
  }
  return true;
}

void DeviceTimer::collect() {
  measured_.reserve(measured_.size() + pending_.size());
  std::size_t kept = 0;
  for (Scope* const scope : pending_) {
    if (!is_measured(*scope)) {
      pending_[kept++] = scope;
      continue;
    }
    measured_.push_back(scope->measured);
    scope->around = scope->outer = nullptr;
    scope->inside = 0;
    spare_.push_back(scope);
  }
  pending_.resize(kept);
  collect_at_ = std::max(least_collected, 2 * kept);
}

void DeviceTimer::take(std::vector<Measured>& into) {
  const std::lock_guard lock(mutex_);
  collect();
  into.insert(into.end(), measured_.begin(), measured_.end());
  measured_.clear();
}

std::size_t DeviceTimer::pending() const {
  const std::lock_guard lock(mutex_);
  return pending_.size();
}

}  // namespace evenkeel
