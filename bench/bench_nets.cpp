// Parts of objects that nets connect, by cut_nets, by a cut of the graph of the same matrix, and by
// Zoltan's hypergraph partitioner where it is there. docs/performance.md says how to read it.
//
//   bench_nets
//
// Options, all as name=value, lists with commas:
//
//   nets=tri2d,tet3d    rows of matrices over the graphs of graphs/generators.hpp: a net for each
//                       vertex, with its neighbours. A name that ends in ^2 takes neighbours of
//                       neighbours too. "groups": nets at random, nine of ten within one of many
//                       groups.
//   parts=8,64          numbers of parts
//   methods=nets,graph,Zoltan
//   scale=0.1           sizes
//   tolerance=0.03 seed=1

#include "graph_modes.hpp"
#include "graphs/generators.hpp"
#include "runtime.hpp"

#include <evenkeel/backends/comm/communicator.hpp>
#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/graph/nets.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
#include <mpi.h>
#include <zoltan.h>
#endif

namespace evenkeel::bench {
namespace {

using graphs::fail;
using graphs::Graph;

struct Options {
  std::vector<std::string> nets = {"tri2d", "tet3d", "tet3d^2", "rgg", "groups"};
  std::vector<std::string> methods = {"Zoltan", "nets", "graph"};
  std::vector<int> parts = {8, 64};
  double scale = 1, tolerance = 0.03;
  int seed = 1;
};

struct Hypergraph {
  std::int64_t objects = 0;
  std::vector<std::int64_t> offsets = {0}, pins;
  std::optional<Graph> graph;  // of the same matrix, where it is a sparse one

