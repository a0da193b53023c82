#pragma once

// The times of a run, step by step: on this rank during the run, and over all ranks afterwards.
// Nothing is reduced during the run.
//
// Work is the time of a rank in its own kernels. Upkeep is the rest: halos, migration, evenkeel's
// own time, and waiting for other ranks. The upkeep of a step is the upkeep of the rank that waited
// least.

#include <evenkeel/evenkeel.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ek = evenkeel;

class Course {
 public:
  using Now = std::int64_t (*)();

  // `steps` is the number of steps of the run. `now` is a clock in nanoseconds.
  Course(std::int64_t steps, Now now) : now_(now) {
    for (std::vector<double>* of : {&work_, &upkeep_}) of->reserve(static_cast<std::size_t>(steps));
  }

  void begin_step() {
    for (std::vector<double>* of : {&work_, &upkeep_}) of->push_back(0);
  }
  // Call this between two steps if a rebalance has moved beads.
  void note_rebalance() { rebalances_.push_back(work_.size()); }

  // Does work of this rank alone, which evenkeel times too.
  template <class Work>
  auto alone(const ek::Kernel& kernel, const Work& work) {
    const Adding adding(*this, work_.back());
    const auto timing = kernel.time();
    return work();
  }
  // Does work in which ranks wait for each other.
  template <class Work>
  auto together(const Work& work) {
    const Adding adding(*this, upkeep_.back());
    return work();
  }

  struct Totals;
  // Collective.
  Totals over(const ek::Communicator& ranks) const;

 private:
  class Adding {
   public:
    Adding(const Course& course, double& sum)
        : sum_(sum), now_(course.now_), began_(course.now_()) {}
    Adding(const Adding&) = delete;
    Adding& operator=(const Adding&) = delete;
    ~Adding() { sum_ += static_cast<double>(now_() - began_) * 1e-9; }

   private:
    double& sum_;
    Now now_;
    std::int64_t began_;
  };

  // The sum over a few steps, since other programs disturb single steps.
  struct Window {
    bool follows_rebalance = false;
    std::size_t steps = 0;
    double seconds = 0;  // of work
  };
  std::vector<Window> windows() const;

  Now now_;
  std::vector<double> work_, upkeep_;    // seconds, by step
  std::vector<std::size_t> rebalances_;  // the steps that follow rebalances
};

// Seconds over all ranks. They are the same on all ranks.
struct Course::Totals {
  ek::LoadSummary load;  // of all steps; `greatest` sums the slowest rank of each window
  double upkeep = 0;
  std::int64_t rebalances = 0;
  // The loads of the last windows before rebalances, summed, and of the first windows after them.
  ek::LoadSummary before, after;
  double worst_lambda = 1;  // of all stretches from a rebalance to the next

  // The time of the run if each rank had its own core.
  double critical_path() const { return load.greatest + upkeep; }
};

// A rebalance ends a window.
inline std::vector<Course::Window> Course::windows() const {
  constexpr std::size_t most_steps = 10;
  std::vector<Window> made;
  auto rebalance = rebalances_.begin();
  for (std::size_t step = 0; step < work_.size(); ++step) {
    const bool is_new = rebalance != rebalances_.end() && *rebalance == step;
    if (is_new) ++rebalance;
    if (made.empty() || is_new || made.back().steps == most_steps) made.push_back({is_new});
    ++made.back().steps;
    made.back().seconds += work_[step];
  }
  return made;
}

inline Course::Totals Course::over(const ek::Communicator& ranks) const {
  const std::vector<Window> mine = windows();
  std::vector<double> greatest(mine.size()), upkeep(upkeep_);
  std::transform(mine.begin(), mine.end(), greatest.begin(),
                 [](const Window& window) { return window.seconds; });
  std::vector<double> sum(greatest);
  ranks.all_reduce(std::span<double>(greatest), ek::Reduction::greatest);
  ranks.all_reduce(std::span<double>(sum), ek::Reduction::sum);
  ranks.all_reduce(std::span<double>(upkeep), ek::Reduction::least);

  Totals totals{.load = {ranks.size()}, .before = {ranks.size()}, .after = {ranks.size()}};
  const auto add = [&](std::size_t window, ek::LoadSummary& to) {
    to.greatest += greatest[window];
    to.sum += sum[window];
  };
  ek::LoadSummary stretch{ranks.size()};
  for (std::size_t w = 0; w < mine.size(); ++w) {
    add(w, totals.load);
    if (mine[w].follows_rebalance) {
      ++totals.rebalances;
      add(w, totals.after);
      if (w > 0) add(w - 1, totals.before);
      stretch = {ranks.size()};
    }
    add(w, stretch);
    const bool ends = w + 1 == mine.size() || mine[w + 1].follows_rebalance;
    if (ends && totals.rebalances > 0)
      totals.worst_lambda = std::max(totals.worst_lambda, ek::lambda(stretch));
  }
  for (const double seconds : upkeep) totals.upkeep += seconds;
  return totals;
}
