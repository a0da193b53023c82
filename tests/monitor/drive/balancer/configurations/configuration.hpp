#pragma once

// One configuration of the fuzzer: all choices of an application. They follow from a number alone.

#include "monitor/drive/balancer/configurations/dice.hpp"

#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/options_text.hpp>

#include <sstream>

namespace evenkeel::test {

// --- Places --------------------------------------------------------------------------------------

enum class Where { anywhere, point, line, plane, corners, faces, cluster, far, greatest };
inline constexpr const char* names_of_where[] = {"anywhere",   "in a point", "on a line",
                                                 "in a plane", "on corners", "on faces",
                                                 "clustered",  "some far",   "greatest numbers"};

// Places are (offset + raw) * 2^exponent. A float holds them exactly if this is needed. At first,
// raw is between about 0 and 1.
struct Geometry {
  Where where = Where::anywhere;
  int dimensions = 3;
  double offset = 0;
  int exponent = 0;
  double speed = 0;           // in raw units per drift
  bool is_given = false;      // the box
  bool is_too_small = false;  // the given box does not contain all objects
  std::array<bool, 3> periodic = {};
  double raw_lower = -1, raw_upper = 2;  // of a given box, along axes that are not periodic

  double place_of(double raw) const { return std::ldexp(offset + raw, exponent); }
  Box box() const {
    Box box;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      box.lower[d] = place_of(periodic[d] ? 0 : raw_lower);
      box.upper[d] = place_of(periodic[d] ? 1 : raw_upper);
    }
    return box;
  }
};

inline double raw_at_first(Where where, std::int64_t id, int axis, int salt) {
  const double share = share_of(id, 10 * salt + axis);
  constexpr double edges[] = {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 0x1p-53, 1 - 0x1p-53, 0x1p-1060};
  switch (where) {
    case Where::point: return 0.375;
    case Where::line: return axis == 0 ? share : 0.25;
    case Where::plane: return axis == 1 ? 0.25 : share;
    case Where::corners: return std::floor(3 * share) / 2;
    case Where::faces: return edges[mix(id, 10 * salt + axis) % std::size(edges)];
    case Where::cluster: return std::pow(share, 16);
    case Where::far: return id % 37 == 0 ? (share - 0.5) * 0x1p40 : share;
    default: return share;
  }
}

// The place of an object after `time` drifts. Each jump has another `salt`.
inline double place_of(const Geometry& geometry, bool is_single, std::int64_t id, int axis,
                       int time, int salt) {
  if (geometry.where == Where::greatest) {
    const double most = is_single ? static_cast<double>(std::numeric_limits<float>::max())
                                  : std::numeric_limits<double>::max();
    return (static_cast<double>(mix(id, 10 * salt + axis) % 3) - 1) * most;
  }
  double raw = raw_at_first(geometry.where, id, axis, salt) +
               geometry.speed * time * (share_of(id, 10 * salt + axis + 5) - 0.5);
  const bool is_held = geometry.is_given && !geometry.is_too_small &&
                       !geometry.periodic[static_cast<std::size_t>(axis)];
  if (is_held) raw = std::clamp(raw, geometry.raw_lower, geometry.raw_upper);
  return geometry.place_of(raw);
}

// --- Sets ----------------------------------------------------------------------------------------

enum class Container { vectors, left_views, right_views, records, spans, raw, subviews };
inline constexpr const char* names_of_containers[] = {
    "vectors", "left Views", "right Views", "records", "spans", "raw", "subviews"};
enum class Style { plain, counted, kept, reserved, aliased };
inline constexpr const char* names_of_styles[] = {"plain", "counted", "kept", "reserved",
                                                  "aliased"};
enum class Weights { none, ones, zeros, tiny, great, overflowing, whole, one_heavy, fractions };
inline constexpr const char* names_of_weights[] = {
    "none", "ones", "zeros", "tiny", "great", "overflowing", "whole", "one heavy", "fractions"};

struct SetChoice {
  Container container = Container::vectors;
  bool is_mixed = false;  // different containers on different ranks
  Style style = Style::plain;
  bool is_single = false;
  std::int64_t objects = 0;
  Spread spread = in_turn;
  Weights weights = Weights::none;
  bool carries_weights = false;
  bool has_groups = false, has_pins = false;
  bool has_csr = false, has_blocks = false;
  bool has_types = false;
  bool has_graph = false, has_weak_edges = false;  // weights and marks of edges
};

