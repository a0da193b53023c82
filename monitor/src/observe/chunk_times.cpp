#include "observe/chunk_times.hpp"

#include <evenkeel/backends/exec/stretch.hpp>

#include <algorithm>
#include <bit>

namespace evenkeel {

namespace {

// A chunk takes at least this many times the cost of timing it.
constexpr double least_length = 400;
constexpr double most_chunks = ChunkTimes::stretches;

// Each run of a loop multiplies the weight of its older runs by this factor, since loads move. The
// factor can be small, because noise that is the same for all stretches of a rank does not change
// their proportions.
constexpr double share_kept = 0.7;

// Reduces the weight of the old times of a loop, before the times of its next run are added. That
// run counts for `steps` steps.
void fade(StretchTimes& times, double steps) {
  times.steps = share_kept * times.steps + steps;
  times.all_steps += steps;
  for (double& nanoseconds : times.nanoseconds) nanoseconds *= share_kept;
}

// Divides the time of a chunk among its stretches.
void enter(double nanoseconds, std::size_t chunk, const ChunkTimes::Loop& loop,
           std::vector<double>& of_stretches) {
  const std::size_t together = of_stretches.size() / loop.chunks, first = chunk * together;
  const auto begin = [&](std::size_t stretch) {
    return static_cast<double>(
        stretch_begin(static_cast<std::int64_t>(stretch), std::ssize(of_stretches), loop.objects));
  };
  const double objects = begin(first + together) - begin(first);
  if (!(objects > 0)) return;
  for (std::size_t s = first; s < first + together; ++s)
    of_stretches[s] += nanoseconds * (begin(s + 1) - begin(s)) / objects;
}

}  // namespace

std::size_t ChunkTimes::find(int kernel, int set) const noexcept {
  const auto is_it = [&](const Loop& loop) { return loop.kernel == kernel && loop.set == set; };
  return static_cast<std::size_t>(std::find_if(loops_.begin(), loops_.end(), is_it) -
                                  loops_.begin());
}

ChunkTimes::Loop& ChunkTimes::loop(int kernel, int set, std::size_t first_slot) {
  const std::size_t known = find(kernel, set);
  if (known < loops_.size()) return loops_[known];
  loops_.reserve(loops_.size() + 1);
  times_.push_back({.set = set, .nanoseconds = std::vector<double>(stretches)});
  return loops_.emplace_back(
      Loop{.kernel = kernel, .set = set, .first_slot = first_slot, .since = steps_});
}

void ChunkTimes::end_step(std::span<const std::int64_t> ticks, const TickRate& rate, bool counts) {
  if (counts) ++steps_;
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    Loop& loop = loops_[l];
    if (counts) ++loop.since;
    if (loop.runs == 0) continue;
    StretchTimes& times = times_[l];
    times.objects = loop.objects;
    if (counts) {
      // The first run after a move of objects may come earlier than the period says.
      loop.period = times.steps > 0 ? loop.since : std::max(loop.since, loop.period);
      fade(times, static_cast<double>(loop.period));
      loop.since = 0;
    }
    double all = 0;
    for (std::size_t chunk = 0; chunk < loop.chunks; ++chunk) {
      const std::int64_t took = std::max<std::int64_t>(0, ticks[loop.first_slot + chunk]);
      const double nanoseconds = static_cast<double>(took) * rate.nanoseconds_per_tick();
      all += nanoseconds;
      if (counts) enter(nanoseconds, chunk, loop, times.nanoseconds);
    }
    if (counts) times.all_nanoseconds += all;
    if (all > 0) {
      const double pay = all / static_cast<double>(loop.runs) / (least_length * scope_);
      loop.chunks = std::bit_floor(static_cast<std::size_t>(std::clamp(pay, 1.0, most_chunks)));
    }
    loop.runs = 0;
  }
}

void ChunkTimes::forget() noexcept {
  for (StretchTimes& times : times_) {
    times.steps = times.all_steps = times.all_nanoseconds = 0;
    std::fill(times.nanoseconds.begin(), times.nanoseconds.end(), 0.0);
  }
}

}  // namespace evenkeel
