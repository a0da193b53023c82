#pragma once

#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/speeds.hpp>
#include <evenkeel/monitor/options.hpp>

namespace evenkeel {

// The options that determine where objects go. `present` are the domains in use.
inline PlaceOptions place_options_of(const Options& options, const Domains& present) {
  return {.method = method_in_use(options.method, present),
          .periodic = options.periodic,
          .cell_size = options.cell_size,
          .least_width = options.least_width,
          .rank_of_part = options.rank_of_part,
          .speeds = options.speeds};
}

// The speed of each rank / the mean speed; empty if all ranks are equally fast.
inline std::vector<double> relative_speeds(const Options& options) {
  const std::span<const double> given = unless_equal(options.speeds);
  std::vector<double> speeds(given.begin(), given.end());
  if (given.empty()) return speeds;
  const double mean = SpeedsBefore(given).all() / static_cast<double>(given.size());
  for (double& speed : speeds) speed /= mean;
  return speeds;
}
// The same for one rank; 1 if all ranks are equally fast.
inline double relative_speed(const Options& options, int rank) {
  const std::vector<double> speeds = relative_speeds(options);
  return speeds.empty() ? 1 : speeds[static_cast<std::size_t>(rank)];
}

inline bool is_among(const Method& method, Methods methods) {
  const bool is_grid = places_in_grid(method);
  const bool is_boxes = is_grid || std::holds_alternative<RecursiveBisection>(method);
  const bool is_curve = places_along_curve(method);
  if (is_auto(method)) return true;
  switch (methods) {
    case Methods::any: return true;
    case Methods::curves: return is_curve;
    case Methods::boxes: return is_boxes;
    case Methods::grids: return is_grid;
  }
  return false;
}

}  // namespace evenkeel
