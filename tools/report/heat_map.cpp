#include "report/heat_map.hpp"

#include <algorithm>
#include <cmath>

namespace evenkeel::tool::report {

namespace {

std::uint8_t byte_of(double value, double low, double high) {
  const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
  return static_cast<std::uint8_t>(std::lround(share * HeatMap::most));
}

double average_of(const std::vector<double>& loads) {
  double sum = 0;
  for (const double load : loads) sum += load;
  return loads.empty() ? 0 : sum / static_cast<double>(loads.size());
}

// The distance from the average, as a share, at which the colours end. It covers all but one load
// in a hundred, and is at least a tenth, so that noise does not look like imbalance.
double reach_of(const Model& model) {
  constexpr double least = 0.1, all = 1;
  std::vector<float> distances;
  for (const TimeColumn& column : model.columns) {
    const double average = average_of(column.loads);
    if (!(average > 0)) continue;
    for (const double load : column.loads)
      distances.push_back(static_cast<float>(std::abs(load / average - 1)));
  }
  if (distances.empty()) return all;
  const auto near_end =
      distances.begin() + static_cast<std::ptrdiff_t>(distances.size() * 99 / 100);
  std::nth_element(distances.begin(), near_end, distances.end());
  return std::clamp(static_cast<double>(*near_end) * 1.05, least, all);
}

HeatMap map_of_ranks(const Model& model) {
  HeatMap map;
  for (const TimeColumn& column : model.columns) map.rows = std::max(map.rows, column.loads.size());
  map.columns = model.columns.size();
  const double reach = reach_of(model);
  map.low = 1 - reach;
  map.high = 1 + reach;
  map.cells.assign(map.rows * map.columns, HeatMap::unknown);
  for (std::size_t i = 0; i < map.columns; ++i) {
    const std::vector<double>& loads = model.columns[i].loads;
    const double average = average_of(loads);
    for (std::size_t rank = 0; rank < loads.size() && average > 0; ++rank)
      map.cells[rank * map.columns + i] = byte_of(loads[rank] / average, map.low, map.high);
  }
  return map;
}

struct Bins {
  std::size_t begin = 0, end = LoadPicture::slots;
};

// The bins that any rank ever used, with some room around them.
Bins bins_in_use(const Model& model) {
  Bins used{LoadPicture::slots, 0};
  for (const TimeColumn& column : model.columns)
    for (std::size_t bin = 0; bin < column.loads.size(); ++bin)
      if (column.loads[bin] > 0) {
        used.begin = std::min(used.begin, bin);
        used.end = std::max(used.end, bin + 1);
      }
  constexpr std::size_t room = 4;
  return {used.begin > room ? used.begin - room : 0,
          std::min<std::size_t>(used.end + room, LoadPicture::slots)};
}

HeatMap map_of_shares(const Model& model) {
  const Bins bins = bins_in_use(model);
  HeatMap map;
  map.shows_ranks = false;
  map.rows = bins.end - bins.begin;
  map.columns = model.columns.size();
  map.bottom = static_cast<double>(bins.begin) / LoadPicture::bins_per_mean;
  map.top = static_cast<double>(bins.end) / LoadPicture::bins_per_mean;
  map.cells.assign(map.rows * map.columns, HeatMap::unknown);
  for (std::size_t i = 0; i < map.columns; ++i) {
    const TimeColumn& column = model.columns[i];
    if (column.loads.size() < bins.end || !(column.loads_weight > 0)) continue;
    for (std::size_t row = 0; row < map.rows; ++row) {
      const double share = column.loads[bins.end - 1 - row] / column.loads_weight;
      map.cells[row * map.columns + i] = byte_of(std::sqrt(std::sqrt(share)), 0, 1);
    }
  }
  return map;
}

}  // namespace

std::optional<HeatMap> heat_map_of(const Model& model) {
  const bool is_known =
      std::any_of(model.columns.begin(), model.columns.end(),
                  [](const TimeColumn& column) { return column.loads_weight > 0; });
  if (!is_known) return std::nullopt;
  return model.shows_ranks ? map_of_ranks(model) : map_of_shares(model);
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t there = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8U | (j < there ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= there ? digits[group >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

}  // namespace evenkeel::tool::report
