// The default trigger against all others on whole programs: a Balancer, its looks and its moves,
// with loads that stay, drift, jump and heal, with kernels that recur, and with noise. In virtual
// time, so that runs repeat exactly; with --real, on two ranks, in real time.
//
//   mpirun -n 2 bench_defaults [--quick] [--loads a,b] [--methods hilbert,tensor,staggered]
//     [--lists none,declared,undeclared] [--noises 0,5,20,100] [--triggers "menon,every 25"]
//     [--no-periods] [--cost MEAN_STEPS] [--weights] [--chunks] [--seeds COUNT] [--verbose]
//     [--real [--rounds COUNT]]
//
// Triggers are written as options say them; never and cost_aware always run. "best every" is the
// best of some fixed periods, known in hindsight alone, and nobody is held against it.

#include "defaults_table.hpp"
#include "runtime.hpp"
#include "whole_program.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/evenkeel.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::bench {
namespace {

using Words = std::vector<std::string>;

struct Command {
  Words loads;  // empty: all
  Words methods = {"hilbert", "tensor", "staggered"};
  Words lists = {"none", "declared", "undeclared"};
  Words noises = {"0", "5", "20", "100"};
  Words triggers = {"menon",   "boulmier", "zhai", "procassini 1", "threshold lambda 1.1",
                    "every 25"};
  std::vector<int> periods = {6, 10, 15, 25, 40, 65, 100, 160, 250};
  double cost = 2;
  bool weights = false, chunks = false, verbose = false, real = false;
  int seeds = 1, rounds = 3;
};

// --- The runs ------------------------------------------------------------------------------------

// What runs in a row: a trigger, as text.
Words triggers_of(const Command& command) {
  Words all = {"cost_aware", "never"};
  all.insert(all.end(), command.triggers.begin(), command.triggers.end());
  for (const int period : command.periods) {
    const std::string name = "every " + std::to_string(period);
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }
  return all;
}

void print_run(const std::string& trigger, const Run& run) {
  std::printf(
      "    %-22s total %8.1f, ideal %8.1f, %4zu moves of %7lld objects, each %.2f ms; "
      "%.3f s in all; after",
      trigger.c_str(), run.total, run.ideal, run.moves.size(), static_cast<long long>(run.objects),
      1e3 * run.seconds_per_move, run.seconds);
  for (const int step : run.moves) std::printf(" %d", step);
  if (run.account)
    std::printf("; account: saved %.1f +- %.1f, spent %.1f, advised %.1f", run.account->saved,
                run.account->uncertainty, run.account->spent, run.account->advised);
  std::printf("\n");
  std::fflush(stdout);
}

Run median_run(std::vector<Run> runs) {
  const auto middle = runs.begin() + std::ssize(runs) / 2;
  std::nth_element(runs.begin(), middle, runs.end(),
                   [](const Run& a, const Run& b) { return a.total < b.total; });
  return *middle;
}

// Collective.
template <class Time>
std::map<std::string, Run> run_all(const Communicator& ranks, const Command& command,
                                   const World& world, const Program& program, Time& time) {
  const Words triggers = triggers_of(command);
  std::map<std::string, std::vector<Run>> runs;
  for (int round = 0; round < (command.real ? command.rounds : 1); ++round)
    for (const std::string& trigger : triggers) {
      runs[trigger].push_back(run_program(ranks, world, program, trigger_from_text(trigger), time));
      if (command.verbose && ranks.rank() == 0) print_run(trigger, runs[trigger].back());
    }
  std::map<std::string, Run> medians;
  for (auto& [trigger, rounds] : runs) medians[trigger] = median_run(std::move(rounds));
  return medians;
}

Row row_of(const Command& command, std::map<std::string, Run> runs) {
  Row row;
  row.by_default = runs["cost_aware"];
  row.cost = command.real ? row.by_default.seconds_per_move / RealTime::step_seconds : command.cost;
  row.never = runs["never"];
  for (const std::string& trigger : command.triggers) row.others.push_back(runs[trigger]);
  for (const int period : command.periods) {
    const Run& run = runs["every " + std::to_string(period)];
    if (row.best_period > 0 && run.total >= row.with_best_period.total) continue;
    row.best_period = period;
    row.with_best_period = run;
  }
  return row;
}

Lists lists_from(const std::string& name) {
  return name == "declared"     ? Lists::declared
         : name == "undeclared" ? Lists::undeclared
                                : Lists::none;
}

bool is_chosen(const Words& chosen, const std::string& name) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

// Collective.
template <class Time>
void sweep(const Communicator& ranks, const Command& command, Time& time) {
  const Stopwatch whole;
  DefaultsTable table(command.triggers, !command.periods.empty(), command.seeds > 1);
  const bool prints = ranks.rank() == 0;
  if (prints) table.print_head(ranks.size(), command.real ? "real time" : "virtual time");
  std::size_t rows = 0;
  for (const WholeLoad& load : whole_loads()) {
    if (!is_chosen(command.loads, load.name)) continue;
    for (int seed = 1; seed <= command.seeds; ++seed) {
      const World world(load, static_cast<std::uint64_t>(seed), ranks.size());
      for (const std::string& method : command.methods)
        for (const std::string& lists : command.lists)
          for (const std::string& noise : command.noises) {
            Program program;
            program.seed = static_cast<std::uint64_t>(seed);
            program.method = from_text("method = " + method, Options(), "--methods").method;
            program.lists = lists_from(lists);
            program.noise = real_from_text(noise).value_or(0) / 100;
            program.weights = command.weights;
            program.chunks = command.chunks;
            Row row = row_of(command, run_all(ranks, command, world, program, time));
            row.load = load.name;
            row.method = method;
            row.lists = lists;
            row.noise = program.noise;
            row.seed = program.seed;
            if (prints) table.add(std::move(row));
            ++rows;
          }
    }
  }
  if (!prints) return;
  table.print_summary();
  const std::size_t runs = rows * triggers_of(command).size() *
                           static_cast<std::size_t>(command.real ? command.rounds : 1);
  std::printf("%zu runs in %.1f s: %.1f ms each\n", runs, whole.seconds(),
              1e3 * whole.seconds() / static_cast<double>(std::max<std::size_t>(1, runs)));
}

// --- The command line ----------------------------------------------------------------------------

Words split(const std::string& text) {
  Words words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool all_known(const Words& words, const Words& known) {
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return is_chosen(known, word); });
}

