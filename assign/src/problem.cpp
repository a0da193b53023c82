#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace evenkeel::assigning {

namespace {

// Returns the sum of numbers that must be finite and not negative.
double sum_of(std::span<const double> numbers, const char* one, const char* all) {
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i]) || numbers[i] < 0)
      refuse(std::string(one) + " number " + text(static_cast<std::int64_t>(i)) +
                 " is negative, NaN or infinite.",
             std::string(all) + " are finite and not negative.");
    sum += numbers[i];
  }
  if (!std::isfinite(sum))
    refuse(std::string("The sum of the ") + all + " overflows.",
           "Divide all of them by a common factor.");
  return sum;
}

// The exponent k for which sum * 2^k is in [2^60, 2^61).
int exponent_for(double sum) {
  int exponent = 0;
  std::frexp(sum, &exponent);
  return sum > 0 ? 61 - exponent : 0;
}

std::vector<std::int64_t> scaled_up(std::span<const double> numbers, int exponent) {
  std::vector<std::int64_t> scaled(numbers.size());
  const double half = std::ldexp(1.0, exponent / 2),
               rest = std::ldexp(1.0, exponent - exponent / 2);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double exact = numbers[i] * half * rest;
    scaled[i] = static_cast<std::int64_t>(exact);
    if (static_cast<double>(scaled[i]) < exact) ++scaled[i];
  }
  return scaled;
}

// One cap per rank, rounded down; empty without caps.
std::vector<std::int64_t> caps_of(const std::vector<double>& given, int ranks, int exponent,
                                  const char* name) {
  if (given.empty()) return {};
  if (given.size() != 1 && std::ssize(given) != ranks)
    refuse(std::string(name) + " has " + text(std::ssize(given)) + " numbers for " + text(ranks) +
               " ranks.",
           "Give one number for all ranks, or one per rank.");
  std::vector<std::int64_t> caps(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    const double cap = given.size() == 1 ? given[0] : at(given, r);
    if (!(cap >= 0))
      refuse(std::string(name) + " of rank " + text(r) + " is negative or NaN.",
             "Caps are not negative.");
    const double scaled = std::floor(std::ldexp(cap, exponent));
    at(caps, r) = scaled < 0x1p62 ? static_cast<std::int64_t>(scaled) : no_cap;
  }
  return caps;
}

void check_length(std::int64_t length, std::int64_t expected, const char* name, const char* of) {
  if (length != expected)
    refuse(std::string(name) + " has " + text(length) + " numbers for " + text(expected) + ' ' +
               of + ".",
           std::string("Give one number per ") + std::string(of, std::string(of).size() - 1) +
               ", or no numbers.");
}

void set_costs(Problem& problem, std::span<const double> costs) {
  const double sum = sum_of(costs, "Cost", "costs");
  const int exponent = exponent_for(sum);
  problem.costs = scaled_up(costs, exponent);
  problem.work.assign(static_cast<std::size_t>(problem.blocks), 0);
  for (int p = 0; p < problem.phases; ++p) {
    std::int64_t total = 0;
    for (int i = 0; i < problem.blocks; ++i) {
      at(problem.work, i) += problem.cost(p, i);
      total += problem.cost(p, i);
    }
    problem.totals.push_back(total);
    problem.total += total;
  }
}

void set_speeds(Problem& problem, const std::vector<double>& speeds) {
  problem.speeds = speeds;
  if (speeds.empty()) problem.speeds.assign(static_cast<std::size_t>(problem.ranks), 1.0);
  check_length(std::ssize(problem.speeds), problem.ranks, "speeds", "ranks");
  for (int r = 0; r < problem.ranks; ++r) {
    const double speed = at(problem.speeds, r);
    if (!std::isfinite(speed) || !(speed > 0))
      refuse("The speed of rank " + text(r) + " is zero, negative, NaN or infinite.",
             "Speeds are positive and finite.");
    problem.speed += speed;
    if (speed != problem.speeds[0]) problem.same_speeds = false;
  }
  if (!std::isfinite(problem.speed))
    refuse("The sum of the speeds overflows.", "Divide all speeds by a common factor.");
  for (int p = 0; p < problem.phases; ++p)
    for (int r = 0; r < problem.ranks; ++r) {
      const auto total = static_cast<double>(at(problem.totals, p));
      const double factor = problem.speed / at(problem.speeds, r) * 0x1p84;
      const double scaled = total > 0 ? std::min(factor / total, 0x1p62) : 0;
      problem.to_share.push_back(static_cast<std::uint64_t>(scaled));
    }
}

