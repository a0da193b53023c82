#include "domains/reaches.hpp"
#include "domains/write_parts.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>
#include <evenkeel/core/domains/tree.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "core/domains";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(ErrorKind::bad_input, Where{stage_name}, problem, remedy);
}

// A range of parts of a tree and the box of their domains; an explicit stack holds them, because
// trees may be too deep for recursion.
struct Branch {
  BisectionRange range;
  Box box;

  Branch below(const Bisection& node) const {
    Branch half{range.below(node.middle), box};
    half.box.upper[static_cast<std::size_t>(node.axis)] = node.border;
    return half;
  }
  Branch above(const Bisection& node) const {
    Branch half{range.above(node.middle), box};
    half.box.lower[static_cast<std::size_t>(node.axis)] = node.border;
    return half;
  }
};

const Bisection& node_of(const std::vector<Bisection>& nodes, const BisectionRange& range) {
  return nodes[static_cast<std::size_t>(range.node)];
}

void check_node(const Bisection& node, const Branch& branch, int dimensions) {
  const std::string name = "Node " + std::to_string(branch.range.node);
  if (node.axis < 0 || node.axis >= dimensions)
    refuse(name + " divides along axis " + std::to_string(node.axis) + " of " +
               std::to_string(dimensions) + '.',
           "Count axes from 0.");
  if (node.middle <= branch.range.begin || node.middle >= branch.range.end)
    refuse(name + " divides parts " + std::to_string(branch.range.begin) + " to " +
               std::to_string(branch.range.end - 1) + " before part " +
               std::to_string(node.middle) + '.',
           "Leave parts on both sides; nodes stand in pre-order.");
  const auto d = static_cast<std::size_t>(node.axis);
  if (!(node.border >= branch.box.lower[d] && node.border <= branch.box.upper[d]))
    refuse(name + " has its border outside the box that it divides.",
           "Divide boxes within their faces; nodes stand in pre-order.");
}

int way_to(const BisectionRange& range) { return range.parts() > 1 ? range.node : ~range.begin; }

std::vector<Fork> checked_forks(const std::vector<Bisection>& nodes, const Box& box,
                                int dimensions) {
  std::vector<Fork> forks(nodes.size());
  std::vector<Branch> open = {{{0, 0, static_cast<int>(nodes.size()) + 1}, box}};
  while (!open.empty()) {
    const Branch branch = open.back();
    open.pop_back();
    if (branch.range.parts() == 1) continue;
    const Bisection& node = node_of(nodes, branch.range);
    check_node(node, branch, dimensions);
    const Branch below = branch.below(node), above = branch.above(node);
    forks[static_cast<std::size_t>(branch.range.node)] = {
        node.border, node.axis, {way_to(below.range), way_to(above.range)}};
    open.push_back(above);
    open.push_back(below);
  }
  return forks;
}

}  // namespace

// --- TreeDomains ---------------------------------------------------------------------------------

TreeDomains::TreeDomains(std::int64_t generation, int dimensions, const Box& box,
                         const std::array<bool, 3>& periodic, std::vector<Bisection> nodes,
                         std::vector<int> rank_of_part)
    : generation_(generation),
      dimensions_(dimensions),
      box_(box),
      periodic_(periodic),
      nodes_(std::move(nodes)),
      rank_of_part_(std::move(rank_of_part)) {
  if (dimensions < 1 || dimensions > 3)
    refuse("A tree of boxes in " + std::to_string(dimensions) + " dimensions was asked for.",
           "Use 1, 2 or 3 dimensions.");
  if (std::ssize(nodes_) >= std::numeric_limits<int>::max())
    refuse("The tree has more parts than can be counted.", "Use at most 2147483647 parts.");
  parts_ = static_cast<int>(nodes_.size()) + 1;
  check_axes(dimensions, box, periodic);
  forks_ = checked_forks(nodes_, box, dimensions);
  check_ranks(stage_name, parts_, rank_of_part_);
}

LeafOfPoint TreeDomains::leaf_of_point() const noexcept {
  LeafOfPoint leaf_of;
  leaf_of.dimensions = dimensions_;
  leaf_of.first = parts_ > 1 ? 0 : ~0;
  leaf_of.forks = forks_.data();
  for (int axis = 0; axis < dimensions_; ++axis)
    leaf_of.axes[axis] = axis_of(box_, periodic_, axis);
  return leaf_of;
}

int TreeDomains::owner_of(std::span<const double> point) const {
  check_has_parts(stage_name, parts());
  check_point(stage_name, dimensions(), point);
  return rank_of(leaf_of_point()(point.data()));
}

Box TreeDomains::box_of(int part) const {
  check_part(stage_name, parts(), part);
  Branch branch{{0, 0, parts_}, box_};
  while (branch.range.parts() > 1) {
    const Bisection& node = node_of(nodes_, branch.range);
    branch = part < node.middle ? branch.below(node) : branch.above(node);
  }
  return branch.box;
}

// --- Asked for all objects, and for a box --------------------------------------------------------

void write_parts(const Space& space, const TreeDomains& tree, const Set& set, int* parts) {
  if (!has_objects(stage_name, space, tree.parts(), tree.dimensions(), set)) return;
  LeafOfPoint leaf_of = tree.leaf_of_point();
  Buffer copy;
  leaf_of.forks = reachable(space, tree.forks(), copy);
  write_parts_by(space, leaf_of, set, parts);
}

namespace {

// Adds the ranks of the leaves within reach of one box of places. The box never becomes empty:
// places below a border end at the last number below it.
void add_leaves(const TreeDomains& tree, const Box& reach, std::vector<int>& ranks) {
  std::vector<Branch> open = {{{0, 0, tree.parts()}, reach}};
  while (!open.empty()) {
    const Branch branch = open.back();
    open.pop_back();
    if (branch.range.parts() == 1) {
      ranks.push_back(tree.rank_of(branch.range.begin));
      continue;
    }
    const Bisection& node = node_of(tree.nodes(), branch.range);
    const auto d = static_cast<std::size_t>(node.axis);
    const double before = std::nextafter(node.border, -std::numeric_limits<double>::infinity());
    Branch below{branch.range.below(node.middle), branch.box};
    Branch above{branch.range.above(node.middle), branch.box};
    below.box.upper[d] = std::min(branch.box.upper[d], before);
    above.box.lower[d] = std::max(branch.box.lower[d], node.border);
    if (branch.box.lower[d] < node.border) open.push_back(below);
    if (branch.box.upper[d] >= node.border) open.push_back(above);
  }
}

}  // namespace

std::vector<int> ranks_within(const TreeDomains& tree, const Box& box, double width) {
  check_has_parts(stage_name, tree.parts());
  check_halo(stage_name, tree.dimensions(), box, width);
  const auto reaches = reaches_of(tree.dimensions(), tree.box(), tree.periodic(), box, width);
  std::vector<int> ranks;
  Box reach;
  const auto for_each_reach = [&](const auto& self, std::size_t axis) -> void {
    if (axis == 3 || axis == static_cast<std::size_t>(tree.dimensions()))
      return add_leaves(tree, reach, ranks);
    for (const Reach& along : reaches[axis]) {
      reach.lower[axis] = along.first;
      reach.upper[axis] = along.last;
      self(self, axis + 1);
    }
  };
  for_each_reach(for_each_reach, 0);
  make_ascending(ranks);
  return ranks;
}

}  // namespace evenkeel
