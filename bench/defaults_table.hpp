#pragma once

// The output of bench_defaults: a row for each program, a column for each trigger, and summaries.

#include "whole_program.hpp"

#include <cstdio>
#include <limits>

namespace evenkeel::bench {

// One program with every trigger.
struct Row {
  std::string load, method, lists;
  double noise = 0;
  std::uint64_t seed = 1;
  double cost = 0;  // of a rebalance, in mean steps
  Run by_default, never;
  std::vector<Run> others;  // in the order of the columns
};

// The percentage by which the default takes more time than the best other trigger.
inline double percent_behind(const Row& row) {
  double best = row.never.total;
  for (const Run& run : row.others) best = std::min(best, run.total);
  return 100 * (row.by_default.total / best - 1);
}

class DefaultsTable {
 public:
  DefaultsTable(std::vector<std::string> others, bool seeds)
      : others_(std::move(others)), seeds_(seeds) {}

  void print_head(int ranks, const char* what) const {
    std::printf("\n%d ranks, %s: share of the ideal gain, net of costs, in %%\n\n", ranks, what);
    std::vector<std::string> columns = {"load", "method", "lists", "noise"};
    if (seeds_) columns.emplace_back("seed");
    columns.insert(columns.end(), {"never: lambda", "cost_aware"});
    columns.insert(columns.end(), others_.begin(), others_.end());
    columns.insert(columns.end(), {"first at", "moves", "behind, %", "saved: library / truth",
                                   "never: advised / then saved"});
    for (const std::string& column : columns) std::printf("| %s ", column.c_str());
    std::printf("|\n");
    for (std::size_t i = 0; i < columns.size(); ++i) std::printf("|---");
    std::printf("|\n");
  }

  void add(Row row) {
    print(row);
    rows_.push_back(std::move(row));
  }

  void print_summary() const {
    if (rows_.empty()) return;
    double sum = 0, worst = -std::numeric_limits<double>::infinity();
    std::size_t ahead = 0, worse_than_never = 0, beyond_aim = 0;
    const Row* worst_row = nullptr;
    for (const Row& row : rows_) {
      const double behind = percent_behind(row);
      sum += behind;
      if (behind > worst) {
        worst = behind;
        worst_row = &row;
      }
      if (behind <= 0) ++ahead;
      if (row.by_default.total > row.never.total + 3 * row.cost) ++worse_than_never;
      if (row.by_default.total > 1.01 * row.never.total + row.cost) ++beyond_aim;
    }
    std::printf(
        "\n%zu rows. cost_aware behind the best other trigger: mean %.2f %%, worst %.2f %% (%s); "
        "first or level in %zu rows; worse than never by more than C + 1 %% in %zu, by more than "
        "3 C in %zu\n",
        rows_.size(), sum / static_cast<double>(rows_.size()), worst, name_of(*worst_row).c_str(),
        ahead, beyond_aim, worse_than_never);
    print_accounts();
    std::printf(
        "\n| trigger | above the ideal, mean %% | cost_aware beside it, mean %% | worst %% |\n"
        "|---|---|---|---|\n");
    print_beside("cost_aware", [](const Row& row) { return row.by_default.total; });
    print_beside("never", [](const Row& row) { return row.never.total; });
    for (std::size_t t = 0; t < others_.size(); ++t)
      print_beside(others_[t], [t](const Row& row) { return row.others[t].total; });
  }

 private:
  static std::string name_of(const Row& row) {
    char noise[32];
    std::snprintf(noise, sizeof noise, "%g %%", 100 * row.noise);
    return row.load + ", " + row.method + ", lists " + row.lists + ", noise " + noise + ", seed " +
           std::to_string(row.seed);
  }

  // If perfect balance without costs would save time, prints the percentage of this time that the
  // run saved.
  static void print_share(const Row& row, const Run& run) {
    const double never = row.never.total, ideal = row.never.ideal;
    if (never > 1.02 * ideal)
      std::printf("| %.1f ", 100 * (never - run.total) / (never - ideal));
    else
      std::printf("| - ");
  }

