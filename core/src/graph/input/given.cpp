#include "graph/input/given.hpp"
#include "graph/stage.hpp"

#include "directory/ids.hpp"
#include "graph/input/ids.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/graph/check.hpp>
#include <evenkeel/core/weights.hpp>
#include <evenkeel/core/weights/bytes.hpp>
#include <evenkeel/core/weights/speeds.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace evenkeel::graphs {

namespace {

constexpr const char* given_label = "evenkeel::graph::given";

double sum_over(const Space& space, const exec::Array<double>& values) {
  return exec::sum<double>(space, values.size(), exec::ValueAt{values.data()});
}

// --- Rows ----------------------------------------------------------------------------------------

// Returns the number of offsets that belong to the counted vertices.
std::int64_t entries_of(const NumberSource& offsets, const OwnedCount& count) {
  const std::int64_t vertices = count.value(), entries = offsets.layout().count;
  if (vertices >= 0 && (vertices < entries || vertices + entries == 0))
    return vertices == 0 ? std::min<std::int64_t>(entries, 1) : vertices + 1;
  refuse("There are " + std::to_string(entries) + " offsets in '" + offsets.label() + "' for " +
             std::to_string(vertices) + " vertices.",
         "Give one offset for each vertex, and one for the end of the last row.");
}

// Reads the offsets into `given`, and returns the number of columns.
std::int64_t read_offsets(const Space& space, const NumberSource& offsets, const OwnedCount& count,
                          Given& given) {
  const std::int64_t entries = count.given() ? entries_of(offsets, count) : offsets.layout().count;
  given.owned = std::max<std::int64_t>(entries - 1, 0);
  require_integers(offsets, "offsets", entries, "vertices", Length::at_least);
  given.rows.offsets = Integers(space, offsets.layout(), entries);
  std::int64_t first = 0, edges = 0;
  if (entries > 0) {
    given.rows.offsets.fetch(0, {&first, 1});
    given.rows.offsets.fetch(entries - 1, {&edges, 1});
  } else {
    given.rows.offsets = Integers(exec::filled<std::int64_t>(space, given_label, 1, 0));
  }
  const std::int64_t falls =
      exec::first_that(space, given.owned, exec::Falls{given.rows.offsets.data()});
  if (first != 0 || falls < given.owned)
    refuse("The offsets of rows in '" + offsets.label() + "' begin at " + std::to_string(first) +
               (falls < given.owned ? " and fall after vertex " + std::to_string(falls) : "") + '.',
           "Offsets begin at 0 and never fall.");
  return edges;
}

void read_edges(const Space& space, const evenkeel::Graph& graph, std::int64_t edges,
                Given& given) {
  const GraphOptions& known = graph.options();
  if (known.id.given()) {
    given.rows.neighbour_ids =
        ids(space, graph.columns(), "columns", edges, "edges", Length::at_least);
  } else {
    require_integers(graph.columns(), "columns", edges, "edges", Length::at_least);
    given.rows.columns = Integers(space, graph.columns().layout(), edges);
  }
  if (known.edge_weight.given()) {
    require_numbers(known.edge_weight, "edge weights", edges, "edges", Length::at_least);
    given.rows.weights = reals(space, known.edge_weight, "edge weights",
                               component_of(known.edge_weight.layout(), 0), edges, true);
  }
  if (known.uncuttable.given())
    given.rows.uncuttable =
        integers(space, known.uncuttable, "uncuttable marks", edges, "edges", Length::at_least);
}

exec::Array<double> read_bytes(const Space& space, const GraphOptions& known, std::int64_t owned) {
  require_numbers(known.bytes, "bytes", owned, "vertices",
                  known.count.given() ? Length::at_least : Length::exact);
  return reals(space, known.bytes, "bytes", component_of(known.bytes.layout(), 0), owned, false);
}

[[noreturn]] void refuse_missing_bytes() {
  refuse("Memory is limited, but the graph has no bytes of vertices.",
         "Give .bytes with the graph, or no limit of memory.");
}

void read_vertices(const Space& space, const GraphOptions& known, const NumberSource& from,
                   Given& given) {
  const Length length = known.count.given() ? Length::at_least : Length::exact;
  if (known.id.given()) given.ids = ids(space, known.id, "ids", given.owned, "vertices", length);
  if (known.weight.given()) {
    require_numbers(known.weight, "weights", given.owned, "vertices", length);
    const FieldLayout at = known.weight.layout();
    for (int c = 0; c < at.components; ++c)
      given.weights.push_back(
          reals(space, known.weight, "weights", component_of(at, c), given.owned, false));
  }
  if (known.bytes.given()) given.bytes = read_bytes(space, known, given.owned);
  if (known.fixed.given())
    given.fixed = integers(space, known.fixed, "fixed parts", given.owned, "vertices", length);
  if (from.given()) given.from = integers(space, from, "parts", given.owned, "vertices", length);
  if (known.position.given()) {
    require_numbers(known.position, "positions", given.owned, "vertices", length);
    const FieldLayout at = known.position.layout();
    if (given.owned > 0 && at.components != 2 && at.components != 3)
      refuse("Positions have " + std::to_string(at.components) + " coordinates.",
             "Give two or three.");
    given.places.dimensions = at.components;
    given.places.position = known.position;
  }
}

struct ToShare {
  double sum, load;
  double* weights;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const { weights[v] = weights[v] / sum * load; }
};

// Scales the weights of the first constraint so that their sum over this rank is the load. If all
// weights are 0, the vertices share the load evenly.
void scale_to(const Space& space, double load, Given& given) {
  if (!std::isfinite(load) || load < 0)
    refuse("The load of this rank, which its vertices share, is " + text_of(load) + '.',
           "Give the seconds that were measured: finite, and not negative.");
  if (given.weights.empty()) given.weights.emplace_back();
  exec::Array<double>& weights = given.weights.front();
  double sum = sum_over(space, weights);
  if (!(sum > 0)) {
    weights = exec::filled(space, given_label, given.owned, 1.0);
    sum = static_cast<double>(given.owned);
  }
  exec::for_each(space, given_label, given.owned, ToShare{sum, load, weights.data()});
  space.fence(given_label);
}

Given read_given(const Space& space, const evenkeel::Graph& graph, const GraphCutOptions& options,
                 const ByGraph& method) {
  if (options.parts < 0)
    refuse(std::to_string(options.parts) + " parts are wanted.", "Ask for one at least.");
  check(method);
  if (!graph.offsets().given() || !graph.columns().given())
    refuse("A graph came without offsets or columns.",
           "Give both; an empty rank has one offset, 0.");
  Given given;
  const std::int64_t edges = read_offsets(space, graph.offsets(), graph.options().count, given);
  read_edges(space, graph, edges, given);
  read_vertices(space, graph.options(), options.from, given);
  if (options.load && given.owned > 0) scale_to(space, *options.load, given);
  return given;
}

// --- Agreement of all ranks ----------------------------------------------------------------------

void widen(RangeOfRanks& into, const RangeOfRanks& from) noexcept {
  into.least = std::min(into.least, from.least);
  into.greatest = std::max(into.greatest, from.greatest);
}

void combine(Agreed& into, const Agreed& from) noexcept {
  into.vertices += from.vertices;
  into.entries += from.entries;
  widen(into.parts, from.parts);
  widen(into.speeds, from.speeds);
  widen(into.memory, from.memory);
  widen(into.constraints, from.constraints);
  widen(into.dimensions, from.dimensions);
  into.ranks += from.ranks;
  for (std::size_t i = 0; i < into.saying.size(); ++i) into.saying[i] += from.saying[i];
  for (std::size_t c = 0; c < most_constraints; ++c)
    into.heaviest[c] = std::max(into.heaviest[c], from.heaviest[c]);
  into.heaviest_bytes = std::max(into.heaviest_bytes, from.heaviest_bytes);
  into.heaviest_edge = std::max(into.heaviest_edge, from.heaviest_edge);
  into.edges += from.edges;
  into.uneven_edges += from.uneven_edges;
  into.free_edges += from.free_edges;
  into.costly_edges += from.costly_edges;
  into.edge_exponents += from.edge_exponents;
  into.uncuttable_edges += from.uncuttable_edges;
}

struct FiniteOrNone {
  const double* values;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return exec::is_finite(values[i]) ? values[i] : 0.0;
  }
};
struct IsUneven {
  const double* values;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return exec::is_finite(values[i]) && values[i] < 0x1p53 &&
                   static_cast<double>(static_cast<std::int64_t>(values[i])) != values[i]
               ? 1
               : 0;
  }
};

