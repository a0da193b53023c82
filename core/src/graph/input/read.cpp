#include "graph/input/read.hpp"
#include "graph/stage.hpp"

#include "cut/units.hpp"
#include "graph/input/steps.hpp"
#include "graph/levels/contract.hpp"
#include "order/bisect.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/bodies.hpp>
#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace evenkeel::graphs {

namespace {

constexpr const char* read_label = "evenkeel::graph::read";

struct WriteNames {
  std::int64_t first;
  std::uint64_t* names;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    names[v] = exec::mixed(static_cast<std::uint64_t>(first + v) + 0x9E3779B97F4A7C15U);
  }
};

struct WriteWeights {
  const double* weights;  // null if all weights are the same
  Units units;
  int constraints, constraint;
  std::int64_t* out;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    out[v * constraints + constraint] = weights != nullptr ? units.of(weights[v]) : units.one();
  }
};

// Converts weights of edges to integer units, at least 1.
struct EdgeScale {
  IsUncuttable is_uncuttable;
  double factor;
  EdgeUnits most;  // a heavier edge of finite weight gets this many units
  KOKKOS_FUNCTION EdgeUnits of(std::int64_t e) const {
    const double* const weights = is_uncuttable.weights;
    if (weights == nullptr) return 1;
    if (!exec::is_finite(weights[e])) return heaviest_edge;
    const double units = weights[e] * factor;
    if (units < 1) return 1;
    return units < most ? static_cast<EdgeUnits>(units) : most;
  }
};

struct Owners {
  // the first number of each rank's vertices, then the number of all vertices
  const std::int64_t* firsts;
  int ranks, rank;
  KOKKOS_FUNCTION Address address(std::int64_t number) const {
    const auto owner = static_cast<int>(part_at(firsts, ranks, number));
    return address_of(owner, static_cast<std::int32_t>(number - firsts[owner]));
  }
  KOKKOS_FUNCTION bool is_mine(std::int64_t number) const {
    return number >= firsts[rank] && number < firsts[rank + 1];
  }
};

// Counts the entries of a row without loops.
struct CountRow {
  const std::int64_t *offsets, *columns;
  std::int64_t first;
  std::int64_t* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    std::int64_t length = 0;
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e)
      if (columns[e] != first + v) ++length;
    lengths[v] = length;
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
      exec::numbers_that(space, read_label, columns.size(), ElsewhereEdges{columns.data(), owners});
  const exec::Array<Address> addresses(space, read_label, edges.size());
  exec::for_each(space, read_label, edges.size(),
                 WriteAddresses{columns.data(), edges.data(), owners, addresses.data()});
  return exec::distinct(space, read_label, addresses);
}

// Returns true if a row may have a column twice. A long row is not searched; the result is then
// true.
KOKKOS_INLINE_FUNCTION bool may_repeat(const Vertex* columns, std::int64_t begin,
                                       std::int64_t end) {
  constexpr std::int64_t longest = 48;
  if (end - begin > longest) return true;
  for (std::int64_t e = begin; e < end; ++e)
    for (std::int64_t f = begin; f < e; ++f)
      if (columns[e] == columns[f]) return true;
  return false;
}

struct RowsOut {
  const std::int64_t* firsts;
  Vertex* columns;
  EdgeUnits* weights;
  int* uncuttable;  // null if the marks are not wanted
};

// Finds the index of a vertex or ghost by its number.
struct VertexOf {
  Owners owners;
  std::int64_t first, owned;
  const Address* ghosts;
  std::int64_t ghost_count;
  KOKKOS_FUNCTION Vertex operator()(std::int64_t number) const {
    if (owners.is_mine(number)) return static_cast<Vertex>(number - first);
    return static_cast<Vertex>(owned + place_in(ghosts, ghost_count, owners.address(number)));
  }
};

// Writes a row, and returns its length.
struct WriteRow {
  const std::int64_t *offsets, *columns;
  EdgeScale scale;
  VertexOf vertex_of;
  RowsOut out;
  int* repeats;  // becomes 1 if a row may have a column twice

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    std::int64_t at = out.firsts[v];
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      if (columns[e] == vertex_of.first + v) continue;
      out.columns[at] = vertex_of(columns[e]);
      out.weights[at] = scale.of(e);
      if (out.uncuttable != nullptr) out.uncuttable[at] = scale.is_uncuttable(e) ? 1 : 0;
      ++at;
    }
    if (may_repeat(out.columns, out.firsts[v], at)) Kokkos::atomic_fetch_or(repeats, 1);
    return at - out.firsts[v];
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
  const std::int64_t* bytes;  // null if all vertices have the same bytes
  const int* homes;
  double each;  // the worth of staying, in finer units, per unit of bytes
  std::int64_t* stay;
  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    if (homes[v] < 0) {
      stay[v] = 0;
      return;
    }
    const double worth = each * (bytes != nullptr ? static_cast<double>(bytes[v]) : 1.0);
    stay[v] = worth < 1 ? 1 : static_cast<std::int64_t>(worth);
  }
};

