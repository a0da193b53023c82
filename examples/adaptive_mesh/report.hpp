#pragma once

// Compares the times of runs. Times are CPU times, so that ranks may share cores. A step takes as
// long as its slowest rank; a run takes
//
//   T = sum over steps of (greatest seconds of work of a rank) + upkeep.
//
// The greatest work is found for the sum of a few steps, since other programs disturb single steps.
// Work is the computation and the change to the next mesh. Upkeep is the time of evenkeel and of
// halos, on the rank that waited least.

#include "columns.hpp"
#include "quality.hpp"
#include "sharing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

// A rebalance, with the state before and after it.
struct Rebalance {
  std::int64_t step = 0;
  Moved moved = {};
  double lambda_before = 1, lambda_after = 1;  // by layers
  ElementCount before = {}, after = {};
};

// One run on this rank.
struct Course {
  struct Step {
    double work = 0, upkeep = 0;
    bool has_moved = false;

    template <class Work>
    void of(const ek::Kernel& kernel, const Work& work_of_rank) {
      const ek::ThreadCpuStopwatch watch;
      const auto timing = kernel.time();
      work_of_rank();
      work += watch.seconds();
    }
    // Does work in which ranks wait for each other.
    template <class Together>
    auto of_all(const Together& together) {
      const Adding adding{upkeep};
      return together();
    }

   private:
    struct Adding {
      double& sum;
      const ek::ThreadCpuStopwatch watch = {};
      ~Adding() { sum += watch.seconds(); }
    };
  };
  std::vector<Step> steps = {};
  std::vector<Rebalance> rebalances = {};         // the first one is the first distribution
  std::vector<std::int64_t> poor_at_border = {};  // for each mesh
  bool keeps_poor_off = false;                    // in each mesh, not only after rebalances
  ElementCount at_last = {};
  bool is_whole = true;  // each mesh had the elements and nodes that its front requires
  Result result = {};
  ek::Account account = {};
};

// Collective. The layers of the heaviest rank over those of the average rank.
inline double lambda_of(const ek::Communicator& ranks, const Nodes& nodes) {
  const auto layers = static_cast<double>(end_of(nodes.first_layer));
  return ranks.all_reduce(layers, ek::Reduction::greatest) * ranks.size() /
         ranks.all_reduce(layers, ek::Reduction::sum);
}

class Report {
 public:
  explicit Report(const ek::Communicator& ranks) : ranks_(ranks) {}

  // Collective.
  void add(const char* name, const Course& course) {
    Row row{name, course};
    const auto end = course.steps.end();
    for (auto step = course.steps.begin(); step != end;) {
      const auto from = step;
      double work = 0;
      do work += step++->work;
      while (step != end && step - from < window && !(step - 1)->has_moved);
      row.slowest += ranks_.all_reduce(work, ek::Reduction::greatest);
      row.average += ranks_.all_reduce(work, ek::Reduction::sum) / ranks_.size();
    }
    for (const Course::Step& step : course.steps)
      row.upkeep += ranks_.all_reduce(step.upkeep, ek::Reduction::least);
    rows_.push_back(row);
  }

  void print() const {
    if (ranks_.rank() != 0) return;
    for (const Row& row : rows_) print_rebalances(row);
    std::printf("%-4s %9s %8s %6s %16s %11s %8s %8s %8s\n", "", "elements", "nodes", "poor",
                "at borders, mean", "rebalances", "lambda", "upkeep", "T");
    for (const Row& row : rows_) {
      const ElementCount& last = row.course.at_last;
      std::printf("%-4s %9lld %8lld %6lld %16.1f %11d %8.3f %6.2f s %6.2f s\n", row.name.c_str(),
                  number(last.elements), number(last.nodes), number(last.poor),
                  mean_of(row.course.poor_at_border), row.rebalances(), row.slowest / row.average,
                  row.upkeep, row.total());
    }
    if (rows_.size() == 2) compare(rows_[0], rows_[1]);
    const Result& result = rows_[0].course.result;
    std::printf("heat from %.3f to %.3f, checksum %016llx\n", result.least, result.greatest,
                static_cast<unsigned long long>(result.checksum));
  }

  // Returns true if all runs are right. Otherwise prints the error: elements or nodes that do not
  // fit the front, a poor element at a border, heat out of range, or runs with different results.
  bool is_right() const {
    bool all_right = true;
    const auto require = [&](bool right, const Row& row, const char* message) {
      all_right = all_right && right;
      if (!right && ranks_.rank() == 0) std::printf("%s: %s\n", row.name.c_str(), message);
    };
    for (const Row& row : rows_) {
      const Course& course = row.course;
      require(course.is_whole, row, "elements or nodes are lost");
      for (const Rebalance& rebalance : course.rebalances)
        require(!rebalance.moved.knew_edges || rebalance.after.poor_at_border == 0, row,
                "a poor element is at a border after a rebalance");
      require(!course.keeps_poor_off || mean_of(course.poor_at_border) == 0, row,
              "a poor element is at a border");
      require(course.result.least >= 0 && course.result.greatest <= 1, row, "heat is lost or made");
      require(course.result.checksum == rows_[0].course.result.checksum, row, "another result");
    }
    return all_right;
  }

 private:
  static constexpr std::ptrdiff_t window = 10;
  struct Row {
    std::string name;
    Course course;
    double slowest = 0, average = 0, upkeep = 0;
    double total() const { return slowest + upkeep; }
    int rebalances() const {  // without the first distribution
      int count = 0;
      for (const Rebalance& at : course.rebalances) count += at.step > 0 ? 1 : 0;
      return count;
    }
  };
  // Both runs do the same work, so their average work differs only by noise. A difference counts if
  // it exceeds this noise and evenkeel's own error bar.
  static void compare(const Row& off, const Row& on) {
    const double less = off.total() - on.total();
    const double noise =
        std::abs(on.average / off.average - 1) * off.total() + on.course.account.uncertainty;
    const double percent = 100 / off.total();
    if (on.rebalances() == 0)
      std::printf("no difference: nothing was rebalanced\n");
    else if (std::abs(less) <= noise)
      std::printf("no clear difference: T is %.1f %% less with balancing, give or take %.1f %%\n",
                  percent * less, percent * noise);
    else
      std::printf("T is %.1f %% %s with balancing, give or take %.1f %%\n",
                  percent * std::abs(less), less > 0 ? "less" : "more", percent * noise);
  }
  static double mean_of(const std::vector<std::int64_t>& values) {
    double sum = 0;
    for (const std::int64_t value : values) sum += static_cast<double>(value);
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }
  static long long number(std::int64_t value) { return static_cast<long long>(value); }

  static void print_rebalances(const Row& row) {
    for (const Rebalance& at : row.course.rebalances) {
      std::printf(
          "%s, step %lld: lambda %.3f -> %.3f, %lld of %lld nodes moved, the smallest part has "
          "%lld, %lld poor elements, at borders %lld -> %lld",
          row.name.c_str(), number(at.step), at.lambda_before, at.lambda_after,
          number(at.moved.nodes), number(at.after.nodes), number(at.after.least_nodes),
          number(at.after.poor), number(at.before.poor_at_border), number(at.after.poor_at_border));
      if (at.moved.refused > 0) std::printf(", proposal %d", at.moved.refused + 1);
      std::printf("%s\n", at.moved.knew_edges ? "" : " without edge weights");
    }
  }

  const ek::Communicator& ranks_;
  std::vector<Row> rows_;
};
