#pragma once

// What a report shows, as plain data: made from the lines of a journal one by one, in memory that
// does not grow with their number. Nothing here knows how a page looks.

#include "decide/shadow.hpp"
#include "report/folding.hpp"
#include "report/journal.hpp"
#include "report/look.hpp"

#include <evenkeel/monitor/account.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::tool::report {

// A sum of values that are not known at all times, over steps.
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

// A stretch of the run: the steps from one look to the next, or of several where there are many.
struct Column {
  std::int64_t begin = 0, end = 0;         // the steps after `begin`, up to `end`
  std::int64_t looks = 1, rebalances = 0;  // also those that changed nothing
  OverSteps slowest, average, never;    // seconds per step; never: the slowest without rebalances
  OverSteps lambda, imbalance_percent;  // as decisions saw them
  double worst_lambda = 1, worst_imbalance_percent = 0;
  // By rank: seconds. Or by share of the mean: how often ranks had it. Over `loads_weight`: steps,
  // or ranks.
  std::vector<double> loads;
  double loads_weight = 0;
  // Of the look that says most: the last one, but a rebalance before any other.
  std::int64_t step = 0;
  std::string decision, cause, reason;

  void join(const Column& next);
};

struct Rebalance {
  Taken taken;
  bool is_first = false;  // the first distribution, which is made in any case and does not count
  bool changed() const noexcept { return taken.changed.value_or(true); }
  std::string cause, reason;
  std::optional<double> predicted, realised;  // seconds gained, net of what it cost
  std::optional<double> lambda_before, lambda_after;
};

// What a rebalance has made of the domains. Without planes: not known.
struct DomainChange {
  std::int64_t step = 0;  // after which it was made
  DomainSections before, after;
};

// Means over the run.
struct KernelShare {
  OverSteps least, average, greatest;
};

struct Cause {
  std::string decision;
  std::int64_t looks = 0;
};

struct Model {
  Start start;
  Reading reading;
  std::int64_t ranks = 1, first_step = 0, last_step = 0, looks = 0;
  bool is_deterministic = false;

  std::vector<Column> columns;
  std::size_t looks_per_column = 1;
  bool shows_ranks = true;  // the loads of columns; false: shares

  std::vector<Rebalance> rebalances;
  std::size_t one_in = 1;  // of all, how many stand for one above
  // All but the first distribution: those that made new domains, and those that changed nothing.
  std::int64_t changing = 0, unchanging = 0;
  std::vector<DomainChange> domain_changes;  // some of them, with the last
  std::map<std::string, double> stages;      // seconds of all rebalances

  std::map<std::string, KernelShare> kernels;
  std::map<std::string, Cause> causes;
  std::optional<CostTable> costs;  // as last learned

  State last;           // with the last look in its books
  Account account;      // of the steps that looks have covered
  std::string summary;  // in words
};

class ModelBuilder {
 public:
  ModelBuilder();

  void start(const Start& start);
  void add(const Look& look);
  void finish(const Finish& finish);
  Model result(Reading reading) &&;

 private:
  void add_column(const Look& look);
  void add_loads(const Look& look, Column& column);
  void add_kernels(const Look& look);
  void add_rebalance(const Look& look);
  void note_domains(Taken& taken);
  void follow(const Look& look);
  void follow_books();
  void settle_open(const State& after);
  void count_open();
  void keep_open();
  std::string summary() const;

  Model model_;
  Folding<Column> columns_;
  Thinning<Rebalance> rebalances_;
  Thinning<DomainChange> changes_;
  DomainChange last_change_;
  std::optional<Rebalance> open_;    // the last one, until the next
  std::int64_t open_unchanged_ = 0;  // rebalances before it that changed nothing
  std::optional<Shadow> shadow_;     // while nothing was moved
  std::optional<Look> unseen_;       // a rebalance without a look, until the next look
  std::optional<Finish> finish_;
  bool has_started_ = false;
};

}  // namespace evenkeel::tool::report