struct IsCostly {
  const double* values;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return values[i] > 0 && exec::is_finite(values[i]) ? 1 : 0;
  }
};

// The binary exponent of a finite weight above 0, and 0 for others. All subnormal numbers have the
// exponent -1023.
struct ExponentOf {
  const double* values;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    if (IsCostly{values}(i) == 0) return 0;
    std::uint64_t bits = 0;
    memcpy(&bits, &values[i], sizeof bits);
    return static_cast<std::int64_t>(bits >> 52U) - 1023;
  }
};

struct IsInfinite {
  const double* values;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return exec::is_finite(values[i]) ? 0 : 1;
  }
};

double greatest(const Space& space, const exec::Array<double>& values) {
  if (values.empty()) return 0;
  return std::max(
      0.0, exec::extremes<double>(space, values.size(), FiniteOrNone{values.data()}).greatest);
}

// Returns equal numbers for equal lists, and very probably different numbers for others.
RangeOfRanks digest_of(std::span<const double> numbers) {
  std::uint64_t digest = 0;
  for (const double number : numbers)
    digest = exec::mixed(digest ^ std::bit_cast<std::uint64_t>(number));
  return {static_cast<std::int64_t>(digest), static_cast<std::int64_t>(digest)};
}

Agreed agreed_of(const Space& space, const Given& given, const GraphOptions& known,
                 const GraphCutOptions& options) {
  Agreed mine = {};
  mine.vertices = given.owned;
  mine.entries = given.rows.columns.size() + given.rows.neighbour_ids.size();
  mine.parts = {options.parts, options.parts};
  mine.speeds = digest_of(options.speeds);
  mine.memory = digest_of(options.memory);
  // Ranks without vertices do not constrain the numbers per vertex.
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  const bool is_empty = given.owned == 0;
  const auto constraints = given.weights.empty() ? std::int64_t{1} : std::ssize(given.weights);
  const std::int64_t dimensions = given.places.dimensions;
  mine.constraints = is_empty ? RangeOfRanks{any, 1} : RangeOfRanks{constraints, constraints};
  mine.dimensions = is_empty ? RangeOfRanks{any, 0} : RangeOfRanks{dimensions, dimensions};
  mine.ranks = is_empty ? 0 : 1;
  if (!is_empty) {
    mine.of(Says::weights) = given.weights.empty() ? 0 : 1;
    mine.of(Says::edge_weights) = known.edge_weight.given() ? 1 : 0;
    mine.of(Says::uncuttable) = known.uncuttable.given() ? 1 : 0;
    mine.of(Says::bytes) = known.bytes.given() ? 1 : 0;
    mine.of(Says::fixed) = known.fixed.given() ? 1 : 0;
    mine.of(Says::from) = options.from.given() ? 1 : 0;
    mine.of(Says::positions) = dimensions > 0 ? 1 : 0;
    mine.of(Says::ids) = known.id.given() ? 1 : 0;
    mine.of(Says::load) = options.load ? 1 : 0;
  }
  for (std::size_t c = 0; c < given.weights.size() && c < most_constraints; ++c)
    mine.heaviest[c] = greatest(space, given.weights[c]);
  mine.heaviest_bytes = greatest(space, given.bytes);
  mine.heaviest_edge = greatest(space, given.rows.weights);
  mine.edges = given.rows.weights.size();
  const double* const edges = given.rows.weights.data();
  mine.uneven_edges = exec::sum<std::int64_t>(space, mine.edges, IsUneven{edges});
  mine.free_edges = exec::sum<std::int64_t>(space, mine.edges, exec::IsEqual{edges, 0.0});
  mine.costly_edges = exec::sum<std::int64_t>(space, mine.edges, IsCostly{edges});
  mine.edge_exponents = exec::sum<std::int64_t>(space, mine.edges, ExponentOf{edges});
  mine.uncuttable_edges = exec::sum<std::int64_t>(space, given.rows.weights.size(),
                                                  IsInfinite{given.rows.weights.data()}) +
                          exec::sum<std::int64_t>(space, given.rows.uncuttable.size(),
                                                  exec::IsOther{given.rows.uncuttable.data(), 0});
  return mine;
}

