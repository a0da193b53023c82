#include "domains/reaches.hpp"
#include "domains/write_parts.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/domains";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

// The domains in a row of a level.
std::size_t domains_of(const GridShape& shape, const std::array<int, 3>& axes, std::size_t level) {
  return static_cast<std::size_t>(shape.extents[static_cast<std::size_t>(axes[level])]);
}

std::size_t rows_of(const GridShape& shape, GridScheme scheme, const std::array<int, 3>& axes,
                    std::size_t level) {
  std::size_t rows = 1;
  if (scheme == GridScheme::staggered)
    for (std::size_t l = 0; l < level; ++l) rows *= domains_of(shape, axes, l);
  return rows;
}

void check_order_of_axes(const std::array<int, 3>& axes, int dimensions) {
  if (!std::is_permutation(axes.begin(), axes.end(), std::array{0, 1, 2}.begin()) ||
      std::any_of(axes.begin(), axes.begin() + dimensions, [&](int a) { return a >= dimensions; }))
    refuse("The axes of the grid are not in a valid order.",
           "Name each of 0, 1 and 2 once, those beyond the dimensions last.");
}

void check_row(std::span<const double> row, double lower, double upper, std::size_t level) {
  bool rises = row.front() == lower && row.back() == upper;
  for (std::size_t i = 0; i + 1 < row.size(); ++i) rises = rises && row[i] <= row[i + 1];
  if (!rises)
    refuse("A row of borders on level " + std::to_string(level) + " does not divide the box.",
           "Begin at its lower face, end at its upper one, and never fall.");
}

void check_borders(const GridBorders& borders, const GridShape& shape, const Box& box) {
  check_order_of_axes(borders.axes, shape.dimensions);
  for (std::size_t level = 0; level < 3; ++level) {
    const std::vector<double>& all = borders.levels[level];
    const bool is_used = level < static_cast<std::size_t>(shape.dimensions);
    const std::size_t length = domains_of(shape, borders.axes, level) + 1;
    const std::size_t rows = rows_of(shape, borders.scheme, borders.axes, level);
    if (all.size() != (is_used ? rows * length : 0))
      refuse("Level " + std::to_string(level) + " has " + std::to_string(all.size()) +
                 " borders, where " +
                 (is_used ? std::to_string(rows) + " rows of " + std::to_string(length) : "none") +
                 " are needed.",
             "Give each row one border more than it has domains.");
    const auto d = static_cast<std::size_t>(borders.axes[level]);
    for (std::size_t first = 0; first < all.size(); first += length)
      check_row(std::span(all).subspan(first, length), box.lower[d], box.upper[d], level);
  }
}

}  // namespace

const char* name_of(GridScheme scheme) noexcept {
  switch (scheme) {
    case GridScheme::tensor: return "tensor";
    case GridScheme::staggered: return "staggered";
  }
  return "unknown";
}

std::array<int, 3> usual_axes(int dimensions) noexcept {
  std::array<int, 3> axes = {0, 1, 2};
  std::reverse(axes.begin(), axes.begin() + std::clamp(dimensions, 0, 3));
  return axes;
}

// --- GridDomains ---------------------------------------------------------------------------

GridDomains::GridDomains(std::int64_t generation, const GridShape& shape, const Box& box,
                         const std::array<bool, 3>& periodic, GridBorders borders,
                         std::vector<int> rank_of_part)
    : generation_(generation),
      shape_(shape),
      box_(box),
      periodic_(periodic),
      borders_(std::move(borders)),
      rank_of_part_(std::move(rank_of_part)) {
  check(shape);
  parts_ = shape.parts();
  check_axes(shape.dimensions, box, periodic);
  check_borders(borders_, shape, box);
  check_ranks(stage_name, parts_, rank_of_part_);
}

GridDomains GridDomains::uniform(const GridShape& shape, const Box& box, GridScheme scheme,
                                 const std::array<bool, 3>& periodic,
                                 std::vector<int> rank_of_part) {
  check(shape);
  GridBorders borders{scheme, usual_axes(shape.dimensions), {}};
  for (std::size_t level = 0; level < static_cast<std::size_t>(shape.dimensions); ++level) {
    const auto d = static_cast<std::size_t>(borders.axes[level]);
    const std::size_t domains = domains_of(shape, borders.axes, level);
    for (std::size_t row = rows_of(shape, scheme, borders.axes, level); row > 0; --row)
      for (std::size_t i = 0; i <= domains; ++i)
        borders.levels[level].push_back(std::lerp(
            box.lower[d], box.upper[d], static_cast<double>(i) / static_cast<double>(domains)));
  }
  return GridDomains(1, shape, box, periodic, std::move(borders), std::move(rank_of_part));
}

