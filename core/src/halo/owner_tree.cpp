// Owner trees of grids and of bisections.

#include "halo/owner_tree.hpp"

#include "domains/checks.hpp"
#include "halo/flatten.hpp"

#include <evenkeel/core/domains/part_of_point.hpp>

#include <algorithm>
#include <cmath>

namespace evenkeel {

namespace {

double before(double place) {
  return std::nextafter(place, -std::numeric_limits<double>::infinity());
}

// Rows of borders, halved until single domains are left; then the rows of the next level.
class GridSource {
 public:
  struct Branch {
    NodeBox box;
    int first, last;
    int level;
    std::int64_t row;
    int begin, end;  // domains in the row
  };

  explicit GridSource(const GridDomains& grid) : grid_(grid), of_(grid.part_of_point()) {
    for (int level = of_.dimensions - 1; level > 0; --level)
      owners_[level - 1] = owners_[level] * of_.levels[level].domains;
  }

  Branch root() const {
    Branch branch{};
    enter(branch, 0, 0);
    return descended(branch);
  }

  void children(const Branch& branch, std::vector<Branch>& into) const {
    const int middle = branch.begin + (branch.end - branch.begin) / 2;
    into.push_back(cut(branch, branch.begin, middle));
    into.push_back(cut(branch, middle, branch.end));
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
  // Makes a branch a row of a level. Where the box is flat, the first domain has all.
  void enter(Branch& branch, int level, std::int64_t row) const {
    const PartOfPoint::Level& here = of_.levels[level];
    const double* const borders = here.row(row);
    const bool is_flat = borders[0] == borders[here.domains];
    branch.level = level;
    branch.row = row;
    branch.begin = 0;
    branch.end = is_flat ? 1 : here.domains;
    branch.last = branch.first + branch.end * owners_[level] - 1;
  }
  // A single domain is the row of the next level in it.
  Branch descended(Branch branch) const {
    for (int level = branch.level; level + 1 < of_.dimensions; ++level) {
      if (branch.end - branch.begin > 1 || branch.first == branch.last) break;
      enter(branch, level + 1, of_.next_row(level, branch.row, branch.begin));
    }
    return branch;
  }
  Branch cut(Branch branch, int begin, int end) const {
    const PartOfPoint::Level& here = of_.levels[branch.level];
    const double* const borders = here.row(branch.row);
    const auto d = static_cast<std::size_t>(here.axis);
    branch.box.lower[d] = borders[begin];
    branch.box.upper[d] = before(borders[end]);
    branch.first += (begin - branch.begin) * owners_[branch.level];
    branch.last = branch.first + (end - begin) * owners_[branch.level] - 1;
    branch.begin = begin;
    branch.end = end;
    return branch.box.is_empty() ? branch : descended(branch);
  }

  const GridDomains& grid_;
  const PartOfPoint of_;
  int owners_[3] = {1, 1, 1};  // in a domain of each level
};

class BisectionSource {
 public:
  struct Branch {
    NodeBox box;
    int first, last;
    BisectionRange range;
  };

  explicit BisectionSource(const TreeDomains& tree) : tree_(tree) {}

  Branch root() const { return of({0, 0, tree_.parts()}, {}); }

  void children(const Branch& branch, std::vector<Branch>& into) const {
    const Bisection& node = tree_.nodes()[static_cast<std::size_t>(branch.range.node)];
    const auto d = static_cast<std::size_t>(node.axis);
    Branch below = of(branch.range.below(node.middle), branch.box);
    Branch above = of(branch.range.above(node.middle), branch.box);
    below.box.upper[d] = std::min(branch.box.upper[d], before(node.border));
    above.box.lower[d] = std::max(branch.box.lower[d], node.border);
    into.push_back(below);
    into.push_back(above);
  }

  int rank_of(int owner) const { return tree_.rank_of(owner); }

 private:
  static Branch of(const BisectionRange& range, const NodeBox& box) {
    return {box, range.begin, range.end - 1, range};
  }

  const TreeDomains& tree_;
};

}  // namespace

OwnerTree owner_tree(const Domains& domains, const Region& region) {
  if (!own_places(domains)) refuse_places("core/halo");
  if (const auto* curve = std::get_if<CurveDomains>(&domains)) return owner_tree_of(*curve, region);
  if (const auto* grid = std::get_if<GridDomains>(&domains))
    return flatten(GridSource(*grid), grid->parts(), grid->dimensions(), region);
  const auto& tree = std::get<TreeDomains>(domains);
  return flatten(BisectionSource(tree), tree.parts(), tree.dimensions(), region);
}

}  // namespace evenkeel
