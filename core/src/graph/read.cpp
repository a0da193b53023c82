#include "graph/read.hpp"

#include "cut/units.hpp"
#include "field/numbers.hpp"
#include "graph/contract.hpp"
#include "graph/uncuttable.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>
#include <evenkeel/backends/exec/sort.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/core/bounds.hpp>
#include <evenkeel/core/box.hpp>
#include <evenkeel/core/curve/lattice.hpp>
#include <evenkeel/core/field/raw.hpp>
#include <evenkeel/core/order.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::read";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

// --- Arrays --------------------------------------------------------------------------------------

// `has_slack`: there may be more.
void require_numbers(const NumberSource& source, const char* what, std::int64_t count,
                     const char* each, bool has_slack) {
  const FieldLayout at = source.layout();
  if (has_slack ? at.count < count : at.count != count)
    refuse("There are " + std::to_string(at.count) + ' ' + what + " in '" + source.label() +
               "' for " + std::to_string(count) + ' ' + each + '.',
           "Give one for each.");
  if (at.scalar == ScalarType::none)
    refuse(std::string("The ") + what + " in '" + source.label() + "' are not numbers.",
           "Give integers, float or double.");
}

exec::Array<std::int64_t> integers(const Space& space, const NumberSource& source, const char* what,
                                   std::int64_t count, const char* each, bool has_slack) {
  require_numbers(source, what, count, each, has_slack);
  if (source.layout().components != 1 && count > 0)
    refuse(std::string("There are several ") + what + " per object.", "Give one for each.");
  return read_integers(space, source.layout(), count);
}

// One component of all objects.
FieldLayout component(FieldLayout at, int index) {
  at.data = static_cast<char*>(at.data) + index * at.component_stride_bytes;
  at.components = 1;
  return at;
}

struct IsBad {
  const double* values;
  bool may_be_infinite;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    const bool is_infinite =
        may_be_infinite && values[i] > 0 && !exec::is_finite(values[i]) && values[i] == values[i];
    return !((exec::is_finite(values[i]) && values[i] >= 0) || is_infinite);
  }
};

exec::Array<double> reals(const Space& space, const NumberSource& source, const char* what,
                          const FieldLayout& at, std::int64_t count, bool may_be_infinite) {
  exec::Array<double> values = read_reals(space, at, count);
  const std::int64_t bad = exec::first_that(space, count, IsBad{values.data(), may_be_infinite});
  if (bad < count) {
    double value = 0;
    values.fetch(bad, {&value, 1});
    refuse(std::string("Number ") + std::to_string(bad) + " of the " + what + " in '" +
               source.label() + "' is " + text_of(value) + '.',
           may_be_infinite ? "Give numbers that are not negative."
                           : "Give numbers that are finite and not negative.");
  }
  return values;
}

// --- Rows ----------------------------------------------------------------------------------------

struct Falls {
  const std::int64_t* offsets;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return offsets[i] > offsets[i + 1]; }
};
struct IsOutside {
  const std::int64_t* columns;
  std::int64_t vertices;
  KOKKOS_FUNCTION bool operator()(std::int64_t e) const {
    return columns[e] < 0 || columns[e] >= vertices;
  }
};

// What is given, in the memory of the space.
struct Given {
  std::int64_t owned = 0;
  exec::Array<std::int64_t> offsets, columns;
  exec::Array<double> edge_weights;          // empty: all 1
  exec::Array<std::int64_t> uncuttable;      // empty: none
  std::vector<exec::Array<double>> weights;  // of each constraint; none: all 1
  exec::Array<double> bytes;                 // empty: all 1
  exec::Array<std::int64_t> fixed, from;     // empty: none
  int dimensions = 0;
};

// The offsets of so many vertices as are counted.
std::int64_t rows_of(const evenkeel::Graph& graph, const OwnedCount& count) {
  const std::int64_t vertices = count.value(), offsets = graph.offsets().layout().count;
  if (vertices >= 0 && (vertices < offsets || vertices + offsets == 0))
    return vertices == 0 ? std::min<std::int64_t>(offsets, 1) : vertices + 1;
  refuse("There are " + std::to_string(offsets) + " offsets in '" + graph.offsets().label() +
             "' for " + std::to_string(vertices) + " vertices.",
         "Give one for each vertex, and the end of the last row.");
}

