// What the library's protocols cost on 10^2 to 10^6 ranks; docs/scale.md says how to read it.
//
//   mpirun -n 5 bench_scale check                  the model beside what the library does here
//   mpirun -n 2 bench_scale calibrate              what this machine tells about a network
//   mpirun -n 12 bench_scale graph > counts.txt    counts the calls of cuts of graphs
//   bench_scale model [graph=counts.txt] [picture=scale.svg] [ranks=100,1000] [per_node=64] ...

#include "runtime.hpp"
#include "scale/calibration.hpp"
#include "scale/check.hpp"
#include "scale/graph_calls.hpp"
#include "scale/picture.hpp"
#include "scale/tables.hpp"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <string>

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
  std::string picture = {};  // file; empty: none
};

std::vector<std::int64_t> numbers_of(const std::string& text) {
  std::vector<std::int64_t> numbers;
  std::istringstream stream(text);
  for (std::string one; std::getline(stream, one, ',');) numbers.push_back(std::atoll(one.c_str()));
  return numbers;
}

// False for what nobody knows.
bool take(Wanted& wanted, const std::string& name, const std::string& value) {
  Setting& setting = wanted.setting;
  Network& network = setting.network;
  const double number = std::atof(value.c_str());
  const std::map<std::string, std::function<void()>> settings = {
      {"ranks", [&] { wanted.ranks = numbers_of(value); }},
      {"picture", [&] { wanted.picture = value; }},
      {"graph", [&] { setting.graph = read_counts(value).value_or(setting.graph); }},
      {"per_node", [&] { network.ranks_per_node = static_cast<int>(number); }},
      {"latency", [&] { network.across.latency = 1e-6 * number; }},
      {"latency_within", [&] { network.within.latency = 1e-6 * number; }},
      {"overhead", [&] { network.overhead = 1e-6 * number; }},
      {"gigabytes", [&] { network.across.bytes_per_second = 1e9 * number; }},
      {"gigabytes_within", [&] { network.within.bytes_per_second = 1e9 * number; }},
      {"gigabytes_of_node", [&] { network.node_bytes_per_second = 1e9 * number; }},
      {"gigabytes_added", [&] { network.combined_bytes_per_second = 1e9 * number; }},
      {"objects", [&] { setting.objects_of_rank = static_cast<std::int64_t>(number); }},
      {"bytes", [&] { setting.bytes_of_object = static_cast<std::int64_t>(number); }},
      {"crowding", [&] { setting.crowding = number; }},
      {"drift", [&] { setting.drift = number; }},
      {"sorted", [&] { setting.sorted_per_second = 1e6 * number; }}};
  const auto found = settings.find(name);
  if (found == settings.end()) return false;
  found->second();
  return true;
}

int print_model(int argc, char** argv) {
  Wanted wanted;
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos ||
        !take(wanted, argument.substr(0, equals), argument.substr(equals + 1))) {
      std::fprintf(stderr, "%s is no setting\n", argv[i]);
      return 2;
    }
  }
  std::vector<std::vector<Row>> by_ranks;
  for (const std::int64_t ranks : wanted.ranks) by_ranks.push_back(rows_for(wanted.setting, ranks));
  print_tables(by_ranks);
  if (wanted.picture.empty() || write_picture(wanted.picture, by_ranks)) return 0;
  std::fprintf(stderr, "%s cannot be written\n", wanted.picture.c_str());
  return 1;
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
  std::fprintf(stderr, "Say check, calibrate, graph or model.\n");
  return 2;
}
