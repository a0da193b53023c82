#pragma once

// What the programs on Google Benchmark share: cases run in random order, so that what else the
// machine does disturbs a case and its peers alike, and the medians of their repetitions make a
// table at the end.

#include <benchmark/benchmark.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace evenkeel::bench {

// False when nobody knows one of the arguments, which is said.
inline bool initialize(int argc, char** argv) {
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, interleave.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  return !benchmark::ReportUnrecognizedArguments(count, arguments.data());
}

// Prints as the console does, and keeps medians: NaN where a build lacks a case, or where
// --benchmark_filter left it out.
class Medians final : public benchmark::ConsoleReporter {
 public:
  Medians() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.aggregate_name != "median") continue;
      Median& median = medians_[run.run_name.function_name];
      median.time = run.GetAdjustedRealTime();
      for (const auto& [name, counter] : run.counters) median.counters[name] = counter.value;
    }
    ConsoleReporter::ReportRuns(runs);
  }

  // In the unit of the case.
  double time(const std::string& name) const {
    const auto found = medians_.find(name);
    return found == medians_.end() ? none : found->second.time;
  }
  double items_per_second(const std::string& name) const {
    return counter(name, "items_per_second");
  }
  double bytes_per_second(const std::string& name) const {
    return counter(name, "bytes_per_second");
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, median] : medians_) all.push_back(name);
    return all;
  }

 private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  struct Median {
    double time = none;
    std::map<std::string, double> counters;
  };

  double counter(const std::string& name, const std::string& of) const {
    const auto found = medians_.find(name);
    if (found == medians_.end()) return none;
    const auto value = found->second.counters.find(of);
    return value == found->second.counters.end() ? none : value->second;
  }

  std::map<std::string, Median> medians_;
};

}  // namespace evenkeel::bench