Given read_given(const Space& space, const evenkeel::Graph& graph, const GraphCutOptions& options) {
  Given given;
  const GraphOptions& known = graph.options();
  if (!graph.offsets().given() || !graph.columns().given())
    refuse("A graph came without offsets or columns.",
           "Give both; an empty rank has one offset, 0.");
  const bool has_slack = known.count.given();
  const std::int64_t entries =
      has_slack ? rows_of(graph, known.count) : graph.offsets().layout().count;
  given.owned = std::max<std::int64_t>(entries - 1, 0);
  given.offsets = integers(space, graph.offsets(), "offsets", entries, "vertices", has_slack);
  std::int64_t first = 0, edges = 0;
  if (entries > 0) {
    given.offsets.fetch(0, {&first, 1});
    given.offsets.fetch(entries - 1, {&edges, 1});
  } else {
    given.offsets = exec::filled<std::int64_t>(space, label, 1, 0);
  }
  const std::int64_t falls = exec::first_that(space, given.owned, Falls{given.offsets.data()});
  if (first != 0 || falls < given.owned)
    refuse("The offsets of rows in '" + graph.offsets().label() + "' begin at " +
               std::to_string(first) +
               (falls < given.owned ? " and fall after vertex " + std::to_string(falls) : "") + '.',
           "Offsets begin at 0 and never fall.");
  given.columns = integers(space, graph.columns(), "columns", edges, "edges", has_slack);
  if (known.edge_weight.given()) {
    require_numbers(known.edge_weight, "edge weights", edges, "edges", has_slack);
    given.edge_weights = reals(space, known.edge_weight, "edge weights",
                               component(known.edge_weight.layout(), 0), edges, true);
  }
  if (known.uncuttable.given())
    given.uncuttable = integers(space, known.uncuttable, "uncuttable marks", edges, "edges", has_slack);
  if (known.weight.given()) {
    require_numbers(known.weight, "weights", given.owned, "vertices", has_slack);
    const FieldLayout at = known.weight.layout();
    for (int c = 0; c < at.components; ++c)
      given.weights.push_back(
          reals(space, known.weight, "weights", component(at, c), given.owned, false));
  }
  if (known.bytes.given()) {
    require_numbers(known.bytes, "bytes", given.owned, "vertices", has_slack);
    given.bytes =
        reals(space, known.bytes, "bytes", component(known.bytes.layout(), 0), given.owned, false);
  }
  if (known.fixed.given())
    given.fixed = integers(space, known.fixed, "fixed parts", given.owned, "vertices", has_slack);
  if (options.from.given())
    given.from = integers(space, options.from, "parts", given.owned, "vertices", has_slack);
  if (known.position.given()) {
    require_numbers(known.position, "positions", given.owned, "vertices", has_slack);
    const FieldLayout at = known.position.layout();
    if (given.owned > 0 && at.components != 2 && at.components != 3)
      refuse("Positions have " + std::to_string(at.components) + " coordinates.",
             "Give two or three.");
    given.dimensions = at.components;
  }
  return given;
}

// --- What all ranks agree on ---------------------------------------------------------------------

struct Agreed {
  std::int64_t vertices, least_parts, greatest_parts, least_constraints, greatest_constraints;
  std::int64_t has_weights, has_edge_weights, has_uncuttable, has_bytes, has_fixed, has_from,
      has_positions, ranks;
  double heaviest[most_constraints], heaviest_bytes, heaviest_edge;
  std::int64_t uneven_edges;  // that are not integers
  std::int64_t uncuttable_edges;
  std::int64_t least_dimensions, greatest_dimensions;
};

void combine(Agreed& into, const Agreed& from) noexcept {
  into.vertices += from.vertices;
  into.least_parts = std::min(into.least_parts, from.least_parts);
  into.greatest_parts = std::max(into.greatest_parts, from.greatest_parts);
  into.least_constraints = std::min(into.least_constraints, from.least_constraints);
  into.greatest_constraints = std::max(into.greatest_constraints, from.greatest_constraints);
  into.has_weights += from.has_weights;
  into.has_edge_weights += from.has_edge_weights;
  into.has_uncuttable += from.has_uncuttable;
  into.has_bytes += from.has_bytes;
  into.has_fixed += from.has_fixed;
  into.has_from += from.has_from;
  into.has_positions += from.has_positions;
  into.ranks += from.ranks;
  for (int c = 0; c < most_constraints; ++c)
    into.heaviest[c] = std::max(into.heaviest[c], from.heaviest[c]);
  into.heaviest_bytes = std::max(into.heaviest_bytes, from.heaviest_bytes);
  into.heaviest_edge = std::max(into.heaviest_edge, from.heaviest_edge);
  into.uneven_edges += from.uneven_edges;
  into.uncuttable_edges += from.uncuttable_edges;
  into.least_dimensions = std::min(into.least_dimensions, from.least_dimensions);
  into.greatest_dimensions = std::max(into.greatest_dimensions, from.greatest_dimensions);
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

struct IsInfinite {
  const double* values;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return exec::is_finite(values[i]) ? 0 : 1;
  }
};
struct IsMarked {
  const std::int64_t* marks;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return marks[i] != 0 ? 1 : 0; }
};

