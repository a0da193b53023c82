#pragma once

// Measures of how even a load is. Other tools may use lambda or the imbalance percent, so a text
// that shows one of them also shows the other.
//
//   lambda             max / average; 1 is perfect
//   imbalance percent  (max - average) / max * N / (N - 1) * 100 (DeRose, Homer and Johnson,
//                      Euro-Par 2007); 0 is perfect, 100 is one rank working alone
//   imbalance time     max - average: the time that perfect balance would save
//   allocation time    N * imbalance time: the time that all ranks together wait
//   efficiency         average / max; 1 is perfect (POP's load balance efficiency)

#include <evenkeel/backends/config.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace evenkeel {

// The input of the formulas: the seconds that ranks work, without the time that they wait.
struct LoadSummary {
  int ranks = 1;
  double sum = 0;
  double greatest = 0;
  double average() const noexcept { return sum / ranks; }
};

// Summarises the seconds of all ranks.
EVENKEEL_API LoadSummary summarise(std::span<const double> seconds);

// Lambda; 1 for one rank and for no load at all.
EVENKEEL_API double lambda(const LoadSummary& load) noexcept;

// The imbalance percent; 0 for one rank and for no load at all.
EVENKEEL_API double imbalance_percent(const LoadSummary& load) noexcept;

// The figures of all work, of one kernel or of one phase. Times are seconds per step.
struct Figures {
  double least = 0, average = 0, greatest = 0;
  double lambda = 1;
  double imbalance_percent = 0;
  double imbalance_seconds = 0;
  double allocation_seconds = 0;
  double efficiency = 1;
};

// The results of a look.
struct Metrics {
  // The figures of one kernel.
  struct Kernel {
    std::string name;
    Figures figures;
  };
  // The memory of a rank, and the steps until its objects fill it at the growth of the last looks.
  struct Memory {
    int rank = -1;  // -1 if memory is not limited
    double bytes = 0, limit = 0;
    double steps_left = std::numeric_limits<double>::infinity();
  };
  // A rank on which the same work takes longer than on the other ranks, such as a rank whose core
  // is hot or shared. See docs/howto/ranks_that_differ.md.
  struct SlowRank {
    int rank = -1;           // -1 if no rank is known to be slow
    double percent = 0;      // by which it is slower than the mean of the others
    double error = 0;        // two standard errors of `percent`
    double waiting = 0;      // percent of its time in which it waits for a core
    std::int64_t since = 0;  // the step after which it was slow
    double speed = 1;        // with which it counts, if speeds are learned; the others have 1

    explicit operator bool() const noexcept { return rank >= 0; }
    friend bool operator==(const SlowRank&, const SlowRank&) = default;
  };
  std::int64_t step = -1;  // of the look; -1 before the first look
  std::int64_t steps = 0;  // that were measured
  std::int64_t ranks = 1;
  Figures total;                // `greatest` is the sum over phases of the greatest load
  std::vector<Kernel> kernels;  // at most 32; the rest is summed up as "other"
  std::vector<Figures> phases;  // by number; empty if all work is in one phase
  double coverage = 0;          // share of the steps in kernels
  // A line is fitted to the imbalance time at the looks since the last rebalance. `trend` is its
  // slope in seconds per step, and `scatter` is the standard deviation of the looks from the line.
  double trend = 0, scatter = 0;
  double jitter = 0;  // change of a rank's load from step to step, root mean square over ranks
  Memory fullest, soonest;  // the fullest rank, and the one that will be full soonest
  SlowRank slow;
};

// --- Account -------------------------------------------------------------------------------------
// The time that a run has taken, and the time that it would have taken without any rebalance. Times
// are in seconds; in a deterministic run a weight of 1 counts as a millisecond. docs/monitor.md
// defines the words.

// The account of a run.
struct Account {
  std::int64_t steps = 0;           // covered by looks
  std::int64_t measured_steps = 0;  // those that were measured; decisions use only these
  double mean = 0;                  // work of the average rank
  double actual = 0;                // work of the slowest rank of each step
  double never = 0;                 // `actual` of the same run without any rebalance
  bool knows_never = false;         // false if no look was made before the first rebalance
  double uncertainty = 0;           // error bar of `never`: right in about nine of ten runs
  double own_cost = 0;              // of rebalances: evenkeel's time
  double rebuild_cost = 0;          // of rebalances: the application's rebuild in the step after,
                                    // and the seconds that it has noted (note_cost)
  double advised = 0;  // in a run that only gets advice: the time that it would have saved

  double spent() const noexcept { return own_cost + rebuild_cost; }
  double saved() const noexcept { return never - actual - spent(); }
};

// --- Learned costs -------------------------------------------------------------------------------
// The learned costs of types and features, for reports and for later runs.

// All rows, and how well they are known.
struct CostTable {
  // The cost of one type or feature of a set.
  struct Row {
    static constexpr int most_types = 16, most_features = 8;  // of a set

    int set = 0;              // its number among the sets that are given to a Balancer
    bool is_feature = false;  // a feature of objects, not a type
    int number = 0;           // of the type or the feature
    double amount = 0;        // objects of the type, or the sum of the feature, over all ranks
    double seconds = 0;       // per step, for one object of the type or one unit of the feature
    double error = 0;         // one standard error of `seconds`

    friend bool operator==(const Row&, const Row&) = default;
  };

  std::vector<Row> rows = {};
  double fixed_seconds = 0;  // of each rank per step, independent of its objects
  double noise = 0;          // standard deviation of a rank's load, divided by the load
  double condition = 1;      // of the worst equations that were solved
  int frozen = 0;  // directions in the space of costs that measurements do not determine; there the
                   // prior estimates are kept

  bool empty() const noexcept { return rows.empty(); }
  friend bool operator==(const CostTable&, const CostTable&) = default;
};

// --- The log -------------------------------------------------------------------------------------
// The amount of text that rank 0 logs during a run.

// Each level includes those before it.
enum class LogLevel : int {
  off,
  summary,    // a few lines at the end
  decisions,  // a line for each rebalance, and when balancing stops or resumes
  looks       // a line for each look at the load
};

}  // namespace evenkeel