void set_caps(Problem& problem, const AssignOptions& options, double sum_of_costs) {
  std::vector<double> ones;
  std::span<const double> bytes = options.bytes;
  if (bytes.empty()) {
    ones.assign(static_cast<std::size_t>(problem.blocks), 1.0);
    bytes = ones;
  }
  check_length(std::ssize(bytes), problem.blocks, "bytes", "blocks");
  const int exponent = exponent_for(sum_of(bytes, "Bytes", "bytes"));
  problem.bytes = scaled_up(bytes, exponent);
  problem.byte = std::ldexp(1.0, -exponent);
  for (const std::int64_t b : problem.bytes) problem.total_bytes += b;
  problem.average_bytes =
      std::max<std::int64_t>(1, problem.total_bytes / std::max(1, problem.blocks));
  if (options.most_blocks < 0) refuse("most_blocks is negative.", "Use 0 for no limit.");
  if (options.most_blocks > 0) problem.most_blocks = options.most_blocks;
  problem.memory = caps_of(options.memory, problem.ranks, exponent, "memory");
  problem.capacity =
      caps_of(options.capacity, problem.ranks, exponent_for(sum_of_costs), "capacity");
  problem.caps = options.most_blocks > 0 || !problem.memory.empty() || !problem.capacity.empty();
}

void set_map(Problem& problem, const AssignOptions& options) {
  if (!options.from.empty()) {
    check_length(std::ssize(options.from), problem.blocks, "from", "blocks");
    for (int i = 0; i < problem.blocks; ++i)
      if (at(options.from, i) < -1 || at(options.from, i) >= problem.ranks)
        refuse("Block " + text(i) + " comes from rank " + text(at(options.from, i)) + " of " +
                   text(problem.ranks) + ".",
               "Use -1 for blocks that no rank has yet.");
    problem.from.assign(options.from.begin(), options.from.end());
  }
  if (!options.node_of_rank.empty()) {
    check_length(std::ssize(options.node_of_rank), problem.ranks, "node_of_rank", "ranks");
    problem.node = options.node_of_rank;
  }
  if (!(options.price_of_moving >= 0) || options.price_of_moving > 1e6)
    refuse("price_of_moving is negative, NaN or above a million.",
           "Use a number of faces, such as 6.");
  const double price = options.price_of_moving * static_cast<double>(one_face) /
                       static_cast<double>(problem.average_bytes);
  for (std::size_t i = 0; i < problem.from.size(); ++i)
    problem.moving.push_back(
        static_cast<std::int64_t>(std::min(price * static_cast<double>(problem.bytes[i]), 0x1p40)));
}

}  // namespace

Problem make_problem(std::span<const double> costs, const AssignOptions& options) {
  Problem problem;
  if (options.ranks < 1)
    refuse("Blocks for " + text(options.ranks) + " ranks were asked for.", "Use 1 rank or more.");
  if (options.phases < 1) refuse("phases is below 1.", "Use 1 for codes without phases.");
  if (std::ssize(costs) % options.phases != 0)
    refuse(text(std::ssize(costs)) + " costs came for " + text(options.phases) + " phases.",
           "Give the costs of all blocks in the first phase, then in the second, and so on.");
  if (std::ssize(costs) / options.phases > 100'000'000 || options.ranks > 10'000'000)
    refuse("There are more than 100 million blocks, or more than 10 million ranks.",
           "Assign groups of blocks.");
  if (!std::isfinite(options.target) || options.target < 1)
    refuse("target is below 1, NaN or infinite.", "Use a lambda such as 1.05.");
  problem.ranks = options.ranks;
  problem.phases = options.phases;
  problem.blocks = static_cast<int>(std::ssize(costs) / options.phases);
  problem.target = options.target;
  set_costs(problem, costs);
  set_speeds(problem, options.speeds);
  set_caps(problem, options, std::accumulate(costs.begin(), costs.end(), 0.0));
  set_map(problem, options);
  return problem;
}

double lambda_of(const Problem& problem, const std::vector<std::int64_t>& loads) {
  if (problem.total == 0) return 1;
  double step = 0;
  for (int p = 0; p < problem.phases; ++p) {
    double most = 0;
    for (int r = 0; r < problem.ranks; ++r)
      most = std::max(most, static_cast<double>(at(loads, std::int64_t{r} * problem.phases + p)) /
                                at(problem.speeds, r));
    step += most;
  }
  return std::max(1.0, step / (static_cast<double>(problem.total) / problem.speed));
}

}  // namespace evenkeel::assigning
