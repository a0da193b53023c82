#include "domains/boxes.hpp"
#include "domains/branches.hpp"
#include "domains/home/home_test.hpp"
#include "domains/stage.hpp"
#include "domains/write_parts.hpp"

#include <evenkeel/core/domains/part_of_point.hpp>
#include <evenkeel/core/domains/tree.hpp>

namespace evenkeel {

namespace {

// A range of parts of a tree, and the box of their domains. Walks keep branches on an explicit
// stack, because trees may be too deep for recursion.
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
    refuse(name + " divides along axis " + std::to_string(node.axis) + " in " +
               std::to_string(dimensions) + " dimensions.",
           "Count axes from 0.");
  if (node.middle <= branch.range.begin || node.middle >= branch.range.end)
    refuse(name + " divides parts " + std::to_string(branch.range.begin) + " to " +
               std::to_string(branch.range.end - 1) + " before part " +
               std::to_string(node.middle) + '.',
           "Leave at least one part on each side, and give the nodes in pre-order.");
  const auto d = static_cast<std::size_t>(node.axis);
  if (!(node.border >= branch.box.lower[d] && node.border <= branch.box.upper[d]))
    refuse(name + " has its border outside the box that it divides.",
           "Put each border between the faces of its box, and give the nodes in pre-order.");
}

int way_to(const BisectionRange& range) { return range.parts() > 1 ? range.node : ~range.begin; }

std::vector<TreeDomains::Fork> checked_forks(const std::vector<Bisection>& nodes, const Box& box,
                                             int dimensions) {
  std::vector<TreeDomains::Fork> forks(nodes.size());
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

int parts_of_checked(int dimensions, const std::vector<Bisection>& nodes) {
  if (dimensions < 1 || dimensions > 3)
    refuse("A tree of boxes in " + std::to_string(dimensions) + " dimensions was asked for.",
           "Use 1, 2 or 3 dimensions.");
  if (std::ssize(nodes) >= std::numeric_limits<int>::max())
    refuse("The tree has more parts than can be counted.", "Use at most 2147483647 parts.");
  return static_cast<int>(nodes.size()) + 1;
}

}  // namespace

// --- TreeDomains ---------------------------------------------------------------------------------

TreeDomains::TreeDomains(std::int64_t generation, int dimensions, const Box& box,
                         const std::array<bool, 3>& periodic, std::vector<Bisection> nodes,
                         std::vector<int> rank_of_part)
    : Decomposition(generation, parts_of_checked(dimensions, nodes), dimensions, box, periodic,
                    std::move(rank_of_part)),
      nodes_(std::move(nodes)) {
  check_axes(dimensions, box, periodic);
  forks_ = checked_forks(nodes_, box, dimensions);
  check_ranks(stage_name, parts(), this->rank_of_part());
}

LeafOfPoint TreeDomains::leaf_of_point() const noexcept {
  LeafOfPoint leaf_of;
  leaf_of.dimensions = dimensions();
  leaf_of.first = parts() > 1 ? 0 : ~0;
  leaf_of.forks = forks_.data();
  for (int axis = 0; axis < dimensions(); ++axis)
    leaf_of.axes[axis] = axis_of(box(), periodic(), axis);
  return leaf_of;
}

int TreeDomains::owner_of(std::span<const double> point) const {
  check_point(stage_name, *this, point);
  return rank_of(leaf_of_point()(point.data()));
}

Box TreeDomains::box_of(int part) const {
  check_part(stage_name, parts(), part);
  Branch branch{{0, 0, parts()}, box()};
  while (branch.range.parts() > 1) {
    const Bisection& node = node_of(nodes_, branch.range);
    branch = part < node.middle ? branch.below(node) : branch.above(node);
  }
  return branch.box;
}

std::vector<Box> TreeDomains::boxes_of(int part) const { return box_with_places(*this, part); }

bool TreeDomains::divides_as(const TreeDomains& other) const { return nodes_ == other.nodes_; }

void TreeDomains::write_parts(const Space& space, const Set& set, int* parts) const {
  if (!has_objects(stage_name, space, *this, set)) return;
  LeafOfPoint leaf_of = leaf_of_point();
  const exec::Reached<TreeDomains::Fork> forks(space, parts_label, forks_);
  leaf_of.forks = forks.data();
  write_parts_by(space, leaf_of, set, parts);
}

// --- Within reach --------------------------------------------------------------------------------

namespace {

// The branches of a tree of bisections. The box of a lower half ends at the last number below the
// border, because boxes of branches are closed.
class BisectionBranches {
 public:
  struct Branch {
    NodeBox box;
    int first, last;
    BisectionRange range;
  };

  explicit BisectionBranches(const TreeDomains& tree) : tree_(tree) {}

  Branch root() const { return of({0, 0, tree_.parts()}, {}); }

  template <class Visit>
  void children(const Branch& branch, const Visit& visit) const {
    const Bisection& node = tree_.nodes()[static_cast<std::size_t>(branch.range.node)];
    const auto d = static_cast<std::size_t>(node.axis);
    Branch below = of(branch.range.below(node.middle), branch.box);
    Branch above = of(branch.range.above(node.middle), branch.box);
    below.box.upper[d] = std::min(branch.box.upper[d], place_before(node.border));
    above.box.lower[d] = std::max(branch.box.lower[d], node.border);
    visit(above);
    visit(below);
  }

  int rank_of(int owner) const { return tree_.rank_of(owner); }

 private:
  static Branch of(const BisectionRange& range, const NodeBox& box) {
    return {box, range.begin, range.end - 1, range};
  }

  const TreeDomains& tree_;
};

}  // namespace

BoxFrame TreeDomains::frame() const { return BoxFrame(*this); }

OwnerTree TreeDomains::owner_tree(const Reaches& reaches) const {
  return tree_within_reach(BisectionBranches(*this), parts(), dimensions(), reaches);
}

std::unique_ptr<HomeTest> TreeDomains::home_test(const Space&, int part, std::int64_t) const {
  return home_in_box(box_of(part));
}

std::vector<int> TreeDomains::ranks_within(const Box& box, double width) const {
  check_halo(stage_name, *this, box, width);
  const Reaches reaches = reaches_of(frame(), dimensions(), box, width);
  return ranks_within_reach(BisectionBranches(*this), dimensions(), reaches);
}

}  // namespace evenkeel
