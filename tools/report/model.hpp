#pragma once

// The content of a report as plain data. It is built from the lines of a journal one by one, in
// memory that does not grow with their number. Nothing here depends on the look of a page.

#include "decide/shadow.hpp"
#include "journal/reader.hpp"
#include "report/folding.hpp"

#include <evenkeel/monitor/metrics.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace evenkeel::tool::report {

// A sum over steps of a value that is unknown at some times.
struct OverSteps {
  double sum = 0, steps = 0;

  void add(double value, double over) noexcept {
    sum += value * over;
    steps += over;
  }
  void add(const OverSteps& more) noexcept {
    sum += more.sum;
    steps += more.steps;
  }
  std::optional<double> mean() const noexcept {
    return steps > 0 ? std::optional(sum / steps) : std::nullopt;
  }
};

// A stretch of the run: the steps from one look to the next or, if there are many looks, over
// several of them.
struct TimeColumn {
  std::int64_t begin = 0, end = 0;         // the steps after `begin`, up to `end`
  std::int64_t looks = 1, rebalances = 0;  // counts also rebalances that changed nothing
  OverSteps slowest, average, never;    // seconds per step; never: the slowest without rebalances
  OverSteps lambda, imbalance_percent;  // the values that decisions used
  double worst_lambda = 1, worst_imbalance_percent = 0;
  // If the model shows ranks, these are the seconds of each rank over `loads_weight` steps.
  // Otherwise they count, for each share of the mean load, how often ranks had it, out of
  // `loads_weight` times.
  std::vector<double> loads;
  double loads_weight = 0;
  // These values are those of one look of the column: the last look with a rebalance, or else the
  // last look.
  std::int64_t step = 0;
  std::string decision, cause, reason;

  void join(const TimeColumn& next);
};

struct Rebalance {
  std::int64_t at = 0;  // the step after which it was made
  std::int64_t decided_at = 0;
  RebalanceKind kind = RebalanceKind::application;
  Outcome outcome;
  bool is_first = false;  // the first distribution, which is made in any case and does not count
  std::string cause, reason;
  std::optional<double> predicted, realised;  // seconds gained, net of its cost
  std::optional<double> lambda_before, lambda_after;
};

// The domains before and after a rebalance. Domains without planes are not known.
struct DomainChange {
  std::int64_t step = 0;  // after which it was made
  DomainSections before, after;
};

// Seconds of a kernel in a step, over the run: on the fastest, the average and the slowest rank.
struct KernelShare {
  OverSteps least, average, greatest;
};

// The steps in which a rank was slow.
struct SlowSpell {
  Metrics::SlowRank rank;  // as last known
  std::int64_t last = 0;   // look at which it was slow
};

struct Cause {
  std::string decision;
  std::int64_t looks = 0;
};

struct Model {
  JournalHeader start;
  Reading reading;
  std::int64_t ranks = 1, first_step = 0, last_step = 0, looks = 0;
  bool is_deterministic = false;
  std::map<std::string, std::string> options;

  std::vector<TimeColumn> columns;
  std::size_t looks_per_column = 1;
  bool shows_ranks = true;  // columns have loads of ranks; if false, they have shares

  std::vector<Rebalance> rebalances;
  std::size_t one_in = 1;  // the list above has one in this many rebalances
  // Counts of all rebalances but the first distribution: those that made new domains, and those
  // that changed nothing.
  std::int64_t changing = 0, unchanging = 0;
  std::vector<DomainChange> domain_changes;  // some of them, and always the last
  std::map<std::string, double> stages;      // seconds of all rebalances

  std::map<std::string, KernelShare> kernels;
  std::map<std::string, Cause> causes;
  CostTable costs;      // as last learned
  MemoryTotals memory;  // at the last look
  RankMemory fullest;   // of all looks
  std::vector<SlowSpell> slow;

  DecisionState last;   // its ledger includes the last look
  Account account;      // of the steps that looks have covered
  std::string summary;  // in words
};

class ModelBuilder {
 public:
  ModelBuilder();

  void start(const JournalHeader& start);
  void add(const JournalLine& look);
  void finish(const JournalFinish& finish);
  Model result(Reading reading) &&;

 private:
  void add_column(const JournalLine& look);
  void add_unseen(const JournalLine& line);
  void add_loads(const JournalLine& look, TimeColumn& column);
  void add_kernels(const JournalLine& look);
  void add_memory(const MemoryTotals& memory);
  void add_rebalance(const JournalLine& look);
  void note_domains(Rebalance& rebalance);
  void follow(const JournalLine& look);
  void follow_books();
  void count_open();
  void keep_open();
  void add_slow(const Metrics::SlowRank& rank, std::int64_t step);
  std::string summary() const;

  Model model_;
  Folding<TimeColumn> columns_;
  Thinning<Rebalance> rebalances_;
  Thinning<DomainChange> changes_;
  DomainChange last_change_;
  std::optional<Rebalance> open_;  // the last rebalance, until the next one
  std::optional<Shadow> shadow_;   // while nothing was moved
  std::deque<TimeColumn> unseen_;  // rebalances without a look, until a look covers their steps
  std::optional<JournalFinish> finish_;
  bool has_started_ = false;
};

// Handlers that add the lines of a journal to the builder.
JournalHandlers handlers_of(ModelBuilder& builder);

}  // namespace evenkeel::tool::report
