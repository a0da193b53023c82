// Runs every trigger on chains of costs of many shapes, and compares it with the cheapest schedule
// of rebalances. The functions that decide in an application also decide here. This program counts
// and does not time, so its numbers are the same on every machine.
//
//   bench_triggers [--seed FIRST] [--seeds COUNT] [--shapes] [--no-horizon] [--survey MEAN_STEPS]
//
// Each shape makes a chain for each seed. Each chain runs at three costs of a rebalance, from the
// optimal cut of its first step and from equal counts of bins. It runs in two settings: with a look
// at every step and a rebalance right after it; and as in applications, with looks every 6 to 10
// steps and a rebalance 5 steps later. --shapes adds the means of single shapes. With --no-horizon
// no trigger knows the length of a run. By default the load of a fresh cut is free to find, so
// every look finds it. With --survey, finding it takes the given time, so it is found as rarely as
// in a program, whose application asks for the first cut.

#include "arguments.hpp"
#include "cost_chains.hpp"
#include "replay/schedule.hpp"

#include <evenkeel/backends/error.hpp>

#include <cstdio>
#include <numeric>

namespace evenkeel::bench {
namespace {

constexpr std::array<double, 3> costs = {2, 10, 50};  // of a rebalance, in mean loads of a rank

// A table shows the share of runs that lose more than this many costs of a rebalance.
constexpr double losses_until_off = 2;

struct Command {
  std::int64_t first_seed = 1, seeds = 8;
  bool shapes = false, no_horizon = false;
  double survey = 0;
};

struct Setting {
  const char* name;
  tool::ReplayStart start;
  std::int64_t epoch_steps, latency;
};

constexpr std::array<Setting, 4> settings = {{
    {"optimal start, every step", tool::ReplayStart::optimal, 1, 0},
    {"uniform start, every step", tool::ReplayStart::uniform, 1, 0},
    {"optimal start, live", tool::ReplayStart::optimal, 0, 5},
    {"uniform start, live", tool::ReplayStart::uniform, 0, 5},
}};

const std::array<std::string, 9> triggers = {
    "cost_aware", "boulmier", "menon", "zhai", "procassini", "threshold imbalance_percent 10",
    "every 10",   "every 50", "never"};

// The result of one trigger on one chain.
struct Played {
  std::size_t shape, setting, trigger;
  double cost;                        // of a rebalance, in mean loads of a rank
  double above_optimum, above_never;  // percent
  double costs_above_never;           // in rebalances
};

void play(const Command& command, std::size_t shape, const tool::CostChain& chain, int ranks,
          std::vector<Played>& into) {
  const double load = chain.sum(0) / ranks;
  for (const tool::ReplayStart start : {tool::ReplayStart::optimal, tool::ReplayStart::uniform})
    for (const double cost : costs) {
      const tool::Setting fixed = {
          chain, ranks,
          start == tool::ReplayStart::optimal ? chain.cut(0, ranks) : chain.even(ranks),
          cost * load};
      const double optimum = tool::optimum_of(fixed).total, never = tool::cost_of(fixed, {});
      for (std::size_t s = 0; s < settings.size(); ++s) {
        if (settings[s].start != start) continue;
        for (std::size_t t = 0; t < triggers.size(); ++t) {
          tool::ChainReplayOptions options;
          options.trigger = trigger_from_text(triggers[t]);
          options.epoch_steps = settings[s].epoch_steps;
          options.latency = settings[s].latency;
          options.survey = command.survey;
          options.is_start_asked = command.survey > 0;
          if (command.no_horizon) options.horizon = 0;
          const double total = tool::cost_of(fixed, tool::run(fixed, options));
          into.push_back({shape, s, t, cost, 100 * (total / optimum - 1), 100 * (total / never - 1),
                          (total - never) / fixed.rebalance});
        }
      }
    }
}

std::vector<Played> play_all(const Command& command) {
  const std::vector<ChainShape> shapes = chain_shapes();
  std::vector<Played> all;
  for (std::int64_t seed = command.first_seed; seed < command.first_seed + command.seeds; ++seed)
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      Draw draw(static_cast<std::uint64_t>(seed), static_cast<std::int64_t>(shape));
      const ChainSize size = size_of_chain(draw);
      const Recipe recipe = shapes[shape].recipe(draw, static_cast<double>(size.steps));
      const tool::CostChain chain(costs_of(recipe, size, draw),
                                  static_cast<std::uint64_t>(size.bins), shapes[shape].name);
      play(command, shape, chain, size.ranks, all);
    }
  return all;
}

// --- The tables ----------------------------------------------------------------------------------

template <class Of, class Where>
std::vector<double> values(const std::vector<Played>& all, const Of& of, const Where& where) {
  std::vector<double> found;
  for (const Played& played : all)
    if (where(played)) found.push_back(of(played));
  std::sort(found.begin(), found.end());
  return found;
}

double mean(const std::vector<double>& sorted) {
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return sorted.empty() ? 0 : sum / static_cast<double>(sorted.size());
}

// The least value that is at least as great as this share of all values.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

double percent_above(const std::vector<double>& sorted, double limit) {
  const auto above = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), limit);
  return sorted.empty() ? 0 : 100 * static_cast<double>(above) / static_cast<double>(sorted.size());
}

