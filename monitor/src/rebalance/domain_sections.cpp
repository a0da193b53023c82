#include "rebalance/domain_sections.hpp"

#include <evenkeel/backends/comm/vote.hpp>

namespace evenkeel {

namespace {

// The coordinate along an axis at the given share of the length of the box.
double place_in(const Box& box, int axis, double share) {
  const auto a = static_cast<std::size_t>(axis);
  return box.lower[a] + (box.upper[a] - box.lower[a]) * share;
}

DomainSections::Plane section_of(const Domains& domains, int across, int up, double depth,
                                 int cells) {
  const Box& box = box_of(domains);
  const int dimensions = dimensions_of(domains), other = 3 - across - up;
  std::array<double, 3> point = {};
  DomainSections::Plane section;
  section.across = across;
  section.up = up;
  section.columns = section.rows = cells;
  if (dimensions == 3)
    section.at = point[static_cast<std::size_t>(other)] = place_in(box, other, depth);
  section.owners.reserve(static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells));
  for (int row = 0; row < cells; ++row)
    for (int column = 0; column < cells; ++column) {
      point[static_cast<std::size_t>(across)] = place_in(box, across, (column + 0.5) / cells);
      point[static_cast<std::size_t>(up)] = place_in(box, up, (row + 0.5) / cells);
      const auto place = std::span(point).first(static_cast<std::size_t>(dimensions));
      section.owners.push_back(owner_of(domains, place));
    }
  return section;
}

}  // namespace

// In 3D, puts planes at a quarter and at three quarters of the box: curves and bisections often
// have borders in the middle, where a plane would meet only the domains on one side.
DomainSections sections_of(const Domains& domains) {
  constexpr int cells_in_2d = 48, cells_in_3d = 24;  // along each axis of a plane
  if (!own_places(domains)) return {};
  const Box& box = box_of(domains);
  const int dimensions = dimensions_of(domains);
  DomainSections sections;
  for (int axis = 0; axis < dimensions; ++axis) {
    sections.low.push_back(box.lower[static_cast<std::size_t>(axis)]);
    sections.high.push_back(box.upper[static_cast<std::size_t>(axis)]);
  }
  if (dimensions == 2) {
    sections.planes.push_back(section_of(domains, 0, 1, 0, cells_in_2d));
    return sections;
  }
  for (const double depth : {0.25, 0.75})
    for (int across = 0; across < dimensions; ++across)
      for (int up = across + 1; up < dimensions; ++up)
        sections.planes.push_back(section_of(domains, across, up, depth, cells_in_3d));
  return sections;
}

DomainSections recorded_sections(const Communicator& ranks, const Options& options,
                                 const Domains& domains) {
  const bool is_kept = !options.journal.empty() || !options.control.empty();
  if (ranks.rank() != 0 || !is_kept) return {};
  DomainSections sections;
  static_cast<void>(attempt("monitor", [&] { sections = sections_of(domains); }));
  return sections;
}

}  // namespace evenkeel
