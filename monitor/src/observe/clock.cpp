#include "observe/chunk_times.hpp"
#include "observe/thread_track.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/stretch.hpp>

#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

namespace evenkeel {

namespace {

// --- The track of a thread -----------------------------------------------------------------------

// The track that this thread used last; a scope tries it first. The pointer needs no destruction,
// so it is valid after the destructor of TracksOfThread.
constinit thread_local ThreadTrack* latest = nullptr;
constinit thread_local bool is_ending = false;

// All tracks of this thread, one for each clock. The clocks share their ownership.
class TracksOfThread {
 public:
  TracksOfThread() = default;
  TracksOfThread(const TracksOfThread&) = delete;
  TracksOfThread& operator=(const TracksOfThread&) = delete;
  ~TracksOfThread() {
    is_ending = true;
    latest = nullptr;
    for (const auto& track : tracks_) track->end_thread();
  }

  ThreadTrack* find(const Clock* clock) const noexcept {
    for (const auto& track : tracks_)
      if (track->clock() == clock) return track.get();
    return nullptr;
  }

  void add(std::shared_ptr<ThreadTrack> track) {
    std::erase_if(tracks_, [](const auto& each) { return each->clock() == nullptr; });
    tracks_.push_back(std::move(track));
  }

 private:
  std::vector<std::shared_ptr<ThreadTrack>> tracks_;
};

TracksOfThread& tracks_of_thread() {
  static thread_local TracksOfThread tracks;
  return tracks;
}

constexpr Refusal refuse{"monitor/clock"};

constexpr int most_kernel_sets = 64;

// Nanoseconds that timing a scope costs. Without a clock it reads the cycle counter.
double scope_nanoseconds(const OwnClock& now) {
  return !now ? 25 : now == &thread_cpu_nanoseconds ? 400 : 50;
}

void check(const std::string& name, const KernelOptions& options) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  if (name.empty() || std::any_of(name.begin(), name.end(), is_control))
    refuse("A kernel has no name, or one with control characters.", "Give it a name of one line.");
  if (options.phase < 0 || options.phase >= kernel_phases)
    refuse("The kernel '" + name + "' is in phase " + std::to_string(options.phase) + '.',
           "Phases are numbered from 0 to " + std::to_string(kernel_phases - 1) + '.');
  if (options.every < 0)
    refuse("The kernel '" + name + "' runs every " + std::to_string(options.every) + " steps.",
           "Give a number of steps, or 0 when it is not known.");
  if (!options.types.is_fit() || options.set < 0 || options.set >= most_kernel_sets)
    refuse("The kernel '" + name + "' names a type or a set that is out of range.",
           "Types are numbered from 0 to " + std::to_string(KernelTypes::most - 1) +
               ", sets from 0 to " + std::to_string(most_kernel_sets - 1) + '.');
}

}  // namespace

struct Clock::Impl {
  Impl(OwnClock clock, double scope) : now(std::move(clock)), chunks(scope) {}

  OwnClock now;  // empty for the cycle counter
  std::shared_ptr<DeviceEvents> events;
  TickRate rate;
  bool is_per_thread;  // true if the clock of one thread cannot be compared with that of another

  std::mutex mutex;  // guards `tracks`: a thread adds its track at its first scope
  std::vector<std::shared_ptr<ThreadTrack>> tracks;
  std::atomic<bool> lost = false;  // a thread found no memory for its track

  std::int64_t step_began = 0;
  std::thread::id stepped_by;
  // Each kernel has one slot, and each loop of a kernel has one for each possible chunk.
  std::vector<std::size_t> slots_of_kernels;
  // Ticks of the step: by slot for one thread, by slot for all threads, by kernel.
  std::vector<std::int64_t> of_thread, of_slots, of_step;
  ChunkTimes chunks;
  struct Part {
    std::size_t kernel, slot;
    std::int64_t given;  // nanoseconds that the application has measured in this step
  };
  std::vector<Part> parts;
  std::vector<DeviceTimer::Measured> of_devices;

  std::int64_t read() const noexcept { return ThreadTrack::read(now); }
  bool drain() noexcept;
  void drain_one(ThreadTrack& track);
  void add_thread() noexcept;
};

Timer::Timer(Clock& clock, int slot) noexcept : track_(clock.track()) {
  if (track_ != nullptr) scope_ = track_->begin(slot);
}
Timer::Timer(Clock& clock, int slot, const DeviceStream& stream) noexcept : track_(clock.track()) {
  if (track_ != nullptr) scope_ = track_->begin(slot, stream, clock.impl_->events);
}
void Timer::end() noexcept {
  if (track_ != nullptr) track_->end(scope_);
  track_ = nullptr;
}

Timer Chunk::time() const noexcept { return Timer(*clock_, slot_); }

Chunk Chunks::operator[](std::size_t index) const noexcept {
  const auto at = static_cast<std::int64_t>(index), count = static_cast<std::int64_t>(count_);
  return {clock_, first_slot_ + static_cast<int>(index), stretch_begin(at, count, objects_),
          stretch_begin(at + 1, count, objects_)};
}