inline constexpr Spread on_the_first = {"on the first rank", [](std::int64_t, int) { return 0; }};

inline constexpr std::int64_t most_alive = 500;        // of a set, on all ranks together
inline constexpr std::int64_t ids_of_a_set = 1 << 20;  // distinct from those of other sets

inline double weight_of(Weights weights, std::int64_t id) {
  switch (weights) {
    case Weights::none:
    case Weights::ones: return 1;
    case Weights::zeros: return 0;
    case Weights::tiny: return static_cast<double>(mix(id, 3) % 4) * 1e-320;
    case Weights::great: return static_cast<double>(mix(id, 3) % 4) * 1e300;
    case Weights::overflowing: return 1e308;
    case Weights::whole: return static_cast<double>(mix(id, 3) % 10);
    case Weights::one_heavy: return id % 97 == 5 ? 1e6 : 1;
    case Weights::fractions: return share_of(id, 3);
  }
  return 1;
}

// --- The whole configuration ---------------------------------------------------------------------

enum class Time { usual, stands_still, leaps, goes_back };
inline constexpr const char* names_of_times[] = {"usual", "stops", "leaps", "goes back"};

struct Configuration {
  std::int64_t number = 0;
  int ranks = 1;
  Options options = {};
  Geometry geometry = {};
  std::vector<SetChoice> sets;
  Time time = Time::usual;
  int actions = 10;
  bool has_kernel = true, hooks = false, finishes = true;
  bool grid_fits = true;  // the requested grid fits the number of ranks

  bool has_bonds() const {
    return std::ranges::any_of(sets, [](const SetChoice& s) { return s.has_groups || s.has_pins; });
  }
  bool any(Weights weights) const {
    return std::ranges::any_of(sets, [&](const SetChoice& s) { return s.weights == weights; });
  }
  bool has_weights() const {
    return std::ranges::any_of(sets, [](const SetChoice& s) { return s.weights != Weights::none; });
  }
  bool has_widths() const { return options.least_width != std::array<double, 3>{}; }
  bool has_cells() const { return options.cell_size != std::array<double, 3>{}; }
};

inline bool sees_much(const LoadView& view) { return view.lambda > 1.05; }

inline Trigger some_trigger(Dice& dice) {
  const Trigger triggers[] = {CostAware{},
                              CostAware{},
                              CostAware{},
                              Never{},
                              Every{0, 0, 1},
                              Every{0, 0, 3},
                              Every{2, 9, 2},
                              Threshold{.lambda = 1.01},
                              Threshold{.imbalance_percent = 20},
                              Menon{},
                              Zhai{},
                              Procassini{.rho = 1},
                              Boulmier{},
                              Custom{&sees_much}};
  return dice.one_of(triggers);
}

inline std::array<int, 3> some_grid(int ranks, int dimensions, Dice& dice) {
  std::array<int, 3> grid = {0, 0, 0};
  if (dice.once_in(2)) return grid;
  const auto axis = static_cast<std::size_t>(dice.below(dimensions));
  grid[axis] = ranks;
  if (dice.once_in(2))
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
      if (d != axis) grid[d] = 1;
  if (dice.once_in(30)) ++grid[axis];  // does not fit
  return grid;
}

inline Method some_method(int ranks, const Geometry& geometry, Dice& dice) {
  const int dimensions = geometry.dimensions;
  switch (dice.below(11)) {
    case 0:
    case 1: return Hilbert{};
    case 2: return Morton{};
    case 3: return Snake{};
    case 4:
    case 5: return Staggered{some_grid(ranks, dimensions, dice)};
    case 6: return Tensor{some_grid(ranks, dimensions, dice)};
    case 7: return Voronoi{};
    case 8: return Mesh{some_grid(ranks, dimensions, dice)};
    case 9: return Auto{.halo = std::ldexp(0.1 * dice.below(3), geometry.exponent)};
    default: return RecursiveBisection{{true, dice.once_in(2), dice.once_in(2)}};
  }
}

