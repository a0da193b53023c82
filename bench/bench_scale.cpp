// Finds the costs of the library's protocols on 10^2 to 10^6 ranks. docs/scale.md says how to read
// them.
//
//   mpirun -n 5 bench_scale check                  the model beside the calls of the library here
//   mpirun -n 2 bench_scale calibrate              measures this machine as a network
//   mpirun -n 12 bench_scale graph > counts.txt    counts the calls of cuts of graphs
//   bench_scale model [graph=counts.txt] [ranks=100,1000] [per_node=64] ...

#include "arguments.hpp"
#include "runtime.hpp"
#include "scale/calibration.hpp"
#include "scale/check.hpp"
#include "scale/graph_calls.hpp"
#include "scale/tables.hpp"

namespace {

using namespace evenkeel;
using namespace evenkeel::scale;

int check_model(const Communicator& world) {
  int differ = 0;
  for (const Compared& one : compare_with_library(world)) {
    const int agree = world.all_reduce(one.agree() ? 1 : 0, Reduction::least);
    differ += agree == 0 ? 1 : 0;
    if (world.rank() != 0) continue;
    std::printf("| %s | %s |\n", one.protocol.c_str(), agree ? "same" : "DIFFER");
    if (agree == 0)
      std::printf("   %s\n   %s\n", text_of(one.predicted).c_str(), text_of(one.made).c_str());
  }
  return differ == 0 ? 0 : 1;
}

int print_calibration(const Communicator& world) {
  const Calibration found = calibrate(world);
  if (world.rank() != 0) return 0;
  std::printf("latency %.2f us, overhead %.2f us, %.1f GB/s between ranks; %.1f GB/s added up, ",
              1e6 * found.latency, 1e6 * found.overhead, 1e-9 * found.bytes_per_second,
              1e-9 * found.combined_bytes_per_second);
  std::printf("%.1f million claims sorted per second\n", 1e-6 * found.sorted_per_second);
  return 0;
}

int count_graph(const Communicator& world) {
  constexpr int side = 12;
  const auto counts = count_graph_calls(world, side);
  if (world.rank() == 0) std::printf("%s", text_of(counts).c_str());
  return 0;
}

// --- The model -----------------------------------------------------------------------------------

struct Wanted {
  Setting setting;
  std::vector<std::int64_t> ranks = {100, 1000, 10'000, 100'000, 1'000'000};
};

bench::Takers takers_of(Wanted& wanted) {
  using bench::into;
  Setting& setting = wanted.setting;
  Network& network = setting.network;
  const auto take_ranks = [&](const std::string& value) {
    wanted.ranks.clear();
    for (const std::string& word : bench::words(value))
      wanted.ranks.push_back(std::atoll(word.c_str()));
  };
  const auto take_graph = [&](const std::string& value) {
    setting.graph = read_counts(value).value_or(setting.graph);
  };
  return {{"ranks", take_ranks},
          {"graph", take_graph},
          {"per_node", into(network.ranks_per_node)},
          {"latency", into(network.across.latency, 1e-6)},
          {"latency_within", into(network.within.latency, 1e-6)},
          {"overhead", into(network.overhead, 1e-6)},
          {"gigabytes", into(network.across.bytes_per_second, 1e9)},
          {"gigabytes_within", into(network.within.bytes_per_second, 1e9)},
          {"gigabytes_of_node", into(network.node_bytes_per_second, 1e9)},
          {"gigabytes_added", into(network.combined_bytes_per_second, 1e9)},
          {"objects", into(setting.objects_of_rank)},
          {"bytes", into(setting.bytes_of_object)},
          {"crowding", into(setting.crowding)},
          {"drift", into(setting.drift)},
          {"sorted", into(setting.sorted_per_second, 1e6)}};
}

int print_model(int argc, char** argv) {
  Wanted wanted;
  const bench::Takers takers = takers_of(wanted);
  for (int i = 2; i < argc; ++i)
    if (!bench::take(takers, argv[i])) {
      std::fprintf(stderr, "unknown setting %s: give name=value, as ranks=100,1000\n", argv[i]);
      return 2;
    }
  std::vector<std::vector<Row>> by_ranks;
  for (const std::int64_t ranks : wanted.ranks) by_ranks.push_back(rows_for(wanted.setting, ranks));
  print_tables(by_ranks);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Runtime runtime(argc, argv);
  const auto world = Communicator::world();
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "check") return check_model(world);
  if (what == "calibrate") return print_calibration(world);
  if (what == "graph") return count_graph(world);
  if (what == "model") return world.rank() == 0 ? print_model(argc, argv) : 0;
  std::fprintf(stderr, "usage: bench_scale check|calibrate|graph|model [name=value]...\n");
  return 2;
}