bool is_valid(const Command& command) {
  Words loads;
  for (const WholeLoad& load : whole_loads()) loads.push_back(load.name);
  const auto is_percent = [](const std::string& text) {
    return real_from_text(text).value_or(-1) >= 0;
  };
  return all_known(command.loads, loads) &&
         all_known(command.lists, {"none", "declared", "undeclared"}) &&
         std::all_of(command.noises.begin(), command.noises.end(), is_percent) &&
         command.cost > 0 && command.seeds > 0 && command.rounds > 0;
}

// Few loads in few rounds: a run takes a second.
void choose_real(Command& command) {
  command.real = true;
  command.loads = {"slab_rest", "slab_slow", "front", "static", "incurable"};
  command.methods = {"hilbert"};
  command.lists = {"none", "declared"};
  command.noises = {"0"};
  command.periods = {};
}

void choose_quick(Command& command) {
  command.methods = {"hilbert"};
  command.lists = {"none", "declared"};
  command.noises = {"0", "20"};
}

bool read(Command& command, const Words& arguments) {
  if (is_chosen(arguments, "--quick") && !arguments.empty()) choose_quick(command);
  if (is_chosen(arguments, "--real") && !arguments.empty()) choose_real(command);
  const std::map<std::string, bool*> flags = {{"--weights", &command.weights},
                                              {"--chunks", &command.chunks},
                                              {"--verbose", &command.verbose}};
  const std::map<std::string, Words*> words = {{"--loads", &command.loads},
                                               {"--methods", &command.methods},
                                               {"--lists", &command.lists},
                                               {"--noises", &command.noises},
                                               {"--triggers", &command.triggers}};
  const std::map<std::string, int*> counts = {{"--seeds", &command.seeds},
                                              {"--rounds", &command.rounds}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    const std::string value = i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (option == "--quick" || option == "--real") continue;
    if (option == "--no-periods") {
      command.periods.clear();
    } else if (const auto flag = flags.find(option); flag != flags.end()) {
      *flag->second = true;
    } else if (const auto list = words.find(option); list != words.end()) {
      *list->second = split(value);
      ++i;
    } else if (const auto count = counts.find(option); count != counts.end()) {
      *count->second = static_cast<int>(integer_from_text(value).value_or(0));
      ++i;
    } else if (option == "--cost") {
      command.cost = real_from_text(value).value_or(0);
      ++i;
    } else {
      return false;
    }
  }
  return is_valid(command);
}

int run(int argc, char** argv) {
  const Runtime runtime(argc, argv);
  const Communicator ranks = Communicator::world();
  Command command;
  if (!read(command, Words(argv + 1, argv + argc))) {
    if (ranks.rank() == 0) std::fprintf(stderr, "bench_defaults: see the top of its source\n");
    return 2;
  }
  if (command.real) {
    RealTime time(ranks);
    sweep(ranks, command, time);
  } else {
    VirtualTime time(command.cost);
    sweep(ranks, command, time);
  }
  return 0;
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  try {
    return evenkeel::bench::run(argc, argv);
  } catch (const evenkeel::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
