#pragma once

// A whole program with a Balancer. It is the same for any trigger, in virtual or real time.

#include "program_time.hpp"
#include "whole_world.hpp"

#include <optional>

namespace evenkeel::bench {

// A second kernel. It runs in every 20th step and after each move, and takes as long as 6 steps of
// `force`.
enum class Lists : std::uint8_t { none, declared, undeclared };
constexpr int lists_every = 20;
constexpr double lists_cost = 6;

struct Program {
  std::uint64_t seed = 1;
  Method method = Hilbert{};
  Lists lists = Lists::none;
  double noise = 0;  // standard deviation of the factor of a rank's load in each step
  bool weights = false, chunks = false;
  // True if the program distributes its cells itself at the start, so that the library does not
  // know the first domains, and sorts its cells itself. The cells have keys then.
  bool own = false;
};
constexpr int sorts_every = 10;

// The library's own account, in mean steps.
struct LibrarysAccount {
  double saved, uncertainty, advised;
};

// The library's account of a finished run. It is empty if the library does not know the time
// without rebalances.
inline std::optional<LibrarysAccount> account_of(const Balancer& balancer, double step_seconds) {
  const Account account = balancer.account();
  if (!account.knows_never) return std::nullopt;
  return LibrarysAccount{account.saved() / step_seconds, account.uncertainty / step_seconds,
                         account.advised / step_seconds};
}

// Sorts the cells by a hash of their numbers.
inline void sort_anew(Cells& cells) {
  std::vector<std::size_t> order(cells.number.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto hashed = [&](std::size_t i) {
    return static_cast<std::uint64_t>(cells.number[i] + 1) * 0x9e3779b97f4a7c15;
  };
  std::ranges::sort(order, {}, hashed);
  Cells sorted;
  for (const std::size_t i : order) {
    sorted.place.push_back(cells.place[i]);
    sorted.number.push_back(cells.number[i]);
  }
  cells = std::move(sorted);
}

// The results of a run, with times in mean steps.
struct Run {
  double total = 0;             // the time of the run
  double ideal = 0;             // the time of the average rank, step by step
  std::vector<int> moves;       // the numbers of steps before each move
  double seconds_per_move = 0;  // of real time
  std::optional<LibrarysAccount> account;
};

// Log-normal noise with mean 1. It depends only on seed, rank and step.
inline double noise_of(const Program& program, int rank, int step) {
  if (program.noise <= 0) return 1;
  constexpr std::uint64_t stream = 1'000'003;
  const double variance = std::log1p(program.noise * program.noise);
  clouds::Random random(program.seed * stream + 29, (std::int64_t{rank} << 32) + step);
  return std::exp(std::sqrt(variance) * random.gaussian() - variance / 2);
}

// Collective. Finds the figures of a run from the times of this rank's kernels in each step, and
// from the seconds of its moves.
template <class Time>
void settle(const Communicator& ranks, Time& time, std::vector<double>& took, double moving,
            Run& run) {
  const double sum = std::accumulate(took.begin(), took.end(), 0.0);
  run.ideal = ranks.all_reduce(sum, Reduction::sum) / ranks.size();
  ranks.all_reduce(std::span(took), Reduction::greatest);
  // The rank that arrived last did not wait for others, so the least time is that of the moves.
  const double moves = std::max<double>(1, static_cast<double>(run.moves.size()));
  run.seconds_per_move = ranks.all_reduce(moving, Reduction::least) / moves;
  run.total = time.total(std::accumulate(took.begin(), took.end(), 0.0), run.moves.size());
}

// Works on all objects, for `load` in total. Uses chunks if the program times chunks. Returns the
// time that this took.
template <class Time>
double work_on(const Kernel& force, const Program& program, const std::vector<double>& costs,
               double load, Time& time) {
  const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
  if (!program.chunks || !(all > 0)) {
    const auto timing = force.time();
    return time.work(load);
  }
  double took = 0;
  for (const auto chunk : force.chunks(std::ssize(costs))) {
    const auto timing = chunk.time();
    const double share =
        std::accumulate(costs.begin() + chunk.begin(), costs.begin() + chunk.end(), 0.0) / all;
    took += time.work(share * load);
  }
  return took;
}

// Collective.
template <class Time>
Run run_program(const Communicator& ranks, const World& world, const Program& program,
                const Trigger& trigger, Time& time) {
  Options options;
  options.method = program.method;
  options.trigger = trigger;
  options.log = LogLevel::off;
  time.adapt(options);
  Balancer balancer(ranks, options);
  const Kernel force = balancer.kernel("force");
  std::optional<Kernel> lists;
  if (program.lists != Lists::none)
    lists = balancer.kernel("lists", {.every = program.lists == Lists::declared ? lists_every : 0});

  Cells cells = world.cells(ranks.rank(), ranks.size());
  if (!world.load().on_first_rank && !program.own)  // begin with equal counts
    static_cast<void>(balancer.rebalance(cells.place, carry(cells.number)));
  balancer.before_move([&time] { time.begin_move(); });

  Run run;
  std::vector<double> costs, took;
  double moving = 0;
  bool moved = false;
  time.start();
  for (int step = 0; step < world.load().steps; ++step) {
    time.begin_step();
    world.refine(cells, step);
    if (program.own && step % sorts_every == 0) sort_anew(cells);
    const double load = world.sum_of_costs(cells, step, costs);
    const double noisy = load * noise_of(program, ranks.rank(), step);
    took.push_back(work_on(force, program, costs, noisy, time));
    if (lists && (moved || step % lists_every == 0)) {
      took.back() += work_on(*lists, program, costs, lists_cost * noisy, time);
    }
    SetOptions options_of_set;
    if (program.weights) options_of_set.weight = costs;
    if (program.own) options_of_set.key = cells.number;
    const Stopwatch call;
    moved = balancer.step(cells.place, carry(cells.number), options_of_set).moved;
    if (moved) {
      run.moves.push_back(step + 1);
      moving += call.seconds();
    }
    time.end_step();
  }
  time.stop();
  settle(ranks, time, took, moving, run);
  balancer.finish();
  run.account = account_of(balancer, Time::step_seconds);
  return run;
}

}  // namespace evenkeel::bench
