#include "domains/boxes.hpp"
#include "domains/branches.hpp"
#include "domains/home/home_test.hpp"
#include "domains/stage.hpp"
#include "domains/write_parts.hpp"

#include <evenkeel/core/domains/grid.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>

namespace evenkeel {

namespace {

// The number of domains in a row of a level.
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
           "Name each of 0, 1 and 2 once; put axes that the grid does not have last.");
}

void check_row(std::span<const double> row, double lower, double upper, std::size_t level) {
  bool rises = row.front() == lower && row.back() == upper;
  for (std::size_t i = 0; i + 1 < row.size(); ++i) rises = rises && row[i] <= row[i + 1];
  if (!rises)
    refuse("A row of borders on level " + std::to_string(level) + " does not divide the box.",
           "Give borders that begin at the lower face of the box, end at the upper face, and never "
           "decrease.");
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
                 " borders, but " +
                 (is_used ? std::to_string(rows) + " rows of " + std::to_string(length) : "0") +
                 " are needed.",
             "Give each row one border more than it has domains.");
    const auto d = static_cast<std::size_t>(borders.axes[level]);
    for (std::size_t first = 0; first < all.size(); first += length)
      check_row(std::span(all).subspan(first, length), box.lower[d], box.upper[d], level);
  }
}

int parts_of_checked(const GridShape& shape) {
  check(shape);
  return shape.parts();
}

}  // namespace

const char* name_of(GridScheme scheme) noexcept {
  switch (scheme) {
    case GridScheme::tensor: return "tensor";
    case GridScheme::staggered: return "staggered";
  }
  return "unknown";
}

std::array<int, 3> stages::usual_axes(int dimensions) noexcept {
  std::array<int, 3> axes = {0, 1, 2};
  std::reverse(axes.begin(), axes.begin() + std::clamp(dimensions, 0, 3));
  return axes;
}

// --- GridDomains ---------------------------------------------------------------------------------

GridDomains::GridDomains(std::int64_t generation, const GridShape& shape, const Box& box,
                         const std::array<bool, 3>& periodic, GridBorders borders,
                         std::vector<int> rank_of_part)
    : Decomposition(generation, parts_of_checked(shape), shape.dimensions, box, periodic,
                    std::move(rank_of_part)),
      shape_(shape),
      borders_(std::move(borders)) {
  check_axes(shape.dimensions, box, periodic);
  check_borders(borders_, shape, box);
  check_ranks(stage_name, parts(), this->rank_of_part());
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
    part_of.levels[level] = {axis_of(box(), periodic(), axis), axis, shape_.extents[d], strides[d],
                             borders_.levels[level].data()};
  }
  return part_of;
}

int GridDomains::owner_of(std::span<const double> point) const {
  check_point(stage_name, *this, point);
  return rank_of(part_of_point()(point.data()));
}

Box GridDomains::box_of(int part) const {
  check_part(stage_name, parts(), part);
  const PartOfPoint of = part_of_point();
  Box domain = box();
  std::int64_t row = 0;
  for (int l = 0; l < of.dimensions; ++l) {
    const PartOfPoint::BorderLevel& level = of.levels[l];
    const auto d = static_cast<std::size_t>(level.axis);
    const int at = part / level.stride % level.domains;
    domain.lower[d] = level.row(row)[at];
    domain.upper[d] = level.row(row)[at + 1];
    row = of.next_row(l, row, at);
  }
  return domain;
}

std::vector<Box> GridDomains::boxes_of(int part) const { return box_with_places(*this, part); }

bool GridDomains::divides_as(const GridDomains& other) const {
  return shape_ == other.shape_ && borders_ == other.borders_;
}

void GridDomains::write_parts(const Space& space, const Set& set, int* parts) const {
  if (!has_objects(stage_name, space, *this, set)) return;
  PartOfPoint part_of = part_of_point();
  std::vector<exec::Reached<double>> rows;
  rows.reserve(borders_.levels.size());
  for (std::size_t level = 0; level < borders_.levels.size(); ++level)
    part_of.levels[level].borders =
        rows.emplace_back(space, parts_label, borders_.levels[level]).data();
  write_parts_by(space, part_of, set, parts);
}