double above_optimum(const Played& played) { return played.above_optimum; }

void print_triggers(const std::vector<Played>& all, std::size_t setting) {
  std::printf("\n%s: percent above the optimum\n\n| trigger | mean | 95 %% | worst |",
              settings[setting].name);
  for (const double cost : costs) std::printf(" mean, C = %g |", cost);
  std::printf("\n|---|---|---|---|---|---|---|\n");
  for (std::size_t t = 0; t < triggers.size(); ++t) {
    const auto is_this = [=](const Played& p) { return p.setting == setting && p.trigger == t; };
    const std::vector<double> found = values(all, above_optimum, is_this);
    std::printf("| %s | %.2f | %.1f | %.1f |", triggers[t].c_str(), mean(found),
                quantile(found, 0.95), quantile(found, 1));
    for (const double cost : costs)
      std::printf(" %.2f |", mean(values(all, above_optimum, [&](const Played& p) {
                    return is_this(p) && p.cost == cost;
                  })));
    std::printf("\n");
  }
}

void print_shapes(const std::vector<Played>& all, std::size_t setting) {
  std::printf("\n%s: mean percent above the optimum\n\n| shape |", settings[setting].name);
  for (const std::string& trigger : triggers) std::printf(" %s |", trigger.c_str());
  std::printf("\n|---");
  for (std::size_t t = 0; t < triggers.size(); ++t) std::printf("|---");
  std::printf("|\n");
  const std::vector<ChainShape> shapes = chain_shapes();
  for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
    std::printf("| %s |", shapes[shape].name);
    for (std::size_t t = 0; t < triggers.size(); ++t)
      std::printf(" %.2f |", mean(values(all, above_optimum, [=](const Played& p) {
                    return p.setting == setting && p.trigger == t && p.shape == shape;
                  })));
    std::printf("\n");
  }
}

// A rebalance is paid in advance, and the cut that it replaced may have been better than it seemed.
// So every trigger that acts is slower than no rebalance in some runs.
void print_slower_than_never(const std::vector<Played>& all) {
  std::printf(
      "\nslower than without any rebalance: percent of the runs, by how much\n\n"
      "| setting | trigger | by > 1 %% | by > 5 %% | 95 %% | worst, %% | by > %g C | worst, C |\n"
      "|---|---|---|---|---|---|---|---|\n",
      losses_until_off);
  for (std::size_t s = 0; s < settings.size(); ++s)
    for (const std::size_t t : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
      const auto is_this = [=](const Played& p) { return p.setting == s && p.trigger == t; };
      const std::vector<double> share = values(
          all, [](const Played& p) { return p.above_never; }, is_this);
      const std::vector<double> in_costs = values(
          all, [](const Played& p) { return p.costs_above_never; }, is_this);
      std::printf("| %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", settings[s].name,
                  triggers[t].c_str(), percent_above(share, 1), percent_above(share, 5),
                  quantile(share, 0.95), quantile(share, 1),
                  percent_above(in_costs, losses_until_off), quantile(in_costs, 1));
    }
}

// --- The command line ----------------------------------------------------------------------------

bool read(Command& command, const Words& arguments) {
  const auto is_count = [](std::int64_t number) { return number >= 1 && number <= 1'000'000; };
  return take_all({{"--shapes", &command.shapes}, {"--no-horizon", &command.no_horizon}},
                  {{"--seed", into(command.first_seed)},
                   {"--seeds", into(command.seeds)},
                   {"--survey", into(command.survey)}},
                  arguments) &&
         is_count(command.first_seed) && is_count(command.seeds) && command.survey >= 0;
}

int run(const Words& arguments) {
  Command command;
  if (!read(command, arguments)) {
    std::fprintf(stderr,
                 "bench_triggers [--seed FIRST] [--seeds COUNT] [--shapes] [--no-horizon] "
                 "[--survey MEAN_STEPS]\n");
    return 2;
  }
  const std::vector<Played> all = play_all(command);
  const std::size_t runs = all.size() / settings.size() / triggers.size();
  std::printf("%zu chains, %zu runs of each trigger in each setting\n", runs / costs.size(), runs);
  for (std::size_t s = 0; s < settings.size(); ++s) {
    print_triggers(all, s);
    if (command.shapes) print_shapes(all, s);
  }
  print_slower_than_never(all);
  return 0;
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  try {
    return evenkeel::bench::run({argv + 1, argv + argc});
  } catch (const evenkeel::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
