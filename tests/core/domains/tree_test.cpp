#include "core/domains/any.hpp"

#include <evenkeel/backends/exec/with_space.hpp>
#include <evenkeel/core/domains/part_of_point.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::tree_test {
namespace {

constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

// In a flat box, every place is below each border. So the first part that contains a place owns it.
auto first_in_a_flat_box(const TreeDomains& tree) {
  bool flat = false;
  for (std::size_t d = 0; d < static_cast<std::size_t>(tree.dimensions()); ++d)
    flat = flat || test::is_flat(tree.box(), d);
  return [flat](const std::vector<int>& parts) {
    return flat && !parts.empty() ? std::vector{parts.front()} : parts;
  };
}

TEST(TreeDomains, EveryPointHasOneOwner) {
  test::Random random(1);
  for (const int dimensions : {1, 2, 3})
    for (int repeat = 0; repeat < 200; ++repeat) {
      const TreeDomains tree = test::random_tree(dimensions, random);
      test::expect_owners(tree, first_in_a_flat_box(tree), 100, random);
      if (HasFatalFailure()) return;
    }
}

TEST(TreeDomains, RanksWithinAreTheOwnersOfAllPoints) {
  test::Random random(2);
  for (const int dimensions : {1, 2, 3})
    for (int repeat = 0; repeat < 150; ++repeat) {
      const TreeDomains tree = test::random_tree(dimensions, random);
      for (int boxes = 0; boxes < 5; ++boxes) test::expect_ranks_within(tree, random);
      if (HasFatalFailure()) return;
    }
}

TEST(TreeDomains, PartsOfObjects) {
  with_space(test::space(), []<class Instance>(const Instance& instance) {
    test::Random random(3);
    for (const int dimensions : {2, 3})
      for (int repeat = 0; repeat < 10; ++repeat) {
        const TreeDomains tree = test::random_tree(dimensions, random);
        test::expect_all_parts(instance, tree, tree.leaf_of_point(), random);
      }
  });
}

// --- By hand -------------------------------------------------------------------------------------

// The leaves are 0 | 1 below 2 | 3. The upper right is divided again, into 3 and 4.
TreeDomains five() {
  return TreeDomains(7, 2, unit, {true, false, false},
                     {{0.5, 1, 2}, {0.25, 0, 1}, {0.5, 0, 3}, {0.75, 1, 4}}, {4, 3, 2, 1, 0});
}

TEST(TreeDomains, ByHand) {
  const TreeDomains tree = five();
  EXPECT_EQ(tree.generation(), 7);
  EXPECT_EQ(tree.parts(), 5);
  EXPECT_EQ(tree.dimensions(), 2);
  EXPECT_EQ(tree.rank_of(1), 3);
  EXPECT_EQ(tree.nodes().size(), 4U);
  EXPECT_EQ(tree.box_of(0), (Box{{0, 0, 0}, {0.25, 0.5, 1}}));
  EXPECT_EQ(tree.box_of(1), (Box{{0.25, 0, 0}, {1, 0.5, 1}}));
  EXPECT_EQ(tree.box_of(2), (Box{{0, 0.5, 0}, {0.5, 1, 1}}));
  EXPECT_EQ(tree.box_of(3), (Box{{0.5, 0.5, 0}, {1, 0.75, 1}}));
  EXPECT_EQ(tree.box_of(4), (Box{{0.5, 0.75, 0}, {1, 1, 1}}));
  for (int part = 0; part < 5; ++part) {
    const Box box = tree.box_of(part);
    EXPECT_EQ(tree.owner_of(std::span(box.lower).first(2)), tree.rank_of(part));
  }
  EXPECT_EQ(tree.owner_of(std::array{1.0, 1.0}), 2) << "wraps in x";
  EXPECT_EQ(tree.owner_of(std::array{0.9, 7.0}), 0);
  EXPECT_EQ(tree.ranks_within({{0.75, 0.75, 0}, {0.75, 0.75, 0}}, 0.125), (std::vector{0, 1}));
  EXPECT_EQ(tree.ranks_within({{0.9, 0.9, 0}, {0.9, 0.9, 0}}, 0.125), (std::vector{0, 2}));
}

TEST(TreeDomains, OnePartOwnsAll) {
  for (const int dimensions : {1, 2, 3}) {
    const TreeDomains tree(1, dimensions, unit, {}, {});
    const test::Point point = {5, -3, 0.5};
    EXPECT_EQ(tree.parts(), 1);
    EXPECT_EQ(tree.box_of(0), unit);
    EXPECT_EQ(tree.owner_of(std::span(point).first(static_cast<std::size_t>(dimensions))), 0);
    EXPECT_EQ(tree.ranks_within(unit, 3), std::vector{0});
  }
}

TEST(TreeDomains, DomainsWithoutExtent) {
  const auto owner = [](const std::vector<double>& borders, const Box& box, double place) {
    std::vector<Bisection> nodes;
    for (const double border : borders)
      nodes.push_back({border, 0, static_cast<int>(nodes.size()) + 1});
    return TreeDomains(1, 1, box, {}, std::move(nodes)).owner_of(std::array{place});
  };
  for (const double place : {-1.0, 0.0, 0.5, 1.0, 2.0})
    EXPECT_EQ(owner({0, 0, 1, 1}, unit, place), 2) << place;
  const Box flat = {{3, 0, 0}, {3, 0, 0}};
  for (const double place : {2.0, 3.0, 4.0}) EXPECT_EQ(owner({3, 3, 3}, flat, place), 0) << place;
}

// The tree is a chain, which is as deep as it has parts.
TEST(TreeDomains, AsDeepAsItHasParts) {
  constexpr int parts = 100'000;
  std::vector<Bisection> nodes;
  for (int part = 1; part < parts; ++part)
    nodes.push_back({static_cast<double>(part) / parts, 0, part});
  const TreeDomains tree(1, 3, unit, {}, nodes);
  EXPECT_EQ(tree.owner_of(std::array{0.5, 0.5, 0.5}), parts / 2);
  EXPECT_EQ(tree.box_of(parts - 1).upper, unit.upper);
  EXPECT_EQ(tree.ranks_within(unit, 0).size(), std::size_t{parts});
  EXPECT_EQ(tree.ranks_within({{1, 0, 0}, {1, 0, 0}}, 0), std::vector{parts - 1});
}

// --- Misuse --------------------------------------------------------------------------------------

TEST(TreeDomains, Misuse) {
  test::expect_refusals(TreeDomains(1, 3, unit, {}, {{0.5, 1, 2}, {0.25, 0, 1}}));
}

TEST(TreeDomains, DimensionsAndBoxesThatMakeNoSense) {
  const double nan = std::nan("");
  for (const int dimensions : {0, 4})
    EXPECT_ERROR(TreeDomains(1, dimensions, unit, {}, {}), "core/domains: A tree of boxes in ");
  EXPECT_ERROR(TreeDomains(1, 2, {{0, 1, 0}, {1, 0, 1}}, {}, {}),
               "The box goes from 1 to 0 along y");
  EXPECT_ERROR(TreeDomains(1, 2, {{0, 1, 0}, {1, 1, 1}}, {false, true}, {}),
               "flat along y, which is");
  EXPECT_NO_THROW(TreeDomains(1, 2, {{0, 0, nan}, {1, 1, 0}}, {false, false, true}, {}));
}

TEST(TreeDomains, NodesThatMakeNoSense) {
  const auto make = [](std::vector<Bisection> nodes, std::vector<int> ranks = {}) {
    TreeDomains(1, 2, unit, {}, std::move(nodes), std::move(ranks));
  };
  for (const int axis : {-1, 2})
    EXPECT_ERROR(make({{0.5, axis, 1}}), "core/domains: Node 0 divides along axis ");
  for (const int middle : {0, 2, -1})
    EXPECT_ERROR(make({{0.5, 0, middle}}),
                 "core/domains: Node 0 divides parts 0 to 1 before part ");
  EXPECT_ERROR(make({{0.5, 0, 2}, {0.5, 0, 2}}), "Node 1 divides parts 0 to 1 before part 2.");
  for (const double border : {-0.5, 1.5, std::nan("")})
    EXPECT_ERROR(make({{border, 0, 1}}), "core/domains: Node 0 has its border outside");
  EXPECT_ERROR(make({{0.5, 0, 2}, {0.75, 0, 1}}), "Node 1 has its border outside");
  EXPECT_ERROR(make({{0.5, 0, 1}, {0.25, 0, 2}}), "Node 1 has its border outside");
  EXPECT_ERROR(make({{0.5, 0, 1}}, {0, 0}), "core/domains: The ranks do not own one part each.");
  EXPECT_ERROR(make({{0.5, 0, 1}}, {0, 1, 2}), "core/domains: The ranks do not own one part each.");
}

}  // namespace
}  // namespace evenkeel::tree_test