PartOfPoint GridDomains::part_of_point() const noexcept {
  PartOfPoint part_of;
  part_of.dimensions = shape_.dimensions;
  part_of.scheme = borders_.scheme;
  const std::array<int, 3> strides = {shape_.extents[1] * shape_.extents[2], shape_.extents[2], 1};
  for (std::size_t level = 0; level < static_cast<std::size_t>(shape_.dimensions); ++level) {
    const int axis = borders_.axes[level];
    const auto d = static_cast<std::size_t>(axis);
    part_of.levels[level] = {axis_of(box_, periodic_, axis), axis, shape_.extents[d], strides[d],
                             borders_.levels[level].data()};
  }
  return part_of;
}

int GridDomains::part_of(int rank) const {
  const auto found = std::find(rank_of_part_.begin(), rank_of_part_.end(), rank);
  const bool in_order = rank_of_part_.empty() && rank >= 0 && rank < parts_;
  if (!in_order && found == rank_of_part_.end())
    refuse("Rank " + std::to_string(rank) + " owns no domain.", "Give a rank that does.");
  return in_order ? rank : static_cast<int>(std::distance(rank_of_part_.begin(), found));
}

int GridDomains::owner_of(std::span<const double> point) const {
  check_has_parts(stage_name, parts());
  check_point(stage_name, dimensions(), point);
  return rank_of(part_of_point()(point.data()));
}

Box GridDomains::box_of(int part) const {
  check_part(stage_name, parts(), part);
  const PartOfPoint of = part_of_point();
  Box domain = box_;
  std::int64_t row = 0;
  for (int l = 0; l < of.dimensions; ++l) {
    const PartOfPoint::Level& level = of.levels[l];
    const auto d = static_cast<std::size_t>(level.axis);
    const int at = part / level.stride % level.domains;
    domain.lower[d] = level.row(row)[at];
    domain.upper[d] = level.row(row)[at + 1];
    row = of.next_row(l, row, at);
  }
  return domain;
}

// --- Asked for all objects, and for a box --------------------------------------------------------

void write_parts(const Space& space, const GridDomains& decomposition, const Set& set, int* parts) {
  if (!has_objects(stage_name, space, decomposition.parts(), decomposition.dimensions(), set))
    return;
  PartOfPoint part_of = decomposition.part_of_point();
  std::array<Buffer, 3> copies;
  for (std::size_t level = 0; level < copies.size(); ++level)
    part_of.levels[level].borders =
        reachable(space, decomposition.borders().levels[level], copies[level]);
  write_parts_by(space, part_of, set, parts);
}

namespace {

// Walks the levels from the outermost inwards, through the domains that own something within reach.
class OwnersWithin {
 public:
  OwnersWithin(const GridDomains& decomposition, const std::array<std::vector<Reach>, 3>& reaches)
      : decomposition_(decomposition), of_(decomposition.part_of_point()), reaches_(reaches) {}

  std::vector<int> ranks() {
    add(0, 0, 0);
    make_ascending(ranks_);
    return std::move(ranks_);
  }

 private:
  void add(int level, std::int64_t row, int part) {
    if (level == 3 || level == of_.dimensions)
      return ranks_.push_back(decomposition_.rank_of(part));
    const PartOfPoint::Level& here = of_.levels[level];
    const double* const borders = here.row(row);
    for (const Reach& reach : reaches_[static_cast<std::size_t>(here.axis)]) {
      const int first = here.domain_at(row, reach.first), last = here.domain_at(row, reach.last);
      for (int domain = first; domain <= last; ++domain)
        if (domain == first || borders[domain] < borders[domain + 1])
          add(level + 1, of_.next_row(level, row, domain), part + domain * here.stride);
    }
  }

  const GridDomains& decomposition_;
  const PartOfPoint of_;
  const std::array<std::vector<Reach>, 3>& reaches_;
  std::vector<int> ranks_;
};

}  // namespace

std::vector<int> ranks_within(const GridDomains& decomposition, const Box& box, double width) {
  check_has_parts(stage_name, decomposition.parts());
  check_halo(stage_name, decomposition.dimensions(), box, width);
  const auto reaches = reaches_of(decomposition.dimensions(), decomposition.box(),
                                  decomposition.periodic(), box, width);
  return OwnersWithin(decomposition, reaches).ranks();
}

std::vector<int> neighbours_of(const GridDomains& decomposition, int part) {
  const Box domain = decomposition.box_of(part), &whole = decomposition.box();
  // Reaches so little beyond the faces that only domains that touch them are found.
  double reach = 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(decomposition.dimensions()); ++axis)
    reach =
        std::max({reach, (whole.upper[axis] - whole.lower[axis]) * 0x1p-40,
                  std::abs(whole.lower[axis]) * 0x1p-50, std::abs(whole.upper[axis]) * 0x1p-50});
  std::vector<int> ranks = ranks_within(decomposition, domain, reach);
  std::erase(ranks, decomposition.rank_of(part));
  return ranks;
}

}  // namespace evenkeel
