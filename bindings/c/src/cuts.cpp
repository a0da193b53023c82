#include "support.hpp"

#include <evenkeel/assign.hpp>
#include <evenkeel/core/box/bounds.hpp>
#include <evenkeel/core/chain.hpp>
#include <evenkeel/core/graph/nets.hpp>
#include <evenkeel/core/place.hpp>
#include <evenkeel/monitor/options_text.hpp>

#include <algorithm>

namespace {

using namespace evenkeel;  // NOLINT: this file defines the functions of C

// Numbers of a list of the program, which may be null.
template <class T>
std::span<const T> list(const T* values, std::int64_t count) {
  if (values == nullptr) return {};
  return {values, static_cast<std::size_t>(count)};
}
template <class T>
std::vector<T> copied(const T* values, std::int64_t count) {
  const std::span<const T> all = list(values, count);
  return {all.begin(), all.end()};
}

// A source of `components` numbers per entry.
template <class T>
struct Numbers {
  RawField<T> field;
  Numbers(const T* values, std::int64_t count, int components = 1)
      : field(raw_field(const_cast<T*>(values),  // only read from
                        RawShape{.count = count, .components = components})) {}
};

// The options of a cut, on one rank.
struct Cutting {
  GraphCutOptions options;
  ByGraph method;
  Cutting(const ek_cut_options* given, int ranks, const ek_cut_report* report) {
    if (report != nullptr) c::known(report, "ek_cut_report");
    if (given == nullptr) return;
    c::known(given, "ek_cut_options");
    options.parts = given->parts;
    options.speeds = copied(given->speeds, given->parts > 0 ? given->parts : ranks);
    options.from = c::numbers_of(given->from);
    method = c::graph_method(given->method);
  }
};

// Collective. Calls cut(space, ranks, options, method), and copies the parts.
template <class Cut>
int cut_objects(int communicator, const ek_graph* graph, const ek_cut_options* options, int* parts,
                const ek_cut_report* report, const Cut& cut) {
  return c::guarded([&] {
    c::start_kokkos();
    const Communicator ranks = c::communicator_of(communicator);
    std::optional<Cutting> how;
    std::optional<Space> space;
    c::together(ranks, [&] {
      how.emplace(options, ranks.size(), report);
      const ek_graph& given = c::known(graph, "ek_graph");
      c::check(c::required(given.offsets, "field of offsets"));
      if (given.offsets->count > 1) c::required(parts, "address for the parts");
      space = Space::where(c::numbers_of(given.offsets).layout().memory);
    });
    const exec::Array<int> found = cut(*space, ranks, *how);
    found.fetch(0, {parts, static_cast<std::size_t>(found.size())});
  });
}

}  // namespace