struct IsIsolated {
  const std::int64_t* offsets;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    return offsets[v] == offsets[v + 1] ? 1 : 0;
  }
};

// The greatest units of an edge. The sum of all edges of finite weight, in finer units, is below
// 2^63.
EdgeUnits most_units(const Agreed& all) {
  constexpr std::int64_t most_together = std::int64_t{1} << 52;
  const std::int64_t most = most_together / std::max<std::int64_t>(all.edges, 1);
  return static_cast<EdgeUnits>(std::clamp<std::int64_t>(most, 1, heaviest_edge));
}

// Edges that have positive integers as weights are not scaled, unless a weight is very large.
bool are_scaled(const Agreed& all) {
  const double most = std::min(0x1p20, static_cast<double>(most_units(all)));
  return all.edges > 0 && (all.uneven_edges > 0 || all.free_edges > 0 || all.heaviest_edge > most);
}
// The heaviest edge gets 2^20 units, or more if a typical edge would then get less than 2^10.
// "Typical" is the geometric mean, which a few heavy edges hardly change.
double edge_factor(const Agreed& all) {
  if (!are_scaled(all) || all.costly_edges == 0) return 1;
  const auto typical = static_cast<int>(all.edge_exponents / all.costly_edges);
  const int exponent = std::max(20 - std::ilogb(all.heaviest_edge), 10 - typical);
  return std::ldexp(1.0, std::clamp(exponent, -1000, 1000));
}

EdgeScale edge_scale(const Given& given) {
  return {IsUncuttable(given.rows), edge_factor(given.all), most_units(given.all)};
}

struct IsLighter {
  const EdgeUnits* weights;
  EdgeUnits most;
  KOKKOS_FUNCTION bool operator()(std::int64_t e) const { return weights[e] < most; }
};
struct WeightIfLighter {
  IsLighter is_lighter;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t e) const {
    return is_lighter(e) ? is_lighter.weights[e] : 0;
  }
};

Units units_for(std::int64_t vertices, double heaviest, bool given) {
  Census census;
  census.objects = std::max<std::int64_t>(vertices, 1);
  census.heaviest = given ? heaviest : 1;
  return Units(census);
}

void add_up(std::uint64_t& into, const std::uint64_t& from) noexcept { into += from; }

// Collective. Checks that each edge has its reverse, and makes the ghosts of the level.
void read_edges(const Space& space, const Communicator& communicator, const Given& given,
                const Owners& owners, GraphRead& read) {
  exec::Array<Address> elsewhere;
  std::uint64_t excess = 0;
  const Status ready = attempt(stage_name, [&] {
    excess = asymmetry(space, given);
    if (communicator.size() > 1) elsewhere = ghost_addresses(space, given.rows.columns, owners);
  });
  if (vote<&add_up>(communicator, ready, excess) != 0) refuse_asymmetry(space, communicator, given);
  read.level.ghosts = Ghosts(communicator, {}, space, std::move(elsewhere), {});
}

// Results of writing the level's rows.
struct RowsWritten {
  exec::Array<int> uncuttable;  // by entry, 1 if uncuttable; empty if no rank has such an entry
  std::int64_t loops = 0;
  int may_repeat = 0;  // 1 if some row may have a column twice
};

// Writes the rows at these offsets, and returns the number of entries that they have.
std::int64_t write_entries(const Given& given, const EdgeScale& scale, const Owners& owners,
                           exec::Array<std::int64_t> offsets, std::int64_t room, Level& level,
                           RowsWritten& written) {
  const Space space = level.space;
  level.rows = {std::move(offsets), {space, read_label, room}, {space, read_label, room}};
  if (given.all.uncuttable_edges > 0) written.uncuttable = {space, read_label, room};
  const exec::Array<Address>& ghosts = level.ghosts.addresses();
  const auto repeats = exec::filled<int>(space, read_label, 1, 0);
  const RowsOut out{level.rows.offsets.data(), level.rows.columns.data(), level.rows.weights.data(),
                    given.all.uncuttable_edges > 0 ? written.uncuttable.data() : nullptr};
  const auto count = exec::sum<std::int64_t>(
      space, given.owned,
      WriteRow{given.rows.offsets.data(), given.rows.columns.data(), scale,
               VertexOf{owners, given.first, given.owned, ghosts.data(), ghosts.size()}, out,
               repeats.data()});
  repeats.fetch(0, {&written.may_repeat, 1});
  return count;
}