double greatest(const Space& space, const exec::Array<double>& values) {
  if (values.empty()) return 0;
  return std::max(
      0.0, exec::extremes<double>(space, values.size(), FiniteOrNone{values.data()}).greatest);
}

Agreed agreed_of(const Space& space, const Given& given, const GraphOptions& known,
                 const GraphCutOptions& options) {
  Agreed mine = {};
  mine.vertices = given.owned;
  mine.least_parts = mine.greatest_parts = options.parts;
  // Ranks without vertices say nothing of how many numbers there are for each.
  const bool is_empty = given.owned == 0;
  const auto constraints = given.weights.empty() ? std::int64_t{1} : std::ssize(given.weights);
  mine.least_constraints = is_empty ? std::numeric_limits<std::int64_t>::max() : constraints;
  mine.greatest_constraints = is_empty ? 1 : constraints;
  mine.least_dimensions = is_empty ? std::numeric_limits<std::int64_t>::max() : given.dimensions;
  mine.greatest_dimensions = is_empty ? 0 : given.dimensions;
  mine.ranks = is_empty ? 0 : 1;
  if (!is_empty) {
    mine.has_weights = known.weight.given() ? 1 : 0;
    mine.has_edge_weights = known.edge_weight.given() ? 1 : 0;
    mine.has_uncuttable = known.uncuttable.given() ? 1 : 0;
    mine.has_bytes = known.bytes.given() ? 1 : 0;
    mine.has_fixed = known.fixed.given() ? 1 : 0;
    mine.has_from = options.from.given() ? 1 : 0;
    mine.has_positions = given.dimensions > 0 ? 1 : 0;
  }
  for (std::size_t c = 0; c < given.weights.size() && c < most_constraints; ++c)
    mine.heaviest[c] = greatest(space, given.weights[c]);
  mine.heaviest_bytes = greatest(space, given.bytes);
  mine.heaviest_edge = greatest(space, given.edge_weights);
  if (given.edge_weights.size() > 0)
    mine.uneven_edges = exec::sum<std::int64_t>(space, given.edge_weights.size(),
                                                IsUneven{given.edge_weights.data()});
  mine.uncuttable_edges =
      exec::sum<std::int64_t>(space, given.edge_weights.size(),
                              IsInfinite{given.edge_weights.data()}) +
      exec::sum<std::int64_t>(space, given.uncuttable.size(), IsMarked{given.uncuttable.data()});
  return mine;
}

void require_agreement(const Agreed& all) {
  if (all.least_parts != all.greatest_parts)
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks ask for " + std::to_string(all.least_parts) + " to " +
                    std::to_string(all.greatest_parts) + " parts.",
                "Give the same number on all ranks.");
  if (all.greatest_constraints > most_constraints)
    refuse("Vertices have " + std::to_string(all.greatest_constraints) + " weights each.",
           "Give " + std::to_string(most_constraints) + " at most.");
  if (all.ranks > 0 && (all.least_constraints != all.greatest_constraints ||
                        all.least_dimensions != all.greatest_dimensions))
    throw Error(ErrorKind::disagreement, Where{stage_name},
                "Ranks give different numbers of weights or of coordinates per vertex.",
                "Give the same on all ranks.");
  for (const std::int64_t given : {all.has_weights, all.has_edge_weights, all.has_uncuttable,
                                   all.has_bytes, all.has_fixed, all.has_from, all.has_positions})
    if (given != 0 && given != all.ranks)
      throw Error(ErrorKind::disagreement, Where{stage_name},
                  "Only some ranks say all that is known of their vertices.",
                  "Give the same options on all ranks that have vertices.");
}

// --- The level -----------------------------------------------------------------------------------

