#include "graph/read.hpp"

#include "cut/units.hpp"
#include "graph/complete_ghosts.hpp"
#include "graph/contract.hpp"
#include "graph/curve_keys.hpp"
#include "graph/distinct.hpp"
#include "graph/given.hpp"
#include "graph/symmetry.hpp"
#include "graph/uncuttable.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace evenkeel::graphs {

namespace {

constexpr const char* stage_name = "core/graph";
constexpr const char* label = "evenkeel::graph::read";

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

struct CopyOffset {
  const std::int64_t* from;
  std::int64_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i]; }
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
exec::Array<Address> ghost_addresses(const Space& space, const Integers& columns,
                                     const Owners& owners) {
  const auto edges =
      exec::numbers_that(space, label, columns.size(), ElsewhereEdges{columns.data(), owners});
  const exec::Array<Address> addresses(space, label, edges.size());
  exec::for_each(space, label, edges.size(),
                 WriteAddresses{columns.data(), edges.data(), owners, addresses.data()});
  return distinct(space, addresses);
}

// Whether a row may have a column twice: a long one may.
KOKKOS_INLINE_FUNCTION bool may_repeat(const Vertex* columns, std::int64_t begin,
                                       std::int64_t end) {
  constexpr std::int64_t longest = 48;
  if (end - begin > longest) return true;
  for (std::int64_t e = begin; e < end; ++e)
    for (std::int64_t f = begin; f < e; ++f)
      if (columns[e] == columns[f]) return true;
  return false;
}

// Writes a row, and returns its length.
struct WriteRow {
  const std::int64_t *offsets, *columns, *firsts_out;
  EdgeScale scale;
  Owners owners;
  std::int64_t first, owned;
  const Address* ghosts;
  std::int64_t ghost_count;
  Vertex* columns_out;
  EdgeUnits* weights_out;
  int* uncuttable_out;  // null: not wanted
  int* repeats;         // becomes 1 where a row may have a column twice

