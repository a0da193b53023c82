#pragma once

#include <evenkeel/core/place.hpp>
#include <evenkeel/core/weights/speeds.hpp>
#include <evenkeel/monitor/options.hpp>

#include <numeric>

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

inline bool learns_speeds(const Options& options) {
  return options.speeds.size() == 1 && options.speeds.front() == learned_speeds;
}
// True if the probe of evenkeel measures the pace of ranks, unless there is an own probe. A clock
// of the application's own does not measure the work of this probe.
inline bool may_use_built_in_probe(const Options& options) {
  return !options.deterministic && !options.own_clock;
}

inline double mean_of(std::span<const double> speeds) noexcept {
  return std::accumulate(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(speeds.size());
}
// The speed of each rank / the mean speed; empty if all ranks are equally fast.
inline std::vector<double> relative_speeds(const Options& options) {
  const std::span<const double> given = unless_equal(options.speeds);
  std::vector<double> speeds(given.begin(), given.end());
  if (given.empty()) return speeds;
  const double mean = mean_of(given);
  for (double& speed : speeds) speed /= mean;
  return speeds;
}
// The same for one rank; 1 if all ranks are equally fast.
inline double relative_speed(const Options& options, int rank) noexcept {
  const std::span<const double> given = unless_equal(options.speeds);
  return given.empty() ? 1 : given[static_cast<std::size_t>(rank)] / mean_of(given);
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