struct WriteNames {
  std::int64_t first;
  std::uint64_t* names;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    auto bits = static_cast<std::uint64_t>(first + v) + 0x9E3779B97F4A7C15U;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    names[v] = bits ^ (bits >> 31U);
  }
};

struct WriteWeights {
  const double* weights;  // null: all the same
  Units units;
  int constraints, constraint;
  std::int64_t* out;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    out[v * constraints + constraint] = weights != nullptr ? units.of(weights[v]) : units.one();
  }
};

// Weights of edges as integers.
struct EdgeScale {
  const double* weights;      // null: all 1
  const std::int64_t* marks;  // null: none
  double factor;
  KOKKOS_FUNCTION bool is_uncuttable(std::int64_t e) const {
    return (marks != nullptr && marks[e] != 0) ||
           (weights != nullptr && !exec::is_finite(weights[e]));
  }
  // 0: the edge is none.
  KOKKOS_FUNCTION EdgeUnits of(std::int64_t e) const {
    if (weights == nullptr) return 1;
    if (!exec::is_finite(weights[e])) return heaviest_edge;
    if (weights[e] == 0) return is_uncuttable(e) ? 1 : 0;
    const double units = weights[e] * factor;
    return units < 1 ? 1 : static_cast<EdgeUnits>(units);
  }
};

struct Owners {
  const std::int64_t* firsts;  // of each rank, and the number of all
  int ranks, rank;
  KOKKOS_FUNCTION Address address(std::int64_t number) const {
    int first = 0;
    for (int rest = ranks; rest > 1;) {
      const int half = rest / 2;
      first += firsts[first + half] <= number ? half : 0;
      rest -= half;
    }
    return address_of(first, static_cast<std::int32_t>(number - firsts[first]));
  }
  KOKKOS_FUNCTION bool is_mine(std::int64_t number) const {
    return number >= firsts[rank] && number < firsts[rank + 1];
  }
};

struct CountRow {
  const std::int64_t *offsets, *columns;
  EdgeScale scale;
  std::int64_t first;
  std::int64_t* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    std::int64_t length = 0;
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e)
      if (columns[e] != first + v && scale.of(e) > 0) ++length;
    lengths[v] = length;
  }
};

struct CountLoops {
  const std::int64_t *offsets, *columns;
  std::int64_t first;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    std::int64_t loops = 0;
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e)
      loops += columns[e] == first + v ? 1 : 0;
    return loops;
  }
};

// Each edge adds a hash at its lower end and takes it away at its upper end: the sum over all ranks
// is 0 if each has its reverse of the same weight.
struct Symmetry {
  const std::int64_t *offsets, *columns;
  EdgeScale scale;
  std::int64_t first;
  KOKKOS_FUNCTION std::uint64_t operator()(std::int64_t v) const {
    std::uint64_t sum = 0;
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      const std::int64_t self = first + v, other = columns[e];
      if (self == other) continue;
      const auto low = static_cast<std::uint64_t>(self < other ? self : other);
      const auto high = static_cast<std::uint64_t>(self < other ? other : self);
      std::uint64_t weight = 1;
      if (scale.weights != nullptr) memcpy(&weight, &scale.weights[e], sizeof weight);
      if (scale.marks != nullptr && scale.marks[e] != 0) weight ^= 0x5555;
      std::uint64_t bits =
          low * 0x9E3779B97F4A7C15U ^ (high + weight * 0xD6E8FEB86659FD93U) * 0xBF58476D1CE4E5B9U;
      bits = (bits ^ (bits >> 29U)) * 0x94D049BB133111EBU;
      bits ^= bits >> 32U;
      sum += self < other ? bits : ~bits + 1;
    }
    return sum;
  }
};

struct ElsewhereEdges {
  const std::int64_t* columns;
  Owners owners;
  KOKKOS_FUNCTION bool operator()(std::int64_t e) const { return !owners.is_mine(columns[e]); }
};
struct WriteAddresses {
  const std::int64_t *columns, *edges;
  Owners owners;
  Address* addresses;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    addresses[i] = owners.address(columns[edges[i]]);
  }
};
struct StartsRun {
  const Address* sorted;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return i == 0 || sorted[i] != sorted[i - 1];
  }
};