  KOKKOS_FUNCTION Vertex column(std::int64_t number) const {
    if (owners.is_mine(number)) return static_cast<Vertex>(number - first);
    return static_cast<Vertex>(owned + place_in(ghosts, ghost_count, owners.address(number)));
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    std::int64_t at = firsts_out[v];
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      const EdgeUnits weight = scale.of(e);
      if (columns[e] == first + v || weight == 0) continue;
      columns_out[at] = column(columns[e]);
      weights_out[at] = weight;
      if (uncuttable_out != nullptr) uncuttable_out[at] = scale.is_uncuttable(e) ? 1 : 0;
      ++at;
    }
    if (may_repeat(columns_out, firsts_out[v], at)) Kokkos::atomic_fetch_or(repeats, 1);
    return at - firsts_out[v];
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

// Integers that are not too large are taken as they are.
double edge_factor(const Agreed& all) {
  constexpr double most = 0x1p20;
  if (all.uneven_edges == 0 && all.heaviest_edge <= most) return 1;
  if (!(all.heaviest_edge > 0)) return 1;
  return std::ldexp(1.0, 20 - std::ilogb(all.heaviest_edge));
}

EdgeScale edge_scale(const Given& given) {
  return {given.edge_weights.empty() ? nullptr : given.edge_weights.data(),
          given.uncuttable.empty() ? nullptr : given.uncuttable.data(), edge_factor(given.all)};
}

Units units_for(std::int64_t vertices, double heaviest, bool given) {
  Census census;
  census.objects = std::max<std::int64_t>(vertices, 1);
  census.heaviest = given ? heaviest : 1;
  return Units(census);
}

void add_up(std::uint64_t& into, const std::uint64_t& from) noexcept { into += from; }

// Collective. Checks that each edge has its reverse, and makes the ghosts.
void read_edges(const Space& space, const Communicator& communicator, const Given& given,
                const Owners& owners, GraphRead& read) {
  exec::Array<Address> elsewhere;
  std::uint64_t excess = 0;
  const Status ready = attempt(stage_name, [&] {
    excess = asymmetry(space, given);
    if (communicator.size() > 1) elsewhere = ghost_addresses(space, given.columns, owners);
  });
  if (vote<&add_up>(communicator, ready, excess) != 0) refuse_asymmetry(space, communicator, given);
  read.level.ghosts = Ghosts(communicator, {}, space, elsewhere, {});
}

// The level's rows as they are made.
struct RowsWritten {
  exec::Array<int> uncuttable;  // whether each entry is; empty: none is, on any rank
  std::int64_t loops = 0;
  int may_repeat = 0;  // 1: some row may have a column twice
};

// Writes the rows that have these offsets, and returns how many entries they have.
std::int64_t write_entries(const Given& given, const EdgeScale& scale, const Owners& owners,
                           exec::Array<std::int64_t> offsets, std::int64_t room, Level& level,
                           RowsWritten& written) {
  const Space space = level.space;
  level.rows = {std::move(offsets), {space, label, room}, {space, label, room}};
  if (given.all.uncuttable_edges > 0) written.uncuttable = {space, label, room};
  const exec::Array<Address>& ghosts = level.ghosts.addresses();
  const auto repeats = exec::filled<int>(space, label, 1, 0);
  const auto count = exec::sum<std::int64_t>(
      space, given.owned,
      WriteRow{given.offsets.data(), given.columns.data(), level.rows.offsets.data(), scale, owners,
               given.first, given.owned, ghosts.data(), ghosts.size(), level.rows.columns.data(),
               level.rows.weights.data(),
               given.all.uncuttable_edges > 0 ? written.uncuttable.data() : nullptr,
               repeats.data()});
  repeats.fetch(0, {&written.may_repeat, 1});
  return count;
}

// The columns and weights of the level's rows, without loops and edges of no weight.
RowsWritten write_rows(const Given& given, const EdgeScale& scale, const Owners& owners,
                       Level& level) {
  const Space space = level.space;
  RowsWritten written;
  exec::Array<std::int64_t> offsets(space, label, given.owned + 1);
  exec::for_each(space, label, offsets.size(), CopyOffset{given.offsets.data(), offsets.data()});
  // Most graphs have nothing to leave out, and need no count of what is left.
  const std::int64_t entries = given.columns.size();
  if (write_entries(given, scale, owners, std::move(offsets), entries, level, written) == entries)
    return written;
  offsets = std::move(level.rows.offsets);
  exec::for_each(space, label, 1,
                 exec::detail::Fill<std::int64_t>{offsets.data() + given.owned, 0});
  exec::for_each(
      space, label, given.owned,
      CountRow{given.offsets.data(), given.columns.data(), scale, given.first, offsets.data()});
  const std::int64_t edges = exec::sum_up(offsets);
  write_entries(given, scale, owners, std::move(offsets), edges, level, written);
  written.loops = exec::sum<std::int64_t>(
      space, given.owned, CountLoops{given.offsets.data(), given.columns.data(), given.first});
  return written;
}

// --- Vertices ------------------------------------------------------------------------------------

// The names of vertices and where they are and must be.
void write_names(const Given& given, Level& level) {
  const Space space = level.space;
  const std::int64_t local = level.local();
  level.names = {space, label, local};
  exec::for_each(space, label, given.owned, WriteNames{given.first, level.names.data()});
  if (level.has_fixed) {
    level.fixed = {space, label, local};
    exec::for_each(space, label, given.owned,
                   WriteParts{given.fixed.data(), given.parts, level.fixed.data()});
  }
  if (level.has_homes) {
    level.homes = {space, label, local};
    exec::for_each(space, label, given.owned,
                   WriteParts{given.from.data(), given.parts, level.homes.data()});
  }
}

// Returns what the vertices of this rank weigh.
PerConstraint write_weights(const Given& given, Level& level) {
  const Space space = level.space;
  const int constraints = level.constraints;
  PerConstraint totals = {};
  level.weights = {space, label, level.local() * constraints};
  for (int c = 0; c < constraints; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const bool is_given = at < given.weights.size();
    const Units units =
        units_for(given.all.vertices, given.all.heaviest[c], given.all.has_weights > 0);
    exec::for_each(
        space, label, given.owned,
        WriteWeights{is_given && !units.weightless() ? given.weights[at].data() : nullptr, units,
                     constraints, c, level.weights.data()});
    totals[at] = exec::sum<std::int64_t>(space, given.owned,
                                         SumWeights{level.weights.data(), constraints, c});
  }
  return totals;
}

// What it costs to move each vertex, in units; empty: all the same.
exec::Array<std::int64_t> bytes_in_units(const Space& space, const Given& given) {
  exec::Array<std::int64_t> bytes;
  if (given.all.has_bytes == 0 || !(given.all.heaviest_bytes > 0)) return bytes;
  const Units units = units_for(given.all.vertices, given.all.heaviest_bytes, true);
  bytes = {space, label, given.owned};
  exec::for_each(space, label, given.owned,
                 WriteWeights{given.bytes.data(), units, 1, 0, bytes.data()});
  return bytes;
}

struct Sums {
  PerConstraint totals;
  std::int64_t edges, edge_weights;  // entries of rows, and their weights
  std::int64_t bytes;
  std::int64_t may_repeat;  // ranks whose rows may have a column twice
  std::int64_t loops;
};
void add_sums(Sums& into, const Sums& from) noexcept {
  for (std::size_t c = 0; c < into.totals.size(); ++c) into.totals[c] += from.totals[c];
  into.edges += from.edges;
  into.edge_weights += from.edge_weights;
  into.bytes += from.bytes;
  into.may_repeat += from.may_repeat;
  into.loops += from.loops;
}

// What it is worth to stay: a tie-break and what the user says.
void write_stay(const Given& given, const Sums& all, double moving_cost,
                const exec::Array<std::int64_t>& bytes, Level& level) {
  const double mean_edge =
      all.edges > 0 ? static_cast<double>(all.edge_weights) / static_cast<double>(all.edges) : 1;
  const double mean_bytes =
      all.bytes > 0 ? static_cast<double>(all.bytes) / static_cast<double>(given.all.vertices) : 1;
  constexpr double tie_break = 1.0 / 1024;
  level.stay = {level.space, label, given.owned};
  exec::for_each(level.space, label, given.owned,
                 WriteStay{bytes.empty() ? nullptr : bytes.data(),
                           (tie_break + moving_cost) * mean_edge * (1 << finer_bits) / mean_bytes,
                           level.stay.data()});
  level.space.fence(label);
}

// --- What all vertices have ----------------------------------------------------------------------

// What is the same on all ranks.
void describe(const Space& space, const Given& given, GraphRead& read) {
  Level& level = read.level;
  level.space = space;
  level.constraints = static_cast<int>(given.all.greatest_constraints);
  level.owned = given.owned;
  level.all_vertices = read.vertices = given.all.vertices;
  level.has_homes = level.has_stay = read.has_homes = given.all.has_from > 0;
  level.has_fixed = given.all.has_fixed > 0;
  level.has_keys = read.has_keys = given.all.has_positions > 0;
  read.has_uncuttable = given.all.uncuttable_edges > 0;
  read.has_weights = given.all.has_weights > 0;
  read.dimensions = static_cast<int>(given.all.greatest_dimensions);
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

}  // namespace

GraphRead read_graph(const Space& space, const Communicator& communicator,
                     const evenkeel::Graph& graph, const GraphCutOptions& options,
                     const ByGraph& method) {
  return read_given(space, communicator, given_graph(space, communicator, graph, options, method),
                    method.moving_cost);
}

GraphRead read_given(const Space& space, const Communicator& communicator, const Given& given,
                     double moving_cost) {
  const exec::Reached<std::int64_t> firsts(space, label, given.firsts);
  const Owners owners{firsts.data(), communicator.size(), communicator.rank()};
  const EdgeScale scale = edge_scale(given);
  GraphRead read;
  Level& level = read.level;
  describe(space, given, read);
  read.edge_unit = 1 / scale.factor;
  read_edges(space, communicator, given, owners, read);

  RowsWritten rows;
  exec::Array<std::int64_t> bytes;
  Sums mine = {};
  Status ready = attempt(stage_name, [&] {
    rows = write_rows(given, scale, owners, level);
    mine.loops = rows.loops;
    write_names(given, level);
    mine.totals = write_weights(given, level);
    bytes = bytes_in_units(space, given);
    mine.edges = level.rows.columns.size();
    mine.edge_weights =
        scale.weights == nullptr
            ? mine.edges
            : exec::sum<std::int64_t>(space, mine.edges, SumEdges{level.rows.weights.data()});
    mine.bytes = exec::sum<std::int64_t>(space, bytes.size(), SumOf{bytes.data()});
    mine.may_repeat = rows.may_repeat;
    space.fence(label);
  });
  const Sums all = vote<&add_sums>(communicator, ready, mine);
  read.totals = all.totals;
  read.edges = all.edges / 2;
  read.loops = all.loops;
  ready = attempt(stage_name, [&] {
    if (read.has_homes) write_stay(given, all, moving_cost, bytes, level);
  });
  vote(communicator, ready);

  if (read.has_keys) level.keys = keys_along_curve(space, communicator, given);
  complete_ghosts(communicator, level);
  if (read.has_uncuttable)
    read.uncuttable = uncuttable_leaders(communicator, level, rows.uncuttable);
  if (all.may_repeat > 0) merge_repeated(communicator, read, all.edges);
  read.isolated = communicator.all_reduce(
      exec::sum<std::int64_t>(space, level.owned, IsIsolated{level.rows.offsets.data()}),
      Reduction::sum);
  return read;
}

}  // namespace evenkeel::graphs
