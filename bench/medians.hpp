#pragma once

// Functions for programs on Google Benchmark. Cases run in random order, so that other programs
// disturb a case and its peers equally. At the end, the medians of their repetitions make a table.

#include <benchmark/benchmark.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace evenkeel::bench {

// Returns false and prints a message if an argument is unknown.
inline bool initialize(int argc, char** argv) {
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, interleave.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  return !benchmark::ReportUnrecognizedArguments(count, arguments.data());
}

// Adds a case. Medians keep its name.
template <class Run>
auto* add(const std::string& name, const Run& run, int repetitions) {
  return benchmark::RegisterBenchmark(name.c_str(), run)
      ->Repetitions(repetitions)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
}

// Does the work as often as the case asks for. Does it once before, so that pages exist and tables
// are warm.
template <class Work>
void repeat(benchmark::State& state, const Work& work) {
  work();
  for ([[maybe_unused]] auto step : state) {
    work();
    benchmark::ClobberMemory();
  }
}

// Prints as the console reporter does, and keeps medians. A median is NaN if a build lacks the
// case, or if --benchmark_filter left it out.
class Medians final : public benchmark::ConsoleReporter {
 public:
  Medians() : ConsoleReporter(OO_Tabular) {}

  void run_all() {
    benchmark::RunSpecifiedBenchmarks(this);
    benchmark::Shutdown();
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.aggregate_name != "median") continue;
      std::map<std::string, double>& median = medians_[run.run_name.function_name];
      median["time"] = run.GetAdjustedRealTime();
      for (const auto& [name, counter] : run.counters) median[name] = counter.value;
    }
    ConsoleReporter::ReportRuns(runs);
  }

  // The median in the unit of the case.
  double time(const std::string& name) const { return value(name, "time"); }
  double items_per_second(const std::string& name) const { return value(name, "items_per_second"); }
  double bytes_per_second(const std::string& name) const { return value(name, "bytes_per_second"); }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, median] : medians_) all.push_back(name);
    return all;
  }

 private:
  double value(const std::string& name, const std::string& of) const {
    const auto found = medians_.find(name);
    if (found == medians_.end() || !found->second.contains(of))
      return std::numeric_limits<double>::quiet_NaN();
    return found->second.at(of);
  }

  std::map<std::string, std::map<std::string, double>> medians_;
};

}  // namespace evenkeel::bench
