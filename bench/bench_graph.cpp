// Parts of graphs by our partitioner, beside METIS, Scotch, PT-Scotch and Zoltan, as far as they
// are there, and beside the cut of a Hilbert curve. docs/performance.md says how to read it.
//
//   bench_graph graphs       makes all graphs and checks them
//   bench_graph scratch      cut, communication volume, lambda and CPU time of each method
//   bench_graph repartition  a hot spot crosses the domain: what moves, and what becomes of the cut
//   bench_graph lumps        edges that must not be cut
//   bench_graph coarsening   levels by our clusters, and by those of Kokkos Kernels
//   mpirun -n 2 bench_graph ranks
//
// Options, all as name=value, lists with commas:
//
//   graphs=tri2d,mdual  generators (graphs/generators.hpp), or files NAME.graph of the folder
//   folder=DIRECTORY    of files in the format of METIS; default: EVENKEEL_BENCH_GRAPHS
//   parts=8,64          numbers of parts
//   methods=METIS,ev    those whose names begin so, or all; default: all but Zoltan
//   scale=0.1           sizes of the generated graphs
//   numbering=random    of vertices; default: curve, which leaves files as they are
//   tolerance=0.03 seed=1 repetitions=1 steps=10 lambda=1.3

#include "graph_modes.hpp"
#include "runtime.hpp"

#include <evenkeel/backends/comm/communicator.hpp>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
#include <zoltan.h>
#endif

namespace evenkeel::bench {
namespace {

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> result;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    result.emplace_back(word);
    list.remove_prefix(std::min(list.size(), word.size() + 1));
  }
  return result;
}

int whole_number(const std::string& text) { return std::atoi(text.c_str()); }

void set_option(GraphOptions& options, std::string_view argument) {
  const std::size_t equals = argument.find('=');
  const std::string name(argument.substr(0, equals));
  const std::string value(equals == std::string_view::npos ? "" : argument.substr(equals + 1));
  if (value.empty()) graphs::fail(name + " needs a value, as in parts=8,64");
  if (name == "graphs") {
    options.graphs = words(value);
  } else if (name == "folder") {
    options.folder = value;
  } else if (name == "parts") {
    for (const std::string& word : words(value)) options.parts.push_back(whole_number(word));
  } else if (name == "methods") {
    options.methods = words(value);
  } else if (name == "numbering") {
    if (value != "curve" && value != "random") graphs::fail("numbering is curve or random");
    options.is_shuffled = value == "random";
  } else if (name == "scale") {
    options.scale = std::atof(value.c_str());
  } else if (name == "tolerance") {
    options.tolerance = std::atof(value.c_str());
  } else if (name == "lambda") {
    options.lambda = std::atof(value.c_str());
  } else if (name == "steps") {
    options.steps = whole_number(value);
  } else if (name == "seed") {
    options.seed = whole_number(value);
  } else if (name == "repetitions") {
    options.repetitions = whole_number(value);
  } else {
    graphs::fail("there is no option " + name);
  }
}

GraphOptions options_of(int argc, char** argv) {
  GraphOptions options;
  if (const char* folder = std::getenv("EVENKEEL_BENCH_GRAPHS")) options.folder = folder;
  for (int i = 2; i < argc; ++i) set_option(options, argv[i]);
  for (const int parts : options.parts)
    if (parts < 1) graphs::fail("parts are numbers from 1 on");
  if (!(options.scale > 0 && options.tolerance >= 0 && options.lambda > 1 && options.steps > 0 &&
        options.repetitions > 0))
    graphs::fail("an option is out of range");
  return options;
}

void run(const std::string& mode, const GraphOptions& options) {
  using Mode = void (*)(const GraphOptions&);
  const std::map<std::string, Mode> on_one_rank = {{"graphs", &list_graphs},
                                                   {"scratch", &cut_from_scratch},
                                                   {"repartition", &repartition},
#ifdef EVENKEEL_BENCH_HAS_KOKKOS_KERNELS
                                                   {"coarsening", &compare_coarsening},
#endif
                                                   {"lumps", &cut_around_lumps}};
  if (mode == "ranks") return cut_on_ranks(options);
  const auto found = on_one_rank.find(mode);
  if (found == on_one_rank.end())
    graphs::fail(
        "modes are graphs, scratch, repartition, lumps, ranks and, with Kokkos Kernels and a "
        "static "
        "library, coarsening");
  if (Communicator::world().size() > 1) graphs::fail(mode + " runs on one rank");
  found->second(options);
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  using namespace evenkeel::bench;
  const Runtime runtime(argc, argv);
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
  float version = 0;
  Zoltan_Initialize(argc, argv, &version);
#endif
  run(argc > 1 ? argv[1] : "", options_of(argc, argv));
  return 0;
}
