// The table of methods, one row for each.

#include "place/method.hpp"
#include "place/stage.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace evenkeel {

namespace {

using Grid = std::array<int, 3>;

template <class M>
std::optional<Method> read_bare(std::string_view arguments) {
  if (!arguments.empty()) return std::nullopt;
  return M{};
}
std::string no_arguments(const Method&) { return {}; }

// --- Grids ---------------------------------------------------------------------------------------

// Reads text such as "4x2x1". An axis that is not named has one domain. A 0 lets the library
// choose.
bool parse_grid(std::string_view text, Grid& grid) {
  grid = {1, 1, 1};
  for (int& extent : grid) {
    const std::size_t size = text.find('x');
    const std::string_view number = text.substr(0, size);
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, extent);
    if (error != std::errc() || stop != end || extent < 0) return false;
    if (size == std::string_view::npos) return true;
    text.remove_prefix(size + 1);
  }
  return false;
}

template <class M>
std::optional<Method> read_grid(std::string_view arguments) {
  Grid grid = {};
  if (!arguments.empty() && !parse_grid(arguments, grid)) return std::nullopt;
  return M{grid};
}

std::string grid_text(const Method& method) {
  const std::optional<Grid> grid = extents_of(method);
  std::string text;
  if (*grid == Grid{}) return text;
  for (std::size_t axis = 0; axis < 3; ++axis)
    text.append(axis == 0 ? "" : "x").append(std::to_string((*grid)[axis]));
  return text;
}

template <class M>
const Grid* grid_in(const Method& method) {
  return &std::get<M>(method).grid;
}

// --- Axes ----------------------------------------------------------------------------------------

std::optional<Method> read_bisection(std::string_view letters) {
  if (letters.empty()) return RecursiveBisection{};
  RecursiveBisection method = {{false, false, false}};
  for (const char letter : letters) {
    const std::size_t axis = std::string_view("xyz").find(letter);
    if (axis == std::string_view::npos || method.axes[axis]) return std::nullopt;
    method.axes[axis] = true;
  }
  return method;
}

std::string axes_text(const Method& method) {
  std::string text;
  if (method == Method(RecursiveBisection{})) return text;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (std::get<RecursiveBisection>(method).axes[axis]) text += "xyz"[axis];
  return text;
}

// --- Graphs --------------------------------------------------------------------------------------

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Removes the next word from the text, and returns it.
std::string_view next_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t size = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

bool parse_share(std::string_view text, double& share) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, share);
  return error == std::errc() && stop == end && std::isfinite(share) && share >= 0;
}

std::optional<Method> read_by_graph(std::string_view arguments) {
  ByGraph method;
  if (const std::string_view name = next_word(arguments); !name.empty()) {
    const auto effort =
        std::ranges::find_if(all_efforts, [&](Effort each) { return name == name_of(each); });
    if (effort == all_efforts.end()) return std::nullopt;
    method.effort = *effort;
  }
  for (double* number : {&method.target_lambda, &method.moving_cost, &method.edge_seconds})
    if (const std::string_view text = next_word(arguments);
        !text.empty() && !parse_share(text, *number))
      return std::nullopt;
  if (!trimmed(arguments).empty()) return std::nullopt;
  return method;
}

std::string share_text(double share) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), share).ptr};
}

std::string by_graph_text(const Method& method) {
  const ByGraph& graph = std::get<ByGraph>(method);
  if (graph == ByGraph{}) return {};
  return std::string(name_of(graph.effort)) + ' ' + share_text(graph.target_lambda) + ' ' +
         share_text(graph.moving_cost) + ' ' + share_text(graph.edge_seconds);
}

// --- Choice --------------------------------------------------------------------------------------

std::optional<Method> read_auto(std::string_view arguments) {
  Auto method;
  for (double* number : {&method.halo, &method.ghost_seconds, &method.neighbour_seconds})
    if (const std::string_view text = next_word(arguments);
        !text.empty() && !parse_share(text, *number))
      return std::nullopt;
  if (!trimmed(arguments).empty()) return std::nullopt;
  return method;
}