Chunks Kernel::chunks(std::int64_t objects, int set) const {
  return clock_->chunks(index_, objects, set);
}

std::string Kernel::name() const { return clock_->names()[static_cast<std::size_t>(index_)]; }

std::shared_ptr<Clock> Clock::make(const OwnClock& now) { return make(now, device_events()); }
std::shared_ptr<Clock> Clock::make(const OwnClock& now, std::shared_ptr<DeviceEvents> events) {
  return std::shared_ptr<Clock>(new Clock(now, std::move(events), false));
}
std::shared_ptr<Clock> Clock::by_cycles() {
  if (!cycle_counter_is_trusted()) return make(&wall_nanoseconds);
  return std::shared_ptr<Clock>(new Clock(nullptr, device_events(), true));
}

Clock::Clock(const OwnClock& now, std::shared_ptr<DeviceEvents> events, bool by_cycles)
    : impl_(std::make_unique<Impl>(now, scope_nanoseconds(now))) {
  impl_->events = std::move(events);
  impl_->is_per_thread = now == &thread_cpu_nanoseconds;
  if (by_cycles) impl_->rate = TickRate::measured();
  impl_->stepped_by = std::this_thread::get_id();
  impl_->step_began = impl_->read();
}

Clock::~Clock() {
  for (const auto& track : impl_->tracks) track->forget_clock();
}

Kernel Clock::kernel(const std::string& name, const KernelOptions& options) {
  check(name, options);
  const auto known = std::find(names_.begin(), names_.end(), name);
  const auto index = static_cast<std::size_t>(known - names_.begin());
  if (known != names_.end()) {
    if (!(options_[index] == options))
      refuse("The kernel '" + name + "' is registered already, with other options.",
             "Give the same phase, steps, types and set wherever it is registered.");
    return Kernel(shared_from_this(), static_cast<int>(index),
                  static_cast<int>(impl_->slots_of_kernels[index]));
  }
  const std::size_t count = names_.size() + 1;
  names_.reserve(count);
  options_.reserve(count);
  impl_->slots_of_kernels.reserve(count);
  for (auto* numbers : {&of_step_, &impl_->of_step}) numbers->reserve(count);
  std::string kept = name;
  const std::size_t slot = add_slots(1);
  names_.push_back(std::move(kept));
  options_.push_back(options);
  impl_->slots_of_kernels.push_back(slot);
  for (auto* numbers : {&of_step_, &impl_->of_step}) numbers->push_back(0);
  return Kernel(shared_from_this(), static_cast<int>(index), static_cast<int>(slot));
}

Kernel Clock::add_part(const Kernel& kernel) {
  const std::size_t count = of_parts_.size() + 1;
  of_parts_.reserve(count);
  impl_->parts.reserve(count);
  const std::size_t slot = add_slots(1);
  of_parts_.push_back(0);
  impl_->parts.push_back({static_cast<std::size_t>(kernel.index_), slot, 0});
  return Kernel(shared_from_this(), kernel.index_, static_cast<int>(slot));
}

void Clock::add_to_part(int part, std::int64_t nanoseconds) noexcept {
  impl_->parts[static_cast<std::size_t>(part)].given += nanoseconds;
}

double Clock::take_part(int part) noexcept {
  return std::exchange(of_parts_[static_cast<std::size_t>(part)], 0);
}

// Returns the first new slot.
std::size_t Clock::add_slots(std::size_t count) {
  Impl& impl = *impl_;
  const std::lock_guard lock(impl.mutex);
  const std::size_t first = impl.of_slots.size();
  for (const auto& track : impl.tracks) track->make_room(first + count);
  impl.of_thread.reserve(first + count);
  impl.of_slots.resize(first + count);
  impl.of_thread.resize(first + count);
  return first;
}

Chunks Clock::chunks(int kernel, std::int64_t objects, int set) {
  if (objects < 0 || set < 0)
    refuse("The kernel '" + names_[static_cast<std::size_t>(kernel)] + "' was to work on " +
               std::to_string(objects) + " objects of set " + std::to_string(set) + " in chunks.",
           "Give a number of objects and a set that are both 0 or more.");
  ChunkTimes& chunks = impl_->chunks;
  const std::size_t slot = chunks.knows(kernel, set) ? 0 : add_slots(ChunkTimes::stretches);
  ChunkTimes::Loop& loop = chunks.loop(kernel, set, slot);
  while (objects > 0 && static_cast<std::int64_t>(loop.chunks) > objects) loop.chunks /= 2;
  loop.objects = objects;
  ++loop.runs;
  return {this, static_cast<int>(loop.first_slot), objects > 0 ? loop.chunks : 0, objects};
}

const std::vector<StretchTimes>& Clock::of_stretches() const noexcept {
  return impl_->chunks.times();
}
void Clock::forget_stretches() noexcept { impl_->chunks.forget(); }

ThreadTrack* Clock::known_track() const noexcept {
  if (latest != nullptr && latest->clock() == this) return latest;
  return is_ending ? nullptr : tracks_of_thread().find(this);
}