// Writes the columns and weights of the level's rows, without loops.
RowsWritten write_rows(const Given& given, const EdgeScale& scale, const Owners& owners,
                       Level& level) {
  const Space space = level.space;
  RowsWritten written;
  exec::Array<std::int64_t> offsets(space, read_label, given.owned + 1);
  exec::for_each(space, read_label, offsets.size(),
                 exec::Copy{given.rows.offsets.data(), offsets.data()});
  // Most graphs have no loops. Then the given offsets are right, and nothing needs counting.
  const std::int64_t entries = given.rows.columns.size();
  if (write_entries(given, scale, owners, std::move(offsets), entries, level, written) == entries)
    return written;
  offsets = std::move(level.rows.offsets);
  exec::for_each(
      space, read_label, given.owned,
      CountRow{given.rows.offsets.data(), given.rows.columns.data(), given.first, offsets.data()});
  const std::int64_t edges = exec::to_offsets(offsets);
  write_entries(given, scale, owners, std::move(offsets), edges, level, written);
  written.loops = entries - edges;
  return written;
}

// --- The weight of a cut -------------------------------------------------------------------------

// The entries of given rows that lead to other parts.
struct CutEntries {
  const std::int64_t *offsets, *columns;
  const double* weights;
  VertexOf vertex_of;
  const int* parts;  // by vertex and ghost
  Units units;

  template <class Visit>
  KOKKOS_FUNCTION void visit(std::int64_t v, const Visit& visit_weight) const {
    for (std::int64_t e = offsets[v]; e < offsets[v + 1]; ++e)
      if (parts[vertex_of(columns[e])] != parts[v]) visit_weight(weights[e]);
  }
};
struct CountCut {
  CutEntries cut;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    std::int64_t count = 0;
    cut.visit(v, [&](double) { ++count; });
    return count;
  }
};
struct HeaviestCut {
  CutEntries cut;
  KOKKOS_FUNCTION double operator()(std::int64_t v) const {
    double heaviest = 0;
    cut.visit(v, [&](double weight) { heaviest = weight > heaviest ? weight : heaviest; });
    return heaviest;
  }
};
struct SumCut {
  CutEntries cut;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const {
    std::int64_t sum = 0;
    cut.visit(v, [&](double weight) { sum += cut.units.of(weight); });
    return sum;
  }
};

// --- Vertices ------------------------------------------------------------------------------------

// Writes the names of vertices, the parts that they are in, and the parts where they are fixed.
void write_names(const Given& given, Level& level) {
  const Space space = level.space;
  const std::int64_t local = level.local();
  level.names = {space, read_label, local};
  exec::for_each(space, read_label, given.owned, WriteNames{given.first, level.names.data()});
  if (level.wishes.has_fixed) {
    level.wishes.fixed = {space, read_label, local};
    exec::for_each(space, read_label, given.owned,
                   WriteParts{given.fixed.data(), given.parts, level.wishes.fixed.data()});
  }
  if (level.wishes.has_homes) {
    level.wishes.homes = {space, read_label, local};
    exec::for_each(space, read_label, given.owned,
                   WriteParts{given.from.data(), given.parts, level.wishes.homes.data()});
  }
}

// Writes the weights of this rank's vertices, and returns their sums.
PerConstraint write_weights(const Given& given, Level& level) {
  const Space space = level.space;
  const int constraints = level.constraints;
  PerConstraint totals = {};
  level.weights = {space, read_label, level.local() * constraints};
  for (int c = 0; c < constraints; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const bool is_given = at < given.weights.size();
    const Units units =
        units_for(given.all.vertices, given.all.heaviest[c], given.all.has(Says::weights));
    exec::for_each(
        space, read_label, given.owned,
        WriteWeights{is_given && !units.weightless() ? given.weights[at].data() : nullptr, units,
                     constraints, c, level.weights.data()});
    totals[at] = exec::sum<std::int64_t>(space, given.owned,
                                         exec::OneOfSeveral{level.weights.data() + c, constraints});
  }
  return totals;
}