std::string auto_text(const Method& method) {
  const Auto& any = std::get<Auto>(method);
  if (any == Auto{}) return {};
  return share_text(any.halo) + ' ' + share_text(any.ghost_seconds) + ' ' +
         share_text(any.neighbour_seconds);
}

Found refuse_to_choose(const PlaceTask&) {
  throw Error(ErrorKind::internal, Where{stage_name}, "No method has been chosen.",
              "Choose one by MethodTrial first.");
}

// --- The rows ------------------------------------------------------------------------------------

constexpr std::array<MethodRow, std::variant_size_v<Method>> rows = {{
    {"hilbert", &read_bare<Hilbert>, &no_arguments, nullptr, CurveKind::hilbert, &find_on_curve},
    {"morton", &read_bare<Morton>, &no_arguments, nullptr, CurveKind::morton, &find_on_curve},
    {"snake", &read_bare<Snake>, &no_arguments, nullptr, CurveKind::snake, &find_on_curve},
    {"staggered", &read_grid<Staggered>, &grid_text, &grid_in<Staggered>, CurveKind::hilbert,
     &find_grid},
    {"tensor", &read_grid<Tensor>, &grid_text, &grid_in<Tensor>, CurveKind::hilbert, &find_grid},
    {"bisection", &read_bisection, &axes_text, nullptr, CurveKind::hilbert, &find_by_bisection},
    {"graph", &read_by_graph, &by_graph_text, nullptr, CurveKind::hilbert, &find_by_graph},
    {"voronoi", &read_bare<Voronoi>, &no_arguments, nullptr, CurveKind::hilbert, &find_cells},
    {"mesh", &read_grid<Mesh>, &grid_text, &grid_in<Mesh>, CurveKind::hilbert, &find_mesh},
    {"auto", &read_auto, &auto_text, nullptr, CurveKind::hilbert, &refuse_to_choose},
}};

}  // namespace

const MethodRow& row_of(const Method& method) noexcept { return rows[method.index()]; }

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  names.reserve(rows.size());
  for (const MethodRow& row : rows) names.emplace_back(row.name);
  return names;
}

Method method_of(const Domains& domains) {
  if (const auto* const curve = std::get_if<CurveDomains>(&domains)) {
    switch (curve->curve().kind) {
      case CurveKind::hilbert: return Hilbert{};
      case CurveKind::morton: return Morton{};
      case CurveKind::snake: return Snake{};
    }
  }
  if (const auto* const grid = std::get_if<GridDomains>(&domains)) {
    if (grid->borders().scheme == GridScheme::tensor) return Tensor{grid->shape().extents};
    return Staggered{grid->shape().extents};
  }
  if (std::holds_alternative<TreeDomains>(domains)) return RecursiveBisection{};
  if (!own_places(domains)) return Hilbert{};  // given owners
  if (const auto* const mesh = std::get_if<MeshDomains>(&domains))
    return Mesh{mesh->shape().extents};
  return Voronoi{};
}

std::optional<Grid> extents_of(const Method& method) noexcept {
  const MethodRow& row = row_of(method);
  if (row.grid_of == nullptr) return std::nullopt;
  return *row.grid_of(method);
}

std::string to_text(const Method& method) {
  const std::string arguments = row_of(method).arguments_of(method);
  return arguments.empty() ? row_of(method).name : row_of(method).name + (' ' + arguments);
}

std::optional<Method> method_from_text(std::string_view text) {
  const std::size_t size = std::min(text.find(' '), text.size());
  for (const MethodRow& row : rows)
    if (text.substr(0, size) == row.name) {
      const std::string_view arguments = trimmed(text.substr(size));
      if (arguments.empty() && size < text.size()) return std::nullopt;
      return row.read(arguments);
    }
  return std::nullopt;
}

}  // namespace evenkeel