void require_agreement(const Agreed& all) {
  if (all.parts.least != all.parts.greatest)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks ask for " + std::to_string(all.parts.least) + " to " +
                    std::to_string(all.parts.greatest) + " parts.",
                "Give the same number on all ranks.");
  if (all.speeds.least != all.speeds.greatest)
    throw Error(ErrorKind::disagreement, Where{stage_name}, "Ranks give different speeds of parts.",
                "Give the same speeds on all ranks.");
  if (all.memory.least != all.memory.greatest)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks give different limits of memory.", "Give the same limits on all ranks.");
  if (all.constraints.greatest > most_constraints)
    refuse("Vertices have " + std::to_string(all.constraints.greatest) + " weights each.",
           "Give " + std::to_string(most_constraints) + " at most.");
  if (all.ranks > 0 && (all.constraints.least != all.constraints.greatest ||
                        all.dimensions.least != all.dimensions.greatest))
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks give different numbers of weights or of coordinates per vertex.",
                "Give the same on all ranks.");
  for (const std::int64_t given : all.saying)
    if (given != 0 && given != all.ranks)
      throw Error(ErrorKind::disagreement, Where{stage_name},
                  "Some ranks give an option of vertices that other ranks leave out.",
                  "Give the same options on all ranks that have vertices.");
}

