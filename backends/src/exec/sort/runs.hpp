#pragma once

// Finds the sorted runs of nearly sorted pairs, by all threads in one pass over the keys. If a key
// is less than the last kept key, one of the two is out of order, and both become strays. So the
// number of strays is at most twice the least number of pairs whose removal makes the array sorted.

#include "exec/sort/scratch.hpp"
#include "exec/sort/workers.hpp"

#include <vector>

namespace evenkeel::exec::host_sort {

// The kept pairs at [begin, end). `rank` is the number of kept pairs before them.
struct KeptRun {
  std::int64_t begin, end, rank;
};

// The runs of an array, in ascending order. They do not overlap, and no key of a run is below a key
// of an earlier run.
struct Runs {
  const KeptRun* data;
  std::int64_t count;
  std::int64_t kept;  // number of pairs in all runs
};

// Finds the runs of an array, and owns the list of them.
template <class Key>
class RunSearch {
 public:
  RunSearch(const Workers& workers, const Key* keys, std::int64_t count, Key mask)
      : workers_(workers), keys_(keys), count_(count), mask_(mask) {}

  // Returns false if there are too many strays for the shortcut.
  bool find() {
    const auto share = [&](int worker) { return workers_.begin_of_share(worker, count_); };
    const std::int64_t room = most_runs(share(1));
    runs_ = Scratch<KeptRun>("evenkeel::exec::sorted_runs", room * workers_.count);
    std::vector<std::int64_t> found(static_cast<std::size_t>(workers_.count));
    std::atomic<bool> too_many{false};
    workers_.run([&](int worker) {
      found[static_cast<std::size_t>(worker)] =
          find_in_share(share(worker), share(worker + 1), runs_.data() + room * worker, too_many);
    });
    if (too_many) return false;
    for (int worker = 0; worker < workers_.count; ++worker) {
      KeptRun* const runs = runs_.data() + room * worker;
      run_count_ = join(run_count_, runs, runs + found[static_cast<std::size_t>(worker)]);
    }
    rank_runs();
    return count_ - kept_ <= most_strays(count_);
  }

  // Valid as long as this object lives.
  Runs found() const { return {runs_.data(), run_count_, kept_}; }

 private:
  static std::int64_t most_strays(std::int64_t pairs) {
    // If there are more strays, the radix sort is faster.
    constexpr std::int64_t pairs_per_stray = 8, strays_anyway = 64;
    return pairs / pairs_per_stray + strays_anyway;
  }
  static std::int64_t most_runs(std::int64_t pairs) { return most_strays(pairs) / 2 + 2; }

  Key compared(std::int64_t at) const { return static_cast<Key>(keys_[at] & mask_); }

  // Returns the end of the ascending run that contains `at`.
  std::int64_t end_of_run(std::int64_t at, std::int64_t end) const {
    constexpr std::int64_t block = 16;
    const Key* const keys = keys_;
    for (; end - at > block; at += block) {
      unsigned descents = 0;
      for (std::int64_t i = at; i < at + block; ++i)
        descents |= (keys[i] & mask_) > (keys[i + 1] & mask_) ? 1U : 0U;
      if (descents != 0) break;
    }
    while (at + 1 < end && compared(at) <= compared(at + 1)) ++at;
    return at + 1;
  }

  // Returns the number of runs in [begin, end), or 0 if any worker's share has too many strays.
  std::int64_t find_in_share(std::int64_t begin, std::int64_t end, KeptRun* runs,
                             std::atomic<bool>& too_many) const {
    std::int64_t count = 0, strays = 0;
    for (std::int64_t at = begin; at < end;) {
      const std::int64_t stop = end_of_run(at, end);
      runs[count++] = {at, stop, 0};
      for (at = stop; at < end && count > 0; ++at) {
        KeptRun& last = runs[count - 1];
        if (compared(last.end - 1) <= compared(at)) break;
        if (--last.end == last.begin) --count;
        strays += 2;
      }
      if (strays > most_strays(at - begin) || too_many.load(std::memory_order_relaxed)) {
        too_many = true;
        return 0;
      }
    }
    return count;
  }

  // Appends the runs of one share to the runs of the shares before it. Pairs that are out of order
  // between the two become strays.
  std::int64_t join(std::int64_t joined, KeptRun* run, KeptRun* end) {
    KeptRun* const runs = runs_.data();
    while (joined > 0 && run != end) {
      KeptRun& last = runs[joined - 1];
      if (compared(last.end - 1) <= compared(run->begin)) break;
      if (--last.end == last.begin) --joined;
      if (++run->begin == run->end) ++run;
    }
    return std::copy(run, end, runs + joined) - runs;
  }

  void rank_runs() {
    for (std::int64_t run = 0; run < run_count_; ++run) {
      KeptRun& current = runs_.data()[run];
      current.rank = kept_;
      kept_ += current.end - current.begin;
    }
  }

  Workers workers_;
  const Key* keys_;
  std::int64_t count_;
  Key mask_;
  Scratch<KeptRun> runs_;
  std::int64_t run_count_ = 0, kept_ = 0;
};

// --- The pairs between the runs are copied, and the array does not change ------------------------

// The keys, old positions and indices of the strays. The caller owns the memory.
template <class Key, class Index>
struct StrayPairs {
  Key* keys;
  Index* positions;
  Index* indices;
  std::int64_t count;
};

// Copies the strays at [begin, end), which are between two runs. `rank` is the number of kept pairs
// before them.
template <class Key, class Index>
void pull_out(const Key* keys, std::int64_t begin, std::int64_t end, std::int64_t rank,
              const StrayPairs<Key, Index>& strays) {
  for (std::int64_t position = begin; position < end; ++position) {
    strays.keys[position - rank] = keys[position];
    strays.positions[position - rank] = static_cast<Index>(position);
  }
}

// Copies keys and positions of all strays, in the order of their positions.
template <class Key, class Index>
void pull_out_strays(const Workers& workers, const Key* keys, const Runs& runs,
                     const StrayPairs<Key, Index>& strays) {
  workers.run([&](int worker) {
    const std::int64_t stop = workers.begin_of_share(worker + 1, runs.count);
    for (auto run = workers.begin_of_share(worker, runs.count); run < stop; ++run)
      pull_out(keys, run == 0 ? 0 : runs.data[run - 1].end, runs.data[run].begin,
               runs.data[run].rank, strays);
  });
  pull_out(keys, runs.data[runs.count - 1].end, runs.kept + strays.count, runs.kept, strays);
}

}  // namespace evenkeel::exec::host_sort