exec::Array<Address> ghost_addresses(const Space& space, const exec::Array<std::int64_t>& columns,
                                     const Owners& owners) {
  const auto edges =
      exec::numbers_that(space, label, columns.size(), ElsewhereEdges{columns.data(), owners});
  const exec::Array<Address> addresses(space, label, edges.size());
  exec::for_each(space, label, edges.size(),
                 WriteAddresses{columns.data(), edges.data(), owners, addresses.data()});
  const auto places = exec::counted_up<std::uint64_t>(space, label, edges.size());
  exec::sort_pairs(space, addresses.data(), places.data(), addresses.size());
  return exec::chosen(
      space, label, addresses.data(),
      exec::numbers_that(space, label, addresses.size(), StartsRun{addresses.data()}));
}

struct WriteRows {
  const std::int64_t *offsets, *columns, *firsts_out;
  EdgeScale scale;
  Owners owners;
  std::int64_t first, owned;
  const Address* ghosts;
  std::int64_t ghost_count;
  Vertex* columns_out;
  EdgeUnits* weights_out;
  int* uncuttable_out;  // null: not wanted

  KOKKOS_FUNCTION Vertex column(std::int64_t number) const {
    if (owners.is_mine(number)) return static_cast<Vertex>(number - first);
    const Address address = owners.address(number);
    std::int64_t at = 0;
    for (std::int64_t rest = ghost_count; rest > 0;) {
      const std::int64_t half = rest / 2;
      const bool is_below = ghosts[at + half] < address;
      at += is_below ? half + 1 : 0;
      rest = is_below ? rest - half - 1 : half;
    }
    return static_cast<Vertex>(owned + at);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    std::int64_t at = firsts_out[v];
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      const EdgeUnits weight = scale.of(e);
      if (columns[e] == first + v || weight == 0) continue;
      columns_out[at] = column(columns[e]);
      weights_out[at] = weight;
      if (uncuttable_out != nullptr) uncuttable_out[at] = scale.is_uncuttable(e) ? 1 : 0;
      ++at;
    }
  }
};

// Rows that may have a column twice: all long ones.
struct MayRepeat {
  const std::int64_t* offsets;
  const Vertex* columns;
  KOKKOS_FUNCTION bool operator()(std::int64_t v) const {
    constexpr std::int64_t longest = 48;
    const std::int64_t begin = offsets[v], end = offsets[v + 1];
    if (end - begin > longest) return true;
    for (std::int64_t e = begin; e < end; ++e)
      for (std::int64_t f = begin; f < e; ++f)
        if (columns[e] == columns[f]) return true;
    return false;
  }
};

struct WriteParts {
  const std::int64_t* given;
  std::int64_t parts;
  int* out;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    out[v] = given[v] >= 0 && given[v] < parts ? static_cast<int>(given[v]) : nowhere;
  }
};
struct IsNoPart {
  const std::int64_t* given;
  std::int64_t parts;
  KOKKOS_FUNCTION bool operator()(std::int64_t v) const { return given[v] >= parts; }
};

struct WriteStay {
  const std::int64_t* bytes;  // null: all the same
  double each;                // finer units for a unit of bytes
  std::int64_t* stay;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    const double worth = each * (bytes != nullptr ? static_cast<double>(bytes[v]) : 1.0);
    stay[v] = worth < 1 ? 1 : static_cast<std::int64_t>(worth);
  }
};

struct SumWeights {
  const std::int64_t* weights;
  int constraints, constraint;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    return weights[v * constraints + constraint];
  }
};
struct SumOf {
  const std::int64_t* values;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return values[i]; }
};
struct SumEdges {
  const EdgeUnits* weights;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t e) const { return weights[e]; }
};
struct IsIsolated {
  const std::int64_t* offsets;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    return offsets[v] == offsets[v + 1] ? 1 : 0;
  }
};
struct WriteSelf {
  int rank;
  std::int64_t owned;
  const Address* ghosts;
  Address* leaders;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    leaders[v] = v < owned ? address_of(rank, static_cast<Vertex>(v)) : ghosts[v - owned];
  }
};

// The factor for edges: integers that are not too large are taken as they are.
double edge_factor(const Agreed& all) {
  constexpr double most = 0x1p20;
  if (all.uneven_edges == 0 && all.heaviest_edge <= most) return 1;
  if (!(all.heaviest_edge > 0)) return 1;
  return std::ldexp(1.0, 20 - std::ilogb(all.heaviest_edge));
}