inline Geometry some_geometry(bool is_single, Dice& dice) {
  Geometry geometry;
  geometry.dimensions = 2 + dice.below(2);
  constexpr Where places[] = {Where::anywhere, Where::anywhere, Where::anywhere, Where::point,
                              Where::line,     Where::plane,    Where::corners,  Where::faces,
                              Where::cluster,  Where::far,      Where::greatest};
  geometry.where = dice.one_of(places);
  constexpr int exponents[] = {0, 0, 0, 0, 980, -900, -1045, 80, -100, -140};
  constexpr int single_exponents[] = {0, 0, 0, 0, 80, -90, -140};
  geometry.exponent = is_single ? dice.one_of(single_exponents) : dice.one_of(exponents);
  constexpr double offsets[] = {0, 0, 0, 0, 0x1p20, -0x1p20};
  geometry.offset = dice.one_of(offsets);
  constexpr double speeds[] = {0, 0.01, 0.1, 1};
  geometry.speed = dice.one_of(speeds);
  geometry.is_given = geometry.where != Where::greatest && dice.once_in(2);
  if (!geometry.is_given) return geometry;
  if (dice.once_in(3)) geometry.raw_lower = 0, geometry.raw_upper = 1;
  if (dice.once_in(20)) {
    geometry.is_too_small = true;
    geometry.raw_lower = 0.25;
    geometry.raw_upper = 0.75;
  }
  if (dice.once_in(2))
    for (std::size_t d = 0; d < static_cast<std::size_t>(geometry.dimensions); ++d)
      geometry.periodic[d] = dice.once_in(2);
  return geometry;
}

inline SetChoice some_set(bool is_first_single, bool any_bonds, Dice& dice) {
  SetChoice set;
  set.container = static_cast<Container>(dice.below(7));
  set.is_mixed = set.container != Container::records && dice.once_in(5);
  set.style = static_cast<Style>(dice.below(5));
  set.is_single = is_first_single;
  constexpr std::int64_t ends[] = {1, 4, 20, 100, 300, 300};
  set.objects = dice.below(dice.one_of(ends));
  constexpr Spread spreads[] = {in_turn, at_random, on_the_last, on_even_ranks, on_the_first};
  set.spread = dice.one_of(spreads);
  if (dice.once_in(3)) set.weights = static_cast<Weights>(dice.below(9));
  if (set.weights == Weights::overflowing && !dice.once_in(5)) set.weights = Weights::whole;
  set.carries_weights = dice.once_in(2);
  set.has_groups = any_bonds && dice.once_in(2);
  set.has_pins = any_bonds && dice.once_in(set.has_groups ? 8 : 2);
  set.has_csr = dice.once_in(6);
  set.has_blocks = dice.once_in(6);
  set.has_types = dice.once_in(3);
  return set;
}

inline Options some_options(const Geometry& geometry, int ranks, Dice& dice) {
  Options options;
  options.method = some_method(ranks, geometry, dice);
  options.trigger = some_trigger(dice);
  if (geometry.is_given) {
    options.box = geometry.box();
    options.periodic = geometry.periodic;
    options.wrap = dice.once_in(2);
  }
  if (dice.once_in(6)) {
    for (int rank = 0; rank < ranks; ++rank) options.rank_of_part.push_back((rank + 1) % ranks);
    if (dice.once_in(2)) std::ranges::reverse(options.rank_of_part);
  }
  const double unit = std::ldexp(1.0, geometry.exponent);
  if (dice.once_in(8)) options.cell_size.fill(unit / (1 << dice.below(8)));
  if (dice.once_in(8)) options.least_width.fill(unit / (1 << dice.below(6)));
  constexpr double targets[] = {1.05, 1.05, 0, 1, 1.5, 10};
  options.target_lambda = dice.one_of(targets);
  if (dice.once_in(6)) options.least_objects = 1 + dice.below(4);
  constexpr std::int64_t budgets[] = {std::int64_t{256} << 20, 0, 1, 64, 1000, 4096};
  options.staging_bytes = dice.one_of(budgets);
  constexpr int flights[] = {8, 0, 1, 2, 1000};
  options.messages_in_flight = dice.one_of(flights);
  options.origins = dice.once_in(3);
  constexpr double floors[] = {2, 0, 50};
  options.floor_percent = dice.one_of(floors);
  if (dice.once_in(10)) options.least_coverage = 0.5;
  options.horizon = dice.once_in(4) ? dice.below(200) : 0;
  constexpr double costs[] = {5, 0, 1e6};
  options.expected_cost = dice.one_of(costs);
  options.epoch_steps = dice.once_in(2) ? 6 : dice.once_in(2) ? 0 : 6 + dice.below(10);
  options.warmup_steps = dice.below(4);
  options.cooldown_steps = dice.below(8);
  options.deterministic = dice.once_in(5);
  options.watcher = dice.once_in(3);
  options.log = LogLevel::off;
  return options;
}