// --- Within reach --------------------------------------------------------------------------------

namespace {

// The branches of a grid. A branch is a range of domains in a row, which is halved until it is a
// single domain. A single domain is replaced by the row of the next level inside it.
class GridBranches {
 public:
  struct Branch {
    NodeBox box;
    int first, last;
    int level;
    std::int64_t row;
    int begin, end;  // a range of domains in the row
  };

  explicit GridBranches(const GridDomains& grid) : grid_(grid), of_(grid.part_of_point()) {
    for (int level = of_.dimensions - 1; level > 0; --level)
      owners_[level - 1] = owners_[level] * of_.levels[level].domains;
  }

  Branch root() const {
    Branch branch{};
    enter(branch, 0, 0);
    return descended(branch);
  }

  template <class Visit>
  void children(const Branch& branch, const Visit& visit) const {
    const int middle = branch.begin + (branch.end - branch.begin) / 2;
    visit(cut(branch, middle, branch.end));
    visit(cut(branch, branch.begin, middle));
  }

  int rank_of(int owner) const {
    int part = 0;
    for (int level = 0; level < of_.dimensions; ++level) {
      part += owner / owners_[level] * of_.levels[level].stride;
      owner %= owners_[level];
    }
    return grid_.rank_of(part);
  }

 private:
  // Sets a branch to a whole row of a level. If the box has no extent along the axis of the level,
  // the first domain owns everything.
  void enter(Branch& branch, int level, std::int64_t row) const {
    const PartOfPoint::BorderLevel& here = of_.levels[level];
    const double* const borders = here.row(row);
    const bool is_flat = borders[0] == borders[here.domains];
    branch.level = level;
    branch.row = row;
    branch.begin = 0;
    branch.end = is_flat ? 1 : here.domains;
    branch.last = branch.first + branch.end * owners_[level] - 1;
  }
  // As long as a branch is a single domain with several owners, replaces it by the row inside.
  Branch descended(Branch branch) const {
    for (int level = branch.level; level + 1 < of_.dimensions; ++level) {
      if (branch.end - branch.begin > 1 || branch.first == branch.last) break;
      enter(branch, level + 1, of_.next_row(level, branch.row, branch.begin));
    }
    return branch;
  }
  Branch cut(Branch branch, int begin, int end) const {
    const PartOfPoint::BorderLevel& here = of_.levels[branch.level];
    const double* const borders = here.row(branch.row);
    const auto d = static_cast<std::size_t>(here.axis);
    branch.box.lower[d] = borders[begin];
    branch.box.upper[d] = place_before(borders[end]);
    branch.first += (begin - branch.begin) * owners_[branch.level];
    branch.last = branch.first + (end - begin) * owners_[branch.level] - 1;
    branch.begin = begin;
    branch.end = end;
    return branch.box.is_empty() ? branch : descended(branch);
  }

  const GridDomains& grid_;
  const PartOfPoint of_;
  int owners_[3] = {1, 1, 1};  // number of owners in a domain, by level
};

}  // namespace

BoxFrame GridDomains::frame() const { return BoxFrame(*this); }

OwnerTree GridDomains::owner_tree(const Reaches& reaches) const {
  return tree_within_reach(GridBranches(*this), parts(), dimensions(), reaches);
}

std::unique_ptr<HomeTest> GridDomains::home_test(const Space&, int part, std::int64_t) const {
  return home_in_box(box_of(part));
}

std::vector<int> GridDomains::ranks_within(const Box& box, double width) const {
  check_halo(stage_name, *this, box, width);
  const Reaches reaches = reaches_of(frame(), dimensions(), box, width);
  return ranks_within_reach(GridBranches(*this), dimensions(), reaches);
}

std::vector<int> neighbours_of(const GridDomains& decomposition, int part) {
  std::vector<int> ranks =
      decomposition.ranks_within(decomposition.box_of(part), touching_reach(decomposition));
  std::erase(ranks, decomposition.rank_of(part));
  return ranks;
}

}  // namespace evenkeel
