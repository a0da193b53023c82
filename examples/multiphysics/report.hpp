#pragma once

// What runs have taken, by CPU time, so that ranks may share cores; and what balancing was worth.
// In a step every phase takes as long as its slowest rank. So a run takes
//
//   T = sum over steps and phases of (greatest seconds of work of a rank) + upkeep
//
// where upkeep is what evenkeel and rebuilding after moves took on the slowest rank. If every phase
// of every step were even, it would take the sum of averages, A. The ideal gain of a run is T - A
// of the run without balancing; what is realised of it is T of that run less T of the other.

#include <evenkeel/evenkeel.hpp>

#include "cells.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>
#include <vector>

// One run on this rank.
struct Course {
  enum Part : int { flow, coupling, sound, upkeep };
  struct Step {
    std::array<double, 4> seconds = {};  // by part
    double wall = 0;
    double flow_cells = 0, sound_cells = 0;
    bool has_moved = false;

    template <class Work>
    void of(const ek::Kernel& kernel, Part part, const Work& work) {
      const ek::ThreadCpuStopwatch watch;
      const auto timing = kernel.time();
      work();
      seconds[part] += watch.seconds();
    }
  };
  std::vector<Step> steps = {};
  ek::CostTable costs = {};
  std::uint64_t checksum = 0;
  double loudest = 0;

  Step& begin_step(const Cells& cells) {
    steps.push_back({.flow_cells = static_cast<double>(cells.flow_cells.extent(0)),
                     .sound_cells = static_cast<double>(cells.sound_cells.extent(0))});
    return steps.back();
  }
};

class Report {
 public:
  Report(const ek::Communicator& ranks, bool has_two_phases)
      : ranks_(ranks), has_two_phases_(has_two_phases) {}

  void add(const char* name, const Course& course) {
    Row row{name, course};
    const auto begin = course.steps.begin(), end = course.steps.end();
    const auto has_moved = [](const Course::Step& step) { return step.has_moved; };
    const auto first = std::find_if(begin, end, has_moved);
    const auto last =  // move that a step has followed
        std::find_if(std::reverse_iterator(end - 1), std::reverse_iterator(begin), has_moved)
            .base();
    row.rebalances = std::count_if(begin, end, has_moved);
    row.at_first = lambdas(begin, first == end ? end : first + 1);
    row.at_last = lambdas(last, end);
    for (const Course::Step& step : course.steps) {
      row.wall += step.wall;
      row.upkeep += ranks_.all_reduce(step.seconds[Course::upkeep], ek::Reduction::least);
    }
    for (auto from = begin; from != end;) {
      auto to = from;
      while (to != end && to - from < window && !(to != from && (to - 1)->has_moved)) ++to;
      const Loads loads = loads_of(from, to);
      row.work += loads.greatest[whole];
      row.average += loads.average[whole];
      from = to;
    }
    row.wall = ranks_.all_reduce(row.wall, ek::Reduction::greatest);
    row.true_costs = true_costs_of(course);
    rows_.push_back(row);
  }

  void print() const {
    if (ranks_.rank() != 0) return;
    std::printf("%-4s %9s %9s %9s | %s | %s | rebalances\n", "", "ms/step", "work", "upkeep",
                "lambda at first: flow, sound", "at last: flow, sound");
    for (const Row& row : rows_) {
      const double steps = static_cast<double>(row.course.steps.size()) / 1000;
      std::printf("%-4s %9.3f %9.3f %9.3f | %13.3f %6.3f %6.3f | %6.3f %6.3f %6.3f | %lld\n",
                  row.name.c_str(), row.wall / steps, row.work / steps, row.upkeep / steps,
                  row.at_first[whole], row.at_first[0], row.at_first[1], row.at_last[whole],
                  row.at_last[0], row.at_last[1], static_cast<long long>(row.rebalances));
    }
    print_costs(rows_.back());
    if (rows_.size() == 2) print_gain(rows_[0], rows_[1]);
    std::printf("the loudest sound is %.2g of the pressure; checksum %016llx\n",
                rows_[0].course.loudest, static_cast<unsigned long long>(rows_[0].course.checksum));
  }

  // Whether all runs have come to the same, bit by bit.
  bool is_consistent() const {
    return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.course.checksum == rows_[0].course.checksum;
    });
  }

 private:
  static constexpr int whole = 2;  // behind both solvers
  static constexpr std::ptrdiff_t window = 20;
  using Lambdas = std::array<double, 3>;
  struct Loads {
    std::array<double, 3> greatest = {}, average = {};
  };
  struct Row {
    std::string name;
    Course course;
    std::int64_t rebalances = 0;
    Lambdas at_first = {}, at_last = {};
    double wall = 0, upkeep = 0, work = 0, average = 0;
    std::array<double, 2> true_costs = {};
  };

  // Collective. Of all these steps together: of each solver, and of a whole step.
  template <class Iterator>
  Loads loads_of(Iterator begin, Iterator end) const {
    std::array<double, 3> mine = {};
    for (Iterator step = begin; step != end; ++step) {
      mine[0] += step->seconds[Course::flow] + step->seconds[Course::coupling];
      mine[1] += step->seconds[Course::sound];
    }
    mine[whole] = mine[0] + mine[1];
    Loads loads{mine, mine};
    ranks_.all_reduce(std::span<double>(loads.greatest), ek::Reduction::greatest);
    ranks_.all_reduce(std::span<double>(loads.average), ek::Reduction::sum);
    for (double& load : loads.average) load /= ranks_.size();
    if (has_two_phases_) loads.greatest[whole] = loads.greatest[0] + loads.greatest[1];
    return loads;
  }
  template <class Iterator>
  Lambdas lambdas(Iterator begin, Iterator end) const {
    const Loads loads = loads_of(begin, end);
    Lambdas lambdas;
    for (std::size_t k = 0; k < 3; ++k) lambdas[k] = loads.greatest[k] / loads.average[k];
    return lambdas;
  }

  // Seconds per cell and step of each solver: its time on all ranks over its cells.
  std::array<double, 2> true_costs_of(const Course& course) const {
    std::array<double, 4> sums = {};
    for (const Course::Step& step : course.steps) {
      sums[0] += step.seconds[Course::flow];
      sums[1] += step.seconds[Course::sound];
      sums[2] += step.flow_cells;
      sums[3] += step.sound_cells;
    }
    ranks_.all_reduce(std::span<double>(sums), ek::Reduction::sum);
    return {sums[0] / sums[2], sums[1] / sums[3]};
  }

  static void print_costs(const Row& row) {
    const char* const names[] = {"flow", "sound"};
    for (std::size_t type = 0; type < 2; ++type) {
      std::printf("a cell of the %-5s took %.3f us", names[type], 1e6 * row.true_costs[type]);
      for (const ek::CostRow& cost : row.course.costs.rows)
        if (cost.number == static_cast<int>(type))
          std::printf("; learned: %.3f us +- %.1f %%, %lld cells", 1e6 * cost.seconds,
                      100 * cost.error / cost.seconds, static_cast<long long>(cost.amount));
      std::printf("\n");
    }
  }
  static void print_gain(const Row& off, const Row& on) {
    const double took_off = off.work + off.upkeep, took_on = on.work + on.upkeep;
    const double ideal = took_off - off.average;
    std::printf("balancing took off %.1f %% of the time; %.1f %% was the most; realised: %.0f %%\n",
                100 * (took_off - took_on) / took_off, 100 * ideal / took_off,
                100 * (took_off - took_on) / ideal);
  }

  const ek::Communicator& ranks_;
  bool has_two_phases_;
  std::vector<Row> rows_;
};
