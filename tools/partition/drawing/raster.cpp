#include "partition/drawing/raster.hpp"

#include "partition/refusal.hpp"

#include <evenkeel/backends/comm/vote.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace evenkeel::tool {

namespace {

// --- The object that stands for a cell -----------------------------------------------------------

// One number, the least of which wins: first the distance, then the shade, then the part.
constexpr unsigned part_bits = 24, shade_bits = 2, distance_bits = 37;
static_assert(part_bits + shade_bits + distance_bits == 63);
constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

// `distance` in [0, 1].
std::int64_t bid_of(double distance, int shade, std::int32_t part) {
  constexpr auto greatest = static_cast<double>((std::int64_t{1} << distance_bits) - 2);
  const auto away = static_cast<std::int64_t>(std::clamp(distance, 0.0, 1.0) * greatest);
  return (away << shade_bits | shade) << part_bits | part;
}

std::int32_t part_of(std::int64_t bid) {
  return static_cast<std::int32_t>(bid & ((std::int64_t{1} << part_bits) - 1));
}

std::uint8_t shade_of(std::int64_t bid) {
  return static_cast<std::uint8_t>(bid >> part_bits & ((std::int64_t{1} << shade_bits) - 1));
}

// The face that is seen and nearest: the lit upper one, the right one, or the front.
int face_of(const Frame& frame, const std::array<double, 3>& unit) {
  const double from_top = frame.side(2) - unit[2];
  const double from_right = frame.side(0) - unit[0], from_front = unit[1];
  if (from_top <= from_right && from_top <= from_front) return 2;
  return from_right <= from_front ? 1 : 0;
}

// A cell with half as many objects as are usual in cells with objects counts as full.
std::uint8_t shade_of_count(std::int64_t count, double usual) {
  const auto objects = static_cast<double>(count);
  if (objects >= usual / 2) return 2;
  return objects >= usual / 8 ? 1 : 0;
}

// --- All objects of a rank -----------------------------------------------------------------------

struct Bids {
  std::vector<std::int64_t> best, count;  // of each cell
};

// Calls each(unit, index) for the objects that a view shows.
template <class Each>
void for_each_shown(const Subject& subject, const Frame& frame, const View& view,
                    const Each& each) {
  for (std::size_t i = 0; i < subject.parts.size(); ++i) {
    const std::array<double, 3> unit = frame.unit(subject.place(i).data());
    if (view.shows(unit)) each(unit, i);
  }
}

// How far an object is from a cell, in [0, 1]: from its middle, or from the eye.
double distance_to(const View& view, const Spot& spot, double across, double down,
                   double cells_per_unit, double depth) {
  if (view.kind == View::Kind::corner) return 0.5 - spot.nearness / depth / 2;
  const double away = spot.nearness * cells_per_unit;
  const double square = across * across + down * down + away * away;
  return square / (1 + square);
}

void place_bids(const Subject& subject, const Frame& frame, const View& view, double cells_per_unit,
                const Raster& raster, Bids& bids) {
  const double depth = frame.side(0) + frame.side(1) + frame.side(2);
  const bool is_plane = view.kind == View::Kind::plane;
  for_each_shown(subject, frame, view, [&](const std::array<double, 3>& unit, std::size_t i) {
    const Spot spot = view.spot(unit);
    const double x = spot.x * cells_per_unit, y = spot.y * cells_per_unit;
    const int column = std::clamp(static_cast<int>(x), 0, raster.columns - 1);
    const int row = std::clamp(static_cast<int>(y), 0, raster.rows - 1);
    const double distance =
        distance_to(view, spot, x - column - 0.5, y - row - 0.5, cells_per_unit, depth);
    const std::size_t cell = raster.at(column, row);
    const std::int64_t bid =
        bid_of(distance, is_plane ? 0 : face_of(frame, unit), subject.parts[i]);
    bids.best[cell] = std::min(bids.best[cell], bid);
    ++bids.count[cell];
  });
}

}  // namespace

Raster raster_of(const Communicator& communicator, const Subject& subject, const Frame& frame,
                 const View& view, double cells_per_unit) {
  Raster raster;
  raster.columns = std::max(1, static_cast<int>(std::ceil(view.width * cells_per_unit - 1e-6)));
  raster.rows = std::max(1, static_cast<int>(std::ceil(view.height * cells_per_unit - 1e-6)));
  Bids bids;
  vote(communicator, attempt(partition_stage, [&] {
         const auto cells =
             static_cast<std::size_t>(raster.columns) * static_cast<std::size_t>(raster.rows);
         bids.best.assign(cells, nobody);
         bids.count.assign(cells, 0);
         raster.parts.assign(cells, Raster::none);
         raster.shade.assign(cells, 0);
         place_bids(subject, frame, view, cells_per_unit, raster, bids);
       }));
  communicator.all_reduce(std::span<std::int64_t>(bids.best), Reduction::least);
  communicator.all_reduce(std::span<std::int64_t>(bids.count), Reduction::sum);
  std::int64_t with_objects = 0;
  for (const std::int64_t count : bids.count) {
    raster.shown += count;
    with_objects += count > 0 ? 1 : 0;
  }
  const double usual =
      with_objects > 0 ? static_cast<double>(raster.shown) / static_cast<double>(with_objects) : 1;
  for (std::size_t cell = 0; cell < raster.cells(); ++cell) {
    if (bids.best[cell] == nobody) continue;
    raster.parts[cell] = part_of(bids.best[cell]);
    raster.shade[cell] = view.kind == View::Kind::plane ? shade_of_count(bids.count[cell], usual)
                                                        : shade_of(bids.best[cell]);
  }
  return raster;
}

void set_slab(const Communicator& communicator, const Subject& subject, const Frame& frame,
              double share, View& view) {
  constexpr int bins = 4096;
  const double side = frame.side(view.away);
  std::vector<std::int64_t> counts;
  vote(communicator, attempt(partition_stage, [&] {
         counts.assign(bins, 0);
         for_each_shown(subject, frame, View(), [&](const std::array<double, 3>& unit, auto) {
           const double along = unit[static_cast<std::size_t>(view.away)] / side * bins;
           ++counts[static_cast<std::size_t>(std::clamp(static_cast<int>(along), 0, bins - 1))];
         });
       }));
  communicator.all_reduce(std::span<std::int64_t>(counts), Reduction::sum);
  // The bin up to whose end a share of the objects is.
  const auto bin_at = [&](double wanted) {
    const double objects = wanted * static_cast<double>(subject.everywhere);
    std::int64_t so_far = 0;
    for (int bin = 0; bin < bins; ++bin) {
      so_far += counts[static_cast<std::size_t>(bin)];
      if (so_far > 0 && static_cast<double>(so_far) >= objects) return bin;
    }
    return bins - 1;
  };
  constexpr double before_median = 0.41;
  const double width = side / bins;
  view.at = (bin_at(before_median) + 0.5) * width;
  view.from = bin_at(std::max(0.0, before_median - share / 2)) * width;
  const int last = bin_at(std::min(1.0, before_median + share / 2));
  view.to = last + 1 == bins ? std::nextafter(side, 2 * side) : (last + 1) * width;
}

}  // namespace evenkeel::tool
