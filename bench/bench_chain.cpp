// The exact chain against a peer in the same run: one greedy pass, which ends each part where it
// has reached its share. The output ends with a table. Compare its ratios; never compare
// milliseconds of two runs.
//
// A benchmark is named case/peer: `exact` cuts weights, `prefix` cuts a given prefix sum.

#include "medians.hpp"

#include <evenkeel/core/chain.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>

namespace evenkeel {
namespace {

constexpr int repetitions = 5;

using Weights = std::vector<double>;

struct Case {
  std::string name;
  Weights weights;
  int parts;

  Chain exact() const { return cut_chain(weights, {.parts = parts}); }
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
  const std::uniform_real_distribution<double> uniform(0, 1);
  return {{"1M_uniform(0,1)/1024", drawn(1'000'000, uniform), 1024},
          {"0.1M_lognormal(0,1)/64", drawn(100'000, std::lognormal_distribution<double>(0, 1)), 64},
          {"1M_two_classes_100:1/16384", two_classes(1'000'000), 16384},
          {"10M_uniform(0,1)/16384", drawn(10'000'000, uniform), 16384}};
}

// --- The peer ------------------------------------------------------------------------------------

// Ends each part with the item at which it reaches its share of the sum. Returns the greatest load
// over the average.
double greedy_lambda(const Case& a_case) {
  const double average =
      std::accumulate(a_case.weights.begin(), a_case.weights.end(), 0.0) / a_case.parts;
  double part = 0, greatest = 0;
  int p = 1;
  for (const double weight : a_case.weights) {
    part += weight;
    if (part < average || p == a_case.parts) continue;
    greatest = std::max(greatest, part);
    part = 0;
    ++p;
  }
  return std::max(greatest, part) / average;
}

// --- The rows ------------------------------------------------------------------------------------

// The case must live until all benchmarks have run.
void add_row(const Case& row) {
  const auto prefix = std::make_shared<Weights>(row.weights.size() + 1);
  std::partial_sum(row.weights.begin(), row.weights.end(), prefix->begin() + 1);
  const auto add = [&](const char* peer, const auto& lambda) {
    const auto run = [=](benchmark::State& state) {
      bench::repeat(state, [&] { benchmark::DoNotOptimize(lambda()); });
    };
    bench::add(row.name + peer, run, repetitions)->MinTime(0.05)->UseRealTime();
  };
  add("/exact", [&row] { return row.exact().lambda; });
  add("/prefix", [&row, prefix] { return cut_prefix(*prefix, {.parts = row.parts}).lambda; });
  add("/greedy", [&row] { return greedy_lambda(row); });
}

// --- The table -----------------------------------------------------------------------------------

void print(const bench::Medians& medians, const std::vector<Case>& rows) {
  std::printf(
      "\n| case | exact ms | of prefix ms | greedy ms | exact B/avg | greedy B/avg |\n"
      "|---|---|---|---|---|---|\n");
  for (const Case& row : rows) {
    const auto time = [&](const char* peer) { return medians.time(row.name + peer); };
    if (std::isnan(time("/exact"))) continue;
    std::printf("| %s | %.2f | %.2f | %.2f | %.4f | %.4f |\n", row.name.c_str(), time("/exact"),
                time("/prefix"), time("/greedy"), row.exact().lambda, greedy_lambda(row));
  }
}

}  // namespace
}  // namespace evenkeel

int main(int argc, char** argv) {
  if (!evenkeel::bench::initialize(argc, argv)) return 1;
  const auto rows = evenkeel::all_cases();
  for (const auto& row : rows) evenkeel::add_row(row);
  evenkeel::bench::Medians medians;
  medians.run_all();
  evenkeel::print(medians, rows);
  return 0;
}
