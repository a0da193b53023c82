#include "drive/domain_sections.hpp"

#include <evenkeel/backends/comm/vote.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace evenkeel {

namespace {

DomainSection section_of(const Domains& domains, int across, int up, int cells) {
  const Box& box = box_of(domains);
  const auto dimensions = static_cast<std::size_t>(dimensions_of(domains));
  std::array<double, 3> point = {};
  for (std::size_t axis = 0; axis < dimensions; ++axis)
    point[axis] = box.lower[axis] + (box.upper[axis] - box.lower[axis]) / 2;
  const auto middle = [&](int axis, int cell) {
    const auto a = static_cast<std::size_t>(axis);
    return box.lower[a] + (box.upper[a] - box.lower[a]) * (cell + 0.5) / cells;
  };
  DomainSection section = {across, up, cells, cells, {}};
  section.owners.reserve(static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells));
  for (int row = 0; row < cells; ++row)
    for (int column = 0; column < cells; ++column) {
      point[static_cast<std::size_t>(across)] = middle(across, column);
      point[static_cast<std::size_t>(up)] = middle(up, row);
      section.owners.push_back(owner_of(domains, std::span(point).first(dimensions)));
    }
  return section;
}

}  // namespace

DomainSections sections_of(const Domains& domains) {
  constexpr int cells_in_2d = 48, cells_in_3d = 32;  // along each axis of a plane
  if (!own_places(domains)) return {};
  const Box& box = box_of(domains);
  const int dimensions = dimensions_of(domains);
  DomainSections sections;
  for (int axis = 0; axis < dimensions; ++axis) {
    sections.low.push_back(box.lower[static_cast<std::size_t>(axis)]);
    sections.high.push_back(box.upper[static_cast<std::size_t>(axis)]);
  }
  const int cells = dimensions == 2 ? cells_in_2d : cells_in_3d;
  for (int across = 0; across < dimensions; ++across)
    for (int up = across + 1; up < dimensions; ++up)
      sections.planes.push_back(section_of(domains, across, up, cells));
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