// Throws if a column is not the number of a vertex, or if a vertex is fixed in a part that does not
// exist.
void require_numbers_in_range(const Space& space, const Given& given) {
  const std::int64_t bad =
      exec::first_that(space, given.rows.columns.size(),
                       exec::IsOutside{given.rows.columns.data(), given.all.vertices});
  if (bad < given.rows.columns.size()) {
    std::int64_t column = 0;
    given.rows.columns.fetch(bad, {&column, 1});
    refuse("Entry " + std::to_string(bad) + " of the columns of this rank is vertex " +
               std::to_string(column) + ", but there are " + std::to_string(given.all.vertices) +
               " vertices.",
           "Number the vertices of all ranks from 0 on, rank after rank.");
  }
  if (!given.fixed.empty()) {
    const std::int64_t at =
        exec::first_that(space, given.owned, exec::IsAbove{given.fixed.data(), given.parts - 1});
    if (at < given.owned) {
      std::int64_t part = 0;
      given.fixed.fetch(at, {&part, 1});
      refuse("Vertex " + std::to_string(given.first + at) + " is fixed in part " +
                 std::to_string(part) + ", but there are " + std::to_string(given.parts) +
                 " parts.",
             "Count parts from 0; a negative number leaves the vertex free.");
    }
  }
  if (given.owned + given.rows.columns.size() > std::int64_t{1} << 31U &&
      given.owned > (std::int64_t{1} << 31U) - 2)
    refuse("A rank has " + std::to_string(given.owned) + " vertices.", "Use more ranks.");
}

// Returns the bytes of memory that this process could have at most.
double most_memory() {
  const double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return bytes;
  return std::min(bytes, static_cast<double>(limit.rlim_cur));
}

// Throws if a cut into the wanted parts certainly needs more memory than this rank could have. Each
// rank has some numbers for each part. Without present parts, it also gathers the coarsest graph,
// which has about ten vertices per part, or all vertices if there are fewer.
void require_memory(const Given& given, Effort effort) {
  const auto parts = static_cast<double>(given.parts);
  const auto vertices = static_cast<double>(given.all.vertices);
  const auto constraints = static_cast<double>(given.all.constraints.greatest);
  double bytes = parts * (40 * constraints + 40);
  const bool is_gathered =
      !given.all.has(Says::from) && (effort != Effort::polish || !given.all.has(Says::positions));
  constexpr double vertices_per_part = 12, shrinkage = 4;  // see multilevel.hpp, clusters_of()
  if (is_gathered && vertices > 0) {
    const double gathered =
        vertices <= vertices_per_part * parts ? vertices : vertices_per_part * parts / shrinkage;
    bytes += gathered *
             (200 + 40 * constraints + 50 * static_cast<double>(given.all.entries) / vertices);
  }
  constexpr double gibibyte = 1 << 30;
  const double most = most_memory();
  if (bytes <= most) return;
  refuse(std::to_string(given.parts) + " parts of " + std::to_string(given.all.vertices) +
             " vertices need " + text_of(std::ceil(bytes / gibibyte)) +
             " GiB of memory or more on each rank, but a rank has only " +
             text_of(std::floor(most / gibibyte)) + " GiB.",
         "Ask for fewer parts.");
}

// --- The present parts ---------------------------------------------------------------------------

struct IsFixedElsewhere {
  const std::int64_t* fixed;
  int rank;
  KOKKOS_FUNCTION bool operator()(std::int64_t v) const {
    return fixed[v] >= 0 && fixed[v] != rank;
  }
};

struct LeadsAway {
  const std::int64_t *columns, *edges;
  std::int64_t first, owned;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return columns[edges[i]] < first || columns[edges[i]] >= first + owned;
  }
};
struct LeadsAwayById {
  PlaceOfId place_of;
  const std::uint64_t* neighbours;
  const std::int64_t* edges;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return place_of(neighbours[edges[i]]) == PlaceOfId::none;
  }
};

}  // namespace