  std::int64_t count() const { return std::ssize(offsets) - 1; }
  void add(const std::vector<std::int64_t>& more) {
    pins.insert(pins.end(), more.begin(), more.end());
    offsets.push_back(std::ssize(pins));
  }
};

// --- Hypergraphs ---------------------------------------------------------------------------------

Hypergraph rows_of(Graph graph, bool is_squared) {
  Hypergraph all;
  all.objects = graph.vertices();
  std::vector<std::int64_t> pins;
  for (std::int64_t v = 0; v < graph.vertices(); ++v) {
    pins.assign(1, v);
    for (const std::int64_t u : graph.row(v)) {
      pins.push_back(u);
      if (is_squared) pins.insert(pins.end(), graph.row(u).begin(), graph.row(u).end());
    }
    std::sort(pins.begin(), pins.end());
    pins.erase(std::unique(pins.begin(), pins.end()), pins.end());
    all.add(pins);
  }
  if (!is_squared) all.graph = std::move(graph);
  return all;
}

// Objects of a group are far apart in the numbering.
Hypergraph groups(double scale, int seed) {
  Hypergraph all;
  all.objects = static_cast<std::int64_t>(200'000 * scale);
  const std::int64_t groups = std::max<std::int64_t>(all.objects / 100, 1);
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  for (std::int64_t e = 0; e < all.objects; ++e) {
    const std::int64_t size = 2 + below(9), group = below(groups);
    const bool is_within = below(10) != 0;
    std::vector<std::int64_t> pins;
    for (std::int64_t k = 0; k < size; ++k)
      pins.push_back(is_within ? below(all.objects / groups) * groups + group : below(all.objects));
    std::sort(pins.begin(), pins.end());
    pins.erase(std::unique(pins.begin(), pins.end()), pins.end());
    all.add(pins);
  }
  return all;
}

Hypergraph hypergraph_of(const std::string& name, const Options& options) {
  if (name == "groups") return groups(options.scale, options.seed);
  const bool is_squared = name.ends_with("^2");
  return rows_of(graphs::generate(is_squared ? name.substr(0, name.size() - 2) : name,
                                  options.scale, static_cast<std::uint64_t>(options.seed)),
                 is_squared);
}

// --- Methods -------------------------------------------------------------------------------------

using Method =
    std::function<std::optional<GraphResult>(const Hypergraph&, int parts, const Options& options)>;

GraphResult by_nets(const Hypergraph& all, int parts, const Options& options, Effort effort) {
  GraphResult result;
  const GraphClock clock({});
  const NetCut cut = cut_nets(Space::where(MemoryKind::host), Communicator::self(),
                              nets(all.objects, all.offsets, all.pins), {.parts = parts},
                              {.effort = effort, .tolerance = options.tolerance});
  clock.stop(result);
  result.parts = cut.parts.on_host();
  return result;
}

std::optional<GraphResult> by_graph(const Hypergraph& all, int parts, const Options& options) {
  if (!all.graph) return std::nullopt;
  GraphResult result;
  const GraphClock clock({});
  const GraphCut cut = cut_graph(Space::where(MemoryKind::host), Communicator::self(),
                                 graph(all.graph->offsets, all.graph->columns), {.parts = parts},
                                 {.tolerance = options.tolerance});
  clock.stop(result);
  result.parts = cut.parts.on_host();
  return result;
}

#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
class ZoltanOnNets {
 public:
  ZoltanOnNets(const Hypergraph& all, int parts, const Options& options)
      : objects_(static_cast<std::size_t>(all.objects)),
        offsets_(all.offsets.begin(), all.offsets.end()),
        pins_(all.pins.begin(), all.pins.end()),
        zoltan_(Zoltan_Create(MPI_COMM_SELF)) {
    const std::pair<const char*, std::string> parameters[] = {
        {"DEBUG_LEVEL", "0"},
        {"LB_METHOD", "HYPERGRAPH"},
        {"HYPERGRAPH_PACKAGE", "PHG"},
        {"LB_APPROACH", "PARTITION"},
        {"RETURN_LISTS", "PARTS"},
        {"NUM_GID_ENTRIES", "1"},
        {"NUM_LID_ENTRIES", "1"},
        {"OBJ_WEIGHT_DIM", "0"},
        {"EDGE_WEIGHT_DIM", "0"},
        {"SEED", std::to_string(options.seed)},
        {"NUM_GLOBAL_PARTS", std::to_string(parts)},
        {"IMBALANCE_TOL", std::to_string(1 + options.tolerance)}};
    for (const auto& [parameter, value] : parameters)
      if (Zoltan_Set_Param(zoltan_, parameter, value.c_str()) != ZOLTAN_OK) fail(parameter);
    Zoltan_Set_Num_Obj_Fn(zoltan_, &count, this);
    Zoltan_Set_Obj_List_Fn(zoltan_, &list, this);
    Zoltan_Set_HG_Size_CS_Fn(zoltan_, &size, this);
    Zoltan_Set_HG_CS_Fn(zoltan_, &list_pins, this);
  }
  ZoltanOnNets(const ZoltanOnNets&) = delete;
  ZoltanOnNets& operator=(const ZoltanOnNets&) = delete;
  ~ZoltanOnNets() { Zoltan_Destroy(&zoltan_); }

  GraphResult solve() {
    int changes = 0, id_entries = 0, local_id_entries = 0, imports = 0, exports = 0;
    ZOLTAN_ID_PTR import_ids = nullptr, import_local = nullptr, ids = nullptr, local = nullptr;
    int *import_ranks = nullptr, *import_parts = nullptr, *ranks = nullptr, *parts = nullptr;
    GraphResult result;
    const GraphClock clock({});
    const int code = Zoltan_LB_Partition(zoltan_, &changes, &id_entries, &local_id_entries,
                                         &imports, &import_ids, &import_local, &import_ranks,
                                         &import_parts, &exports, &ids, &local, &ranks, &parts);
    clock.stop(result);
    if (code != ZOLTAN_OK && code != ZOLTAN_WARN) fail("Zoltan failed");
    result.parts.resize(objects_);
    for (int i = 0; i < exports; ++i) result.parts[local[i]] = parts[i];
    Zoltan_LB_Free_Part(&import_ids, &import_local, &import_ranks, &import_parts);
    Zoltan_LB_Free_Part(&ids, &local, &ranks, &parts);
    return result;
  }

 private:
  static const ZoltanOnNets& self(void* data) { return *static_cast<const ZoltanOnNets*>(data); }
  static int count(void* data, int* code) {
    *code = ZOLTAN_OK;
    return static_cast<int>(self(data).objects_);
  }
  static void list(void* data, int, int, ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR local, int, float*,
                   int* code) {
    for (std::size_t v = 0; v < self(data).objects_; ++v)
      ids[v] = local[v] = static_cast<ZOLTAN_ID_TYPE>(v);
    *code = ZOLTAN_OK;
  }
  static void size(void* data, int* nets, int* pins, int* format, int* code) {
    *nets = static_cast<int>(self(data).offsets_.size()) - 1;
    *pins = static_cast<int>(self(data).pins_.size());
    *format = ZOLTAN_COMPRESSED_EDGE;
    *code = ZOLTAN_OK;
  }
  static void list_pins(void* data, int, int nets, int, int, ZOLTAN_ID_PTR ids, int* firsts,
                        ZOLTAN_ID_PTR pins, int* code) {
    const ZoltanOnNets& all = self(data);
    for (int e = 0; e < nets; ++e) ids[e] = static_cast<ZOLTAN_ID_TYPE>(e);
    std::copy_n(all.offsets_.begin(), nets, firsts);
    std::copy(all.pins_.begin(), all.pins_.end(), pins);
    *code = ZOLTAN_OK;
  }

  std::size_t objects_;
  std::vector<int> offsets_;
  std::vector<ZOLTAN_ID_TYPE> pins_;
  Zoltan_Struct* zoltan_;
};
#endif

std::vector<std::pair<std::string, Method>> all_methods() {
  std::vector<std::pair<std::string, Method>> all;
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
  all.emplace_back("Zoltan PHG", [](const Hypergraph& h, int parts, const Options& options) {
    return ZoltanOnNets(h, parts, options).solve();
  });
#endif
  for (const Effort effort : {Effort::good, Effort::fast})
    all.emplace_back(std::string("nets ") + name_of(effort),
                     [effort](const Hypergraph& h, int parts, const Options& options) {
                       return by_nets(h, parts, options, effort);
                     });
  all.emplace_back("graph good", &by_graph);
  return all;
}

// --- Measures ------------------------------------------------------------------------------------

double connectivity_of(const Hypergraph& all, const std::vector<int>& parts) {
  std::int64_t sum = 0;
  std::vector<int> seen;
  for (std::int64_t e = 0; e < all.count(); ++e) {
    seen.clear();
    for (std::int64_t i = all.offsets[static_cast<std::size_t>(e)];
         i < all.offsets[static_cast<std::size_t>(e) + 1]; ++i) {
      const auto pin = static_cast<std::size_t>(all.pins[static_cast<std::size_t>(i)]);
      if (std::ranges::count(seen, parts[pin]) == 0) seen.push_back(parts[pin]);
    }
    sum += std::max<std::int64_t>(std::ssize(seen) - 1, 0);
  }
  return static_cast<double>(sum);
}

void measure(const Options& options) {
  std::printf(
      "| nets | objects | pins | parts | method | connectivity | of Zoltan | lambda | CPU s | of "
      "Zoltan |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name : options.nets) {
    const Hypergraph all = hypergraph_of(name, options);
    for (const int parts : options.parts) {
      double first_connectivity = 0, first_seconds = 0;
      for (const auto& [name_of_method, solve] : all_methods()) {
        const std::string& method = name_of_method;  // a lambda cannot take a binding
        if (std::ranges::none_of(options.methods, [&](const std::string& begins) {
              return method.starts_with(begins);
            }))
          continue;
        const std::optional<GraphResult> result = solve(all, parts, options);
        if (!result) continue;
        const double connectivity = connectivity_of(all, result->parts);
        if (method.starts_with("Zoltan")) {
          first_connectivity = connectivity;
          first_seconds = result->cpu_seconds;
        }
        const bool has_first = first_seconds > 0;
        std::printf(
            "| %-8s | %7lld | %8lld | %4d | %-10s | %8.0f | %5.3f | %6.4f | %7.2f | %5.3f |\n",
            name.c_str(), static_cast<long long>(all.objects),
            static_cast<long long>(all.pins.size()), parts, method.c_str(), connectivity,
            has_first ? connectivity / first_connectivity : 0,
            graphs::lambda_of(graphs::loads_of({}, result->parts, parts)), result->cpu_seconds,
            has_first ? result->cpu_seconds / first_seconds : 0);
        std::fflush(stdout);
      }
    }
  }
}

// --- Options -------------------------------------------------------------------------------------

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> result;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    result.emplace_back(word);
    list.remove_prefix(std::min(list.size(), word.size() + 1));
  }
  return result;
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string name(argument.substr(0, equals));
    const std::string value(argument.substr(std::min(equals + 1, argument.size())));
    if (value.empty()) fail(name + " needs a value, as in parts=8,64");
    if (name == "nets") {
      options.nets = words(value);
    } else if (name == "methods") {
      options.methods = words(value);
    } else if (name == "parts") {
      options.parts.clear();
      for (const std::string& word : words(value)) options.parts.push_back(std::atoi(word.c_str()));
    } else if (name == "scale") {
      options.scale = std::atof(value.c_str());
    } else if (name == "tolerance") {
      options.tolerance = std::atof(value.c_str());
    } else if (name == "seed") {
      options.seed = std::atoi(value.c_str());
    } else {
      fail("there is no option " + name);
    }
  }
  for (const int parts : options.parts)
    if (parts < 1) fail("parts are numbers from 1 on");
  if (!(options.scale > 0 && options.tolerance >= 0)) fail("an option is out of range");
  return options;
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
  if (evenkeel::Communicator::world().size() > 1) evenkeel::bench::graphs::fail("on one rank");
  measure(options_of(argc, argv));
  return 0;
}
