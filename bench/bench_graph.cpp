// Cuts graphs by our partitioner and along a Hilbert curve. If they are installed, METIS, PT-Scotch
// and, for nets, Zoltan cut the same graphs. docs/performance.md says how to read the tables.
//
//   bench_graph scratch      cut, communication volume, lambda and CPU time of each method
//   bench_graph repartition  a hot spot crosses the domain: the moved weight and the cut
//   bench_graph lumps        edges that must not be cut
//   bench_graph nets         objects that nets connect: rows of matrices from the graphs
//   bench_graph coarsening   coarse levels by our clusters, and by those of Kokkos Kernels
//   bench_graph ranks        cuts by all ranks together, with mpirun
//
// All options have the form name=value. Lists have commas:
//
//   graphs=tri2d,mdual  generators (graphs/generators.hpp), or files NAME.graph of the folder;
//                       "regular" and "apart" are the two halves of graphs/regular.hpp
//   folder=DIRECTORY    of files in the format of METIS; default: EVENKEEL_BENCH_GRAPHS
//   parts=8,64          numbers of parts
//   methods=METIS,ev    the methods whose names begin like this; default: all.
//                       "evenkeel fast" knows no positions, and "placed fast" does
//   scale=0.1           sizes of the generated graphs
//   speeds=1,2,4,8      of parts, again and again, for scratch; default: all are equal
//   numbering=random    order of vertices, for scratch; default: curve, or that of a file
//   target_lambda=1.03 seed=1 repetitions=1 steps=10 lambda=1.3

#include "graph_modes.hpp"
#include "runtime.hpp"

#include <evenkeel/backends/error.hpp>

namespace evenkeel::bench {
namespace {

Takers takers_of(GraphOptions& options) {
  const auto take_parts = [&options](const std::string& value) {
    for (const std::string& word : words(value)) options.parts.push_back(std::atoi(word.c_str()));
  };
  const auto take_speeds = [&options](const std::string& value) {
    for (const std::string& word : words(value)) options.speeds.push_back(std::atof(word.c_str()));
  };
  return {{"graphs", into(options.graphs)},
          {"folder", [&](const std::string& value) { options.folder = value; }},
          {"parts", take_parts},
          {"speeds", take_speeds},
          {"methods", into(options.methods)},
          {"scale", into(options.scale)},
          {"numbering", [&](const std::string& value) { options.is_shuffled = value == "random"; }},
          {"target_lambda", into(options.target_lambda)},
          {"lambda", into(options.lambda)},
          {"steps", into(options.steps)},
          {"seed", into(options.seed)},
          {"repetitions", into(options.repetitions)}};
}

GraphOptions options_of(int argc, char** argv) {
  GraphOptions options;
  if (const char* folder = std::getenv("EVENKEEL_BENCH_GRAPHS")) options.folder = folder;
  const Takers takers = takers_of(options);
  for (int i = 2; i < argc; ++i)
    if (!take(takers, argv[i]))
      graphs::fail(argv[i] + std::string(" is not an option such as parts=8,64"));
  for (const int parts : options.parts)
    if (parts < 1) graphs::fail("parts are numbers from 1 on");
  if (!(options.scale > 0 && options.target_lambda >= 1 && options.lambda > 1 &&
        options.steps > 0 && options.repetitions > 0))
    graphs::fail("an option is out of range");
  return options;
}

void run(const std::string& mode, const GraphOptions& options) {
  using Mode = void (*)(const GraphOptions&);
  const std::map<std::string, Mode> on_one_rank = {{"scratch", &cut_from_scratch},
                                                   {"repartition", &repartition},
#ifdef EVENKEEL_BENCH_HAS_KOKKOS_KERNELS
                                                   {"coarsening", &compare_coarsening},
#endif
                                                   {"nets", &cut_nets_of_graphs},
                                                   {"lumps", &cut_around_lumps}};
  if (mode == "ranks") return cut_on_ranks(options);
  const auto found = on_one_rank.find(mode);
  if (found == on_one_rank.end())
    graphs::fail(
        "modes are scratch, repartition, lumps, nets, ranks and, with Kokkos Kernels and a "
        "static library, coarsening");
  if (Communicator::world().size() > 1) graphs::fail(mode + " runs on one rank");
  found->second(options);
}

}  // namespace
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  using namespace evenkeel::bench;
  const Runtime runtime(argc, argv);
  try {
    run(argc > 1 ? argv[1] : "", options_of(argc, argv));
  } catch (const evenkeel::Error& error) {
    graphs::fail(error.what());
  }
  return 0;
}