Units units_for(std::int64_t vertices, double heaviest, bool given) {
  Census census;
  census.objects = std::max<std::int64_t>(vertices, 1);
  census.heaviest = given ? heaviest : 1;
  return Units(census);
}

// Throws for columns that are no vertices and fixed parts that do not exist.
void require_numbers_in_range(const Space& space, const Given& given, std::int64_t vertices,
                              std::int64_t parts, std::int64_t first) {
  const std::int64_t bad =
      exec::first_that(space, given.columns.size(), IsOutside{given.columns.data(), vertices});
  if (bad < given.columns.size()) {
    std::int64_t column = 0;
    given.columns.fetch(bad, {&column, 1});
    refuse("Column " + std::to_string(bad) + " of this rank is vertex " + std::to_string(column) +
               " of " + std::to_string(vertices) + '.',
           "Number the vertices of all ranks from 0 on, rank after rank.");
  }
  if (!given.fixed.empty()) {
    const std::int64_t at =
        exec::first_that(space, given.owned, IsNoPart{given.fixed.data(), parts});
    if (at < given.owned) {
      std::int64_t part = 0;
      given.fixed.fetch(at, {&part, 1});
      refuse("Vertex " + std::to_string(first + at) + " is fixed in part " + std::to_string(part) +
                 " of " + std::to_string(parts) + '.',
             "Parts count from 0; a negative number means any.");
    }
  }
  if (given.owned + given.columns.size() > std::int64_t{1} << 31U &&
      given.owned > (std::int64_t{1} << 31U) - 2)
    refuse("A rank has " + std::to_string(given.owned) + " vertices.", "Use more ranks.");
}

// What vertices are and weigh.
void write_vertices(const Space& space, const Given& given, const Agreed& all, std::int64_t parts,
                    std::int64_t first, GraphRead& read) {
  Level& level = read.level;
  const std::int64_t local = level.local();
  const int constraints = level.constraints;
  level.names = {space, label, local};
  exec::for_each(space, label, given.owned, WriteNames{first, level.names.data()});
  level.weights = {space, label, local * constraints};
  for (int c = 0; c < constraints; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const bool is_given = at < given.weights.size();
    const Units units = units_for(all.vertices, all.heaviest[c], all.has_weights > 0);
    exec::for_each(
        space, label, given.owned,
        WriteWeights{is_given && !units.weightless() ? given.weights[at].data() : nullptr, units,
                     constraints, c, level.weights.data()});
    read.totals[at] = exec::sum<std::int64_t>(space, given.owned,
                                              SumWeights{level.weights.data(), constraints, c});
  }
  if (all.has_fixed > 0) {
    level.fixed = {space, label, local};
    exec::for_each(space, label, given.owned,
                   WriteParts{given.fixed.data(), parts, level.fixed.data()});
  }
  if (all.has_from > 0) {
    level.homes = {space, label, local};
    exec::for_each(space, label, given.owned,
                   WriteParts{given.from.data(), parts, level.homes.data()});
  }
}

// Collective. Merges edges that are there more than once; there are `before` entries of rows.
void merge_repeated(const Communicator& communicator, GraphRead& read, std::int64_t before) {
  Level& level = read.level;
  const Space space = level.space;
  // Contracting each vertex alone merges what it has twice. Vertices and ghosts keep their order.
  exec::Array<Address> selves;
  const Status ready = attempt(stage_name, [&] {
    selves = {space, label, level.local()};
    exec::for_each(space, label, level.local(),
                   WriteSelf{communicator.rank(), level.owned, level.ghosts.addresses().data(),
                             selves.data()});
  });
  Contracted merged = contract(communicator, ready, level, selves);
  level = std::move(merged.level);
  const std::int64_t after =
      communicator.all_reduce(level.rows.columns.size() + std::int64_t{0}, Reduction::sum);
  read.duplicates = (before - after) / 2;
  read.edges = after / 2;
}

exec::Array<std::uint64_t> keys_along_curve(const Space& space, const Communicator& communicator,
                                            const NumberSource& position, const Given& given,
                                            int dimensions);

}  // namespace