std::int64_t objections_to_staying(const Space& space, const evenkeel::Graph& graph, int rank,
                                   std::int64_t first) {
  const GraphOptions& known = graph.options();
  Given given;
  const std::int64_t edges = read_offsets(space, graph.offsets(), known.count, given);
  std::int64_t objections = 0;
  if (known.fixed.given()) {
    const auto fixed =
        integers(space, known.fixed, "fixed parts", given.owned, "vertices", Length::at_least);
    objections = exec::sum<std::int64_t>(space, given.owned, IsFixedElsewhere{fixed.data(), rank});
  }
  if (!known.uncuttable.given() && !known.edge_weight.given()) return objections;
  read_edges(space, graph, edges, given);
  const GivenRows& rows = given.rows;
  const exec::Array<std::int64_t> bound =
      exec::numbers_that(space, given_label, edges, IsUncuttable(rows));
  if (bound.empty()) return objections;
  if (!known.id.given())
    return objections + exec::sum<std::int64_t>(
                            space, bound.size(),
                            LeadsAway{rows.columns.data(), bound.data(), first, given.owned});
  const auto own = ids(space, known.id, "ids", given.owned, "vertices", Length::at_least);
  const exec::Array<std::int64_t> slots = IdTable::slots_for(space, own);
  return objections +
         exec::sum<std::int64_t>(
             space, bound.size(),
             LeadsAwayById{IdTable::of(own, slots), rows.neighbour_ids.data(), bound.data()});
}

std::string name_of_number(std::int64_t number) { return "vertex " + std::to_string(number); }
std::string name_of_id(std::uint64_t id) {
  return "the vertex with id " + std::to_string(static_cast<std::int64_t>(id));
}

Given given_graph(const Space& space, const Communicator& communicator,
                  const evenkeel::Graph& graph, const GraphCutOptions& options,
                  const ByGraph& method) {
  Given given;
  Agreed mine = {};
  std::vector<std::int64_t> counts;
  const Status ready = attempt(stage_name, [&] {
    counts.resize(static_cast<std::size_t>(communicator.size()));
    given = read_given(space, graph, options, method);
    const int parts = options.parts > 0 ? options.parts : communicator.size();
    check_speeds(refuse, options.speeds, parts);
    if (!options.memory.empty()) check_memory(refuse, options.memory, parts);
    given.firsts.reserve(counts.size() + 1);
    mine = agreed_of(space, given, graph.options(), options);
  });
  given.all = vote<&combine>(communicator, ready, mine);
  require_agreement(given.all);
  if (!options.memory.empty() && given.all.ranks > 0 && !given.all.has(Says::bytes))
    refuse_missing_bytes();
  given.parts = given.all.parts.greatest > 0 ? given.all.parts.greatest : communicator.size();
  communicator.all_gather(given.owned, std::span(counts));
  given.firsts.assign(1, 0);
  for (const std::int64_t count : counts) given.firsts.push_back(given.firsts.back() + count);
  given.first = given.firsts[static_cast<std::size_t>(communicator.rank())];
  if (given.all.has(Says::ids)) resolve_ids(space, communicator, given);
  // All later steps rely on columns that are in range.
  vote(communicator, attempt(stage_name, [&] {
         require_numbers_in_range(space, given);
         require_memory(given, method.effort);
       }));
  return given;
}

}  // namespace evenkeel::graphs

namespace evenkeel {

namespace {

std::int64_t vertices_of(const Graph& graph) {
  const std::int64_t rows =
      graph.offsets().given() ? std::max<std::int64_t>(graph.offsets().layout().count - 1, 0) : 0;
  const OwnedCount& count = graph.options().count;
  return count.given() ? std::max<std::int64_t>(count.value(), 0) : rows;
}

}  // namespace

double weight_of(const Space& space, const Graph& graph) {
  const GraphOptions& known = graph.options();
  const std::int64_t count = vertices_of(graph);
  if (!known.weight.given() || count == 0) return static_cast<double>(count);
  const FieldLayout at = known.weight.layout();
  if (at.count < count || at.scalar == ScalarType::none) return 0;
  return graphs::sum_over(space, read_reals(space, component_of(at, 0), count));
}

double bytes_of_all_vertices(const Space& space, const Graph& graph) {
  const std::int64_t count = vertices_of(graph);
  if (count == 0) return 0;
  if (!graph.options().bytes.given()) graphs::refuse_missing_bytes();
  return graphs::sum_over(space, graphs::read_bytes(space, graph.options(), count));
}

}  // namespace evenkeel
