#pragma once

// Compares runs: their times, and the gain of balancing. Times are CPU times, so that ranks may
// share cores. In a step every phase takes as long as its slowest rank. So a run takes
//
//   T = sum over steps and phases of (greatest seconds of work of a rank) + upkeep.
//
// The greatest work is found for the sum of 20 steps, since other programs disturb single steps.
// Upkeep is the time of evenkeel and of rebuilding after moves, on the rank that waited least. If
// each phase were even, the run would take A, the sum of averages. So T / A - 1 is the possible
// gain. The speed of a machine with other users varies, so each run is compared with its own A,
// though all runs do the same work.

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
  enum Part : std::size_t { flow, coupling, sound, upkeep };
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
  Result result = {};

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

  // Collective.
  void add(const char* name, const Course& course) {
    Row row{name, course};
    const auto end = course.steps.end();
    auto since = course.steps.begin();  // the first step after the last rebalance
    for (auto step = since; step != end;) {
      const auto from = step;
      do ++step;
      while (step != end && step - from < window && !(step - 1)->has_moved);
      const Loads loads = loads_of(from, step);
      row.work += loads.greatest[whole];
      row.average += loads.average[whole];
      if (step != end && !(step - 1)->has_moved) continue;
      row.stretches.push_back(loads_of(since, step));
      since = step;
    }
    for (const Course::Step& step : course.steps) {
      row.wall += step.wall;
      row.upkeep += ranks_.all_reduce(step.seconds[Course::upkeep], ek::Reduction::least);
    }
    row.wall = ranks_.all_reduce(row.wall, ek::Reduction::greatest);
    row.true_costs = true_costs_of(course);
    rows_.push_back(row);
  }

  void print() const {
    if (ranks_.rank() != 0) return;
    std::printf("%-4s %7s %7s %7s   %s\n%-4s %7s %7s %7s   %-27s %s\n", "", "ms/step", "ms of",
                "ms of", "lambda: whole, flow, sound", "", "by wall", "work", "upkeep", "at first",
                "at last");
    for (const Row& row : rows_) {
      const double steps = static_cast<double>(row.course.steps.size()) / 1000;
      std::printf("%-4s %7.3f %7.3f %7.3f", row.name.c_str(), row.wall / steps, row.work / steps,
                  row.upkeep / steps);
      for (const Loads& loads : {row.stretches.front(), row.stretches.back()})
        std::printf("   %.3f    %.3f    %.3f ", loads.lambda(whole), loads.lambda(0),
                    loads.lambda(1));
      std::printf("\n");
    }
    std::printf("lambda from rebalance to rebalance:");
    for (const Loads& loads : rows_.back().stretches) std::printf(" %.3f", loads.lambda(whole));
    std::printf("\n");
    print_costs(rows_.back());
    if (rows_.size() == 2) print_gain(rows_[0], rows_[1]);
    const Result& result = rows_[0].course.result;
    std::printf("the loudest sound is %.2g of the pressure; checksum %016llx\n", result.loudest,
                static_cast<unsigned long long>(result.checksum));
  }

  // True if all runs have the same result, bit by bit.
  bool is_consistent() const {
    return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.course.result.checksum == rows_[0].course.result.checksum;
    });
  }

 private:
  static constexpr int whole = 2;  // the index of the sum over both solvers
  static constexpr std::ptrdiff_t window = 20;
  struct Loads {
    std::array<double, 3> greatest = {}, average = {};
    double lambda(std::size_t of) const { return greatest[of] / average[of]; }
  };
  struct Row {
    std::string name;
    Course course;
    std::vector<Loads> stretches = {};  // from rebalance to rebalance
    double wall = 0, upkeep = 0, work = 0, average = 0;
    std::array<double, 2> true_costs = {};
  };

  // Collective. The loads of these steps, added up: of each solver, and of both together.
  using Steps = std::vector<Course::Step>::const_iterator;
  Loads loads_of(Steps begin, Steps end) const {
    std::array<double, 3> mine = {};
    for (Steps step = begin; step != end; ++step) {
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
      for (const ek::CostTable::Row& cost : row.course.costs.rows)
        if (cost.number == static_cast<int>(type))
          std::printf("; learned: %.3f us +- %.1f %%, %lld cells", 1e6 * cost.seconds,
                      100 * cost.error / cost.seconds, static_cast<long long>(cost.amount));
      std::printf("\n");
    }
  }
  static void print_gain(const Row& off, const Row& on) {
    const double took_off = off.work + off.upkeep, took_on = on.work + on.upkeep;
    const double over_off = took_off / off.average, over_on = took_on / on.average;
    std::printf("T / A is %.3f off and %.3f on: %.0f %% of the ideal gain is realised\n", over_off,
                over_on, 100 * (over_off - over_on) / (over_off - 1));
    std::printf("T itself is %.1f %% less\n", 100 * (took_off - took_on) / took_off);
  }

  const ek::Communicator& ranks_;
  bool has_two_phases_;
  std::vector<Row> rows_;
};