GraphRead read_graph(const Space& space, const Communicator& communicator,
                     const evenkeel::Graph& graph, const GraphCutOptions& options,
                     const ByGraph& method) {
  GraphRead read;
  Level& level = read.level;
  Given given;
  Agreed mine = {};
  Status ready = attempt(stage_name, [&] {
    if (options.parts < 0)
      refuse(std::to_string(options.parts) + " parts are wanted.", "Ask for one at least.");
    if (!(method.tolerance >= 0) || !std::isfinite(method.tolerance) ||
        !(method.moving_cost >= 0) || !std::isfinite(method.moving_cost))
      refuse("The tolerance or the moving cost is negative or not finite.",
             "Give numbers from 0 on.");
    given = read_given(space, graph, options);
    mine = agreed_of(space, given, graph.options(), options);
  });
  const Agreed all = vote<&combine>(communicator, ready, mine);
  require_agreement(all);
  const std::int64_t parts = all.greatest_parts > 0 ? all.greatest_parts : communicator.size();
  const int constraints = static_cast<int>(all.greatest_constraints);
  const std::vector<std::int64_t> counts = communicator.all_gather(given.owned);
  std::vector<std::int64_t> firsts(1, 0);
  for (const std::int64_t count : counts) firsts.push_back(firsts.back() + count);
  const std::int64_t first = firsts[static_cast<std::size_t>(communicator.rank())];

  // Columns must be known to be in range before anything else.
  vote(communicator, attempt(stage_name, [&] {
         require_numbers_in_range(space, given, all.vertices, parts, first);
       }));

  const exec::Reached<std::int64_t> firsts_there(space, label, firsts);
  const Owners owners{firsts_there.data(), communicator.size(), communicator.rank()};
  const double factor = edge_factor(all);
  const EdgeScale scale{given.edge_weights.empty() ? nullptr : given.edge_weights.data(),
                        given.uncuttable.empty() ? nullptr : given.uncuttable.data(), factor};
  read.edge_unit = 1 / factor;
  read.vertices = all.vertices;
  struct Counts {
    std::int64_t loops;
    std::uint64_t symmetry;
  } counts_of = {0, 0};
  exec::Array<Address> elsewhere;
  ready = attempt(stage_name, [&] {
    counts_of.loops = exec::sum<std::int64_t>(
        space, given.owned, CountLoops{given.offsets.data(), given.columns.data(), first});
    counts_of.symmetry = exec::sum<std::uint64_t>(
        space, given.owned, Symmetry{given.offsets.data(), given.columns.data(), scale, first});
    if (communicator.size() > 1) elsewhere = ghost_addresses(space, given.columns, owners);
  });
  vote(communicator, ready);
  read.loops = communicator.all_reduce(counts_of.loops, Reduction::sum);
  if (communicator.all_reduce(counts_of.symmetry, Reduction::sum) != 0)
    refuse("Some edge has no reverse, or another weight or mark there.",
           "Give each edge in the rows of both its vertices, with the same weight and mark.");

  level.space = space;
  level.constraints = constraints;
  level.owned = given.owned;
  level.all_vertices = all.vertices;
  level.has_homes = level.has_stay = read.has_homes = all.has_from > 0;
  level.has_fixed = all.has_fixed > 0;
  read.dimensions = static_cast<int>(all.greatest_dimensions);
  level.has_keys = read.has_keys = all.has_positions > 0;
  level.ghosts = Ghosts(communicator, {}, space, elsewhere, {});
  const bool has_uncuttable = all.uncuttable_edges > 0;
  exec::Array<int> uncuttable_edges;  // of each entry that stays in the level
  std::int64_t may_repeat = 0;
  ready = attempt(stage_name, [&] {
    exec::Array<std::int64_t> offsets(space, label, given.owned + 1);
    exec::for_each(space, label, 1,
                   exec::detail::Fill<std::int64_t>{offsets.data() + given.owned, 0});
    exec::for_each(
        space, label, given.owned,
        CountRow{given.offsets.data(), given.columns.data(), scale, first, offsets.data()});
    const std::int64_t edges = exec::sum_up(offsets);
    level.rows = {std::move(offsets), {space, label, edges}, {space, label, edges}};
    if (has_uncuttable) uncuttable_edges = {space, label, edges};
    exec::for_each(space, label, given.owned,
                   WriteRows{given.offsets.data(), given.columns.data(), level.rows.offsets.data(),
                             scale, owners, first, given.owned, elsewhere.data(), elsewhere.size(),
                             level.rows.columns.data(), level.rows.weights.data(),
                             has_uncuttable ? uncuttable_edges.data() : nullptr});
    may_repeat = exec::first_that(space, given.owned,
                                  MayRepeat{level.rows.offsets.data(), level.rows.columns.data()}) <
                         given.owned
                     ? 1
                     : 0;
    write_vertices(space, given, all, parts, first, read);
    space.fence(label);
  });
  vote(communicator, ready);
  communicator.all_reduce(std::span<std::int64_t>(read.totals), Reduction::sum);

  // What it is worth to stay: a tie-break and what the user says.
  std::array<std::int64_t, 3> sums = {0, level.rows.columns.size(), 0};
  exec::Array<std::int64_t> bytes;
  ready = attempt(stage_name, [&] {
    sums[0] = exec::sum<std::int64_t>(space, sums[1], SumEdges{level.rows.weights.data()});
    if (all.has_bytes > 0 && all.heaviest_bytes > 0) {
      const Units units = units_for(all.vertices, all.heaviest_bytes, true);
      bytes = {space, label, given.owned};
      exec::for_each(space, label, given.owned,
                     WriteWeights{given.bytes.data(), units, 1, 0, bytes.data()});
      sums[2] = exec::sum<std::int64_t>(space, given.owned, SumOf{bytes.data()});
    }
  });
  vote(communicator, ready);
  communicator.all_reduce(std::span<std::int64_t>(sums), Reduction::sum);
  read.edges = sums[1] / 2;
  ready = attempt(stage_name, [&] {
    if (all.has_from == 0) return;
    const double mean_edge =
        sums[1] > 0 ? static_cast<double>(sums[0]) / static_cast<double>(sums[1]) : 1;
    const double mean_bytes =
        sums[2] > 0 ? static_cast<double>(sums[2]) / static_cast<double>(all.vertices) : 1;
    constexpr double tie_break = 1.0 / 1024;
    level.stay = {space, label, given.owned};
    exec::for_each(
        space, label, given.owned,
        WriteStay{bytes.empty() ? nullptr : bytes.data(),
                  (tie_break + method.moving_cost) * mean_edge * (1 << finer_bits) / mean_bytes,
                  level.stay.data()});
    space.fence(label);
  });
  vote(communicator, ready);
  read.has_uncuttable = has_uncuttable;
  if (read.has_keys)
    level.keys =
        keys_along_curve(space, communicator, graph.options().position, given, read.dimensions);
  complete_ghosts(communicator, level);
  if (has_uncuttable) read.uncuttable = uncuttable_leaders(communicator, level, uncuttable_edges);
  if (communicator.all_reduce(may_repeat, Reduction::greatest) > 0)
    merge_repeated(communicator, read, sums[1]);
  read.isolated = communicator.all_reduce(
      exec::sum<std::int64_t>(space, level.owned, IsIsolated{level.rows.offsets.data()}),
      Reduction::sum);
  return read;
}

