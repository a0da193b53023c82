// The table of methods, one row for each.

#include "place/method.hpp"

#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace evenkeel {

namespace {

using Grid = std::array<int, 3>;

template <class M>
Method without_grid(const Grid&) {
  return M{};
}
template <class M>
Method with_grid(const Grid& grid) {
  return M{grid};
}
template <class M>
const Grid* grid_in(const Method& method) {
  return &std::get<M>(method).grid;
}

constexpr std::array<MethodRow, std::variant_size_v<Method>> rows = {{
    {"hilbert", &without_grid<Hilbert>, nullptr, CurveKind::hilbert, true, &find_on_curve},
    {"morton", &without_grid<Morton>, nullptr, CurveKind::morton, true, &find_on_curve},
    {"snake", &without_grid<Snake>, nullptr, CurveKind::snake, true, &find_on_curve},
    {"staggered", &with_grid<Staggered>, &grid_in<Staggered>, CurveKind::hilbert, false,
     &find_grid},
    {"tensor", &with_grid<Tensor>, &grid_in<Tensor>, CurveKind::hilbert, false, &find_grid},
    {"bisection", &without_grid<RecursiveBisection>, nullptr, CurveKind::hilbert, false,
     &find_by_bisection},
}};

// "4x2x1"; axes that are not named have one domain, and a 0 is to be chosen.
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

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

const MethodRow& row_of(const Method& method) noexcept { return rows[method.index()]; }

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  names.reserve(rows.size());
  for (const MethodRow& row : rows) names.emplace_back(row.name);
  return names;
}

std::optional<Grid> extents_of(const Method& method) noexcept {
  const MethodRow& row = row_of(method);
  if (row.grid_of == nullptr) return std::nullopt;
  return *row.grid_of(method);
}

std::string to_text(const Method& method) {
  std::string text = row_of(method).name;
  const std::optional<Grid> grid = extents_of(method);
  if (!grid || *grid == Grid{}) return text;
  for (std::size_t axis = 0; axis < 3; ++axis)
    text.append(axis == 0 ? " " : "x").append(std::to_string((*grid)[axis]));
  return text;
}

std::optional<Method> method_from_text(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const bool has_grid = blank != std::string_view::npos;
  Grid grid = {};
  if (has_grid && !parse_grid(trimmed(text.substr(blank)), grid)) return std::nullopt;
  for (const MethodRow& row : rows)
    if (text.substr(0, blank) == row.name && (!has_grid || row.grid_of != nullptr))
      return row.make(grid);
  return std::nullopt;
}

}  // namespace evenkeel