  void print(const Row& row) const {
    std::printf("| %s | %s | %s | %g ", row.load.c_str(), row.method.c_str(), row.lists.c_str(),
                100 * row.noise);
    if (seeds_) std::printf("| %llu ", static_cast<unsigned long long>(row.seed));
    std::printf("| %.2f ", row.never.total / row.never.ideal);
    print_share(row, row.by_default);
    for (const Run& run : row.others) print_share(row, run);
    if (row.by_default.moves.empty())
      std::printf("| - ");
    else
      std::printf("| %d ", row.by_default.moves.front());
    std::printf("| %zu | %.2f ", row.by_default.moves.size(), percent_behind(row));
    print_account(row);
    std::printf("|\n");
    std::fflush(stdout);
  }

  // How often the library's own account of a run is right.
  struct Accounts {
    std::size_t runs = 0, known = 0, near = 0, in_bar = 0, clear = 0, wrong_sign = 0;
    std::size_t wrong_claims = 0;  // wrong in sign by more than the error bar
    double off = 0;

    void add(const Row& row, const Run& run) {
      const double truth = row.never.total - run.total;
      ++runs;
      if (std::abs(truth) > row.cost) ++clear;
      if (!run.account) return;
      ++known;
      const double told = run.account->saved, by = std::abs(told - truth);
      off += by / row.never.total;
      if (by <= std::max(0.1 * std::abs(truth), 2 * row.cost)) ++near;
      if (by <= run.account->uncertainty) ++in_bar;
      if (told * truth >= 0 || std::abs(truth) <= row.cost) return;
      ++wrong_sign;
      if (std::abs(told) > run.account->uncertainty) ++wrong_claims;
    }
    void print(const std::string& name) const {
      std::printf("| %s | %zu | %zu | %zu | %zu | %zu of %zu | %zu | %.1f |\n", name.c_str(), runs,
                  known, near, in_bar, wrong_sign, clear, wrong_claims,
                  100 * off / static_cast<double>(std::max<std::size_t>(1, known)));
    }
  };

  void print_accounts() const {
    std::printf(
        "\n| saved, by the library | runs | known | within 10 %% or 2 C | truth in the error bar "
        "| wrong sign, of truths above C | beyond the error bar | off, %% of the run |\n"
        "|---|---|---|---|---|---|---|---|\n");
    Accounts of_default;
    for (const Row& row : rows_) of_default.add(row, row.by_default);
    of_default.print("cost_aware");
    for (std::size_t t = 0; t < others_.size(); ++t) {
      Accounts of_other;
      for (const Row& row : rows_) of_other.add(row, row.others[t]);
      of_other.print(others_[t]);
    }
    std::size_t advised = 0;
    for (const Row& row : rows_) {
      const double truth = row.never.total - row.by_default.total;
      if (row.never.account && std::abs(row.never.account->advised - truth) <=
                                   std::max(0.2 * std::abs(truth), 2 * row.cost))
        ++advised;
    }
    std::printf("advice within 20 %% or 2 C in %zu rows\n", advised);
  }

  static void print_account(const Row& row) {
    const double truth = row.never.total - row.by_default.total;
    const auto& of_default = row.by_default.account;
    const auto& of_never = row.never.account;
    if (of_default)
      std::printf("| %.1f (+- %.1f) / %.1f ", of_default->saved, of_default->uncertainty, truth);
    else
      std::printf("| - / %.1f ", truth);
    if (of_never)
      std::printf("| %.1f / %.1f ", of_never->advised, truth);
    else
      std::printf("| - / %.1f ", truth);
  }

  // Prints how much more time the default takes than another trigger, on average over all rows.
  template <class Total>
  void print_beside(const std::string& name, const Total& total) const {
    double above = 0, sum = 0, worst = -std::numeric_limits<double>::infinity();
    for (const Row& row : rows_) {
      const double more = 100 * (row.by_default.total / total(row) - 1);
      above += 100 * (total(row) / row.never.ideal - 1);
      sum += more;
      worst = std::max(worst, more);
    }
    const auto rows = static_cast<double>(rows_.size());
    std::printf("| %s | %.2f | %+.2f | %+.2f |\n", name.c_str(), above / rows, sum / rows, worst);
  }

  std::vector<std::string> others_;
  bool seeds_;
  std::vector<Row> rows_;
};

}  // namespace evenkeel::bench