inline bool fits(const Method& method, int ranks, int dimensions) {
  const auto extents = extents_of(method);
  if (!extents) return true;
  int given = 1;
  for (int d = 0; d < dimensions; ++d)
    given *= std::max(1, (*extents)[static_cast<std::size_t>(d)]);
  return given == ranks || ranks % given == 0;
}

// The only set has a graph, which determines the cut.
inline void choose_graph(Configuration& all, Dice& dice) {
  constexpr Effort efforts[] = {Effort::polish, Effort::fast, Effort::good};
  constexpr double targets[] = {1.03, 1, 1.3, 3}, costs[] = {0, 0.01, 3};
  all.options.method = ByGraph{.effort = dice.one_of(efforts),
                               .target_lambda = dice.one_of(targets),
                               .moving_cost = dice.one_of(costs)};
  all.options.shift = {};
  all.grid_fits = true;
  all.sets.resize(1);
  SetChoice& set = all.sets.front();
  set.has_groups = false;
  set.has_graph = true;
  set.has_weak_edges = dice.once_in(2);
}

inline Configuration configuration_of(std::int64_t number, int ranks) {
  Dice dice(number);
  Configuration all;
  all.number = number;
  all.ranks = ranks;
  const bool is_single = dice.once_in(3);
  all.geometry = some_geometry(is_single, dice);
  all.options = some_options(all.geometry, ranks, dice);
  all.grid_fits = fits(all.options.method, ranks, all.geometry.dimensions);
  constexpr int counts[] = {1, 1, 1, 2, 3};
  const int sets = dice.one_of(counts);
  const bool any_bonds = dice.once_in(4);
  for (int s = 0; s < sets; ++s) {
    all.sets.push_back(some_set(is_single || dice.once_in(4), any_bonds, dice));
    // The range of float coordinates is smaller than a box for doubles may be.
    if (!is_single && std::abs(all.geometry.exponent) > 100) all.sets.back().is_single = false;
    if (all.geometry.where == Where::greatest) all.sets.back().is_single = is_single;
  }
  all.time = dice.once_in(3) ? static_cast<Time>(dice.below(4)) : Time::usual;
  all.actions = 10 + dice.below(31);
  all.has_kernel = !dice.once_in(8);
  all.hooks = dice.once_in(2);
  all.finishes = !dice.once_in(5);
  const bool is_curve = all.options.method.index() < 3;
  constexpr double penalties[] = {1, 1.25, 3};
  if (is_curve && dice.once_in(3))
    all.options.shift = {.rounds = 1 + dice.below(8), .penalty = dice.one_of(penalties)};
  if (dice.once_in(7)) choose_graph(all, dice);
  return all;
}

inline std::string describe(const Configuration& all) {
  std::ostringstream text;
  const Geometry& at = all.geometry;
  text << "configuration " << all.number << " on " << all.ranks << " ranks: " << at.dimensions
       << "-D, " << names_of_where[static_cast<int>(at.where)] << ", offset " << at.offset
       << ", times 2^" << at.exponent << ", speed " << at.speed
       << (at.is_too_small ? ", too small a box"
           : at.is_given   ? ", a box given"
                           : "")
       << ", time " << names_of_times[static_cast<int>(all.time)]
       << (all.has_kernel ? "" : ", no kernel") << (all.hooks ? ", hooks" : "") << ", "
       << all.actions << " actions;";
  for (const SetChoice& set : all.sets)
    text << ' ' << set.objects << (set.is_single ? " floats in " : " doubles in ")
         << (set.is_mixed ? "mixed " : "") << names_of_containers[static_cast<int>(set.container)]
         << ", " << names_of_styles[static_cast<int>(set.style)] << ", " << set.spread.name
         << ", weights " << names_of_weights[static_cast<int>(set.weights)]
         << (set.carries_weights ? " carried" : "") << (set.has_groups ? ", groups" : "")
         << (set.has_pins ? ", pins" : "") << (set.has_csr ? ", csr" : "")
         << (set.has_graph ? ", graph" : "") << (set.has_weak_edges ? " with weights" : "")
         << (set.has_blocks ? ", blocks" : "") << (set.has_types ? ", types" : "") << ';';
  std::istringstream lines(to_text(all.options));
  const std::string usual = to_text(Options());
  for (std::string line; std::getline(lines, line);)
    if (('\n' + usual).find('\n' + line + '\n') == std::string::npos) text << ' ' << line << ';';
  return text.str();
}

}  // namespace evenkeel::test
