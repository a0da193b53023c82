// The exact chain against two peers in the same run: one greedy pass, which cuts each part where it
// has reached its share, and std::memcpy of the weights (as many bytes read as the sums read). At
// the end stands a table; compare its ratios, never milliseconds of two runs.
//
// A benchmark is named case/peer: `exact` cuts weights, `prefix` cuts a sum that is there already,
// `sums` cuts into one part, which is the reading of the weights and nothing else.

#include "medians.hpp"

#include <evenkeel/core/chain.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel {
namespace {

constexpr int repetitions = 5;

using Weights = std::vector<double>;

struct Case {
  std::string name;
  Weights weights;
  int parts;
  std::vector<double> speeds = {};

  ChainOptions options() const { return {.parts = parts, .speeds = speeds}; }
};

// --- Data: std::mt19937_64 with seed 1 -----------------------------------------------------------

template <class Distribution>
Weights drawn(std::size_t count, Distribution distribution) {
  std::mt19937_64 random(1);
  Weights weights(count);
  for (double& weight : weights) weight = distribution(random);
  return weights;
}

// One item in ten weighs 100, the others 1.
Weights two_classes(std::size_t count) {
  Weights weights = drawn(count, std::uniform_real_distribution<double>(0, 1));
  for (double& weight : weights) weight = weight < 0.1 ? 100 : 1;
  return weights;
}

std::vector<Case> all_cases() {
  const std::uniform_real_distribution<double> uniform(0, 1), speeds(0.5, 1.5);
  return {{"1M_uniform(0,1)/1024", drawn(1'000'000, uniform), 1024},
          {"0.1M_lognormal(0,1)/64", drawn(100'000, std::lognormal_distribution<double>(0, 1)), 64},
          {"1M_two_classes_100:1/16384", two_classes(1'000'000), 16384},
          {"10M_uniform(0,1)/16384", drawn(10'000'000, uniform), 16384},
          {"1M_uniform(0,1)_speeds(0.5,1.5)/1024", drawn(1'000'000, uniform), 1024,
           drawn(1024, speeds)}};
}

// --- The peer ------------------------------------------------------------------------------------

// Ends each part with the item that reaches its share of all; the greatest load.
double greedy_bottleneck(const Case& a_case) {
  double total = 0, all_speeds = 0;
  for (const double weight : a_case.weights) total += weight;
  const auto speed = [&](int p) {
    return a_case.speeds.empty() ? 1.0 : a_case.speeds[static_cast<std::size_t>(p)];
  };
  for (int p = 0; p < a_case.parts; ++p) all_speeds += speed(p);
  double part = 0, greatest = 0;
  int p = 0;
  for (const double weight : a_case.weights) {
    part += weight;
    if (part < total * speed(p) / all_speeds || p + 1 == a_case.parts) continue;
    greatest = std::max(greatest, part / speed(p++));
    part = 0;
  }
  return std::max(greatest, part / speed(p)) / (total / all_speeds);
}

// --- The rows ------------------------------------------------------------------------------------

template <class Work>
void add(const std::string& name, const Work& work) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 work();  // pages are there
                                 for ([[maybe_unused]] auto step : state) {
                                   work();
                                   benchmark::ClobberMemory();
                                 }
                               })
      ->MinTime(0.05)
      ->UseRealTime()
      ->Repetitions(repetitions)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
}

void add_row(const std::shared_ptr<const Case>& row) {
  const auto prefix = std::make_shared<Weights>(row->weights.size() + 1);
  for (std::size_t i = 0; i < row->weights.size(); ++i)
    (*prefix)[i + 1] = (*prefix)[i] + row->weights[i];
  const auto copy = std::make_shared<Weights>(row->weights.size());
  add(row->name + "/exact",
      [=] { benchmark::DoNotOptimize(cut_chain(row->weights, row->options()).bottleneck); });
  add(row->name + "/prefix",
      [=] { benchmark::DoNotOptimize(cut_prefix(*prefix, row->options()).bottleneck); });
  add(row->name + "/sums",
      [=] { benchmark::DoNotOptimize(cut_chain(row->weights, {}).bottleneck); });
  add(row->name + "/greedy", [=] { benchmark::DoNotOptimize(greedy_bottleneck(*row)); });
  add(row->name + "/memcpy", [=] {
    std::memcpy(copy->data(), row->weights.data(), row->weights.size() * sizeof(double));
  });
}

// --- The table -----------------------------------------------------------------------------------

// Prints as the console does, and keeps the median times.
void print(const bench::Medians& medians, const std::vector<std::shared_ptr<const Case>>& rows) {
  std::printf(
      "\n| case | exact ms | of prefix ms | greedy ms | exact B/avg | greedy B/avg "
      "| sums, of memcpy |\n|---|---|---|---|---|---|---|\n");
  for (const auto& row : rows) {
    const auto time = [&](const char* peer) { return medians.time(row->name + peer); };
    if (std::isnan(time("/exact"))) continue;
    std::printf("| %s | %.2f | %.2f | %.2f | %.4f | %.4f | %.2f |\n", row->name.c_str(),
                time("/exact"), time("/prefix"), time("/greedy"),
                cut_chain(row->weights, row->options()).lambda, greedy_bottleneck(*row),
                time("/memcpy") / time("/sums"));
  }
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  if (!evenkeel::bench::initialize(argc, argv)) return 1;
  auto cases = evenkeel::all_cases();
  std::vector<std::shared_ptr<const evenkeel::Case>> rows;
  rows.reserve(cases.size());
  for (evenkeel::Case& row : cases)
    rows.push_back(std::make_shared<const evenkeel::Case>(std::move(row)));
  for (const auto& row : rows) evenkeel::add_row(row);
  evenkeel::bench::Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);
  evenkeel::print(medians, rows);
  benchmark::Shutdown();
  return 0;
}