// The cost of moving each vertex, in units; empty if all costs are the same.
exec::Array<std::int64_t> bytes_in_units(const Space& space, const Given& given) {
  exec::Array<std::int64_t> bytes;
  if (!given.all.has(Says::bytes) || !(given.all.heaviest_bytes > 0)) return bytes;
  const Units units = units_for(given.all.vertices, given.all.heaviest_bytes, true);
  bytes = {space, read_label, given.owned};
  exec::for_each(space, read_label, given.owned,
                 WriteWeights{given.bytes.data(), units, 1, 0, bytes.data()});
  return bytes;
}

struct GraphSums {
  PerConstraint totals;
  std::int64_t edges;  // number of entries of rows
  // the number of entries that are below the greatest weight, and the sum of their weights
  std::int64_t lighter_edges, edge_weights;
  std::int64_t bytes;
  std::int64_t may_repeat;  // the number of ranks whose rows may have a column twice
  std::int64_t loops;
};
void add_sums(GraphSums& into, const GraphSums& from) noexcept {
  for (std::size_t c = 0; c < into.totals.size(); ++c) into.totals[c] += from.totals[c];
  into.edges += from.edges;
  into.lighter_edges += from.lighter_edges;
  into.edge_weights += from.edge_weights;
  into.bytes += from.bytes;
  into.may_repeat += from.may_repeat;
  into.loops += from.loops;
}

// Writes the worth of staying at home: a small worth that settles ties, plus the moving cost that
// the user gives.
void write_stay(const Given& given, const GraphSums& all, double moving_cost,
                const exec::Array<std::int64_t>& bytes, Level& level) {
  const double mean_edge = all.lighter_edges > 0 ? static_cast<double>(all.edge_weights) /
                                                       static_cast<double>(all.lighter_edges)
                                                 : 1;
  const double mean_bytes =
      all.bytes > 0 ? static_cast<double>(all.bytes) / static_cast<double>(given.all.vertices) : 1;
  constexpr double tie_break = 1.0 / 1024;
  level.wishes.stay = {level.space, read_label, given.owned};
  exec::for_each(level.space, read_label, given.owned,
                 WriteStay{bytes.empty() ? nullptr : bytes.data(), level.wishes.homes.data(),
                           (tie_break + moving_cost) * mean_edge * (1 << finer_bits) / mean_bytes,
                           level.wishes.stay.data()});
  level.space.fence(read_label);
}

// --- All vertices together -----------------------------------------------------------------------

// Sets the members of `read` that are the same on all ranks.
void describe(const Space& space, const Given& given, GraphRead& read) {
  Level& level = read.level;
  level.space = space;
  level.constraints = static_cast<int>(given.all.constraints.greatest);
  level.owned = given.owned;
  level.all_vertices = read.counts.vertices = given.all.vertices;
  level.wishes.has_homes = level.wishes.has_stay = read.has_homes = given.all.has(Says::from);
  level.wishes.has_fixed = given.all.has(Says::fixed);
  level.has_keys = read.has_keys = given.all.has(Says::positions) && !read.has_homes;
  read.has_uncuttable = given.all.uncuttable_edges > 0;
  read.has_weights = given.all.has(Says::weights);
  read.dimensions = static_cast<int>(given.all.dimensions.greatest);
}

// Collective. Merges edges that occur more than once. `before` is the number of entries of all rows
// before that.
void merge_repeated(const Communicator& communicator, GraphRead& read, std::int64_t before) {
  Level& level = read.level;
  const Space space = level.space;
  exec::Array<std::int64_t> order;
  const Status ready = attempt(
      stage_name, [&] { order = exec::counted_up<std::int64_t>(space, read_label, level.owned); });
  Contracted merged = reordered(communicator, ready, level, order);
  level = std::move(merged.level);
  const std::int64_t after =
      communicator.all_reduce(level.rows.columns.size() + std::int64_t{0}, Reduction::sum);
  read.counts.duplicates = (before - after) / 2;
  read.counts.edges = after / 2;
}

}  // namespace

GraphRead read_graph(const Space& space, const Communicator& communicator,
                     const evenkeel::Graph& graph, const GraphCutOptions& options,
                     const ByGraph& method) {
  Given given = given_graph(space, communicator, graph, options, method);
  GraphRead read = read_given(space, communicator, given, method.moving_cost);
  read.unscaled = unscaled_edges(std::move(given));
  return read;
}

std::optional<UnscaledEdges> unscaled_edges(Given given) {
  if (!are_scaled(given.all)) return std::nullopt;
  return UnscaledEdges{std::move(given.rows), std::move(given.firsts), given.owned, given.first};
}