extern "C" {

int ek_assign(const double* costs, int64_t blocks, const ek_assign_options* options, int* map,
              double* lambda, double* bound) {
  return c::guarded([&] {
    const ek_assign_options& given = c::known(options, "ek_assign_options");
    if (blocks < 0)
      c::refuse("There are " + std::to_string(blocks) + " blocks.", "Give 0 or more.");
    if (blocks > 0) {
      c::required(costs, "list of costs");
      c::required(map, "address for the map");
    }
    AssignOptions chosen;
    chosen.ranks = given.ranks;
    chosen.from = list(given.from, blocks);
    chosen.bytes = list(given.bytes, blocks);
    chosen.most_blocks = given.most_blocks;
    chosen.memory = copied(given.memory, given.ranks);
    chosen.speeds = copied(given.speeds, given.ranks);
    if (given.target != 0) chosen.target = given.target;
    std::vector<std::array<int, 2>> pairs;
    if (given.edges != nullptr) {
      for (std::int64_t e = 0; e < given.edge_count; ++e)
        pairs.push_back({given.edges[2 * e], given.edges[2 * e + 1]});
      chosen.place = BlockEdges{pairs};
    } else if (given.coordinates != nullptr) {
      chosen.place =
          BlockCentres{list(given.coordinates, blocks * given.dimensions), given.dimensions};
    }
    const BlockMap found = assign(list(costs, blocks), chosen);
    std::copy(found.map.begin(), found.map.end(), map);
    if (lambda != nullptr) *lambda = found.lambda;
    if (bound != nullptr) *bound = found.bound;
  });
}

int ek_cut_graph(int communicator, const ek_graph* graph, const ek_cut_options* options, int* parts,
                 ek_cut_report* report) {
  return cut_objects(communicator, graph, options, parts, report,
                     [&](const Space& space, const Communicator& ranks, const Cutting& how) {
                       GraphCut cut =
                           cut_graph(space, ranks, c::graph_of(graph), how.options, how.method);
                       c::write_report(cut.report, cut.report.cut, cut.report.cut_edges, report);
                       return std::move(cut.parts);
                     });
}

int ek_cut_nets(int communicator, int64_t objects, const ek_graph* nets,
                const ek_cut_options* options, int* parts, ek_cut_report* report) {
  return cut_objects(communicator, nets, options, parts, report,
                     [&](const Space& space, const Communicator& ranks, const Cutting& how) {
                       const Graph graph = c::graph_of(nets);
                       const GraphOptions& of = graph.options();
                       stages::NetCut cut =
                           stages::cut_nets(space, ranks,
                                            stages::nets(objects, graph.offsets(), graph.columns(),
                                                         {.id = of.id,
                                                          .weight = of.weight,
                                                          .net_weight = of.edge_weight,
                                                          .bytes = of.bytes,
                                                          .position = of.position,
                                                          .fixed = of.fixed}),
                                            how.options, how.method);
                       c::write_report(cut.report, cut.report.connectivity, cut.report.cut_nets,
                                       report);
                       return std::move(cut.parts);
                     });
}

int ek_cut_chain(const double* weights, int64_t count, int parts, const double* speeds,
                 int64_t least_items, int64_t* offsets, double* lambda) {
  return c::guarded([&] {
    if (count < 0) c::refuse("There are " + std::to_string(count) + " items.", "Give 0 or more.");
    if (count > 0) c::required(weights, "list of weights");
    c::required(offsets, "address for the offsets");
    const stages::Chain chain = stages::cut_chain(
        list(weights, count),
        {.parts = parts, .speeds = list(speeds, std::max(parts, 0)), .min_items = least_items});
    std::ranges::copy(chain.offsets, offsets);
    if (lambda != nullptr) *lambda = chain.lambda;
  });
}

int ek_partition(int communicator, const double* points, int dimensions, int64_t count,
                 const double* weights, const char* method, int parts, int* part) {
  return c::guarded([&] {
    c::start_kokkos();
    const Communicator ranks = c::communicator_of(communicator);
    Options options;
    std::optional<Numbers<double>> places, costs;
    c::together(ranks, [&] {
      options = from_text(std::string("method = ") + (method != nullptr ? method : "hilbert"), {},
                          "the method of ek_partition");
      if (dimensions != 2 && dimensions != 3)
        c::refuse("Points have " + std::to_string(dimensions) + " dimensions.", "Give 2 or 3.");
      if (parts < 0)
        c::refuse("There are " + std::to_string(parts) + " parts.",
                  "Give a positive number, or 0 for one part for each rank.");
      if (count > 0) c::required(part, "address for the parts");
      places.emplace(points, count, dimensions);
      costs.emplace(weights, weights != nullptr ? count : 0);
    });
    SetOptions of_set;
    if (weights != nullptr) of_set.weight = costs->field;
    const Set set = evenkeel::set(places->field, {}, of_set);
    const std::span<const Set> sets(&set, 1);
    const stages::Bounds around = stages::bounds(ranks, sets);
    if (around.empty()) return;
    const std::int64_t all = ranks.all_reduce(count, Reduction::sum);
    const FreshGoal goal = {.target_lambda = options.target_lambda,
                            .parts = parts > 0 ? parts : ranks.size(),
                            .aim = Aim::nearest,
                            .objects = all};
    const Box box = stages::enclose(std::nullopt, around);
    const PreparedToCut prepared = prepare_to_cut(stages::Status(), sets, {around.dimensions, box},
                                                  {.method = options.method});
    const std::span<const double> given = list(weights, count);
    const FreshCut cut = cut_anew(ranks, stages::Status(), prepared, Weights(&given, 1), goal, {});
    const exec::Array<int> owners = owners_of(Space::where(MemoryKind::host), cut.domains, set);
    owners.fetch(0, {part, static_cast<std::size_t>(count)});
  });
}

}  // extern "C"
