// Finds parts of objects that nets connect: by cut_nets, by a cut of the graph of the same matrix,
// and by Zoltan's hypergraph partitioner if it is installed. Each vertex of a graph makes a net,
// which connects it and its neighbours. If a name ends in ^2, the net also connects the neighbours
// of neighbours. "groups" has random nets; nine of ten are within one of many groups.

#include "graph_modes.hpp"
#include "graphs/generators.hpp"

#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/core/graph/nets.hpp>

#include <random>

#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
#include "zoltan.hpp"
#endif

namespace evenkeel::bench {
namespace {

using graphs::Graph;

struct Hypergraph {
  std::int64_t objects = 0;
  std::vector<std::int64_t> offsets = {0}, pins;
  std::optional<Graph> graph;  // of the same matrix, if it is sparse

  std::int64_t count() const { return std::ssize(offsets) - 1; }
  // Adds a net with pins in any order. Leaves out pins that repeat others.
  void add(std::vector<std::int64_t>& of_net) {
    std::sort(of_net.begin(), of_net.end());
    pins.insert(pins.end(), of_net.begin(), std::unique(of_net.begin(), of_net.end()));
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
    all.add(pins);
  }
  return all;
}

Hypergraph hypergraph_of(const std::string& name, const GraphOptions& options) {
  if (name == "groups") return groups(options.scale, options.seed);
  const bool is_squared = name.ends_with("^2");
  return rows_of(graph_of(is_squared ? name.substr(0, name.size() - 2) : name, options),
                 is_squared);
}

// --- Methods -------------------------------------------------------------------------------------

struct Method {
  std::string name;
  // Returns nothing if the method needs a graph and the hypergraph has no graph.
  std::function<std::optional<GraphResult>(const Hypergraph&, int parts,
                                           const GraphOptions& options)>
      solve;
};

template <class Cut>
GraphResult timed(const Cut& cut) {
  GraphResult result;
  const GraphClock clock({});
  const auto found = cut();
  clock.stop(result);
  result.parts = found.parts.on_host();
  return result;
}

GraphResult by_nets(const Hypergraph& all, int parts, const GraphOptions& options, Effort effort) {
  return timed([&] {
    return cut_nets(Space::where(MemoryKind::host), Communicator::self(),
                    nets(all.objects, all.offsets, all.pins), {.parts = parts},
                    {.effort = effort, .target_lambda = options.target_lambda});
  });
}

std::optional<GraphResult> by_graph(const Hypergraph& all, int parts, const GraphOptions& options) {
  if (!all.graph) return std::nullopt;
  return timed([&] {
    return cut_graph(Space::where(MemoryKind::host), Communicator::self(),
                     graph(all.graph->offsets, all.graph->columns), {.parts = parts},
                     {.target_lambda = options.target_lambda});
  });
}

#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
class ZoltanOnNets : public Zoltan {
 public:
  ZoltanOnNets(const Hypergraph& all, int parts, const GraphOptions& options)
      : Zoltan(MPI_COMM_SELF, {{"LB_METHOD", "HYPERGRAPH"},
                               {"HYPERGRAPH_PACKAGE", "PHG"},
                               {"OBJ_WEIGHT_DIM", "0"},
                               {"EDGE_WEIGHT_DIM", "0"},
                               {"SEED", std::to_string(options.seed)},
                               {"NUM_GLOBAL_PARTS", std::to_string(parts)},
                               {"IMBALANCE_TOL", std::to_string(options.target_lambda)}}),
        offsets_(all.offsets.begin(), all.offsets.end()),
        pins_(all.pins.begin(), all.pins.end()) {
    objects_ = static_cast<std::size_t>(all.objects);
    Zoltan_Set_HG_Size_CS_Fn(get(), &size, this);
    Zoltan_Set_HG_CS_Fn(get(), &list_pins, this);
  }

  GraphResult solve() {
    GraphResult result;
    const GraphClock clock({});
    partition();
    clock.stop(result);
    result.parts = part_of_object();
    return result;
  }

 private:
  static const ZoltanOnNets& self(void* data) { return *static_cast<const ZoltanOnNets*>(data); }
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

  std::vector<int> offsets_;
  std::vector<ZOLTAN_ID_TYPE> pins_;
};
#endif

std::vector<Method> all_methods() {
  std::vector<Method> all;
#ifdef EVENKEEL_BENCH_HAS_ZOLTAN
  all.push_back({"Zoltan PHG", [](const Hypergraph& h, int parts, const GraphOptions& options) {
                   return ZoltanOnNets(h, parts, options).solve();
                 }});
#endif
  for (const Effort effort : {Effort::good, Effort::fast})
    all.push_back({std::string("nets ") + name_of(effort),
                   [effort](const Hypergraph& h, int parts, const GraphOptions& options) {
                     return by_nets(h, parts, options, effort);
                   }});
  all.push_back({"graph good", &by_graph});
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

void compare(const std::string& name, const Hypergraph& all, int parts,
             const GraphOptions& options) {
  double zoltans_connectivity = 0, zoltans_seconds = 0;
  for (const Method& method : all_methods()) {
    if (!is_chosen(options, method.name)) continue;
    const std::optional<GraphResult> result = method.solve(all, parts, options);
    if (!result) continue;
    const double connectivity = connectivity_of(all, result->parts);
    if (method.name.starts_with("Zoltan")) {
      zoltans_connectivity = connectivity;
      zoltans_seconds = result->cpu_seconds;
    }
    const bool has_zoltan = zoltans_seconds > 0;
    std::printf("| %-8s | %7lld | %8lld | %4d | %-10s | %8.0f | %5.3f | %6.4f | %7.2f | %5.3f |\n",
                name.c_str(), static_cast<long long>(all.objects),
                static_cast<long long>(all.pins.size()), parts, method.name.c_str(), connectivity,
                has_zoltan ? connectivity / zoltans_connectivity : 0,
                graphs::lambda_of(graphs::loads_of({}, result->parts, parts)), result->cpu_seconds,
                has_zoltan ? result->cpu_seconds / zoltans_seconds : 0);
    std::fflush(stdout);
  }
}

}  // namespace

void cut_nets_of_graphs(const GraphOptions& options) {
  std::printf(
      "| nets | objects | pins | parts | method | connectivity | of Zoltan | lambda | CPU s | of "
      "Zoltan |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name :
       names_of_graphs(options, {"tri2d", "tet3d", "tet3d^2", "rgg", "groups"})) {
    const Hypergraph all = hypergraph_of(name, options);
    for (const int parts : numbers_of_parts(options, {8, 64})) compare(name, all, parts, options);
  }
}

}  // namespace evenkeel::bench