GraphRead read_given(const Space& space, const Communicator& communicator, const Given& given,
                     double moving_cost) {
  std::optional<exec::Reached<std::int64_t>> firsts;
  vote(communicator, attempt(stage_name, [&] { firsts.emplace(space, read_label, given.firsts); }));
  const Owners owners{firsts->data(), communicator.size(), communicator.rank()};
  const EdgeScale scale = edge_scale(given);
  GraphRead read;
  Level& level = read.level;
  describe(space, given, read);
  read_edges(space, communicator, given, owners, read);

  RowsWritten rows;
  exec::Array<std::int64_t> bytes;
  GraphSums mine = {};
  Status ready = attempt(stage_name, [&] {
    rows = write_rows(given, scale, owners, level);
    mine.loops = rows.loops;
    write_names(given, level);
    mine.totals = write_weights(given, level);
    bytes = bytes_in_units(space, given);
    mine.edges = level.rows.columns.size();
    mine.lighter_edges = mine.edge_weights = mine.edges;
    if (scale.is_uncuttable.weights != nullptr) {
      const IsLighter lighter{level.rows.weights.data(), scale.most};
      mine.lighter_edges = exec::sum<std::int64_t>(space, mine.edges, lighter);
      mine.edge_weights = exec::sum<std::int64_t>(space, mine.edges, WeightIfLighter{lighter});
    }
    mine.bytes = exec::sum<std::int64_t>(space, bytes.size(), exec::ValueAt{bytes.data()});
    mine.may_repeat = rows.may_repeat;
    space.fence(read_label);
  });
  const GraphSums all = vote<&add_sums>(communicator, ready, mine);
  read.totals = all.totals;
  read.counts.edges = all.edges / 2;
  read.counts.loops = all.loops;
  ready = attempt(stage_name, [&] {
    if (read.has_homes) write_stay(given, all, moving_cost, bytes, level);
  });
  vote(communicator, ready);

  if (read.has_keys) level.keys = keys_along_curve(space, communicator, given);
  complete_ghosts(communicator, level);
  if (read.has_uncuttable)
    read.uncuttable = uncuttable_leaders(communicator, level, rows.uncuttable);
  if (all.may_repeat > 0) merge_repeated(communicator, read, all.edges);
  vote(communicator, attempt(stage_name, [&] {
         read.counts.isolated =
             exec::sum<std::int64_t>(space, level.owned, IsIsolated{level.rows.offsets.data()});
       }));
  read.counts.isolated = communicator.all_reduce(read.counts.isolated, Reduction::sum);
  return read;
}

double cut_weight(const Space& space, const Communicator& communicator, const UnscaledEdges& edges,
                  const exec::Array<int>& parts) {
  exec::Array<std::int64_t> firsts;
  exec::Array<Address> elsewhere;
  const auto owners = [&] {
    return Owners{firsts.data(), communicator.size(), communicator.rank()};
  };
  Status ready = attempt(stage_name, [&] {
    firsts = {space, read_label, std::span<const std::int64_t>(edges.firsts)};
    if (communicator.size() > 1) elsewhere = ghost_addresses(space, edges.rows.columns, owners());
  });
  const Ghosts ghosts(communicator, ready, space, std::move(elsewhere), {});
  exec::Array<int> all_parts;
  ready = attempt(stage_name, [&] {
    all_parts = {space, read_label, edges.owned + ghosts.count()};
    exec::for_each(space, read_label, edges.owned, exec::Copy{parts.data(), all_parts.data()});
  });
  ghosts.refresh(all_parts, 1, ready);
  Census mine;
  CutEntries cut{edges.rows.offsets.data(),
                 edges.rows.columns.data(),
                 edges.rows.weights.data(),
                 {owners(), edges.first, edges.owned, ghosts.addresses().data(), ghosts.count()},
                 all_parts.data(),
                 {}};
  ready = attempt(stage_name, [&] {
    if (edges.owned == 0) return;
    mine.objects = exec::sum<std::int64_t>(space, edges.owned, CountCut{cut});
    mine.heaviest = exec::extremes<double>(space, edges.owned, HeaviestCut{cut}).greatest;
  });
  cut.units = Units(vote<&evenkeel::combine>(communicator, ready, mine));
  std::int64_t sum = 0;
  vote(communicator, attempt(stage_name, [&] {
         sum = exec::sum<std::int64_t>(space, edges.owned, SumCut{cut});
       }));
  return cut.units.weightless()
             ? 0
             : cut.units.weight_of(communicator.all_reduce(sum, Reduction::sum)) / 2;
}

}  // namespace evenkeel::graphs