// Returns this thread's track. The first call in a thread makes it.
ThreadTrack* Clock::track() noexcept {
  if (latest != nullptr && latest->clock() == this) return latest;
  if (is_ending) return nullptr;
  try {
    ThreadTrack* const known = known_track();
    latest = known != nullptr ? known : make_track();
    return latest;
  } catch (const std::exception&) {  // no memory
    impl_->lost.store(true, std::memory_order_relaxed);
    return nullptr;
  }
}

ThreadTrack* Clock::make_track() {
  const std::lock_guard lock(impl_->mutex);
  auto made = std::make_shared<ThreadTrack>(this, impl_->now, impl_->of_slots.size());
  impl_->tracks.reserve(impl_->tracks.size() + 1);
  latest = nullptr;  // it may point to the track of a clock that has ended, which add() frees
  tracks_of_thread().add(made);
  impl_->tracks.push_back(made);
  return made.get();
}

// Replaces of_thread by the measurements of a thread. A scope on a device counts with its time on
// the host or on the device, whichever is longer.
void Clock::Impl::drain_one(ThreadTrack& track) {
  of_thread.assign(of_thread.size(), 0);
  track.drain(of_thread);
  of_devices.clear();
  track.take_device_times(of_devices);
  for (const DeviceTimer::Measured& scope : of_devices)
    of_thread[static_cast<std::size_t>(scope.kernel)] +=
        std::max(scope.host, rate.ticks(scope.device_nanoseconds));
}

// Adds the measurements of a thread, in of_thread, to those of all threads: slots are summed, and
// the time of a kernel is its greatest time in a thread.
void Clock::Impl::add_thread() noexcept {
  for (std::size_t slot = 0; slot < of_slots.size(); ++slot) of_slots[slot] += of_thread[slot];
  for (const ChunkTimes::Loop& loop : chunks.loops()) {
    const std::size_t kernel = slots_of_kernels[static_cast<std::size_t>(loop.kernel)];
    const auto first = of_thread.begin() + static_cast<std::ptrdiff_t>(loop.first_slot);
    of_thread[kernel] = std::accumulate(
        first, first + static_cast<std::ptrdiff_t>(ChunkTimes::stretches), of_thread[kernel]);
  }
  for (const Part& part : parts) of_thread[slots_of_kernels[part.kernel]] += of_thread[part.slot];
  for (std::size_t k = 0; k < of_step.size(); ++k)
    of_step[k] = std::max(of_step[k], of_thread[slots_of_kernels[k]]);
}

// Takes the measurements of all threads. Returns false if the step cannot be trusted. The thread
// that ends a step calls this in each step, so a ring need not hold more than one step. It does not
// leave this to the watcher: draining a record takes a nanosecond, but waking a sleeping thread
// takes 5000 to 14000 nanoseconds, and the sums are needed at once when an epoch ends.
bool Clock::Impl::drain() noexcept {
  const std::lock_guard lock(mutex);
  bool fit = !lost.exchange(false, std::memory_order_relaxed);
  of_step.assign(of_step.size(), 0);
  of_slots.assign(of_slots.size(), 0);
  for (auto& track : tracks) {
    const bool finished = track->is_finished();
    try {
      drain_one(*track);
    } catch (const std::exception&) {  // no memory for the times of devices
      fit = false;
    }
    add_thread();
    if (track->take_backwards()) fit = false;
    if (finished && !track->waits_for_devices()) track.reset();
  }
  std::erase(tracks, nullptr);
  return fit;
}

Clock::Step Clock::end_step() noexcept {
  Impl& impl = *impl_;
  const std::int64_t now = impl.read();
  if (ThreadTrack* const mine = known_track()) mine->charge_open_scopes(now);
  Step step;
  step.fit = now >= impl.step_began;
  const std::thread::id thread = std::this_thread::get_id();
  if (std::exchange(impl.stepped_by, thread) != thread) step.fit = step.fit && !impl.is_per_thread;
  step.fit = impl.drain() && step.fit;
  if (impl.rate.is_due(now)) step.fit = impl.rate.refine(TickMoment::now()) && step.fit;
  step.duration = std::max<std::int64_t>(0, impl.rate.nanoseconds(passed(impl.step_began, now)));
  std::transform(impl.of_step.begin(), impl.of_step.end(), of_step_.begin(),
                 [&](std::int64_t ticks) { return impl.rate.nanoseconds(ticks); });
  for (std::size_t p = 0; p < impl.parts.size(); ++p) {
    Impl::Part& part = impl.parts[p];
    const std::int64_t given = std::exchange(part.given, 0);
    of_step_[part.kernel] += given;
    if (!step.fit) continue;
    const std::int64_t timed = std::max<std::int64_t>(0, impl.of_slots[part.slot]);
    of_parts_[p] += static_cast<double>(impl.rate.nanoseconds(timed) + given);
  }
  step.load = std::accumulate(of_step_.begin(), of_step_.end(), std::int64_t{0});
  impl.chunks.end_step(impl.of_slots, impl.rate, step.fit);
  impl.step_began = now;
  return step;
}

}  // namespace evenkeel