namespace {

// Collective. Positions are a set's, as for all other methods.
exec::Array<std::uint64_t> keys_along_curve(const Space& space, const Communicator& communicator,
                                            const NumberSource& position, const Given& given,
                                            int dimensions) {
  exec::Array<double> places;
  RawField<double> field;
  const Status ready = attempt(stage_name, [&] {
    places = {space, label, given.owned * dimensions};
    for (int d = 0; d < dimensions && given.owned > 0; ++d) {
      const exec::Array<double> along =
          read_reals(space, component(position.layout(), d), given.owned);
      copy_bytes(space, places.data() + d * given.owned, places.memory(), along.data(),
                 along.memory(), along.bytes());
      space.fence(label);
    }
    field = raw_field(places.data(), {.count = given.owned,
                                      .components = dimensions,
                                      .memory = places.memory(),
                                      .object_stride = 1,
                                      .component_stride = std::max<std::int64_t>(given.owned, 1),
                                      .label = "positions"});
  });
  vote(communicator, ready);
  const Set objects = set(field);
  // Without a margin: a curve through a square then cuts it into squares.
  const Bounds found = bounds(space, communicator, objects);
  const Box box = found.empty() ? Box() : Box{found.lower, found.upper};
  exec::Array<std::uint64_t> keys;
  vote(communicator, attempt(stage_name, [&] {
         keys = {space, label, given.owned};
         const Lattice lattice(dimensions, box, {});
         static_assert(sizeof(CurveKey) == sizeof(std::uint64_t));
         write_keys(space, lattice, objects, reinterpret_cast<CurveKey*>(keys.data()));
         space.fence(label);
       }));
  return keys;
}

}  // namespace

}  // namespace evenkeel::graphs
