#include "support.hpp"

#include <evenkeel/assign.hpp>
#include <evenkeel/core/box/bounds.hpp>
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

void check_graph(int64_t vertices, const int64_t* offsets, const int64_t* columns,
                 const ek_graph_options& given, const int* parts) {
  c::required(offsets, "list of offsets");
  if (vertices < 0)
    c::refuse("There are " + std::to_string(vertices) + " vertices.", "Give 0 or more.");
  if (vertices > 0) c::required(parts, "address for the parts");
  if (offsets[vertices] > 0) c::required(columns, "list of columns");
  if (given.weights != nullptr && given.weight_count < 1)
    c::refuse("weight_count is " + std::to_string(given.weight_count) + '.',
              "Give the number of weights of a vertex.");
  if (given.position != nullptr && given.dimensions != 2 && given.dimensions != 3)
    c::refuse("Positions have " + std::to_string(given.dimensions) + " dimensions.",
              "Give 2 or 3.");
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

int ek_cut_graph(int communicator, int64_t vertices, const int64_t* offsets, const int64_t* columns,
                 const ek_graph_options* options, int* parts, int64_t* cut_edges) {
  return c::guarded([&] {
    c::start_kokkos();
    const Communicator ranks = c::communicator_of(communicator);
    ek_graph_options given = {};
    // Descriptions may be wrong on one rank only, so ranks vote before the cut.
    stages::vote(ranks, stages::attempt(c::stage_name, [&] {
                   if (options != nullptr) given = c::known(options, "ek_graph_options");
                   check_graph(vertices, offsets, columns, given, parts);
                 }));
    const std::int64_t edges = offsets[vertices];
    Numbers rows(offsets, vertices + 1), neighbours(columns, edges);
    Numbers weights(given.weights, given.weights != nullptr ? vertices : 0,
                    std::max(given.weight_count, 1));
    Numbers edge_weights(given.edge_weights, given.edge_weights != nullptr ? edges : 0);
    Numbers position(given.position, given.position != nullptr ? vertices : 0,
                     std::max(given.dimensions, 1));
    Numbers from(given.from, given.from != nullptr ? vertices : 0);
    GraphOptions properties;
    properties.count = vertices;
    if (given.weights != nullptr) properties.weight = weights.field;
    if (given.edge_weights != nullptr) properties.edge_weight = edge_weights.field;
    if (given.position != nullptr) properties.position = position.field;
    GraphCutOptions cutting;
    cutting.parts = given.parts;
    cutting.speeds = copied(given.speeds, given.parts > 0 ? given.parts : ranks.size());
    if (given.from != nullptr) cutting.from = from.field;
    ByGraph method;
    if (given.target != 0) method.target_lambda = given.target;
    const GraphCut cut =
        cut_graph(Space::where(MemoryKind::host), ranks,
                  graph(rows.field, neighbours.field, properties), cutting, method);
    cut.parts.fetch(0, {parts, static_cast<std::size_t>(vertices)});
    if (cut_edges != nullptr) *cut_edges = cut.report.cut_edges;
  });
}

int ek_partition(int communicator, const double* points, int dimensions, int64_t count,
                 const double* weights, const char* method, int parts, int* part) {
  return c::guarded([&] {
    c::start_kokkos();
    const Communicator ranks = c::communicator_of(communicator);
    Options options;
    std::optional<Numbers<double>> places, costs;
    stages::vote(
        ranks, stages::attempt(c::stage_name, [&] {
          options = from_text(std::string("method = ") + (method != nullptr ? method : "hilbert"),
                              {}, "the method of ek_partition");
          if (dimensions != 2 && dimensions != 3)
            c::refuse("Points have " + std::to_string(dimensions) + " dimensions.", "Give 2 or 3.");
          if (parts < 0)
            c::refuse("There are " + std::to_string(parts) + " parts.",
                      "Give a positive number, or 0 for one part for each rank.");
          if (count > 0) c::required(part, "address for the parts");
          places.emplace(points, count, dimensions);
          costs.emplace(weights, weights != nullptr ? count : 0);
        }));
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
