// Compares the default trigger with all others on whole programs, which look and move with a
// Balancer. Loads stay, drift, jump or heal; kernels recur; measurements have noise. Runs are in
// virtual time, so that they repeat exactly. With --real they are in real time.
//
//   mpirun -n 2 bench_defaults [--quick] [--loads a,b] [--methods hilbert,tensor,staggered]
//     [--lists declared,undeclared] [--noises 0,5,20,100] [--triggers "menon,every 25"]
//     [--pulses 20:80,60:300] [--cost MEAN_STEPS] [--weights] [--chunks] [--own] [--seeds COUNT]
//     [--real [--rounds COUNT]]
//
// Triggers are written as in options; `never` and `cost_aware` always run. The values of --lists
// are `none`, `declared` and `undeclared`. --pulses runs loads with a burst of LENGTH steps in
// every PERIOD steps instead (LENGTH:PERIOD). With --own, the program makes the first distribution
// and sorts its cells itself.

#include "arguments.hpp"
#include "defaults_table.hpp"
#include "runtime.hpp"

#include <evenkeel/monitor/options_text.hpp>

namespace evenkeel::bench {
namespace {

struct Command {
  Words loads;  // all if it is empty
  Words pulses;
  Words methods = {"hilbert", "tensor", "staggered"};
  Words lists = {"none", "declared", "undeclared"};
  Words noises = {"0", "5", "20", "100"};
  Words triggers = {"menon",   "boulmier", "zhai", "procassini 1", "threshold lambda 1.1",
                    "every 25"};
  double cost = 2;
  bool weights = false, chunks = false, own = false, real = false;
  int seeds = 1, rounds = 1;  // choose_real() sets 3 rounds
};

// --- The runs ------------------------------------------------------------------------------------

Run median_run(std::vector<Run> runs) {
  const auto middle = runs.begin() + std::ssize(runs) / 2;
  std::nth_element(runs.begin(), middle, runs.end(),
                   [](const Run& a, const Run& b) { return a.total < b.total; });
  return *middle;
}

// Collective. Runs the default, `never`, and all others.
template <class Time>
Row run_all(const Communicator& ranks, const Command& command, const World& world,
            const Program& program, Time& time) {
  Words triggers = {"cost_aware", "never"};
  triggers.insert(triggers.end(), command.triggers.begin(), command.triggers.end());
  std::vector<std::vector<Run>> runs(triggers.size());
  for (int round = 0; round < command.rounds; ++round)
    for (std::size_t t = 0; t < triggers.size(); ++t)
      runs[t].push_back(run_program(ranks, world, program, trigger_from_text(triggers[t]), time));
  Row row;
  row.by_default = median_run(runs[0]);
  row.never = median_run(runs[1]);
  for (std::size_t t = 2; t < runs.size(); ++t) row.others.push_back(median_run(runs[t]));
  row.cost = command.real ? row.by_default.seconds_per_move / RealTime::step_seconds : command.cost;
  return row;
}

const std::map<std::string, Lists> all_lists = {
    {"none", Lists::none}, {"declared", Lists::declared}, {"undeclared", Lists::undeclared}};

bool is_chosen(const Words& chosen, const std::string& name) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

// Two positive integers from "LENGTH:PERIOD".
std::optional<std::array<int, 2>> pulse_from_text(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const double length = real_from_text(text.substr(0, colon)).value_or(0);
  const double period = real_from_text(text.substr(colon + 1)).value_or(0);
  if (!(length >= 1 && period >= length && period <= 1e6)) return std::nullopt;
  return std::array{static_cast<int>(length), static_cast<int>(period)};
}

std::vector<WholeLoad> chosen_loads(const Command& command) {
  std::vector<WholeLoad> all;
  for (const std::string& pulse : command.pulses) {
    const auto [length, period] = *pulse_from_text(pulse);
    all.push_back(loads::pulses(length, period));
  }
  if (all.empty()) all = whole_loads();
  std::erase_if(all, [&](const WholeLoad& load) { return !is_chosen(command.loads, load.name); });
  return all;
}

// Collective.
template <class Time>
void sweep(const Communicator& ranks, const Command& command, Time& time) {
  const Stopwatch whole;
  DefaultsTable table(command.triggers, command.seeds > 1);
  const bool prints = ranks.rank() == 0;
  if (prints) table.print_head(ranks.size(), command.real ? "real time" : "virtual time");
  std::size_t rows = 0;
  for (const WholeLoad& load : chosen_loads(command)) {
    for (int seed = 1; seed <= command.seeds; ++seed) {
      const World world(load, static_cast<std::uint64_t>(seed), ranks.size());
      for (const std::string& method : command.methods)
        for (const std::string& lists : command.lists)
          for (const std::string& noise : command.noises) {
            Program program;
            program.seed = static_cast<std::uint64_t>(seed);
            program.method = from_text("method = " + method, Options(), "--methods").method;
            program.lists = all_lists.at(lists);
            program.noise = real_from_text(noise).value_or(0) / 100;
            program.weights = command.weights;
            program.chunks = command.chunks;
            program.own = command.own;
            Row row = run_all(ranks, command, world, program, time);
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
  const std::size_t runs =
      rows * (2 + command.triggers.size()) * static_cast<std::size_t>(command.rounds);
  std::printf("%zu runs in %.1f s: %.1f ms each\n", runs, whole.seconds(),
              1e3 * whole.seconds() / static_cast<double>(std::max<std::size_t>(1, runs)));
}

// --- The command line ----------------------------------------------------------------------------

bool is_valid(const Command& command) {
  const auto is_load = [loads = whole_loads()](const std::string& name) {
    return std::ranges::count(loads, name, &WholeLoad::name) > 0;
  };
  const auto is_percent = [](const std::string& text) {
    return real_from_text(text).value_or(-1) >= 0;
  };
  return std::ranges::all_of(command.loads, is_load) &&
         std::ranges::all_of(command.pulses,
                             [](auto& text) { return pulse_from_text(text).has_value(); }) &&
         std::ranges::all_of(command.lists, [](auto& name) { return all_lists.contains(name); }) &&
         std::ranges::all_of(command.noises, is_percent) && command.cost > 0 && command.seeds > 0 &&
         command.rounds > 0;
}

// Chooses few loads and few rounds, since a run takes a second.
void choose_real(Command& command) {
  command.real = true;
  command.loads = {"slab_rest", "slab_slow", "front", "static", "incurable"};
  command.methods = {"hilbert"};
  command.lists = {"none", "declared"};
  command.noises = {"0"};
  command.rounds = 3;
}

void choose_quick(Command& command) {
  command.methods = {"hilbert"};
  command.lists = {"none", "declared"};
  command.noises = {"0", "20"};
}

// Applies --quick and --real first; other options override their choices.
bool read(Command& command, Words arguments) {
  if (std::erase(arguments, "--quick") > 0) choose_quick(command);
  if (std::erase(arguments, "--real") > 0) choose_real(command);
  return take_all({{"--weights", &command.weights},
                   {"--chunks", &command.chunks},
                   {"--own", &command.own}},
                  {{"--loads", into(command.loads)},
                   {"--pulses", into(command.pulses)},
                   {"--methods", into(command.methods)},
                   {"--lists", into(command.lists)},
                   {"--noises", into(command.noises)},
                   {"--triggers", into(command.triggers)},
                   {"--seeds", into(command.seeds)},
                   {"--rounds", into(command.rounds)},
                   {"--cost", into(command.cost)}},
                  arguments) &&
         is_valid(command);
}

int run(int argc, char** argv) {
  const Runtime runtime(argc, argv);
  const Communicator ranks = Communicator::world();
  Command command;
  if (!read(command, Words(argv + 1, argv + argc))) {
    if (ranks.rank() == 0)
      std::fprintf(stderr, "wrong option or value: the top of the source lists all\n");
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
